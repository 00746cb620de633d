// Waiting for a condition, never for a time.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace walspout::test {

using Seconds = std::chrono::duration<double>;

// How much longer than on a plain build everything may take: 5 under a sanitizer, and whatever the
// environment variable WALSPOUT_PATIENCE multiplies it with.
double patience();

// Seconds since an arbitrary start; for measuring.
double now();

// Polls `condition` until it holds. False when it did not within `timeout` (times patience()).
bool eventually(Seconds timeout, const std::function<bool()>& condition);

// The same, but throws std::runtime_error("not WHAT within N s").
void wait_until(const std::string& what, Seconds timeout, const std::function<bool()>& condition);

// True when `condition` held at every look during `period`: for "stays so", where there is nothing
// to wait for.
bool holds_for(Seconds period, const std::function<bool()>& condition);

}  // namespace walspout::test
