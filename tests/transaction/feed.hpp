// The tests' tiny language: messages of pgoutput by hand into an assembler, chunks out of it as
// text.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.hpp"
#include "base/wake.hpp"
#include "transaction/assembler.hpp"

namespace walspout::transaction {

// Takes everything from the message.
class PlainResolver : public ShapeResolver {
 public:
  explicit PlainResolver(RelationCache& cache) : cache_(cache) {}
  RelationPtr resolve(const pgoutput::Relation& message, std::uint32_t xid) override;

  int asked = 0;

 private:
  RelationCache& cache_;
};

struct Column {
  std::string name;
  bool key = false;
  std::uint32_t type_oid = 25;
};

inline constexpr std::string_view kNull = "\x01null";
inline constexpr std::string_view kUnchanged = "\x01unchanged";
using Values = std::vector<std::string_view>;

// Payloads as they come in XLogData. Source: "Logical Replication Message Formats".
std::string begin_message(base::Lsn commit, std::uint32_t xid = 7);
std::string commit_message(base::Lsn commit, base::Lsn end);
std::string origin_message(base::Lsn lsn, std::string_view name);
std::string relation_message(std::uint32_t oid, std::string_view name,
                             const std::vector<Column>& columns, char identity = 'd');
std::string insert_message(std::uint32_t oid, const Values& row);
// kind: 'K', 'O', or 0 for no old row.
std::string update_message(std::uint32_t oid, char kind, const Values& old_row,
                           const Values& new_row);
std::string delete_message(std::uint32_t oid, char kind, const Values& old_row);
std::string truncate_message(const std::vector<std::uint32_t>& oids, std::uint8_t options = 0);
std::string logical_message(bool transactional, base::Lsn lsn, std::string_view prefix,
                            std::string_view content);

class Feed {
 public:
  explicit Feed(std::size_t memory = std::size_t{1} << 30);

  // Each payload is gone after the call, as the connection's buffer is.
  void feed(const std::string& payload, base::Lsn wal_start = 0);
  Feed& operator<<(const std::string& payload) {
    feed(payload);
    return *this;
  }
  // A whole transaction of one row each.
  void transaction(base::Lsn commit, base::Lsn end, std::initializer_list<std::string> changes);
  // "t" (oid 1) with columns id (key) and v, announced.
  void announce(std::uint32_t oid = 1, std::string_view name = "t");

  base::Wake wake;
  base::MemoryBudget budget;
  RelationCache cache;
  PlainResolver resolver;
  Assembler assembler;
};

// "(1, one)"; NULL, UNCHANGED and ABSENT as such; "-" for no row.
std::string show_row(const walspout_relation* relation, const walspout_value* row);
// "0 insert t (1, one)", "1 update t (1, ABSENT) -> (2, two)", "2 message p: content".
std::string show(const walspout_change& change);
// "first last 100..110: 0 insert t (1, one); 1 ..." One string a piece.
std::vector<std::string> show(std::span<const Piece> pieces,
                              const std::vector<const walspout_change*>& changes);
std::vector<std::string> show(const ChunkPtr& chunk);

}  // namespace walspout::transaction
