// The mirror's own tables: what is mirrored where, positions, copies under way. Every function is
// a statement or two in the caller's transaction; nothing is cached, so a rollback needs no care.
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database.hpp"

namespace walspout::sqlite {

// A row of _walspout_tables.
struct TableRecord {
  std::string mirror;
  std::string state;     // copying, live, failed
  uint32_t oid = 0;      // pg_class.oid of the source; 0 = unknown
  bool created = false;  // false: only the name is taken so far, the first copy is under way
};

// A row of _walspout_columns.
struct ColumnRecord {
  std::string source, mirror, type;
  int attnum = 0;  // 0 = unknown
};

// A row of _walspout_position.
struct Position {
  walspout_lsn lsn = 0;
  std::string host_state;
};

class Catalog {
 public:
  // Everything belongs to this pipeline and sink; others in the same file are left alone.
  Catalog(Database& db, std::string_view pipeline, std::string_view sink)
      : db_(db), pipeline_(pipeline), sink_(sink) {}

  void create();  // the tables, when missing

  std::optional<TableRecord> find(std::string_view schema, std::string_view table);
  void save(std::string_view schema, std::string_view table, const TableRecord& record,
            std::string_view reason = {});
  void mark_failed(const std::string& mirror, std::string_view reason);
  // The table of this oid under another name, if there is one, gets this name. False: none.
  bool rename_source(uint32_t oid, std::string_view schema, std::string_view table);
  bool name_taken(const std::string& name);  // by anyone's table, view, index or reservation

  std::vector<ColumnRecord> columns(const std::string& physical);
  void save_columns(const std::string& physical, const std::vector<ColumnRecord>& columns);
  void rename_columns(const std::string& physical, const std::string& renamed);

  std::optional<std::string> find_copy(uint64_t copy_id, std::string_view schema,
                                       std::string_view table);  // its shadow table
  void save_copy(uint64_t copy_id, std::string_view schema, std::string_view table,
                 const std::string& shadow);
  void forget_copy(const std::string& shadow);
  std::vector<std::string> shadows();  // of this pipeline and sink

  Position position();
  // Empty state keeps the stored one; lsn 0 keeps the stored position.
  void save_position(walspout_lsn lsn, std::string_view host_state, int64_t commit_time_us);

 private:
  Database& db_;
  std::string pipeline_, sink_;
  std::optional<Statement> save_position_;  // once a flush
};

// "0/1A2B3C4" and back; 0 for anything else.
std::string format_lsn(walspout_lsn lsn);
walspout_lsn parse_lsn(std::string_view text);

}  // namespace walspout::sqlite
