// A router of one or more sinks behind the transaction tests' feed.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "feed.hpp"
#include "route/router.hpp"

namespace walspout::route {

using transaction::begin_message;
using transaction::ChunkPtr;
using transaction::commit_message;
using transaction::delete_message;
using transaction::insert_message;
using transaction::logical_message;
using transaction::relation_message;
using transaction::truncate_message;
using transaction::update_message;

inline Rules rules(std::vector<std::string> tables, std::uint32_t operations = ~0U,
                   std::vector<std::string> exclude = {}) {
  return {base::TablePatterns(std::move(tables)), operations, std::move(exclude)};
}

class Routed : public transaction::Feed {
 public:
  explicit Routed(std::vector<Rules> sinks) : router(std::move(sinks), cache) {
    announce(1, "a");
    announce(2, "b");
  }

  std::vector<std::string> show(const Delivery& delivery) {
    return transaction::show(delivery.pieces(), delivery.changes());
  }
  // What the sink gets of all that was fed since the last time.
  std::vector<std::string> deliver(std::size_t sink = 0) {
    return show(router.route(sink, assembler.take()));
  }

  Router router;
};

}  // namespace walspout::route
