#include "postgres/table_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <utility>

#include "postgres/facts_sql.hpp"

namespace walspout::postgres {

namespace {

constexpr std::uint32_t kFirstUserOid = 16384;  // FirstNormalObjectId

template <class T>
std::vector<T> numbers(std::optional<std::string_view> text) {
  std::vector<T> list;
  if (!text) return list;
  const char* at = text->data();
  const char* const end = at + text->size();
  while (at != end) {
    T value{};
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) {
      throw std::runtime_error("the server's answer is no list of numbers: " + std::string(*text));
    }
    list.push_back(value);
    at = next;
    while (at != end && *at == ' ') ++at;
  }
  return list;
}

std::uint32_t oid_of(const Result& rows, int row, int column) {
  return static_cast<std::uint32_t>(rows.integer(row, column));
}

std::string oid_array(const std::vector<std::uint32_t>& oids) {
  return fmt::format("{{{}}}", fmt::join(oids, ","));
}

// What a snapshot, "xmin:xmax:xip,...", says of the ids in the catalogue's rows.
struct Horizon {
  explicit Horizon(const std::string& snapshot) {
    const char* const end = snapshot.data() + snapshot.size();
    const auto first = std::from_chars(snapshot.data(), end, oldest);
    if (first.ec != std::errc() || first.ptr == end ||
        std::from_chars(first.ptr + 1, end, next).ec != std::errc()) {
      throw std::runtime_error("the server's answer is no snapshot: " + snapshot);
    }
  }
  // Rows hold the lower half of an id. Of those that it may stand for the latest one is taken: the
  // row may be older, never younger. 0 without a row.
  std::uint64_t newest_of(std::optional<std::string_view> xmins) const {
    std::uint64_t newest = 0;
    for (const auto xmin : numbers<std::uint32_t>(xmins)) {
      newest = std::max(newest, next - static_cast<std::uint32_t>(next - xmin));
    }
    return newest;
  }

  std::uint64_t oldest = 0, next = 0;
};

// Makes the facts from one query after the other; all in one snapshot.
class FactsReader {
 public:
  FactsReader(Connection& conn, const std::string& snapshot, const Interrupt& interrupt)
      : conn_(conn), interrupt_(interrupt), version_(conn.server_version()), seen_(snapshot) {}

  std::vector<TableFacts> read(const std::string& publication) {
    read_tables(publication);
    if (tables_.empty()) return {};
    read_attributes();
    read_leaves();
    read_types();
    return std::move(tables_);
  }

 private:
  const char* not_pending() const { return version_ >= 140000 ? "AND NOT inhdetachpending" : ""; }

  void read_tables(const std::string& publication) {
    const bool fifteen = version_ >= 150000;
    const Result rows = conn_.exec_params(
        fmt::format(kTables,
                    fifteen ? " UNION ALL SELECT c.oid, s.oid FROM pub "
                              "JOIN pg_publication_namespace s ON s.pnpubid = pub.oid "
                              "JOIN pg_class c ON c.relnamespace = s.pnnspid"
                            : "",
                    fifteen ? kFingerprint : "NULL::text, NULL::text",
                    fifteen ? "AND NOT EXISTS (SELECT FROM pg_publication_namespace s "
                              "WHERE s.pnpubid = pub.oid AND s.pnnspid = c.relnamespace)"
                            : "",
                    version_ >= 180000 ? "p.pubgencols::text" : "'n'", not_pending()),
        {publication}, interrupt_);
    for (int row = 0; row < rows.rows(); ++row) {
      TableFacts& table = tables_.emplace_back();
      table.as_of = seen_.oldest;
      table.oid = oid_of(rows, row, 0);
      table.schema = rows.string(row, 1);
      table.name = rows.string(row, 2);
      table.relkind = rows.string(row, 3).at(0);
      table.replica_identity = rows.string(row, 4).at(0);
      table.operations = rows.string(row, 6);
      stored_published_ = rows.string(row, 7) == "s";
      table.memberships = numbers<std::uint32_t>(rows.text(row, 8));
      std::sort(table.memberships.begin(), table.memberships.end());
      if (const auto filter = rows.text(row, 9)) table.row_filter = std::string(*filter);
      if (const auto list = rows.text(row, 10)) {
        table.column_list = numbers<std::int16_t>(list);
        std::sort(table.column_list->begin(), table.column_list->end());
      }
      table.primary_key = numbers<std::int16_t>(rows.text(row, 11));
      table.identity_index = numbers<std::int16_t>(rows.text(row, 12));
      if (rows.text(row, 13)) table.primary_constraint = oid_of(rows, row, 13);
      if (table.relkind == 'r') {
        LeafFacts& self = table.storage.emplace_back();
        self.oid = table.oid;
        self.relfilenode = oid_of(rows, row, 5);
        self.name = table.full_name();
      }
    }
    for (std::size_t i = 0; i < tables_.size(); ++i) by_oid_[tables_[i].oid] = i;
  }

