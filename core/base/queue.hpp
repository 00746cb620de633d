// A queue from one or more threads to one. It does not bound itself: what is in it counts against
// the MemoryBudget. The receiver takes all there is at once, so that a lock is taken per batch.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace walspout::base {

template <class T>
class Queue {
 public:
  void push(T item) {
    bool sleeping;
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
      sleeping = sleeping_;
    }
    if (sleeping) filled_.notify_one();
  }

  // Appends all there is to `to`; waits for the first item until the deadline. False = none came.
  bool pop_all(std::deque<T>& to, std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    sleeping_ = true;
    filled_.wait_until(lock, deadline, [this] { return !items_.empty() || kicked_; });
    sleeping_ = false;
    kicked_ = false;
    if (items_.empty()) return false;
    if (to.empty()) {
      to.swap(items_);
    } else {
      for (T& item : items_) to.push_back(std::move(item));
      items_.clear();
    }
    return true;
  }

  // Ends a wait without an item.
  void kick() {
    {
      const std::lock_guard lock(mutex_);
      kicked_ = true;
    }
    filled_.notify_one();
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<T> items_;
  bool sleeping_ = false;
  bool kicked_ = false;
};

}  // namespace walspout::base
