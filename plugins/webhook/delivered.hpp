// Events that the receiver took although others of their message were refused. When one is named as
// poison the host may close the sink and send the transaction again without it: what was taken as
// part of a halved message must not come a second time under another message id. README.md has the
// format.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "message.hpp"

namespace walspout::webhook {

class Delivered {
 public:
  explicit Delivered(std::string path);  // reads what is there; throws Retry

  bool empty() const { return ids_.empty(); }
  bool contains(const Event& event) const;
  // Durable when it returns; throws Retry, and may be called again. Rows of a copy are left out: it
  // is the copy that fails.
  void add(const std::vector<Event>& events);
  // Everything below is durable for the host and does not come again. Throws Retry.
  void forget(walspout_lsn position);

 private:
  std::string path_;
  std::unordered_set<std::string> ids_;
  walspout_lsn last_ = 0;  // the highest commit LSN among them
};

}  // namespace walspout::webhook