  bool is_published(const TableFacts& table, const AttributeFacts& attribute) const {
    if (attribute.dropped) return false;
    if (version_ < 180000 && attribute.generated != '-') return false;
    if (table.column_list) {
      return std::binary_search(table.column_list->begin(), table.column_list->end(),
                                attribute.attnum);
    }
    return attribute.generated == '-' || (attribute.generated == 's' && stored_published_);
  }

  void read_attributes() {
    std::vector<std::uint32_t> oids;
    for (const TableFacts& table : tables_) oids.push_back(table.oid);
    const Result rows = conn_.exec_params(kAttributes, {oid_array(oids)}, interrupt_);
    for (int row = 0; row < rows.rows(); ++row) {
      TableFacts& table = tables_[by_oid_.at(oid_of(rows, row, 0))];
      AttributeFacts& one = table.attributes.emplace_back();
      one.attnum = static_cast<std::int16_t>(rows.integer(row, 1));
      one.name = rows.string(row, 2);
      one.type_oid = one.base_type_oid = oid_of(rows, row, 3);
      one.type_mod = static_cast<std::int32_t>(rows.integer(row, 4));
      one.xmin = oid_of(rows, row, 5);
      if (const std::string kind = rows.string(row, 6); !kind.empty()) one.generated = kind[0];
      one.not_null = rows.boolean(row, 7);
      one.dropped = rows.boolean(row, 8);
      one.has_default = rows.boolean(row, 9);
      if (const auto missing = rows.text(row, 10)) one.missing = std::string(*missing);
      one.published = is_published(table, one);
    }
  }

  void read_leaves() {
    std::vector<std::uint32_t> trees;
    for (const TableFacts& table : tables_) {
      if (table.relkind == 'p') trees.push_back(table.oid);
    }
    if (trees.empty()) return;
    const Result rows =
        conn_.exec_params(fmt::format(kLeaves, not_pending()), {oid_array(trees)}, interrupt_);
    std::vector<std::uint32_t> roots, leaves;
    for (int row = 0; row < rows.rows(); ++row) {
      roots.push_back(oid_of(rows, row, 0));
      LeafFacts& leaf = tables_[by_oid_.at(roots.back())].storage.emplace_back();
      leaf.oid = oid_of(rows, row, 1);
      leaf.relfilenode = oid_of(rows, row, 2);
      leaf.name = rows.string(row, 3) + "." + rows.string(row, 4);
      const auto pairs = numbers<std::uint32_t>(rows.text(row, 5));
      for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        leaf.edges.push_back({pairs[i], pairs[i + 1]});
      }
      leaves.push_back(leaf.oid);
    }
    if (leaves.empty()) return;
    const Result missing =
        conn_.exec_params(kLeafMissing, {oid_array(roots), oid_array(leaves)}, interrupt_);
    for (int row = 0; row < missing.rows(); ++row) {
      TableFacts& root = tables_[by_oid_.at(oid_of(missing, row, 0))];
      const std::string name = missing.string(row, 1);
      for (AttributeFacts& one : root.attributes) {
        if (one.dropped || one.name != name) continue;
        if (missing.boolean(row, 2)) {
          one.missing = missing.string(row, 3);
        } else {
          one.missing_differs = true;
        }
      }
    }
  }

  struct Parts {
    std::vector<LabelFacts> labels;
    std::vector<MemberFacts> members;
  };

