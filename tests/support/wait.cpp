#include "support/wait.hpp"

#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace walspout::test {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(10);

}  // namespace

double patience() {
  const char* factor = std::getenv("WALSPOUT_PATIENCE");
  const double extra = factor ? std::strtod(factor, nullptr) : 1.0;
  return WALSPOUT_PATIENCE * (extra > 0 ? extra : 1.0);
}

double now() { return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

bool eventually(Seconds timeout, const std::function<bool()>& condition) {
  const double end = now() + timeout.count() * patience();
  while (!condition()) {
    if (now() > end) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

void wait_until(const std::string& what, Seconds timeout, const std::function<bool()>& condition) {
  if (!eventually(timeout, condition))
    throw std::runtime_error("not " + what + " within " +
                             std::to_string(timeout.count() * patience()) + " s");
}

bool holds_for(Seconds period, const std::function<bool()>& condition) {
  const double end = now() + period.count();
  while (now() < end) {
    if (!condition()) return false;
    std::this_thread::sleep_for(kPoll * 5);
  }
  return true;
}

}  // namespace walspout::test
