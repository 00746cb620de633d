// walspout/testing.hpp - test a sink without a host: tables, transactions and batches in a few
// lines, and a fake host that drives the plugin's descriptor.
//
//   using namespace walspout::testing;  // in a test's function
//   Relation orders = relation("public", "orders")
//                         .column("id", walspout::oid::kInt8, primary)
//                         .column("note", walspout::oid::kText);
//   Driver sink(*walspout_plugin_v1(), {{"path", "/tmp/x"}});
//   ASSERT_TRUE(sink.open().ok());
//   Txn txn(0x100);  // the commit's LSN
//   txn.insert(orders, {"1", nullopt}).update(orders, {"1", unchanged}).remove(orders, {"1",
//   absent}); ASSERT_TRUE(sink.deliver(txn).ok()) << sink.last().message;
//   ASSERT_EQ(sink.flush().durable, txn.end_lsn());
//
// It depends on no test framework. Threads: a Relation, Txn or Driver belongs to one thread; the
// FakeHost's callbacks may come from any. Misuse (an unknown option, a row of the wrong width)
// throws std::invalid_argument: it is a mistake of the test.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <walspout/abi.h>
#include <walspout/oid.hpp>

namespace walspout::testing {

using Lsn = walspout_lsn;
using std::nullopt;

// ---- rows -----------------------------------------------------------------

// The flags of a column, for Relation::column().
inline constexpr std::uint32_t key = WALSPOUT_COLUMN_KEY;  // of the replica identity
inline constexpr std::uint32_t primary =
    WALSPOUT_COLUMN_PRIMARY | WALSPOUT_COLUMN_KEY | WALSPOUT_COLUMN_NOT_NULL;

struct Unchanged {};
struct Absent {};
inline constexpr Unchanged unchanged;  // TOASTed and not sent
inline constexpr Absent absent;        // not part of a key-only old row

// One value of a row: text, nullopt (NULL), unchanged, absent, or Cell::binary(bytes).
class Cell {
 public:
  Cell(const char* text) : Cell(std::string(text)) {}
  Cell(std::string text) : text_(std::move(text)), state_(WALSPOUT_TEXT) {}
  Cell(std::nullopt_t) : state_(WALSPOUT_NULL) {}
  Cell(std::optional<std::string> text)
      : text_(text.value_or("")), state_(text ? WALSPOUT_TEXT : WALSPOUT_NULL) {}
  Cell(Unchanged) : state_(WALSPOUT_UNCHANGED) {}
  Cell(Absent) : state_(WALSPOUT_ABSENT) {}
  static Cell binary(std::string bytes) {
    Cell cell(std::move(bytes));
    cell.state_ = WALSPOUT_BINARY;
    return cell;
  }
  // A view into this cell.
  walspout_value value() const {
    return {text_.data(), static_cast<std::uint32_t>(text_.size()), state_, {0, 0, 0}};
  }

 private:
  std::string text_;
  std::uint8_t state_;
};

using Row = std::vector<Cell>;

// ---- tables ---------------------------------------------------------------

// A version of a table's shape. A handle: copies mean the same table, which lives as long as any of
// them or a Txn that uses it. Each call of relation() makes a new version.
class Relation {
 public:
  // flags: 0, key or primary. The element type of built-in arrays is known; name it for others.
  Relation& column(std::string name, std::uint32_t type_oid, std::uint32_t flags = 0,
                   std::uint32_t element_type_oid = 0);
  // A column of a domain over base_type_oid.
  Relation& domain(std::string name, std::uint32_t domain_oid, std::uint32_t base_type_oid,
                   std::uint32_t flags = 0, std::uint32_t element_type_oid = 0);
  // Of the last column: its atttypmod, and its type's name as format_type() prints it.
  Relation& type_mod(std::int32_t type_mod);
  Relation& type_name(std::string name);
  // Of the last column: its place in the key, which is that among the key columns unless said.
  Relation& key_ordinal(std::int16_t place);
  // 'd', 'n', 'f' or 'i', as in pg_class.relreplident; 'd' unless said.
  Relation& identity(char replica_identity);

