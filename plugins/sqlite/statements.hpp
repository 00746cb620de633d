// Prepared statements of one mirrored table, by operation and by the columns they set and search.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "database.hpp"

namespace walspout::sqlite {

struct Mirror;

enum class Operation : char {
  kUpsert = 'u',
  kUpdateByKey = 'k',
  kUpdateWholeRow = 'w',
  kDeleteByKey = 'd',
  kDeleteWholeRow = 'x'
};

// Which columns take part: one byte a column of the relation, kSet | kSearch, behind one byte for
// the operation. The parameters are the set columns, then the searched ones, each in their order.
using Mask = std::string;
inline constexpr char kSet = 1, kSearch = 2;

// Empties the mask, sets its operation and makes room for the columns.
void start_mask(Mask& mask, Operation operation, size_t columns);

class StatementCache {
 public:
  // Prepares at the first use. The reference is good until the next call.
  Statement& get(Database& db, const Mirror& mirror, const Mask& mask);

 private:
  struct Entry {
    Mask mask;
    Statement statement;
  };
  std::vector<std::unique_ptr<Entry>> entries_;
  size_t last_ = 0;  // the one used last: mostly the one wanted next
};

}  // namespace walspout::sqlite
