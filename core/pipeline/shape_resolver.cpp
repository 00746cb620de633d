#include "pipeline/shape_resolver.hpp"

#include <algorithm>
#include <utility>

#include "log/log.hpp"
#include "postgres/identify.hpp"
#include "transaction/snapshot_xids.hpp"

namespace walspout {

using postgres::PublishedColumn;
using postgres::PublishedTable;
using transaction::ColumnShape;
using transaction::TableShape;
using Names = std::vector<std::string>;

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

namespace {

std::vector<std::string> names_of(const postgres::TableFacts& facts,
                                  const std::vector<std::int16_t>& attnums) {
  std::vector<std::string> names;
  for (const std::int16_t attnum : attnums)
    if (const auto* attribute = facts.attribute(attnum)) names.push_back(attribute->name);
  return names;
}

PublishedTable table_of(const postgres::TableFacts& facts) {
  PublishedTable table;
  table.oid = facts.oid;
  table.schema = facts.schema;
  table.name = facts.name;
  table.relkind = facts.relkind;
  table.replica_identity = facts.replica_identity;
  bool whole_key = true;
  for (const postgres::AttributeFacts& attribute : facts.attributes) {
    const auto in = [&](const std::vector<std::int16_t>& key) {
      return std::find(key.begin(), key.end(), attribute.attnum) != key.end();
    };
    if (!attribute.published) {
      whole_key = whole_key && !in(facts.primary_key);
      continue;
    }
    PublishedColumn column;
    column.name = attribute.name;
    column.attnum = attribute.attnum;
    column.type_oid = attribute.type_oid;
    column.type_mod = attribute.type_mod;
    column.not_null = attribute.not_null;
    column.generated = attribute.generated != '-';
    column.in_identity = facts.replica_identity == 'f' || in(facts.identity_index);
    table.columns.push_back(std::move(column));
  }
  if (whole_key) table.primary_key = names_of(facts, facts.primary_key);
  table.identity_index = names_of(facts, facts.identity_index);
  return table;
}

}  // namespace

void CatalogueResolver::refresh(postgres::Connection& ordinary, const std::string& publication,
                                const postgres::Interrupt& interrupt) {
  connection_ = &ordinary;
  interrupt_ = interrupt;
  publication_ = publication;
  look_again();
  types_.clear();
  for (postgres::TypeFacts& facts : postgres::load_types(ordinary, interrupt))
    types_.emplace(facts.oid, std::move(facts));
}

void CatalogueResolver::refresh_within(postgres::Connection& in_transaction,
                                       const std::string& publication,
                                       const postgres::Interrupt& interrupt) {
  connection_ = &in_transaction;
  interrupt_ = interrupt;
  within_ = true;
  tables_ = postgres::published_tables(in_transaction, publication, interrupt);
  types_.clear();
  for (postgres::TypeFacts& facts : postgres::load_types(in_transaction, interrupt))
    types_.emplace(facts.oid, std::move(facts));
}

void CatalogueResolver::look_again() {
  if (within_) return;
  update(postgres::read_table_facts(*connection_, publication_, interrupt_));
}

base::Lsn CatalogueResolver::flushed() {
  return postgres::flushed_wal_lsn(*connection_, interrupt_);
}

void CatalogueResolver::update(postgres::CatalogueView view) {
  if (view.lsn < view_.lsn) return;
  view_ = std::move(view);
  tables_.clear();
  for (const postgres::TableFacts& facts : view_.tables) tables_.push_back(table_of(facts));
}

const PublishedTable* CatalogueResolver::table(std::uint32_t oid) const {
  for (const PublishedTable& table : tables_)
    if (table.oid == oid) return &table;
  return nullptr;
}

const postgres::TableFacts* CatalogueResolver::facts(std::uint32_t oid) const {
  for (const postgres::TableFacts& facts : view_.tables)
    if (facts.oid == oid) return &facts;
  return nullptr;
}

std::uint64_t CatalogueResolver::facts_hash(std::uint32_t oid) const {
  const postgres::TableFacts* found = facts(oid);
  return found == nullptr ? 0 : postgres::facts_hash(*found);
}

transaction::RelationPtr CatalogueResolver::resolve(const PublishedTable& table) {
  std::vector<pgoutput::RelationColumn> columns;
  for (const PublishedColumn& column : table.columns)
    columns.push_back({column.in_identity, column.name, column.type_oid, column.type_mod});
  const pgoutput::Relation message{
      0, table.oid, table.schema, table.name, table.replica_identity, columns};
  return cache_.intern(shape(message, &table,
                             message.replica_identity == 'd'
                                 ? default_key(message, &table)
                                 : present(table.primary_key, message)));
}

transaction::RelationPtr CatalogueResolver::resolve(const postgres::TableFacts& facts) {
  return resolve(table_of(facts));
}

transaction::RelationPtr CatalogueResolver::resolve(const pgoutput::Relation& message,
                                                    std::uint32_t xid) {
  const PublishedTable* found = table(message.oid);
  if (found == nullptr || !same_columns(message, *found)) {
    look_again();
    found = table(message.oid);
  }
  // The catalogue counts only for the shape that it describes; it may be ahead of the stream.
  const bool usable = found != nullptr && same_columns(message, *found);
  if (!usable) found = nullptr;
  if (message.replica_identity == 'd')
    return cache_.intern(shape(message, found, default_key(message, found)));
  if (within_)
    return cache_.intern(
        shape(message, found, found ? present(found->primary_key, message) : Names()));
  return cache_.intern(shape(message, found, untold_key(message, xid)));
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

// Under the default identity the message itself says which columns are the primary key; the
// catalogue adds only their order.
std::vector<std::string> CatalogueResolver::default_key(const pgoutput::Relation& message,
                                                        const PublishedTable* table) {
  std::vector<std::string> in_order, sent;
  if (table != nullptr) {
    in_order = table->primary_key;
  } else if (auto asked = postgres::table_key(*connection_, message.oid, interrupt_)) {
    in_order = std::move(asked->primary_key);
  }
  for (const auto& column : message.columns)
    if (column.key) sent.emplace_back(column.name);
  return std::is_permutation(sent.begin(), sent.end(), in_order.begin(), in_order.end()) ? in_order
                                                                                         : sent;
}

// Under the other identities only the catalogue knows the primary key, and its moment is not the
// stream's: rows of a time without it may be there twice. It counts if it is the same before and
// after; else it is told when the stream has passed the moment at which the catalogue was read.
std::vector<std::string> CatalogueResolver::untold_key(const pgoutput::Relation& message,
                                                       std::uint32_t xid) {
  const auto now = postgres::table_key(*connection_, message.oid, interrupt_);
  if (!now) return {};
  auto before = keys_.find(message.oid);
  if (before == keys_.end()) {
    const postgres::TableFacts* seen = facts(message.oid);
    const auto snapshot = transaction::SnapshotXids::parse(view_.snapshot);
    const bool earlier = seen != nullptr && snapshot && !snapshot->sees(xid);
    // Nothing is known of before: a stream that begins far behind the catalogue.
    const std::uint32_t key = earlier ? seen->primary_constraint : now->primary_constraint;
    before = keys_.emplace(message.oid, key).first;
  }
  if (before->second != now->primary_constraint) return {};
  return present(now->primary_key, message);
}

TableShape CatalogueResolver::shape(const pgoutput::Relation& message, const PublishedTable* table,
                                    const std::vector<std::string>& primary) {
  TableShape shape;
  shape.oid = message.oid;
  shape.schema = message.schema;
  shape.name = message.name;
  shape.replica_identity = message.replica_identity;
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
