#include "position_store.hpp"

#include <sys/file.h>

#include <algorithm>
#include <walspout/error.hpp>

namespace walspout::file {
namespace {

constexpr std::string_view kMagic = "wspfile1";
constexpr std::size_t kChecked = 12;  // where what the CRC covers begins
constexpr std::size_t kHeader = 56;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kFirstSlotSize = 2 * kPage;
constexpr std::uint64_t kMaxSlotSize = std::uint64_t{1} << 30;  // beyond that the file is damaged

template <class T>
void put(std::string& out, T number) {
  for (std::size_t i = 0; i < sizeof number; ++i)
    out += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xFF);
}

template <class T>
T take(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return static_cast<T>(number);
}

void encode(std::string& out, const Record& record, std::uint64_t sequence) {
  out.assign(kMagic);
  put(out, std::uint32_t{0});
  put(out, static_cast<std::uint32_t>(record.host_state.size()));
  put(out, sequence);
  put(out, record.position);
  put(out, record.inode);
  put(out, record.offset);
  put(out, record.tail_crc);
  put(out, std::uint32_t{0});
  out += record.host_state;
  const std::uint32_t crc = crc32(std::string_view(out).substr(kChecked));
  for (std::size_t i = 0; i < 4; ++i)
    out[kMagic.size() + i] = static_cast<char>(crc >> (8 * i) & 0xFF);
}

// Returns 0 or errno.
int write_at(int fd, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return 0;
}

std::size_t slot_size_for(std::size_t record_size) {
  return std::max(kFirstSlotSize, (record_size + kPage - 1) / kPage * kPage * 2);
}

}  // namespace

PositionStore::PositionStore(std::string path) : path_(std::move(path)) {
  struct stat st = {};
  if (::stat(path_.c_str(), &st) != 0) {
    if (errno != ENOENT) throw BadConfig(failed("look at", path_));
    create(kFirstSlotSize, {}, 0);
  }
  open_and_lock();
  load();
}

// By temporary file and rename, so that the file is whole from its first moment on. Its blocks are
// written, not only reserved: later writes in place then change no metadata.
void PositionStore::create(std::size_t slot_size, std::string_view record, std::size_t slot) {
  const std::string temporary = path_ + ".new";
  const auto check = [&](int error, std::string_view what) {
    if (error == 0) return;
    if (may_pass(error)) throw Retry(failed(what, temporary, error));
    throw BadConfig(failed(what, temporary, error));
  };
  const Fd fd(::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  check(fd ? 0 : errno, "create");
  std::string content(2 * slot_size, '\0');
  content.replace(slot * slot_size, record.size(), record);
  check(write_at(fd.get(), content, 0), "write");
  check(::fsync(fd.get()) == 0 ? 0 : errno, "fsync");
  check(::rename(temporary.c_str(), path_.c_str()) == 0 ? 0 : errno, "rename");
  check(sync_folder(folder_of(path_)), "fsync the folder of");
}

void PositionStore::open_and_lock() {
  Fd fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) throw BadConfig(failed("open", path_));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
    throw Retry(path_ + " is in use by another process; stop that one");
  struct stat st = {};
  if (::fstat(fd.get(), &st) != 0) throw Retry(failed("look at", path_));
  const auto size = static_cast<std::uint64_t>(st.st_size);
  if (size == 0 || size % (2 * kPage) != 0 || size / 2 > kMaxSlotSize)
    throw BadConfig(path_ + " is damaged (" + std::to_string(size) +
                    " bytes); restore it, or remove it, so that this sink starts anew");
  slot_size_ = size / 2;
  fd_ = std::move(fd);
}

std::optional<std::pair<std::uint64_t, Record>> PositionStore::read_slot(int slot) const {
  std::string bytes(slot_size_, '\0');
  const ssize_t n = ::pread(fd_.get(), bytes.data(), bytes.size(),
                            static_cast<off_t>(static_cast<std::size_t>(slot) * slot_size_));
  if (n < 0) throw Retry(failed("read", path_));
  if (static_cast<std::size_t>(n) != bytes.size() || !bytes.starts_with(kMagic))
    return std::nullopt;
  const std::size_t state_size = take<std::uint32_t>(bytes, 12);
  if (state_size > slot_size_ - kHeader) return std::nullopt;
  const std::string_view checked(bytes.data() + kChecked, kHeader - kChecked + state_size);
  if (take<std::uint32_t>(bytes, 8) != crc32(checked)) return std::nullopt;
  Record record;
  record.position = take<std::uint64_t>(bytes, 24);
  record.inode = take<std::uint64_t>(bytes, 32);
  record.offset = take<std::uint64_t>(bytes, 40);
  record.tail_crc = take<std::uint32_t>(bytes, 48);
  record.host_state = bytes.substr(kHeader, state_size);
  return std::pair(take<std::uint64_t>(bytes, 16), std::move(record));
}

void PositionStore::load() {
  for (const int slot : {0, 1})
    if (auto found = read_slot(slot); found && (!last_ || found->first > sequence_)) {
      sequence_ = found->first;
      last_ = std::move(found->second);
    }
  if (last_) return;
  std::string bytes(2 * slot_size_, '\0');
  const ssize_t n = ::pread(fd_.get(), bytes.data(), bytes.size(), 0);
  if (n < 0) throw Retry(failed("read", path_));
  if (bytes.find_first_not_of('\0') != std::string::npos)
    throw BadConfig(path_ + " is damaged: no valid record; restore it, or remove it and resync " +
                    "this sink");
}

void PositionStore::save(const Record& record) {
  encode(scratch_, record, sequence_ + 1);
  try {
    // Never the slot of last_, which counts until this one is whole.
    const std::size_t slot = (sequence_ + 1) % 2;
    if (scratch_.size() > slot_size_) {
      create(slot_size_for(scratch_.size()), scratch_, slot);
      open_and_lock();
    } else {
      if (const int error = write_at(fd_.get(), scratch_, slot * slot_size_); error != 0)
        throw Reopen(failed("write", path_, error));
      if (::fdatasync(fd_.get()) != 0) throw Reopen(failed("fdatasync", path_));
    }
  } catch (const Retry& e) {
    throw Reopen(e.what());
  }
  ++sequence_;
  last_ = record;
}

}  // namespace walspout::file
