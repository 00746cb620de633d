// Shows how far a copy is: a bar that is redrawn on a terminal, a line in the log now and then
// elsewhere. Threads: one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace walspout {

class CopyProgress {
 public:
  // estimated_rows: below 0 = not known. number and count: "table 3 of 7".
  CopyProgress(std::string table, double estimated_rows, std::size_t number, std::size_t count);

  void rows(std::uint64_t rows);      // so far; cheap, draws only when it is time
  void finished(std::uint64_t rows);  // one line in the log

 private:
  using Clock = std::chrono::steady_clock;
  std::string describe(std::uint64_t rows) const;

  std::string table_;
  double estimated_rows_;
  std::string place_;
  bool terminal_;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace walspout
