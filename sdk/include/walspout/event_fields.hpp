// walspout/event_fields.hpp - the parts of an event that do not depend on its row, each usable
// alone (a webhook wants the id in a header, say). See walspout/json.hpp for the event itself.
// Functions append to a buffer of the caller's. Threads: any.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <walspout/abi.h>
#include <walspout/array.hpp>
#include <walspout/json_text.hpp>

namespace walspout {

// "insert", "update", "delete", "truncate", "read", "schema" or "message"; empty for a change that
// is no event (COPY_BEGIN, COPY_END, COPY_FAILED, and what later versions may add).
inline std::string_view event_op(const walspout_txn& txn, const walspout_change& change) {
  switch (change.op) {
    case WALSPOUT_INSERT:
      return txn.kind == WALSPOUT_TXN_SNAPSHOT ? "read" : "insert";
    case WALSPOUT_UPDATE:
      return "update";
    case WALSPOUT_DELETE:
      return "delete";
    case WALSPOUT_TRUNCATE:
      return "truncate";
    case WALSPOUT_SCHEMA:
      return "schema";
    case WALSPOUT_MESSAGE:
      return "message";
    default:
      return {};
  }
}

inline void append_decimal(std::string& out, std::uint64_t number) {
  char text[20];
  out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

// Upper case, at least this many digits, at most 16.
inline void append_hex(std::string& out, std::uint64_t number, int digits) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  char text[16];
  int i = 16;
  while (number != 0 || 16 - i < digits) {
    text[--i] = kDigits[number & 15];
    number >>= 4;
  }
  out.append(text + i, text + 16);
}

// "16/B374D848", as PostgreSQL prints it.
inline void append_lsn(std::string& out, walspout_lsn lsn) {
  append_hex(out, lsn >> 32, 1);
  out += '/';
  append_hex(out, lsn & 0xFFFFFFFF, 1);
}

// "2026-01-31T12:00:00.000000Z" of microseconds since the Unix epoch, in UTC.
inline void append_timestamp(std::string& out, std::int64_t us) {
  constexpr std::int64_t kDay = 86'400'000'000;
  std::int64_t days = us / kDay;
  std::int64_t rest = us % kDay;
  if (rest < 0) {
    rest += kDay;
    --days;
  }
  // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;  // months since March
  const std::int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
  const std::int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  char text[27];
  const auto put = [&text](int at, int width, std::int64_t number) {
    for (int i = at + width - 1; i >= at; --i, number /= 10)
      text[i] = static_cast<char>('0' + number % 10);
  };
  put(0, 4, std::clamp<std::int64_t>(year, 0, 9999));
  text[4] = text[7] = '-';
  put(5, 2, month);
  put(8, 2, day);
  text[10] = 'T';
  put(11, 2, rest / 3'600'000'000);
  text[13] = text[16] = ':';
  put(14, 2, rest / 60'000'000 % 60);
  put(17, 2, rest / 1'000'000 % 60);
  text[19] = '.';
  put(20, 6, rest % 1'000'000);
  text[26] = 'Z';
  out.append(text, sizeof text);
}

// The event's identity, stable over redelivery: the idempotency key.
inline void append_event_id(std::string& out, const walspout_txn& txn,
                            const walspout_change& change) {
  if (txn.kind == WALSPOUT_TXN_SNAPSHOT) {
    out += "copy-";
    append_decimal(out, txn.copy_id);
  } else {
    append_hex(out, txn.commit_lsn, 16);
  }
  out += '-';
  append_decimal(out, change.ordinal);
  if (change.op == WALSPOUT_SCHEMA) out += "-s";
}

namespace detail {

inline std::string_view text_of(walspout_str s) { return {s.data, s.size}; }

// The end of all events of one transaction.
struct TxnText {
  std::string text;  // ,"xid":742,"lsn":"0/1A2B3C4","ts":"..."}

  bool is_of(const walspout_txn& txn) const {
    return !text.empty() && txn.commit_lsn == lsn_ && txn.commit_time_us == time_ &&
           txn.xid == xid_;
  }
  void prepare(const walspout_txn& txn) {
    lsn_ = txn.commit_lsn;
    time_ = txn.commit_time_us;
    xid_ = txn.xid;
    text = ",\"xid\":";
    append_decimal(text, xid_);
    text += ",\"lsn\":\"";
    append_lsn(text, lsn_);
    text += "\",\"ts\":";
    if (time_ == 0) {  // a message outside of a transaction was never committed
      text += "null}";
      return;
    }
    text += '"';
    append_timestamp(text, time_);
    text += "\"}";
  }

 private:
  walspout_lsn lsn_ = 0;
  std::int64_t time_ = 0;
  std::uint32_t xid_ = 0;
};

struct ColumnText {
  std::string name;  // quoted, and its colon
  JsonKind kind = JsonKind::kString;
  std::uint32_t element = 0;  // walspout_column.element_type_oid
};

// What all events of one version of a table share.
struct TableText {
  std::uint64_t version = 0;
  std::string head;  // ","schema":"public","table":"orders"
  std::vector<ColumnText> columns;
  std::vector<std::uint32_t> key, identity;  // indexes of columns, in the key's order

  void prepare(const walspout_relation& r) {
    version = r.version;
    head = "\",\"schema\":";
    append_string(head, text_of(r.schema));
    head += ",\"table\":";
    append_string(head, text_of(r.name));
    for (std::uint32_t i = 0; i < r.column_count; ++i) {
      const walspout_column& c = *r.columns[i];
      ColumnText& column = columns.emplace_back();
      append_string(column.name, text_of(c.name));
      column.name += ':';
      column.kind = json_kind(c.base_type_oid, c.element_type_oid);
      column.element = c.element_type_oid;
      if ((c.flags & WALSPOUT_COLUMN_PRIMARY) != 0) key.push_back(i);
      // Under FULL every column is flagged, which makes no key.
      if ((c.flags & WALSPOUT_COLUMN_KEY) != 0 && r.replica_identity != 'f') identity.push_back(i);
    }
    if (key.empty()) key = identity;
    std::stable_sort(key.begin(), key.end(), [&](std::uint32_t a, std::uint32_t b) {
      return r.columns[a]->key_ordinal < r.columns[b]->key_ordinal;
    });
  }
};

inline void append_flag(std::string& out, const walspout_column& c, std::uint32_t flag,
                        std::string_view name) {
  if ((c.flags & flag) == 0) return;
  out += ",\"";
  out += name;
  out += "\":true";
}

// Column i of the new shape: "name" and "type" and, where it applies, "type_mod" (as atttypmod) and
// "primary", "key", "not_null", "generated" (true).
inline void append_shape(std::string& out, const walspout_column& c) {
  out += "{\"name\":";
  append_string(out, text_of(c.name));
  out += ",\"type\":";
  append_string(out, text_of(c.type_name));
  if (c.type_mod >= 0) {
    out += ",\"type_mod\":";
    append_decimal(out, static_cast<std::uint64_t>(c.type_mod));
  }
  append_flag(out, c, WALSPOUT_COLUMN_PRIMARY, "primary");
  append_flag(out, c, WALSPOUT_COLUMN_KEY, "key");
  append_flag(out, c, WALSPOUT_COLUMN_NOT_NULL, "not_null");
  append_flag(out, c, WALSPOUT_COLUMN_GENERATED, "generated");
}

// Where column i comes from: "was" (a renamed column's old name), or "added" (true) with "fill"
// (what the source's old rows have in it). Marks the old column as kept.
inline void append_descent(std::string& out, const walspout_change& change, std::uint32_t i,
                           std::vector<bool>& kept) {
  const walspout_column& c = *change.relation->columns[i];
  const std::int32_t was = change.old_index[i];
  if (was >= 0 && static_cast<std::size_t>(was) < kept.size()) {
    kept[static_cast<std::size_t>(was)] = true;
    const walspout_str old_name = change.old_relation->columns[was]->name;
    if (text_of(old_name) == text_of(c.name)) return;
    out += ",\"was\":";
    append_string(out, text_of(old_name));
    return;
  }
  out += ",\"added\":true";
  if (change.fill == nullptr || change.fill[i].state != WALSPOUT_TEXT) return;
  out += ",\"fill\":";
  append_value(out, json_kind(c.base_type_oid, c.element_type_oid), c.element_type_oid,
               {static_cast<const char*>(change.fill[i].data), change.fill[i].size});
}

// A schema event's own part: "columns" in the new order and, with an old shape, "dropped" (names of
// the columns that went) and "renamed_from" when the table had another name.
inline void append_schema(std::string& out, const walspout_change& change) {
  const walspout_relation& now = *change.relation;
  const walspout_relation* const old = change.old_index == nullptr ? nullptr : change.old_relation;
  std::vector<bool> kept(old == nullptr ? 0 : old->column_count);
  out += ",\"columns\":[";
  for (std::uint32_t i = 0; i < now.column_count; ++i) {
    if (i != 0) out += ',';
    append_shape(out, *now.columns[i]);
    if (old != nullptr) append_descent(out, change, i, kept);
    out += '}';
  }
  out += ']';
  if (old == nullptr) return;
  bool any = false;
  for (std::size_t j = 0; j < kept.size(); ++j) {
    if (kept[j]) continue;
    out += any ? "," : ",\"dropped\":[";
    append_string(out, text_of(old->columns[j]->name));
    any = true;
  }
  if (any) out += ']';
  if (text_of(old->schema) == text_of(now.schema) && text_of(old->name) == text_of(now.name))
    return;
  out += ",\"renamed_from\":{\"schema\":";
  append_string(out, text_of(old->schema));
  out += ",\"table\":";
  append_string(out, text_of(old->name));
  out += '}';
}

}  // namespace detail
}  // namespace walspout
