#include "file_sink.hpp"

#include <filesystem>

namespace walspout::file {
namespace {

// A link is followed once, so that rotation renames the file and not the link.
std::string target_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

std::string record_path(const Context& context) {
  return std::string(context.state_dir()) + "/position";
}

std::uint64_t size_option(const Context& context, std::string_view name) {
  const std::int64_t value = context.integer(name).value_or(0);
  if (value < 0) throw BadConfig(std::string(name) + " must not be negative");
  return static_cast<std::uint64_t>(value);
}

}  // namespace

FileSink::FileSink(const Context& context)
    : log_(context.log()),
      path_(target_of(*context.string("path"))),
      rotate_size_(size_option(context, "rotate_size")),
      rotate_keep_(size_option(context, "rotate_keep")),
      store_(record_path(context)),
      output_(recover(path_, store_.last(), log_)),
      border_(output_.written()),
      settled_(border_),
      position_(store_.last() ? store_.last()->position : 0),
      host_state_(store_.last() ? store_.last()->host_state : "") {
  if (const int error = sync_folder(folder_of(path_)); error != 0)
    throw Retry(failed("fsync the folder of", path_, error));
  // Before the first line: whatever a crash leaves behind this point is known for what it is.
  make_durable();
}

void FileSink::check(const Context& context) {
  const std::string path = target_of(*context.string("path"));
  size_option(context, "rotate_size");
  size_option(context, "rotate_keep");
  struct stat st = {};
  if (::stat(path.c_str(), &st) == 0) {
    if (!S_ISREG(st.st_mode)) throw BadConfig(path + " is no regular file");
    if (::access(path.c_str(), R_OK | W_OK) != 0) throw BadConfig(failed("read and write", path));
  }
  const std::string folder = folder_of(path);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw BadConfig(failed("create files in", folder) + "; create the folder, or grant the rights");
}

void FileSink::write(const Batch& batch) {
  if (batch.first() && !batch.empty()) {
    output_.cut(border_);  // no-op, unless an unfinished transaction was not aborted
    rotate_if_due();
  }
  call_start_ = output_.end();
  try {
    take(batch);
  } catch (...) {
    output_.cut(call_start_);
    throw;
  }
  if (!batch.last()) return;
  border_ = output_.end();
  const walspout_txn& txn = batch.txn();
  const bool settles = txn.position != 0 || txn.host_state.size != 0;
  copying_ = !settles && (copying_ || txn.kind == WALSPOUT_TXN_SNAPSHOT);
  if (!copying_) settled_ = border_;
  if (txn.position != 0) position_ = txn.position;
  if (txn.host_state.size != 0) host_state_ = view(txn.host_state);
}

void FileSink::take(const Batch& batch) {
  std::string& lines = output_.buffer();
  for (const Change change : batch) {
    if (!events_.append(lines, batch.txn(), change.raw())) continue;
    lines += '\n';
    if (output_.full()) drain();
  }
}

void FileSink::flush() {
  drain();
  make_durable();
  const bool between_transactions = output_.end() == border_ && !copying_;
  if (between_transactions && output_.moved()) reopen();
}

void FileSink::abort() { output_.cut(border_); }

void FileSink::drain() {
  if (const std::uint64_t size = output_.size_now(); size != output_.written())
    notice_other_size(size);
  output_.drain();
}

void FileSink::notice_other_size(std::uint64_t size) {
  const std::uint64_t written = output_.written();
  log_(WALSPOUT_WARN, path_ + (size < written ? " was truncated" : " was appended to") +
                          " from outside: it has " + std::to_string(size) + " bytes in place of " +
                          std::to_string(written) + "; going on behind them");
  output_.adopt(size);
  if (size < written) cut_torn_line(output_, log_);
  const auto moved = [&](std::uint64_t offset) {
    return offset >= written ? output_.written() + (offset - written)
                             : std::min(offset, output_.written());
  };
  border_ = moved(border_);
  settled_ = moved(settled_);
  call_start_ = moved(call_start_);
  // The recorded offset must not lie behind what comes now, or a crash would leave that uncut.
  Record record = *store_.last();
  if (record.offset <= output_.written()) return;
  record.offset = output_.written();
  record.tail_crc = output_.tail_crc(record.offset);
  store_.save(record);
}

void FileSink::make_durable() {
  output_.sync();
  const std::optional<Record>& last = store_.last();
  if (last && last->position == position_ && last->offset == settled_ &&
      last->inode == output_.inode() && last->host_state == host_state_)
    return;
  store_.save({position_, output_.inode(), settled_, output_.tail_crc(settled_), host_state_});
}

void FileSink::rotate_if_due() {
  if (rotate_size_ == 0 || border_ < rotate_size_ || copying_) return;
  drain();
  make_durable();
  const bool moved = output_.moved();  // from outside, or by a rotation that failed half-way
  if (!moved) shift_names(path_);
  reopen();
  if (!moved && rotate_keep_ != 0) remove_old(path_, rotate_keep_, log_);
}

void FileSink::reopen() {
  Output next = open_foreign(path_, log_);
  if (const int error = sync_folder(folder_of(path_)); error != 0)
    throw Retry(failed("fsync the folder of", path_, error));
  log_(WALSPOUT_INFO, "goes on in a new " + path_);
  output_ = std::move(next);
  border_ = settled_ = output_.written();
  make_durable();
}

}  // namespace walspout::file

using walspout::file::FileSink;

WALSPOUT_PLUGIN(FileSink, "file", "1.0",
                "Appends changes to a file as JSON lines, each exactly once.",
                WALSPOUT_CAP_POSITION | WALSPOUT_CAP_SNAPSHOT,
                WALSPOUT_TAKES_TRUNCATE | WALSPOUT_TAKES_PARTIAL_ROW | WALSPOUT_TAKES_KEY_CHANGE |
                    WALSPOUT_TAKES_MESSAGE | WALSPOUT_TAKES_SCHEMA | WALSPOUT_TAKES_NO_KEY,
                {"path", WALSPOUT_PATH, WALSPOUT_REQUIRED, nullptr,
                 "File to append to; created with mode 0600."},
                {"rotate_size", WALSPOUT_BYTES, 0, "0B",
                 "Size from which on the file is rotated between transactions; 0 = never."},
                {"rotate_keep", WALSPOUT_INT, 0, "0", "How many rotated files to keep; 0 = all."})
