// walspout/change.hpp - views of what the host sends; included by walspout/sink.hpp. All of them
// point to the host's memory and are valid until the call returns that brought them: copy what must
// live longer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <walspout/abi.h>

namespace walspout {

inline std::string_view view(walspout_str s) { return {s.data, s.size}; }

// One column in one row.
class Value {
 public:
  explicit Value(const walspout_value& v) : v_(&v) {}
  bool null() const { return v_->state == WALSPOUT_NULL; }
  bool unchanged() const {
    return v_->state == WALSPOUT_UNCHANGED;
  }                                                             // not sent: keep what you have
  bool absent() const { return v_->state == WALSPOUT_ABSENT; }  // not part of a key-only old row
  bool binary() const { return v_->state == WALSPOUT_BINARY; }
  std::uint8_t state() const { return v_->state; }  // WALSPOUT_NULL ... WALSPOUT_ABSENT
  // The bytes of a text or binary value; empty in the other states, so look at the state first.
  std::string_view text() const { return {static_cast<const char*>(v_->data), v_->size}; }

 private:
  const walspout_value* v_;
};

// One change of a row, a table or a shape.
class Change {
 public:
  explicit Change(const walspout_change& c) : c_(&c) {}
  int op() const { return c_->op; }  // WALSPOUT_INSERT ... WALSPOUT_COPY_FAILED
  // With the transaction's commit_lsn the change's identity, the same on every redelivery.
  std::uint64_t ordinal() const { return c_->ordinal; }
  // Not 0: it goes to the shadow of this copy and not to the table (WALSPOUT_CAP_SHADOW only).
  std::uint64_t copy_id() const { return c_->copy_id; }

  // The table. A WALSPOUT_MESSAGE has none: look at has_relation() or op() first.
  bool has_relation() const { return c_->relation != nullptr; }
  std::string_view schema() const { return view(c_->relation->schema); }
  std::string_view table() const { return view(c_->relation->name); }
  const walspout_relation& relation() const { return *c_->relation; }

  // Rows. Inserts have a new one, deletes an old one, updates a new one and an old one when the
  // source sent it (the key changed, or REPLICA IDENTITY FULL). column < relation().column_count.
  bool has_old() const { return c_->old_row != nullptr; }
  bool has_new() const { return c_->new_row != nullptr; }
  bool old_is_full() const { return (c_->flags & WALSPOUT_OLD_FULL) != 0; }
  Value old_value(std::uint32_t column) const { return Value(c_->old_row[column]); }
  Value new_value(std::uint32_t column) const { return Value(c_->new_row[column]); }

  // Calls f(const walspout_column&, Value) for each column of the row; does nothing if there is no
  // such row.
  template <class F>
  void each_new(F&& f) const {
    each(c_->new_row, f);
  }
  template <class F>
  void each_old(F&& f) const {
    each(c_->old_row, f);
  }

  // The rest: flags, a message's prefix and content, a schema change's old_relation.
  const walspout_change& raw() const { return *c_; }

 private:
  template <class F>
  void each(const walspout_value* row, F& f) const {
    for (std::uint32_t i = 0; row != nullptr && i < c_->relation->column_count; ++i)
      f(*c_->relation->columns[i], Value(row[i]));
  }
  const walspout_change* c_;
};

// A range of Change, and the transaction it belongs to: a whole transaction (first() and last()),
// one piece of a large one, or no change at all, which only moves the position.
class Batch {
 public:
  explicit Batch(const walspout_batch& b) : b_(&b) {}
  // txn().position and host_state count in the last piece only.
  const walspout_txn& txn() const { return *b_->txn; }
  bool first() const { return (b_->flags & WALSPOUT_FIRST) != 0; }
  bool last() const { return (b_->flags & WALSPOUT_LAST) != 0; }
  std::size_t size() const { return b_->change_count; }
  bool empty() const { return b_->change_count == 0; }

  struct Iterator {
    const walspout_change* const* p;
    Change operator*() const { return Change(**p); }
    Iterator& operator++() {
      ++p;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {b_->changes}; }
  Iterator end() const { return {b_->changes + b_->change_count}; }

 private:
  const walspout_batch* b_;
};

}  // namespace walspout
