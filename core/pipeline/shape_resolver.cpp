#include "pipeline/shape_resolver.hpp"

#include <algorithm>
#include <utility>

#include "log/log.hpp"

namespace walspout {

using postgres::PublishedColumn;
using postgres::PublishedTable;
using transaction::ColumnShape;
using transaction::TableShape;

namespace {

const PublishedColumn* find_column(const PublishedTable* table, std::string_view name) {
  if (table == nullptr) return nullptr;
  for (const PublishedColumn& column : table->columns)
    if (column.name == name) return &column;
  return nullptr;
}

bool same_columns(const pgoutput::Relation& message, const PublishedTable& table) {
  return message.name == table.name && message.schema == table.schema &&
         std::equal(message.columns.begin(), message.columns.end(), table.columns.begin(),
                    table.columns.end(), [](const auto& sent, const PublishedColumn& known) {
                      return sent.name == known.name && sent.type_oid == known.type_oid;
                    });
}

// The key only if the message has all of its columns.
std::vector<std::string> present(std::vector<std::string> key, const pgoutput::Relation& message) {
  for (const std::string& name : key) {
    const bool there = std::any_of(message.columns.begin(), message.columns.end(),
                                   [&](const auto& column) { return column.name == name; });
    if (!there) return {};
  }
  return key;
}

}  // namespace

void CatalogueResolver::refresh(postgres::Connection& ordinary, const std::string& publication,
                                const postgres::Interrupt& interrupt) {
  connection_ = &ordinary;
  interrupt_ = interrupt;
  tables_ = postgres::published_tables(ordinary, publication, interrupt);
  types_.clear();
  for (postgres::TypeFacts& facts : postgres::load_types(ordinary, interrupt))
    types_.emplace(facts.oid, std::move(facts));
}

transaction::RelationPtr CatalogueResolver::resolve(const PublishedTable& table) {
  std::vector<pgoutput::RelationColumn> columns;
  for (const PublishedColumn& column : table.columns)
    columns.push_back({column.in_identity, column.name, column.type_oid, column.type_mod});
  const pgoutput::Relation message{
      0, table.oid, table.schema, table.name, table.replica_identity, columns};
  return cache_.intern(shape(message, &table));
}

transaction::RelationPtr CatalogueResolver::resolve(const pgoutput::Relation& message) {
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const PublishedTable& t) { return t.oid == message.oid; });
  // The catalogue as it was read counts only for the shape that it describes; for another one the
  // key is asked for again.
  const bool usable = found != tables_.end() && same_columns(message, *found);
  return cache_.intern(shape(message, usable ? &*found : nullptr));
}

const postgres::TypeFacts& CatalogueResolver::type(std::uint32_t oid) {
  auto found = types_.find(oid);
  if (found == types_.end()) {
    // Made after the last look; or dropped already, then it is only text.
    auto facts = postgres::load_type(*connection_, oid, interrupt_);
    if (!facts) {
      log::warn("type " + std::to_string(oid) +
                " is not in the catalogue any more; its values are text");
      facts.emplace();
      facts->oid = facts->base_oid = oid;
      facts->name = "unknown";
    }
    found = types_.emplace(oid, std::move(*facts)).first;
  }
  return found->second;
}

std::vector<std::string> CatalogueResolver::key_columns(const pgoutput::Relation& message,
                                                        const PublishedTable* table) {
  postgres::TableKey key;
  if (table != nullptr) {
    key = {table->replica_identity, table->primary_key, table->identity_index};
  } else if (auto asked = postgres::table_key(*connection_, message.oid, interrupt_)) {
    key = std::move(*asked);
  }
  if (message.replica_identity != 'd') return present(key.primary_key, message);
  // Under the default identity the message itself says which columns are the primary key; the
  // catalogue adds only their order.
  std::vector<std::string> sent;
  for (const auto& column : message.columns)
    if (column.key) sent.emplace_back(column.name);
  const bool same =
      std::is_permutation(sent.begin(), sent.end(), key.primary_key.begin(), key.primary_key.end());
  return same ? key.primary_key : sent;
}

TableShape CatalogueResolver::shape(const pgoutput::Relation& message,
                                    const PublishedTable* table) {
  TableShape shape;
  shape.oid = message.oid;
  shape.schema = message.schema;
  shape.name = message.name;
  shape.replica_identity = message.replica_identity;
  const std::vector<std::string> primary = key_columns(message, table);
  std::int16_t identity_ordinal = 0;
  for (const auto& sent : message.columns) {
    ColumnShape column;
    column.name = sent.name;
    column.type_oid = sent.type_oid;
    const postgres::TypeFacts& facts = type(sent.type_oid);
    column.type_name = facts.name;
    column.base_type_oid = facts.base_oid;
    column.element_type_oid = facts.element_oid;
    column.type_mod = facts.kind == 'd' ? facts.base_type_mod : sent.type_mod;
    if (sent.key) column.flags |= WALSPOUT_COLUMN_KEY;
    const auto place = std::find(primary.begin(), primary.end(), column.name);
    if (place != primary.end()) {
      column.flags |= WALSPOUT_COLUMN_PRIMARY;
      column.key_ordinal = static_cast<std::int16_t>(place - primary.begin() + 1);
    } else if (primary.empty() && sent.key && message.replica_identity == 'i') {
      column.key_ordinal = ++identity_ordinal;
    }
    if (const PublishedColumn* known = find_column(table, sent.name)) {
      column.attnum = known->attnum;
      if (known->not_null) column.flags |= WALSPOUT_COLUMN_NOT_NULL;
      if (known->generated) column.flags |= WALSPOUT_COLUMN_GENERATED;
    }
    shape.columns.push_back(std::move(column));
  }
  return shape;
}

}  // namespace walspout
