// The way to stop whatever waits for PostgreSQL: a file descriptor that becomes readable when the
// program shall stop (an eventfd, a self-pipe, a signalfd). Everything in this folder that may
// wait takes one, and leaves within a second by throwing Interrupted. It is never read from here,
// so one descriptor serves any number of waits and threads.
#pragma once

#include <chrono>
#include <exception>
#include <optional>

namespace walspout::postgres {

// Thrown out of a wait that was stopped. Not an error: nothing failed.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // nothing = for ever

// A deadline that far from now.
Deadline deadline_in(std::chrono::milliseconds span);

class Interrupt {
 public:
  // fd: readable = stop now; -1 = never. Not owned.
  explicit Interrupt(int fd = -1) : fd_(fd) {}

  int fd() const { return fd_; }
  bool requested() const;
  void check() const;  // throws Interrupted if requested

  // Waits until `socket` has one of `events` (POLLIN, POLLOUT), or the deadline has passed.
  // Returns poll()'s revents, 0 after the deadline. Throws Interrupted. A socket of -1 only waits.
  short wait(int socket, short events, Deadline deadline = {}) const;

 private:
  int fd_;
};

}  // namespace walspout::postgres
