#include "runner_fake.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace walspout::sink {
namespace {

constexpr std::chrono::seconds kPatience{30};
FakePlugin* current = nullptr;  // plain C functions have no other way to their object

std::string describe(const walspout_batch& batch) {
  const walspout_txn& txn = *batch.txn;
  transaction::Piece piece{txn, batch.flags, 0, static_cast<std::uint32_t>(batch.change_count)};
  const std::vector<const walspout_change*> changes(batch.changes,
                                                    batch.changes + batch.change_count);
  std::string line = transaction::show(std::span(&piece, 1), changes)[0];
  std::string position = " @" + std::to_string(txn.position);
  if (txn.host_state.size != 0)
    position += '[' + std::string(txn.host_state.data, txn.host_state.size) + ']';
  line.insert(line.find(':'), position);
  return "write " + line;
}

}  // namespace

FakePlugin::FakePlugin(std::uint64_t caps) {
  descriptor.struct_size = sizeof descriptor;
  descriptor.abi_major = WALSPOUT_ABI_MAJOR;
  descriptor.abi_minor = WALSPOUT_ABI_MINOR;
  descriptor.name = "fake";
  descriptor.version = "1";
  descriptor.summary = "A sink for tests.";
  descriptor.caps = caps;
  descriptor.open = open;
  descriptor.write = write;
  descriptor.flush = flush;
  descriptor.abort = abort;
  descriptor.close = close;
  if (current != nullptr) throw std::logic_error("one fake plugin at a time");
  current = this;
}

FakePlugin::~FakePlugin() { current = nullptr; }

void FakePlugin::answer(const std::string& call, Answer answer) {
  const std::lock_guard lock(mutex_);
  answers_[call].push_back(std::move(answer));
}

void FakePlugin::set_stored(base::Lsn position, std::string host_state) {
  const std::lock_guard lock(mutex_);
  stored_ = position;
  host_state_ = std::move(host_state);
}

std::vector<std::string> FakePlugin::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::size_t FakePlugin::count(const std::string& prefix) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(calls_.begin(), calls_.end(),
                    [&](const std::string& call) { return call.starts_with(prefix); }));
}

void FakePlugin::wait_call(const std::string& prefix, std::size_t n) {
  std::unique_lock lock(mutex_);
  const auto there = [&] {
    return static_cast<std::size_t>(std::count_if(
               calls_.begin(), calls_.end(),
               [&](const std::string& call) { return call.starts_with(prefix); })) >= n;
  };
  if (!called_.wait_for(lock, kPatience, there))
    throw std::runtime_error("the sink was never called: " + prefix);
}

void FakePlugin::clear() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
}

Answer FakePlugin::next(const std::string& call, const std::string& text, walspout_error* error) {
  Answer answer;
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(text);
    std::deque<Answer>& waiting = answers_[call];
    if (!waiting.empty()) {
      answer = std::move(waiting.front());
      waiting.pop_front();
    }
  }
  called_.notify_all();
  answer.meanwhile();
  error->commit_lsn = answer.commit_lsn;
  error->ordinal = answer.ordinal;
  error->copy_id = answer.copy_id;
  error->retry_after_ms = answer.retry_after_ms;
  std::snprintf(error->message, sizeof error->message, "%s", answer.text.c_str());
  return answer;
}

walspout_status FakePlugin::open(const walspout_open_args* args, walspout_open_reply* reply,
                                 walspout_error* error) {
  FakePlugin& self = *current;
  const Answer answer = self.next("open", "open", error);
  if (answer.status != WALSPOUT_OK) return answer.status;
  const std::lock_guard lock(self.mutex_);
  self.host_ = args->host;
  self.accepted_ = self.stored_;
  reply->self = reinterpret_cast<walspout_instance*>(&self);
  reply->position = self.stored_;
  reply->host_state = {self.host_state_.data(), self.host_state_.size()};
  return WALSPOUT_OK;
}

walspout_status FakePlugin::write(walspout_instance*, const walspout_batch* batch,
                                  walspout_error* error) {
  FakePlugin& self = *current;
  const Answer answer = self.next("write", describe(*batch), error);
  if (answer.status != WALSPOUT_OK) return answer.status;
  const std::lock_guard lock(self.mutex_);
  if ((batch->flags & WALSPOUT_LAST) != 0 && batch->txn->position != 0)
    self.accepted_ = batch->txn->position;
  return WALSPOUT_OK;
}

walspout_status FakePlugin::flush(walspout_instance*, walspout_lsn* durable,
                                  walspout_error* error) {
  FakePlugin& self = *current;
  const Answer answer = self.next("flush", "flush", error);
  if (answer.status != WALSPOUT_OK) return answer.status;
  const std::lock_guard lock(self.mutex_);
  self.stored_ = *durable = answer.durable.value_or(self.accepted_);
  return WALSPOUT_OK;
}

