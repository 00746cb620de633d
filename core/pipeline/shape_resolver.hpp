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
#include "transaction/assembler.hpp"
#include "transaction/relation.hpp"

namespace walspout {

class CatalogueResolver : public transaction::ShapeResolver {
 public:
  explicit CatalogueResolver(transaction::RelationCache& cache) : cache_(cache) {}

  // Reads types and published tables anew: at each connection. The connection must outlive the use.
  void refresh(postgres::Connection& ordinary, const std::string& publication,
               const postgres::Interrupt& interrupt);

  const std::vector<postgres::PublishedTable>& tables() const { return tables_; }

  // The relation of a table that is copied: the same version as the stream's, if the shapes agree.
  transaction::RelationPtr resolve(const postgres::PublishedTable& table);

  // ShapeResolver. May ask the catalogue, and throw as postgres::Connection::exec does.
  transaction::RelationPtr resolve(const pgoutput::Relation& message) override;

 private:
  transaction::TableShape shape(const pgoutput::Relation& message,
                                const postgres::PublishedTable* table);
  const postgres::TypeFacts& type(std::uint32_t oid);
  std::vector<std::string> key_columns(const pgoutput::Relation& message,
                                       const postgres::PublishedTable* table);

  transaction::RelationCache& cache_;
  postgres::Connection* connection_ = nullptr;
  postgres::Interrupt interrupt_;
  std::vector<postgres::PublishedTable> tables_;
  std::unordered_map<std::uint32_t, postgres::TypeFacts> types_;
};

}  // namespace walspout
