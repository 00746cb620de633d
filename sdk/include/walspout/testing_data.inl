// The definitions of walspout/testing.hpp; included by it.
#pragma once

#include <atomic>

namespace walspout::testing {
namespace detail {

inline std::string_view name_of_type(std::uint32_t type) {
  static constexpr std::pair<std::uint32_t, std::string_view> kNames[] = {
      {oid::kBool, "boolean"},
      {oid::kBytea, "bytea"},
      {oid::kInt8, "bigint"},
      {oid::kInt2, "smallint"},
      {oid::kInt4, "integer"},
      {oid::kText, "text"},
      {oid::kOid, "oid"},
      {oid::kJson, "json"},
      {oid::kFloat4, "real"},
      {oid::kFloat8, "double precision"},
      {oid::kBpchar, "character"},
      {oid::kVarchar, "character varying"},
      {oid::kDate, "date"},
      {oid::kTime, "time without time zone"},
      {oid::kTimestamp, "timestamp without time zone"},
      {oid::kTimestamptz, "timestamp with time zone"},
      {oid::kTimetz, "time with time zone"},
      {oid::kInterval, "interval"},
      {oid::kNumeric, "numeric"},
      {oid::kUuid, "uuid"},
      {oid::kJsonb, "jsonb"},
      {oid::kBox, "box"}};
  for (const auto& [number, name] : kNames)
    if (number == type) return name;
  return {};
}

inline std::uint32_t element_of_array(std::uint32_t type) {
  static constexpr std::pair<std::uint32_t, std::uint32_t> kElements[] = {
      {oid::kJsonArray, oid::kJson},       {oid::kBoolArray, oid::kBool},
      {oid::kByteaArray, oid::kBytea},     {oid::kInt2Array, oid::kInt2},
      {oid::kInt4Array, oid::kInt4},       {oid::kTextArray, oid::kText},
      {oid::kVarcharArray, oid::kVarchar}, {oid::kInt8Array, oid::kInt8},
      {oid::kBoxArray, oid::kBox},         {oid::kFloat4Array, oid::kFloat4},
      {oid::kFloat8Array, oid::kFloat8},   {oid::kTimestampArray, oid::kTimestamp},
      {oid::kDateArray, oid::kDate},       {oid::kTimestamptzArray, oid::kTimestamptz},
      {oid::kNumericArray, oid::kNumeric}, {oid::kUuidArray, oid::kUuid},
      {oid::kJsonbArray, oid::kJsonb}};
  for (const auto& [array, element] : kElements)
    if (array == type) return element;
  return 0;
}

inline std::uint64_t next_version() {
  static std::atomic<std::uint64_t> version = 0;  // unique per run, as the contract says
  return ++version;
}

inline walspout_str str(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace detail

inline Relation relation(std::string schema, std::string name, std::uint32_t oid) {
  Relation made;
  Relation::Data& data = *made.data_;
  data.schema = std::move(schema);
  data.name = std::move(name);
  walspout_relation& r = data.relation;
  r.struct_size = sizeof r;
  r.version = detail::next_version();
  r.oid = oid != 0 ? oid : 16384 + static_cast<std::uint32_t>(r.version);
  r.schema = detail::str(data.schema);
  r.name = detail::str(data.name);
  r.replica_identity = 'd';
  return made;
}

inline Relation& Relation::column(std::string name, std::uint32_t type_oid, std::uint32_t flags,
                                  std::uint32_t element_type_oid) {
  return domain(std::move(name), type_oid, type_oid, flags, element_type_oid);
}

inline Relation& Relation::domain(std::string name, std::uint32_t domain_oid,
                                  std::uint32_t base_type_oid, std::uint32_t flags,
                                  std::uint32_t element_type_oid) {
  if (element_type_oid == 0) element_type_oid = detail::element_of_array(base_type_oid);
  Column& added = data_->columns.emplace_back();
  added.name = std::move(name);
  added.type_name = detail::name_of_type(element_type_oid != 0 ? element_type_oid : domain_oid);
  if (added.type_name.empty()) added.type_name = "type_" + std::to_string(domain_oid);
  if (element_type_oid != 0) added.type_name += "[]";
  walspout_column& c = added.column;
  c.struct_size = sizeof c;
  c.flags = flags;
  c.type_oid = domain_oid;
  c.base_type_oid = base_type_oid;
  c.element_type_oid = element_type_oid;
  c.type_mod = -1;
  c.attnum = static_cast<std::int16_t>(data_->columns.size());
  if ((flags & (WALSPOUT_COLUMN_KEY | WALSPOUT_COLUMN_PRIMARY)) != 0)
    c.key_ordinal = ++data_->key_columns;
  c.name = detail::str(added.name);
  c.type_name = detail::str(added.type_name);
  data_->pointers.push_back(&c);
  data_->relation.columns = data_->pointers.data();
  data_->relation.column_count = static_cast<std::uint32_t>(data_->pointers.size());
  return *this;
}

inline Relation& Relation::type_mod(std::int32_t type_mod) {
  data_->columns.back().column.type_mod = type_mod;
  return *this;
}

inline Relation& Relation::type_name(std::string name) {
  Column& last = data_->columns.back();
  last.type_name = std::move(name);
  last.column.type_name = detail::str(last.type_name);
  return *this;
}

inline Relation& Relation::key_ordinal(std::int16_t place) {
  data_->columns.back().column.key_ordinal = place;
  return *this;
}

inline Relation& Relation::identity(char replica_identity) {
  data_->relation.replica_identity = replica_identity;
  return *this;
}

inline Txn::Txn(Lsn commit_lsn, Lsn end_lsn) {
  txn_.struct_size = sizeof txn_;
  txn_.kind = WALSPOUT_TXN_COMMIT;
  txn_.xid = 742;
  txn_.commit_lsn = commit_lsn;
  txn_.end_lsn = end_lsn != 0 ? end_lsn : commit_lsn + 0x30;
  txn_.position = txn_.end_lsn;
  txn_.commit_time_us = 1769860800000000;
}

inline const walspout_value* Txn::own(const Relation& table, Row row) {
  if (row.size() != table.width())
    throw std::invalid_argument("the row is not as wide as its table");
  const Row& kept = rows_.emplace_back(std::move(row));
  auto& values = values_.emplace_back();
  for (const Cell& cell : kept) values.push_back(cell.value());
  return values.data();
}

inline walspout_change& Txn::add(std::uint16_t op, const Relation* table) {
  walspout_change& c = storage_.emplace_back();
  c.struct_size = sizeof c;
  c.op = op;
  c.ordinal = next_ordinal_;
  if (op <= WALSPOUT_TRUNCATE || op == WALSPOUT_MESSAGE) ++next_ordinal_;
  c.lsn = txn_.commit_lsn;
  c.copy_id = copy_id_;
  if (table != nullptr) {
    relations_.push_back(*table);
    c.relation = table->get();
  }
  changes_.push_back(&c);
  return c;
}

inline Txn& Txn::insert(const Relation& table, Row row) {
  const walspout_value* values = own(table, std::move(row));
  add(WALSPOUT_INSERT, &table).new_row = values;
  return *this;
}

inline Txn& Txn::update(const Relation& table, Row new_row) {
  const walspout_value* values = own(table, std::move(new_row));
  add(WALSPOUT_UPDATE, &table).new_row = values;
  return *this;
}

inline Txn& Txn::update(const Relation& table, Row old_row, Row new_row) {
  const walspout_value* old_values = own(table, std::move(old_row));
  const walspout_value* new_values = own(table, std::move(new_row));
  walspout_change& c = add(WALSPOUT_UPDATE, &table);
  c.old_row = old_values;
  c.new_row = new_values;
  if (table.get()->replica_identity == 'f') c.flags = WALSPOUT_OLD_FULL;
  return *this;
}

inline Txn& Txn::remove(const Relation& table, Row old_row) {
  const walspout_value* values = own(table, std::move(old_row));
  walspout_change& c = add(WALSPOUT_DELETE, &table);
  c.old_row = values;
  if (table.get()->replica_identity == 'f') c.flags = WALSPOUT_OLD_FULL;
  return *this;
}

inline Txn& Txn::truncate(const Relation& table, std::uint16_t flags) {
  add(WALSPOUT_TRUNCATE, &table).flags = flags;
  return *this;
}

inline Txn& Txn::message(std::string prefix, std::string content) {
  walspout_change& c = add(WALSPOUT_MESSAGE, nullptr);
  c.prefix = detail::str(strings_.emplace_back(std::move(prefix)));
  c.content = detail::str(strings_.emplace_back(std::move(content)));
  return *this;
}

inline Txn& Txn::schema(const Relation& table) {
  add(WALSPOUT_SCHEMA, &table);
  return *this;
}

inline Txn& Txn::schema(const Relation& old_table, const Relation& table,
                        std::vector<std::int32_t> old_index, Row fill) {
  const walspout_relation& before = *old_table.get();
  if (old_index.empty()) {
    old_index.assign(table.width(), -1);
    for (std::uint32_t i = 0; i < table.width(); ++i)
      for (std::uint32_t j = 0; j < before.column_count; ++j) {
        const walspout_str a = table.get()->columns[i]->name, b = before.columns[j]->name;
        if (std::string_view(a.data, a.size) == std::string_view(b.data, b.size))
          old_index[i] = static_cast<std::int32_t>(j);
      }
  }
  const walspout_value* values = fill.empty() ? nullptr : own(table, std::move(fill));
  relations_.push_back(old_table);
  walspout_change& c = add(WALSPOUT_SCHEMA, &table);
  c.old_relation = &before;
  c.old_index = indexes_.emplace_back(std::move(old_index)).data();
  c.fill = values;
  return *this;
}

inline Txn& Txn::copy_begin(const Relation& table) {
  add(WALSPOUT_COPY_BEGIN, &table);
  return *this;
}

inline Txn& Txn::copy_end(const Relation& table) {
  add(WALSPOUT_COPY_END, &table);
  return *this;
}

inline Txn& Txn::copy_failed(const Relation& table, std::string reason) {
  const walspout_str content = detail::str(strings_.emplace_back(std::move(reason)));
  add(WALSPOUT_COPY_FAILED, &table).content = content;
  return *this;
}

inline Txn& Txn::host_state(std::string state) {
  txn_.host_state = detail::str(strings_.emplace_back(std::move(state)));
  return *this;
}

inline Txn& Txn::snapshot(std::uint64_t copy_id) {
  txn_.kind = WALSPOUT_TXN_SNAPSHOT;
  txn_.copy_id = copy_id_ = copy_id;
  txn_.xid = 0;
  return *this;
}

}  // namespace walspout::testing
