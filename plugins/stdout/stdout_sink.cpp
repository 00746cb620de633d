// The stdout sink: at least once, in order. Lines wait in memory until a flush, or until there are
// enough of them: write() may promise then that a failed call has taken nothing.
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <walspout/json.hpp>
#include <walspout/sink.hpp>

#include "text_event.hpp"

namespace walspout::stdout_sink {
namespace {

bool is_text(const Context& context) {
  const std::string format = context.string("format").value_or("json");
  if (format != "json" && format != "text")
    throw BadConfig("format is \"" + format + "\"; it can be \"json\" or \"text\"");
  return format == "text";
}

class StdoutSink : public Sink {
 public:
  explicit StdoutSink(const Context& context)
      : host_(&context.host()),
        text_(is_text(context)),
        colours_(text_ && ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr) {
    // A reader that went away must be an error of this sink, not the end of the process. The signal
    // goes to the thread that writes, which is this sink's own.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (const int error = ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr); error != 0)
      throw Fatal("cannot block SIGPIPE: " + std::generic_category().message(error));
  }

  static void check(const Context& context) { is_text(context); }

  void write(const Batch& batch) override {
    if (buffer_.size() >= kBuffer) drain();
    const std::size_t start = buffer_.size();
    try {
      for (const Change change : batch) {
        const bool any = text_ ? append_text(buffer_, batch.txn(), change.raw(), colours_)
                               : events_.append(buffer_, batch.txn(), change.raw());
        if (any) buffer_ += '\n';
      }
    } catch (...) {
      buffer_.resize(start);
      throw;
    }
    if (batch.last()) border_ = buffer_.size();
  }

  void flush() override { drain(); }

  // What is out already cannot be called back: it will come again. A line that is out in part must
  // be finished.
  void abort() override {
    const std::size_t begun = in_line_ ? buffer_.find('\n') + 1 : 0;
    buffer_.resize(std::max(border_, begun));
  }

 private:
  static constexpr std::size_t kBuffer = 256 * 1024;
  static constexpr int kPollMs = 200;

  void drain() {
    std::size_t done = 0;
    const int error = put(done);
    if (done != 0) in_line_ = buffer_[done - 1] != '\n';
    buffer_.erase(0, done);
    border_ -= std::min(border_, done);
    if (error == EPIPE) throw Fatal("standard output was closed by its reader");
    if (error == EBADF) throw Fatal("standard output is not open");
    if (error == ECANCELED) throw Retry("nobody reads standard output, and the host is stopping");
    if (error != 0)
      throw Retry("cannot write to standard output: " + std::generic_category().message(error));
  }

  // Writes the buffer from done on, and moves done. Returns 0 or errno; ECANCELED when the host
  // stops while the reader does not read: a stop must not wait for ever.
  int put(std::size_t& done) const {
    while (done < buffer_.size()) {
      pollfd ready = {STDOUT_FILENO, POLLOUT, 0};
      const int polled = ::poll(&ready, 1, kPollMs);
      if (polled < 0 && errno != EINTR) return errno;
      if (polled <= 0) {
        if (host_->wait_ms(host_->ctx, 0) == 0) return ECANCELED;
        continue;
      }
      // A pipe that polls as ready takes this much without blocking.
      const std::size_t size = std::min<std::size_t>(buffer_.size() - done, PIPE_BUF);
      const ssize_t n = ::write(STDOUT_FILENO, buffer_.data() + done, size);
      if (n >= 0) {
        done += static_cast<std::size_t>(n);
      } else if (errno != EAGAIN && errno != EINTR) {
        return errno;
      }
    }
    return 0;
  }

  const walspout_host* host_;
  bool text_;
  bool colours_;
  EventWriter events_;
  std::string buffer_;
  std::size_t border_ = 0;  // the end of the last whole transaction in buffer_
  bool in_line_ = false;    // buffer_ begins within a line
};

}  // namespace
}  // namespace walspout::stdout_sink

WALSPOUT_PLUGIN(walspout::stdout_sink::StdoutSink, "stdout", "1.0",
                "Prints changes on standard output, as JSON lines or as text.",
                WALSPOUT_CAP_SNAPSHOT,
                WALSPOUT_TAKES_TRUNCATE | WALSPOUT_TAKES_PARTIAL_ROW | WALSPOUT_TAKES_KEY_CHANGE |
                    WALSPOUT_TAKES_MESSAGE | WALSPOUT_TAKES_SCHEMA | WALSPOUT_TAKES_NO_KEY,
                {"format", WALSPOUT_STRING, 0, "json",
                 "\"json\" (one event a line) or \"text\" (to read)."})
