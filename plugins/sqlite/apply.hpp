// Applies single changes to the mirror's tables, in the caller's transaction.
#pragma once

#include <walspout/abi.h>

#include <string>

#include "database.hpp"
#include "mirrors.hpp"
#include "reporter.hpp"
#include "values.hpp"

namespace walspout::sqlite {

class Applier {
 public:
  Applier(Database& db, Mirrors& mirrors, Reporter& reporter)
      : db_(db), mirrors_(mirrors), reporter_(reporter) {}

  // Throws BadChange, SqliteError or the SDK's errors. After a throw part of the change may be
  // applied, unless is_atomic(change). kind: of its transaction.
  void apply(const walspout_change& change, uint32_t kind);

  // Whether the change is one statement, which SQLite takes or leaves as a whole.
  bool is_atomic(const walspout_change& change) const;

 private:
  // How to find the row: values of the searched columns, which the mask marks.
  struct Location {
    const walspout_value* row;
    bool whole_row;
  };

  void insert(Mirror& mirror, const walspout_value* row);
  void update(Mirror& mirror, const walspout_change& change);
  void remove(Mirror& mirror, const walspout_change& change);
  Location locate(const Mirror& mirror, const walspout_change& change);
  void mark_set(const Mirror& mirror, const walspout_change& change, const Location& location);
  int run_update(Mirror& mirror, const walspout_change& change, const Location& location);
  void make_way(Mirror& mirror, const walspout_value* row);
  void unmatched(const Mirror& mirror, std::string_view what);
  int bind(Statement& s, const Mirror& mirror, const walspout_value* row, char part, int index);

  Database& db_;
  Mirrors& mirrors_;
  Reporter& reporter_;
  Binder binder_;
  Mask mask_;
  // A row that is not found, or is there already, is no mistake: in a copy, whose parts come in any
  // order, and where single rows are mended.
  bool tolerant_ = false;
};

}  // namespace walspout::sqlite
