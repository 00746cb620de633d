#include "pipeline/copy_progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "log/log.hpp"

namespace walspout {
namespace {

constexpr std::chrono::milliseconds kRedraw{200};
constexpr std::chrono::seconds kLogEvery{5};
constexpr int kBarWidth = 24;

}  // namespace

CopyProgress::CopyProgress(std::string table, double estimated_rows, std::size_t number,
                           std::size_t count)
    : table_(std::move(table)),
      estimated_rows_(estimated_rows),
      place_("table " + std::to_string(number) + " of " + std::to_string(count)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      next_(start_ + (terminal_ ? kRedraw : std::chrono::milliseconds(kLogEvery))) {}

std::string CopyProgress::describe(std::uint64_t rows) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(rows) / seconds : 0;
  std::string text = std::to_string(rows) + " rows, " +
                     std::to_string(static_cast<std::uint64_t>(rate)) + " rows/s";
  if (estimated_rows_ > static_cast<double>(rows)) {
    const double done = static_cast<double>(rows) / estimated_rows_;
    text += ", about " + std::to_string(static_cast<int>(done * 100)) + " %";
    if (rate > 0)
      text += ", " +
              std::to_string(static_cast<std::uint64_t>(
                  (estimated_rows_ - static_cast<double>(rows)) / rate)) +
              " s left";
  }
  return text;
}

void CopyProgress::rows(std::uint64_t rows) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? kRedraw : std::chrono::milliseconds(kLogEvery));
  if (!terminal_) {
    log::info("copying " + table_ + " (" + place_ + "): " + describe(rows));
    return;
  }
  const double done =
      estimated_rows_ > 0 ? std::min(1.0, static_cast<double>(rows) / estimated_rows_) : 0;
  const int filled = static_cast<int>(done * kBarWidth);
  std::string bar(static_cast<std::size_t>(filled), '#');
  bar.resize(kBarWidth, '.');
  std::fprintf(stderr, "\r\033[K[%s] %s %s", bar.c_str(), table_.c_str(), describe(rows).c_str());
  std::fflush(stderr);
}

void CopyProgress::finished(std::uint64_t rows) {
  if (terminal_) std::fputs("\r\033[K", stderr);
  log::info("copied " + table_ + " (" + place_ + "): " + describe(rows));
}

}  // namespace walspout
