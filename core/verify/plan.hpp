// One table as it is compared: its columns and their forms, its key, and the queries that the
// source answers.
//
// Rows are counted and digested in buckets, so that memory does not depend on the table's size. A
// row's bucket comes from its key: neighbours of an integer key share one, so that a lost range of
// rows is a few buckets; other keys are scattered by a hash. A table without a key is a multiset of
// rows, and a row's digest is what it is known by.
#pragma once

#include <walspout/abi.h>
#include <walspout/abi_reader.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postgres/catalogue.hpp"
#include "transaction/relation.hpp"
#include "verify/digest.hpp"
#include "verify/form.hpp"

namespace walspout::verify {

using Row = std::vector<std::optional<std::string>>;  // NULL or text, one a column

class TablePlan {
 public:
  // relation: what the sink gets of the table. whole: the shape that the stream has. forms: as the
  // reader gave them. convert: as for PieceSql.
  TablePlan(postgres::PublishedTable table, transaction::RelationPtr whole,
            transaction::RelationPtr relation, const std::vector<std::uint8_t>& forms,
            bool convert);

  const postgres::PublishedTable& table() const { return table_; }
  const std::string& name() const { return name_; }  // "schema.table"
  const walspout_relation& relation() const { return *relation_; }
  const transaction::Relation& whole() const { return *whole_; }
  const std::vector<std::string>& columns() const { return columns_; }
  // Of each column its place in whole().
  const std::vector<std::uint32_t>& from_whole() const { return from_whole_; }
  const std::vector<ColumnForm>& forms() const { return forms_; }
  bool compared(std::size_t column) const { return forms_[column].form != WALSPOUT_FORM_NONE; }
  bool keyed() const { return !key_.empty(); }
  const std::vector<std::uint32_t>& key() const { return key_; }  // columns, in key order
  // Keys that the target alone has can be looked up at the source.
  bool key_can_be_asked() const;
  std::size_t buckets() const { return std::size_t{mask_} + 1; }
  // Before any query: from the table's size on disk, in bytes, and what the catalogue estimates.
  void choose_buckets(std::int64_t bytes);

  // Text is of the source or of the target, by origin; `at(column)` gives it or NULL.
  template <class At>
  void append_row(std::string& out, Origin origin, const At& at) const {
    for (std::size_t i = 0; i < forms_.size(); ++i)
      if (compared(i)) append_piece(out, forms_[i], at(i), origin);
  }
  template <class At>
  void append_key(std::string& out, Origin origin, const At& at) const {
    for (const std::uint32_t i : key_) append_piece(out, forms_[i], at(i), origin);
  }
  std::string key_of(const Row& row, Origin origin) const;
  std::string text_of(const Row& row, Origin origin) const;

  Digest digest_of(std::string_view row_text) const {
    return verify::digest_of(row_text, convert_);
  }

  // key: as append_key() makes it; of a table without one the row's digest counts.
  std::uint32_t bucket(std::string_view key, Digest row) const;

  // The size on disk, without what is TOASTed.
  std::string size_query() const;
  // bucket, count, sum of the digests
  std::string buckets_query() const;
  // With a key: tableoid, ctid, digest, key columns. Without: tableoid and ctid of one row, digest,
  // count.
  std::string narrow_query(std::span<const std::uint32_t> buckets) const;
  // tableoid, ctid, digest, key columns, of the rows that have one of these keys (one value per key
  // column) or are equal to one by the type's operator.
  std::string keys_query(std::span<const Row> keys) const;
  // All columns of one row.
  std::string row_query(const std::string& tableoid, const std::string& ctid) const;

 private:
  void choose_key();
  std::string column_sql(std::uint32_t column) const;
  std::string digest_sql() const;
  std::string bucket_sql() const;
  std::string from_where(const std::string& condition) const;

  postgres::PublishedTable table_;
  transaction::RelationPtr whole_;
  transaction::RelationPtr relation_;
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::uint32_t> from_whole_;
  std::vector<ColumnForm> forms_;
  std::vector<std::uint32_t> key_;
  bool convert_;
  PieceSql pieces_;
  bool integer_key_ = false;
  std::uint32_t mask_ = 0;
};

// The columns that a sink gets: all but those that a pattern of exclude_columns takes away.
transaction::TableShape without_columns(const transaction::TableShape& shape,
                                        const std::vector<std::string>& exclude_columns);

}  // namespace walspout::verify
