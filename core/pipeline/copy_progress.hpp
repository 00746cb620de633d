// Shows how far a copy is: a bar that is redrawn on a terminal, a line in the log now and then
// elsewhere. Threads: one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace walspout {

struct CopyFigures {
  std::uint64_t rows = 0;      // of the whole copy
  std::uint64_t before = 0;    // among them, read before this process took it up
  double estimated_rows = -1;  // of the table; below 0 = not known
  double seconds = 0;          // that this process has worked on it

  double rate() const;             // rows/s, of this process
  std::string so_far() const;      // "500 rows, 250 rows/s, about 10 %, 18 s left"
  std::string in_the_end() const;  // "5000 rows in 20.0 s, 250 rows/s"
};

class CopyProgress {
 public:
  // before: rows that are not read any more, as an earlier process did. number and count: "table 3
  // of 7".
  CopyProgress(std::string table, std::uint64_t before, double estimated_rows, std::size_t number,
               std::size_t count);

  void rows(std::uint64_t rows);  // of the whole copy; cheap, draws only when it is time
  // One line in the log: this sink has all of them for good.
  void finished(const std::string& sink, std::uint64_t rows) const;
  void starts_over();

 private:
  using Clock = std::chrono::steady_clock;
  CopyFigures figures(std::uint64_t rows) const;

  std::string table_;
  std::uint64_t before_;
  double estimated_rows_;
  std::string place_;
  bool terminal_;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace walspout
