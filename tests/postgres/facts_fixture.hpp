// Tables whose facts are read before and after a change.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fixture.hpp"
#include "postgres/table_facts.hpp"

namespace walspout::postgres {

class Facts : public WithDatabase {
 protected:
  CatalogueView view() {
    auto conn = connect();
    return read_table_facts(conn, "pub");
  }
  TableFacts facts(const std::string& name = "t") {
    for (TableFacts& table : view().tables) {
      if (table.name == name) return std::move(table);
    }
    ADD_FAILURE() << name << " is not published";
    return {};
  }
  std::vector<std::string> published() {
    std::vector<std::string> names;
    for (const TableFacts& table : view().tables) names.push_back(table.full_name());
    return names;
  }
  // The reason for which the change makes old rows others; "" for none.
  std::string reason(const std::string& change, const std::string& name = "t") {
    const TableFacts before = facts(name);
    sql(change);
    TableFacts now = facts(name);
    auto conn = connect();
    for (LeafFacts& leaf : now.storage) {
      const auto edges = new_edges(before, leaf);
      if (!edges.empty()) leaf.unseen_rows = leaf_may_hold_unseen_rows(conn, leaf.oid, edges);
    }
    const ValuesVerdict verdict = compare_facts(before, now);
    EXPECT_EQ(verdict.values_changed, !verdict.reason.empty());
    return verdict.reason;
  }
  void table(const std::string& columns = "a int PRIMARY KEY, b int") {
    sql("CREATE TABLE t (" + columns + "); CREATE PUBLICATION pub FOR TABLE t");
  }
  void tree() {
    sql("CREATE TABLE t (a int PRIMARY KEY, b text) PARTITION BY RANGE (a);"
        "CREATE TABLE p1 PARTITION OF t FOR VALUES FROM (0) TO (10);"
        "CREATE TABLE p2 PARTITION OF t FOR VALUES FROM (10) TO (20);"
        "INSERT INTO t VALUES (1, 'x'), (11, 'y');"
        "CREATE PUBLICATION pub FOR TABLE t WITH (publish_via_partition_root = true)");
  }
};

}  // namespace walspout::postgres
