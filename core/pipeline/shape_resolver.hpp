// Completes the stream's relations, and the copies', from the catalogue: the bridge between
// pgoutput and postgres, which do not know each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "postgres/catalogue.hpp"
#include "postgres/connection.hpp"
#include "postgres/table_facts.hpp"
#include "transaction/assembler.hpp"
#include "transaction/relation.hpp"

namespace walspout {

class CatalogueResolver : public transaction::ShapeResolver {
 public:
  explicit CatalogueResolver(transaction::RelationCache& cache) : cache_(cache) {}

  // Reads types and published tables anew: at each connection. The connection must outlive the use.
  void refresh(postgres::Connection& ordinary, const std::string& publication,
               const postgres::Interrupt& interrupt);
  // The same within the caller's transaction, whose snapshot counts; look_again() does nothing
  // then.
  void refresh_within(postgres::Connection& in_transaction, const std::string& publication,
                      const postgres::Interrupt& interrupt);
  // The catalogue as it was read by somebody else; ignored when what is known here is newer.
  void update(postgres::CatalogueView view);
  // Reads the published tables again.
  void look_again();

  // The position up to which the source's WAL is flushed now.
  base::Lsn flushed();

  // Without row filters and estimates.
  const std::vector<postgres::PublishedTable>& tables() const { return tables_; }
  const postgres::PublishedTable* table(std::uint32_t oid) const;
  const postgres::CatalogueView& view() const { return view_; }
  const postgres::TableFacts* facts(std::uint32_t oid) const;
  // 0 when there is no such table.
  std::uint64_t facts_hash(std::uint32_t oid) const;

  // The relation of a table that is copied: the same version as the stream's, if the shapes agree.
  transaction::RelationPtr resolve(const postgres::PublishedTable& table);

  // The relation that the table had when these were its facts.
  transaction::RelationPtr resolve(const postgres::TableFacts& facts);

  // ShapeResolver. May ask the catalogue, and throw as postgres::Connection::exec does.
  transaction::RelationPtr resolve(const pgoutput::Relation& message, std::uint32_t xid) override;

  // Where the stream stands now, the table's primary key is the one of these facts.
  void stands_at(const postgres::TableFacts& facts) { keys_[facts.oid] = facts.primary_constraint; }
  // The same of what is copied now, unless the stream has told more already.
  void copied_at(const postgres::TableFacts& facts) {
    keys_.emplace(facts.oid, facts.primary_constraint);
  }

 private:
  const postgres::TypeFacts& type(std::uint32_t oid);
  std::vector<std::string> default_key(const pgoutput::Relation& message,
                                       const postgres::PublishedTable* table);
  std::vector<std::string> untold_key(const pgoutput::Relation& message, std::uint32_t xid);
  transaction::TableShape shape(const pgoutput::Relation& message,
                                const postgres::PublishedTable* table,
                                const std::vector<std::string>& primary_key);

  transaction::RelationCache& cache_;
  postgres::Connection* connection_ = nullptr;
  postgres::Interrupt interrupt_;
  std::string publication_;
  bool within_ = false;
  postgres::CatalogueView view_;
  std::vector<postgres::PublishedTable> tables_;  // of view_
  std::unordered_map<std::uint32_t, postgres::TypeFacts> types_;
  // By table: the constraint that was its primary key where the stream was last known to stand.
  std::unordered_map<std::uint32_t, std::uint32_t> keys_;
};

}  // namespace walspout
