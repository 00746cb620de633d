// The catalogue's word on columns that the stream brings: what match_columns() needs, and what old
// rows have in a column that was added.
#pragma once

#include <string>
#include <vector>

#include "postgres/table_facts.hpp"
#include "transaction/column_match.hpp"
#include "transaction/relation.hpp"

namespace walspout {

// before: from a view that does not see the transaction that brought the new shape (its snapshot
// tells), the newer the better; null = there is none, and then little is certain. sees_new_shape:
// the view of `now` does see it.
transaction::TableNow table_now(const postgres::TableFacts* before, const postgres::TableFacts& now,
                                bool sees_new_shape);

// What the source's old rows show in a column of the new shape.
struct Fill {
  enum class What {
    kKept,     // the column was there: its own values
    kNull,     // exactly NULL
    kText,     // exactly `text`
    kDropped,  // no matter: the column is gone by now, and nobody will read it
    kUnknown   // not known: the rows must be read again
  };
  What what = What::kUnknown;
  std::string text;  // as the stream would print it
  bool operator==(const Fill&) const = default;
};

// One per column of the new shape; before and now as in table_now(), the match from it.
std::vector<Fill> fill_values(const transaction::TableShape& old_shape,
                              const transaction::TableShape& new_shape,
                              const transaction::ColumnMatch& match,
                              const postgres::TableFacts* before, const postgres::TableFacts& now);

}  // namespace walspout