walspout_status FakePlugin::abort(walspout_instance*, walspout_error* error) {
  return current->next("abort", "abort", error).status;
}

void FakePlugin::close(walspout_instance*) {
  walspout_error ignored{};
  current->next("close", "close", &ignored);
}

void Listener::durable(std::size_t, base::Lsn position, const HostStateVersion& state) {
  on_durable(position);
  {
    const std::lock_guard lock(mutex_);
    durables_.push_back(position);
    stored_state_ = state.number;
  }
  told_.notify_all();
}

void Listener::replay_needed(std::size_t, base::Lsn position) {
  {
    const std::lock_guard lock(mutex_);
    replays_.push_back(position);
  }
  told_.notify_all();
}

void Listener::copy_failed(std::size_t, std::uint64_t copy_id, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    failed_copies_.push_back(std::to_string(copy_id) + ": " + why);
  }
  told_.notify_all();
}

std::uint64_t Listener::stored_state() const {
  const std::lock_guard lock(mutex_);
  return stored_state_;
}

std::vector<std::string> Listener::failed_copies() const {
  const std::lock_guard lock(mutex_);
  return failed_copies_;
}

void Listener::wait_failed_copy() {
  std::unique_lock lock(mutex_);
  if (!told_.wait_for(lock, kPatience, [&] { return !failed_copies_.empty(); }))
    throw std::runtime_error("no copy failed");
}

std::vector<base::Lsn> Listener::durables() const {
  const std::lock_guard lock(mutex_);
  return durables_;
}

std::vector<base::Lsn> Listener::replays() const {
  const std::lock_guard lock(mutex_);
  return replays_;
}

void Listener::wait_durable(base::Lsn position) {
  std::unique_lock lock(mutex_);
  if (!told_.wait_for(lock, kPatience,
                      [&] { return !durables_.empty() && durables_.back() >= position; }))
    throw std::runtime_error("never durable: " + std::to_string(position));
}

void Listener::wait_replay(std::size_t n) {
  std::unique_lock lock(mutex_);
  if (!told_.wait_for(lock, kPatience, [&] { return replays_.size() >= n; }))
    throw std::runtime_error("no replay was asked for");
}

RunnerTest::RunnerTest() : plugin(std::make_unique<FakePlugin>(0)) {
  options.pipeline = "p";
  options.sink = "s";
  options.state_directory = "/nowhere";
  options.backoff_base = std::chrono::milliseconds(1);
  options.backoff_cap = std::chrono::milliseconds(4);
  feed.announce();
}

Runner& RunnerTest::runner() {
  if (!runner_)
    runner_ =
        std::make_unique<Runner>(0, options, plugin->descriptor, ResolvedSettings(), listener);
  return *runner_;
}

void RunnerTest::start(base::Lsn position) {
  runner().start();
  plugin->wait_call("open");
  plugin->clear();
  runner().begin(position, {"state", 1});
}

void RunnerTest::deliver() { runner().deliver({feed.assembler.take(), nullptr}); }

void RunnerTest::begin(base::Lsn commit) { feed << transaction::begin_message(commit); }

void RunnerTest::row(std::string_view value) {
  feed << transaction::insert_message(1, {"1", value});
}

void RunnerTest::commit(base::Lsn commit) {
  feed << transaction::commit_message(commit, commit + 5);
}

void RunnerTest::transaction(base::Lsn at, std::initializer_list<std::string> values) {
  begin(at);
  for (const std::string& value : values) row(value);
  commit(at);
}

void RunnerTest::copy_rows(std::initializer_list<std::string> values, base::Lsn point) {
  transaction(point, values);
  const transaction::ChunkPtr stream = feed.assembler.take();
  auto own = std::make_shared<route::Delivery::Own>();
  own->changes = stream->changes();
  own->pieces = stream->pieces();
  own->pieces[0].txn.kind = WALSPOUT_TXN_SNAPSHOT;
  own->pieces[0].txn.end_lsn = point;
  own->pieces[0].txn.copy_id = 7;
  runner().deliver({stream, std::move(own)});
}

std::string RunnerTest::end() {
  runner().finish();
  if (!runner().wait_finished(std::chrono::steady_clock::now() + kPatience))
    throw std::runtime_error("the runner does not end");
  return runner().state() == Runner::State::kFailed ? runner().failure().text : "";
}

std::string RunnerTest::failure() {
  if (!runner().wait_finished(std::chrono::steady_clock::now() + kPatience))
    throw std::runtime_error("the runner does not fail");
  EXPECT_EQ(runner().state(), Runner::State::kFailed);
  const std::string text = runner().failure().text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

}  // namespace walspout::sink
