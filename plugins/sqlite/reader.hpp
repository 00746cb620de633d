// The mirror as `walspout verify` reads it: its own connection, one read transaction, nothing
// changed. The values are what values.cpp has stored, turned back into what the source prints.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <walspout/reader.hpp>

#include "database.hpp"
#include "values.hpp"

namespace walspout::sqlite {

// How a kind's values read (WALSPOUT_FORM_...).
uint8_t form_of(Kind kind);

// The value in this column of a statement's current row, in the form of its kind. `buffer` holds
// the text when it is not SQLite's own; both are valid until the next step. What the sink never
// stores there (a blob in a text column) comes as NUL, the storage class, a colon and the value.
walspout_value read_value(const Statement& row, int column, Kind kind, uint32_t element_type_oid,
                          std::string& buffer);

class MirrorReader : public Reader {
 public:
  explicit MirrorReader(const Context& context);

  Lsn position() override { return position_; }
  Presence table(const walspout_relation& relation, uint8_t* forms) override;
  void scan(RowSink row) override;
  void find(const walspout_value* key, RowSink row) override;

 private:
  struct Column {
    std::string name;  // quoted
    Kind kind = Kind::kText;
    uint32_t element_type_oid = 0;
  };
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };

  Lsn read_position();
  Presence state_of(const walspout_relation& relation, std::string& mirror);
  std::string select() const;
  void rows(Statement& statement, const walspout_value* key, RowSink row);

  std::string path_, pipeline_, sink_;
  NumericMode mode_;
  std::unique_ptr<sqlite3, Close> db_;
  Lsn position_ = 0;
  std::string table_;  // quoted
  std::vector<Column> columns_;
};

}  // namespace walspout::sqlite
