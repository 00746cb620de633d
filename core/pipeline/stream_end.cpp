// The end of a stream that was asked to stop: what is queued is made durable and confirmed, within
// a grace time.
#include <poll.h>

#include <algorithm>

#include "log/log.hpp"
#include "pipeline/stream.hpp"

namespace walspout {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kGrace{10'000};
constexpr milliseconds kFinalReply{3'000};

}  // namespace

bool Streamer::sinks_finished() {
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const auto state = sinks_.runner(i).state();
    if (state != sink::Runner::State::kFinished && state != sink::Runner::State::kFailed)
      return false;
  }
  return true;
}

void Streamer::drain_and_close() {
  log::info("stopping: what is queued is made durable and confirmed");
  if (stream_) dispatch();
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    sink::Runner& runner = sinks_.runner(i);
    if (router_.in_transaction(i)) {
      runner.abort();
    } else if (routed_ > given_[i]) {
      given_[i] = routed_;
      runner.advance(routed_);
    }
    runner.finish();
  }
  const Clock::time_point deadline = Clock::now() + kGrace;
  while (!sinks_finished()) {
    wake_.clear();
    if (sinks_finished()) break;
    if (sinks_.failure()) throw SinkFailed();
    if (stop_.level() > 1 || Clock::now() >= deadline) {
      for (std::size_t i = 0; i < sinks_.size(); ++i)
        if (sinks_.runner(i).state() == sink::Runner::State::kOpen)
          log::error("sink " + sinks_.name(i) +
                     " did not finish in time; what it had not made durable will come again");
      throw SinkFailed();
    }
    if (stream_ && Clock::now() - last_status_ >= status_interval_) send_status(true);
    pollfd fds[1] = {{wake_.fd(), POLLIN, 0}};
    poll(fds, 1, 100);
  }
  if (sinks_.failure()) throw SinkFailed();
  history_.note_now();
  if (!stream_) return;
  // The server has processed the last status when it ends the stream in turn.
  last_received_ = Clock::now();
  send_status(true);
  if (!stream_->finish(postgres::Interrupt(), kFinalReply))
    log::warn("the server did not answer the last confirmation; some transactions may come again");
  stream_.reset();
}

}  // namespace walspout
