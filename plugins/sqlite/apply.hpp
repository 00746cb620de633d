// Applies single changes to the mirror's tables, in the caller's transaction.
#pragma once

#include <walspout/abi.h>

#include <string>

#include "database.hpp"
#include "mirrors.hpp"
#include "reporter.hpp"
#include "values.hpp"

namespace walspout::sqlite {

// A change that can never be applied, whatever the state of the file. The message names the table.
class BadChange : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Applier {
 public:
  Applier(Database& db, Mirrors& mirrors, Reporter& reporter)
      : db_(db), mirrors_(mirrors), reporter_(reporter) {}

  // Throws BadChange, SqliteError or the SDK's errors. After a throw part of the change may be
  // applied, unless is_atomic(change).
  void apply(const walspout_change& change, uint64_t copy_id);

  // Whether the change is one statement, which SQLite takes or leaves as a whole.
  bool is_atomic(const walspout_change& change, uint64_t copy_id) const;

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
  int bind(Statement& s, const Mirror& mirror, const walspout_value* row, char part, int index);

  Database& db_;
  Mirrors& mirrors_;
  Reporter& reporter_;
  Binder binder_;
  Mask mask_;
};

}  // namespace walspout::sqlite
