#include "feed.hpp"

#include <cstring>
#include <memory>

namespace walspout::transaction {
namespace {

class Bytes {
 public:
  explicit Bytes(char type) { text_ += type; }
  Bytes& number(std::uint64_t value, int size) {
    for (int i = size - 1; i >= 0; --i) text_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  Bytes& raw(std::string_view bytes) {
    text_ += bytes;
    return *this;
  }
  Bytes& string(std::string_view text) { return raw(text).number(0, 1); }
  Bytes& row(const Values& values) {
    number(values.size(), 2);
    for (const std::string_view value : values) {
      if (value == kNull) {
        raw("n");
      } else if (value == kUnchanged) {
        raw("u");
      } else {
        raw("t").number(value.size(), 4).raw(value);
      }
    }
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

const char* name_of(std::uint16_t op) {
  switch (op) {
    case WALSPOUT_INSERT:
      return "insert";
    case WALSPOUT_UPDATE:
      return "update";
    case WALSPOUT_DELETE:
      return "delete";
    case WALSPOUT_TRUNCATE:
      return "truncate";
    case WALSPOUT_MESSAGE:
      return "message";
    default:
      return "?";
  }
}

std::string text(walspout_str s) { return {s.data, s.size}; }

}  // namespace

RelationPtr PlainResolver::resolve(const pgoutput::Relation& message, std::uint32_t) {
  ++asked;
  TableShape shape;
  shape.oid = message.oid;
  shape.schema = message.schema;
  shape.name = message.name;
  shape.replica_identity = message.replica_identity;
  for (const auto& sent : message.columns) {
    ColumnShape column;
    column.name = sent.name;
    column.type_oid = column.base_type_oid = sent.type_oid;
    column.type_mod = sent.type_mod;
    if (sent.key) column.flags = WALSPOUT_COLUMN_KEY;
    shape.columns.push_back(std::move(column));
  }
  return cache_.intern(std::move(shape));
}

std::string begin_message(base::Lsn commit, std::uint32_t xid) {
  return Bytes('B').number(commit, 8).number(1000, 8).number(xid, 4).take();
}

std::string commit_message(base::Lsn commit, base::Lsn end) {
  return Bytes('C').number(0, 1).number(commit, 8).number(end, 8).number(1000, 8).take();
}

std::string origin_message(base::Lsn lsn, std::string_view name) {
  return Bytes('O').number(lsn, 8).string(name).take();
}

std::string relation_message(std::uint32_t oid, std::string_view name,
                             const std::vector<Column>& columns, char identity) {
  Bytes bytes('R');
  bytes.number(oid, 4).string("public").string(name).number(static_cast<unsigned char>(identity),
                                                            1);
  bytes.number(columns.size(), 2);
  for (const Column& column : columns)
    bytes.number(column.key ? 1 : 0, 1)
        .string(column.name)
        .number(column.type_oid, 4)
        .number(0xffffffff, 4);
  return bytes.take();
}

std::string insert_message(std::uint32_t oid, const Values& row) {
  return Bytes('I').number(oid, 4).raw("N").row(row).take();
}

std::string update_message(std::uint32_t oid, char kind, const Values& old_row,
                           const Values& new_row) {
  Bytes bytes('U');
  bytes.number(oid, 4);
  if (kind != 0) bytes.raw({&kind, 1}).row(old_row);
  return bytes.raw("N").row(new_row).take();
}

std::string delete_message(std::uint32_t oid, char kind, const Values& old_row) {
  return Bytes('D').number(oid, 4).raw({&kind, 1}).row(old_row).take();
}

std::string truncate_message(const std::vector<std::uint32_t>& oids, std::uint8_t options) {
  Bytes bytes('T');
  bytes.number(oids.size(), 4).number(options, 1);
  for (const std::uint32_t oid : oids) bytes.number(oid, 4);
  return bytes.take();
}

std::string logical_message(bool transactional, base::Lsn lsn, std::string_view prefix,
                            std::string_view content) {
  return Bytes('M')
      .number(transactional ? 1 : 0, 1)
      .number(lsn, 8)
      .string(prefix)
      .number(content.size(), 4)
      .raw(content)
      .take();
}

Feed::Feed(std::size_t memory)
    : budget(memory, wake), resolver(cache), assembler(resolver, budget) {}

void Feed::feed(const std::string& payload, base::Lsn wal_start) {
  // On the heap in its exact size and freed at once: whoever keeps a view into it is found.
  const auto bytes = std::make_unique<std::byte[]>(payload.size());
  std::memcpy(bytes.get(), payload.data(), payload.size());
  assembler.feed({bytes.get(), payload.size()}, wal_start);
}

void Feed::transaction(base::Lsn commit, base::Lsn end,
                       std::initializer_list<std::string> changes) {
  feed(begin_message(commit));
  for (const std::string& change : changes) feed(change);
  feed(commit_message(commit, end));
}

void Feed::announce(std::uint32_t oid, std::string_view name) {
  feed(relation_message(oid, name, {{"id", true}, {"v"}}));
}

std::string show_row(const walspout_relation* relation, const walspout_value* row) {
  if (row == nullptr) return "-";
  std::string out = "(";
  for (std::uint32_t i = 0; i < relation->column_count; ++i) {
    if (i > 0) out += ", ";
    switch (row[i].state) {
      case WALSPOUT_NULL:
        out += "NULL";
        break;
      case WALSPOUT_UNCHANGED:
        out += "UNCHANGED";
        break;
      case WALSPOUT_ABSENT:
        out += "ABSENT";
        break;
      default:
        out.append(static_cast<const char*>(row[i].data), row[i].size);
    }
  }
  return out + ")";
}

std::string show(const walspout_change& change) {
  std::string out = std::to_string(change.ordinal) + ' ' + name_of(change.op);
  if (change.op == WALSPOUT_MESSAGE)
    return out + ' ' + text(change.prefix) + ": " + text(change.content);
  out += ' ' + text(change.relation->name);
  if (change.old_row != nullptr) out += ' ' + show_row(change.relation, change.old_row);
  if ((change.flags & WALSPOUT_OLD_FULL) != 0 && change.op != WALSPOUT_TRUNCATE) out += " full";
  if (change.old_row != nullptr && change.new_row != nullptr) out += " ->";
  if (change.new_row != nullptr) out += ' ' + show_row(change.relation, change.new_row);
  return out;
}

std::vector<std::string> show(std::span<const Piece> pieces,
                              const std::vector<const walspout_change*>& changes) {
  std::vector<std::string> lines;
  for (const Piece& piece : pieces) {
    std::string line;
    if ((piece.flags & WALSPOUT_FIRST) != 0) line += "first ";
    if ((piece.flags & WALSPOUT_LAST) != 0) line += "last ";
    line += std::to_string(piece.txn.commit_lsn) + ".." + std::to_string(piece.txn.end_lsn) + ':';
    for (std::uint32_t i = piece.begin; i < piece.end; ++i)
      line += (i == piece.begin ? " " : "; ") + show(*changes[i]);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> show(const ChunkPtr& chunk) {
  if (!chunk) return {};
  return show(chunk->pieces(), chunk->changes());
}

}  // namespace walspout::transaction