  void read_types() {
    std::vector<std::uint32_t> oids;
    for (const TableFacts& table : tables_) {
      for (const AttributeFacts& one : table.attributes) {
        if (one.type_oid >= kFirstUserOid) oids.push_back(one.type_oid);
      }
    }
    std::sort(oids.begin(), oids.end());
    oids.erase(std::unique(oids.begin(), oids.end()), oids.end());
    if (oids.empty()) return;
    const Result rows = conn_.exec_params(
        fmt::format(kTypes, version_ >= 140000 ? "OR r.rngmultitypid = t.oid" : ""),
        {oid_array(oids)}, interrupt_);
    std::unordered_map<std::uint32_t, Parts> parts;         // by the type of a column
    std::unordered_map<std::uint32_t, std::uint32_t> base;  // of a domain
    for (int row = 0; row < rows.rows(); ++row) {
      Parts& of = parts[oid_of(rows, row, 0)];
      const std::uint32_t type = oid_of(rows, row, 1);
      const std::string name = rows.string(row, 2);
      if (const auto under = oid_of(rows, row, 3)) base[type] = under;
      if (rows.text(row, 4)) {
        of.labels.push_back({oid_of(rows, row, 4), type, rows.string(row, 5), name,
                             seen_.newest_of(rows.text(row, 7))});
      }
      if (rows.text(row, 6)) {
        of.members.push_back({type, static_cast<std::int16_t>(rows.integer(row, 6)), name,
                              seen_.newest_of(rows.text(row, 8))});
      }
    }
    for (TableFacts& table : tables_) add_types(table, parts, base);
  }

  static void add_types(TableFacts& table, const std::unordered_map<std::uint32_t, Parts>& parts,
                        const std::unordered_map<std::uint32_t, std::uint32_t>& base) {
    std::map<std::uint32_t, LabelFacts> labels;
    std::map<std::pair<std::uint32_t, std::int16_t>, MemberFacts> members;
    for (AttributeFacts& one : table.attributes) {
      for (auto at = base.find(one.base_type_oid); at != base.end();
           at = base.find(one.base_type_oid)) {
        one.base_type_oid = at->second;
      }
      const auto found = parts.find(one.type_oid);
      if (!one.published || found == parts.end()) continue;
      for (const auto& label : found->second.labels) labels.emplace(label.oid, label);
      for (const auto& part : found->second.members) {
        members.emplace(std::pair(part.type_oid, part.attnum), part);
      }
    }
    for (auto& [oid, label] : labels) table.labels.push_back(std::move(label));
    for (auto& [key, member] : members) table.members.push_back(std::move(member));
  }

  Connection& conn_;
  const Interrupt& interrupt_;
  const int version_;
  const Horizon seen_;
  bool stored_published_ = false;  // stored generated columns, where no column list says otherwise
  std::vector<TableFacts> tables_;
  std::unordered_map<std::uint32_t, std::size_t> by_oid_;
};

}  // namespace

const AttributeFacts* TableFacts::attribute(std::int16_t attnum) const {
  for (const AttributeFacts& one : attributes) {
    if (one.attnum == attnum) return &one;
  }
  return nullptr;
}

CatalogueView read_table_facts(Connection& ordinary, const std::string& publication,
                               const Interrupt& interrupt) {
  CatalogueView view;
  ordinary.exec("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", interrupt);
  try {
    view.snapshot = ordinary.exec("SELECT pg_current_snapshot()", interrupt).string(0, 0);
    view.tables = FactsReader(ordinary, view.snapshot, interrupt).read(publication);
    const std::string lsn =
        ordinary
            .exec(
                "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
                "ELSE pg_current_wal_insert_lsn() END",
                interrupt)
            .string(0, 0);
    view.lsn = base::parse_lsn(lsn).value_or(0);
    ordinary.exec("COMMIT", interrupt);
  } catch (const ConnectionLost&) {
    throw;
  } catch (const std::exception&) {
    if (ordinary.raw() != nullptr) ordinary.exec("ROLLBACK");
    throw;
  }
  return view;
}

}  // namespace walspout::postgres
