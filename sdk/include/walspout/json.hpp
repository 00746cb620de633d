// walspout/json.hpp - one change as one JSON event, as every walspout sink that speaks JSON writes
// it. In this order:
//
//   {"id":"0000000001A2B3C4-0","op":"update","schema":"public","table":"orders","key":{"id":7},
//    "new":{"id":7,"paid":true,"amount":"12.50"},"old":{"paid":false},"unchanged":["note"],
//    "xid":742,"lsn":"0/1A2B3C4","ts":"2026-01-31T12:00:00.000000Z"}
//
// id         <commit LSN, 16 hex digits>-<ordinal>: the same on every redelivery. Rows of a copy:
//            copy-<copy id>-<ordinal>. A schema change: the next change's id with -s (a TRUNCATE of
//            several tables may follow several schema changes: tell them apart by the table).
// op         insert, update, delete, truncate, read (a row of a copy), schema, message
// key        the primary key's columns, in its order; without one, the replica identity's. Of an
//            update the new ones, of a delete the old ones (the replica identity's when the source
//            did not send the primary key). null when the table has neither.
// new, old   the columns that were sent: a column that is not there was not sent. Left out when
//            there is no such row.
// unchanged  columns of the new row whose TOASTed values PostgreSQL did not send; left out when
//            there are none.
// truncate   has "cascade" and "restart_identity" in place of key and rows.
// message    has "prefix" and "content" (base64: PostgreSQL allows any bytes) in place of schema,
//            table, key and rows.
// schema     has "columns":[{"name","type",...}] in the new order: each with "name", "type" and,
// where it
//            applies, "type_mod", "primary", "key", "not_null", "generated"; and with a known old
//            shape "was" (old name), "added" and "fill", "dropped":[...], "renamed_from":{...}.
//
// Integers and floats are JSON numbers with all their digits, NaN and infinities strings; numeric
// is a string, bool true or false, json and jsonb stand as they are, arrays are JSON arrays, bytea
// is base64, all others are strings as PostgreSQL prints them. An event never holds a line end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <walspout/array.hpp>
#include <walspout/change.hpp>
#include <walspout/error.hpp>
#include <walspout/event_fields.hpp>
#include <walspout/json_text.hpp>

namespace walspout {

// Writes events; keeps what it has prepared for each version of a table's shape. One per sink.
// Threads: one at a time. Errors: Error with WALSPOUT_FATAL for a binary value of a type other than
// bytea (do not declare WALSPOUT_CAP_BINARY), after which the buffer ends in a part of an event.
class EventWriter {
 public:
  // Appends the event, without a line end. False, and nothing is appended, for changes that are no
  // event: COPY_BEGIN, COPY_END and COPY_FAILED.
  bool append(std::string& out, const walspout_txn& txn, const walspout_change& change) {
    const std::string_view op = event_op(txn, change);
    if (op.empty()) return false;
    if (!tail_.is_of(txn)) tail_.prepare(txn);
    out += "{\"id\":\"";
    append_event_id(out, txn, change);
    out += "\",\"op\":\"";
    out += op;
    if (change.op == WALSPOUT_MESSAGE) {
      out += "\",\"prefix\":";
      append_string(out, view(change.prefix));
      out += ",\"content\":";
      append_base64(out, view(change.content));
    } else {
      const detail::TableText& table = prepared(*change.relation);
      out += table.head;
      append_body(out, table, change);
    }
    out += tail_.text;
    return true;
  }

 private:
  using Table = detail::TableText;

  static void append_body(std::string& out, const Table& table, const walspout_change& change) {
    switch (change.op) {
      case WALSPOUT_TRUNCATE:
        out += ",\"cascade\":";
        out += (change.flags & WALSPOUT_TRUNCATE_CASCADE) != 0 ? "true" : "false";
        out += ",\"restart_identity\":";
        out += (change.flags & WALSPOUT_TRUNCATE_RESTART_IDENTITY) != 0 ? "true" : "false";
        return;
      case WALSPOUT_SCHEMA:
        detail::append_schema(out, change);
        return;
      default:
        append_key(out, table, change);
        if (change.new_row != nullptr) append_row(out, ",\"new\":{", table, change.new_row);
        if (change.old_row != nullptr) append_row(out, ",\"old\":{", table, change.old_row);
        if (change.new_row != nullptr) append_unchanged(out, table, change.new_row);
    }
  }

  static bool sent(const walspout_value& v) {
    return v.state != WALSPOUT_UNCHANGED && v.state != WALSPOUT_ABSENT;
  }

  static void append_cell(std::string& out, const detail::ColumnText& column,
                          const walspout_value& v) {
    out += column.name;
    if (v.state == WALSPOUT_NULL) {
      out += "null";
      return;
    }
    const std::string_view text(static_cast<const char*>(v.data), v.size);
    if (v.state == WALSPOUT_TEXT) return append_value(out, column.kind, column.element, text);
    if (v.state != WALSPOUT_BINARY || column.kind != JsonKind::kBytes)
      throw Error(WALSPOUT_FATAL, "column " + column.name + " has a value that is no text");
    append_base64(out, text);
  }

  static void append_row(std::string& out, std::string_view opening, const Table& table,
                         const walspout_value* row) {
    out += opening;
    const std::size_t start = out.size();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!sent(row[i])) continue;
      if (out.size() != start) out += ',';
      append_cell(out, table.columns[i], row[i]);
    }
    out += '}';
  }

  static void append_unchanged(std::string& out, const Table& table, const walspout_value* row) {
    bool any = false;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (row[i].state != WALSPOUT_UNCHANGED) continue;
      out += any ? "," : ",\"unchanged\":[";
      const std::string& name = table.columns[i].name;
      out.append(name, 0, name.size() - 1);  // without its colon
      any = true;
    }
    if (any) out += ']';
  }

  // Where a key column's value is: in the new row, or in the old one when there is no new row or
  // the new one has not got it (a TOASTed key that stays is sent in the old row only).
  static const walspout_value* key_value(const walspout_change& change, std::uint32_t column) {
    for (const walspout_value* row : {change.new_row, change.old_row})
      if (row != nullptr && sent(row[column])) return row + column;
    return nullptr;
  }

  static void append_key(std::string& out, const Table& table, const walspout_change& change) {
    const std::vector<std::uint32_t>* columns = &table.key;
    for (const std::uint32_t i : table.key)
      if (key_value(change, i) == nullptr) columns = &table.identity;
    if (columns->empty()) {
      out += ",\"key\":null";
      return;
    }
    out += ",\"key\":{";
    const std::size_t start = out.size();
    for (const std::uint32_t i : *columns) {
      const walspout_value* const value = key_value(change, i);
      if (value == nullptr) continue;
      if (out.size() != start) out += ',';
      append_cell(out, table.columns[i], *value);
    }
    out += '}';
  }

  const Table& prepared(const walspout_relation& relation) {
    if (last_ != nullptr && last_->version == relation.version) return *last_;
    // Versions of tables long gone are not worth their memory; those in use come back at once.
    if (tables_.size() >= kMaxTables) tables_.clear();
    const auto [at, is_new] = tables_.try_emplace(relation.version);
    if (is_new) at->second.prepare(relation);
    last_ = &at->second;
    return *last_;
  }

  static constexpr std::size_t kMaxTables = 4096;
  std::unordered_map<std::uint64_t, Table> tables_;  // by walspout_relation.version
  const Table* last_ = nullptr;                      // in tables_
  detail::TxnText tail_;
};

}  // namespace walspout
