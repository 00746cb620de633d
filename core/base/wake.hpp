// An eventfd that one thread polls and any thread rings: how work in the background reaches poll().
#pragma once

namespace walspout::base {

class Wake {
 public:
  Wake();  // throws std::system_error
  ~Wake();
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  void ring() noexcept;   // makes fd() readable; any thread, and async-signal-safe
  void clear() noexcept;  // makes it quiet again; the polling thread
  int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

}  // namespace walspout::base
