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

// A row of _walspout_tables. Of _walspout_parked, which has the same columns, when another table
// has its name: as long as its new name is not known, or until that other one is copied.
struct TableRecord {
  std::string schema, table;  // of the source; when parked: as last known
  std::string mirror;
  std::string state;     // copying, live, failed
  std::string reason;    // of a failure; kept while a copy mends it
  uint32_t oid = 0;      // pg_class.oid of the source; 0 = unknown
  bool created = false;  // false: there is only the name so far
  bool parked = false;
};

// A row of _walspout_shadows: a copy under way.
struct CopyRecord {
  uint64_t id = 0;
  uint32_t oid = 0;  // of the source
  std::string schema, table, shadow;
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
  std::optional<TableRecord> find_oid(uint32_t oid);  // a parked one, too
  std::vector<TableRecord> parked();
  void save(const TableRecord& record);
  void remove(const TableRecord& record);
  void fail(const std::string& mirror, std::string_view reason);
  bool name_taken(const std::string& name);  // by anyone's table, view, index or reservation
  bool reserved(const std::string& name);    // by a record

  std::vector<ColumnRecord> columns(const std::string& physical);
  void save_columns(const std::string& physical, const std::vector<ColumnRecord>& columns);
  void rename_columns(const std::string& physical, const std::string& renamed);
  void remove_columns(const std::string& physical);

  std::vector<CopyRecord> copies();
  void save_copy(const CopyRecord& copy);
  void remove_copy(const CopyRecord& copy);

  Position position();
  // Empty state keeps the stored one; lsn 0 keeps the stored position.
  void save_position(walspout_lsn lsn, std::string_view host_state, int64_t commit_time_us);

 private:
  template <class... Args>
  std::vector<TableRecord> read(const char* from, const char* where, const Args&... args);
  Database& db_;
  std::string pipeline_, sink_;
  std::optional<Statement> save_position_;  // once a flush
};

// "0/1A2B3C4" and back; 0 for anything else.
std::string format_lsn(walspout_lsn lsn);
walspout_lsn parse_lsn(std::string_view text);

}  // namespace walspout::sqlite