  const walspout_relation* get() const { return &data_->relation; }
  std::uint32_t width() const { return data_->relation.column_count; }

 private:
  friend Relation relation(std::string, std::string, std::uint32_t);
  struct Column {
    walspout_column column = {};
    std::string name, type_name;
  };
  struct Data {  // never moved: relation points into it
    walspout_relation relation = {};
    std::string schema, name;
    std::deque<Column> columns;
    std::vector<const walspout_column*> pointers;
    std::int16_t key_columns = 0;
  };
  Relation() : data_(std::make_shared<Data>()) {}
  std::shared_ptr<Data> data_;
};

// A table without columns yet. oid: pg_class.oid; 0 makes one up from the version.
Relation relation(std::string schema, std::string name, std::uint32_t oid = 0);

// ---- transactions ---------------------------------------------------------

// A transaction under construction, which owns all that its changes point to. xid 742, committed at
// 2026-01-31 12:00:00 UTC, unless said. The ordinals count up from 0.
class Txn {
 public:
  // end_lsn, the first byte after the commit record, is also the position unless said.
  explicit Txn(Lsn commit_lsn, Lsn end_lsn = 0);
  Txn(const Txn&) = delete;
  Txn& operator=(const Txn&) = delete;

  Txn& insert(const Relation& table, Row row);
  Txn& update(const Relation& table, Row new_row);  // the key is as it was: no old row is sent
  Txn& update(const Relation& table, Row old_row, Row new_row);  // OLD_FULL under identity 'f'
  Txn& remove(const Relation& table, Row old_row);
  Txn& truncate(const Relation& table, std::uint16_t flags = 0);
  Txn& message(std::string prefix, std::string content);
  // The shape changes. old_index and fill: as in walspout_change; without old_index the columns are
  // matched by name.
  Txn& schema(const Relation& table);
  Txn& schema(const Relation& old_table, const Relation& table,
              std::vector<std::int32_t> old_index = {}, Row fill = {});
  Txn& copy_begin(const Relation& table);
  Txn& copy_end(const Relation& table);
  Txn& copy_failed(const Relation& table, std::string reason = {});

  Txn& xid(std::uint32_t xid) { return txn_.xid = xid, *this; }
  Txn& commit_time_us(std::int64_t us) { return txn_.commit_time_us = us, *this; }
  Txn& position(Lsn position) { return txn_.position = position, *this; }
  Txn& host_state(std::string state);
  // Rows of a copy: kind SNAPSHOT and xid 0. The changes that follow go to its shadow, as a sink
  // with WALSPOUT_CAP_SHADOW gets them.
  Txn& snapshot(std::uint64_t copy_id);
  // The changes that follow go to the shadow of this copy; 0: to the tables themselves.
  Txn& shadow(std::uint64_t copy_id) { return copy_id_ = copy_id, *this; }
  Txn& ordinal(std::uint64_t next) { return next_ordinal_ = next, *this; }

  Lsn commit_lsn() const { return txn_.commit_lsn; }
  Lsn end_lsn() const { return txn_.end_lsn; }
  const walspout_txn& get() const { return txn_; }
  const std::vector<const walspout_change*>& changes() const { return changes_; }

 private:
  const walspout_value* own(const Relation& table, Row row);
  walspout_change& add(std::uint16_t op, const Relation* table);

  walspout_txn txn_ = {};
  std::uint64_t next_ordinal_ = 0;
  std::uint64_t copy_id_ = 0;  // of the next change
  std::deque<walspout_change> storage_;
  std::vector<const walspout_change*> changes_;
  std::deque<Row> rows_;
  std::deque<std::vector<walspout_value>> values_;
  std::deque<std::vector<std::int32_t>> indexes_;
  std::deque<std::string> strings_;
  std::vector<Relation> relations_;
};

}  // namespace walspout::testing

#include <walspout/testing_data.inl>
#include <walspout/testing_driver.hpp>
