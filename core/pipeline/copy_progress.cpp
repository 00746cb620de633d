#include "pipeline/copy_progress.hpp"

#include <fmt/format.h>
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

double CopyFigures::rate() const {
  return seconds > 0 ? static_cast<double>(rows - std::min(rows, before)) / seconds : 0;
}

std::string CopyFigures::so_far() const {
  std::string text = fmt::format("{} rows, {:.0f} rows/s", rows, rate());
  const auto done = static_cast<double>(rows);
  // Rows that joined since the server has counted: how many is anybody's guess.
  if (estimated_rows <= done) return text + ", time left not known";
  text += fmt::format(", about {:.0f} %", std::min(99.0, done / estimated_rows * 100));
  if (rate() > 0) text += fmt::format(", {:.0f} s left", (estimated_rows - done) / rate());
  return text;
}

std::string CopyFigures::in_the_end() const {
  const std::string now =
      before == 0 ? "" : fmt::format(", {} of them now,", rows - std::min(rows, before));
  return fmt::format("{} rows{} in {:.1f} s, {:.0f} rows/s", rows, now, seconds, rate());
}

CopyProgress::CopyProgress(std::string table, std::uint64_t before, double estimated_rows,
                           std::size_t number, std::size_t count)
    : table_(std::move(table)),
      before_(before),
      estimated_rows_(estimated_rows),
      place_(fmt::format("table {} of {}", number, count)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      next_(start_ + (terminal_ ? kRedraw : std::chrono::milliseconds(kLogEvery))) {}

CopyFigures CopyProgress::figures(std::uint64_t rows) const {
  return {rows, before_, estimated_rows_,
          std::chrono::duration<double>(Clock::now() - start_).count()};
}

void CopyProgress::starts_over() {
  before_ = 0;
  start_ = Clock::now();
}

void CopyProgress::rows(std::uint64_t rows) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? kRedraw : std::chrono::milliseconds(kLogEvery));
  const std::string text = figures(rows).so_far();
  if (!terminal_) {
    log::info("copying " + table_ + " (" + place_ + "): " + text);
    return;
  }
  const double done =
      estimated_rows_ > 0 ? std::min(1.0, static_cast<double>(rows) / estimated_rows_) : 0;
  const int filled = static_cast<int>(done * kBarWidth);
  std::string bar(static_cast<std::size_t>(filled), '#');
  bar.resize(kBarWidth, '.');
  std::fprintf(stderr, "\r\033[K[%s] %s %s", bar.c_str(), table_.c_str(), text.c_str());
  std::fflush(stderr);
}

void CopyProgress::finished(const std::string& sink, std::uint64_t rows) const {
  if (terminal_) std::fputs("\r\033[K", stderr);
  log::info("sink " + sink + ": copied " + table_ + " (" + place_ +
            "): " + figures(rows).in_the_end());
}

}  // namespace walspout
