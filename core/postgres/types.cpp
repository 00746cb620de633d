#include <fmt/format.h>

#include <unordered_map>

#include "postgres/catalogue.hpp"

namespace walspout::postgres {

namespace {

// Only what array_out prints is an array: int2vector has elements too, but prints them bare.
constexpr const char* kTypes =
    "SELECT t.oid, format_type(t.oid, NULL), t.typtype, t.typcategory, t.typbasetype, "
    "t.typtypmod, CASE WHEN t.typtype <> 'd' AND t.typoutput = 'array_out'::regproc "
    "THEN t.typelem ELSE 0 END FROM pg_type t {}";

struct RawType {
  TypeFacts facts;  // as far as the row itself tells
  std::uint32_t domain_of = 0;
  std::uint32_t element = 0;
};
using RawTypes = std::unordered_map<std::uint32_t, RawType>;

std::vector<std::uint32_t> read_types(const Result& rows, RawTypes& types) {
  std::vector<std::uint32_t> order;
  for (int row = 0; row < rows.rows(); ++row) {
    RawType type;
    type.facts.oid = static_cast<std::uint32_t>(rows.integer(row, 0));
    type.facts.name = rows.string(row, 1);
    type.facts.kind = rows.string(row, 2).at(0);
    type.facts.category = rows.string(row, 3).at(0);
    type.domain_of = static_cast<std::uint32_t>(rows.integer(row, 4));
    type.facts.base_type_mod = static_cast<std::int32_t>(rows.integer(row, 5));
    type.element = static_cast<std::uint32_t>(rows.integer(row, 6));
    order.push_back(type.facts.oid);
    types.emplace(type.facts.oid, std::move(type));
  }
  return order;
}

// The type under a domain, however deep. `type_mod` becomes the innermost domain's.
const RawType* base_of(const RawTypes& types, std::uint32_t oid, std::int32_t* type_mod) {
  auto at = types.find(oid);
  for (std::size_t depth = 0; at != types.end() && at->second.domain_of != 0; ++depth) {
    if (depth > types.size()) return nullptr;
    *type_mod = at->second.facts.base_type_mod;
    at = types.find(at->second.domain_of);
  }
  return at == types.end() ? nullptr : &at->second;
}

TypeFacts resolve(const RawTypes& types, std::uint32_t oid) {
  TypeFacts facts = types.at(oid).facts;
  facts.base_oid = oid;
  facts.base_type_mod = -1;
  const RawType* base = base_of(types, oid, &facts.base_type_mod);
  if (base == nullptr) return facts;  // dropped while we looked
  facts.base_oid = base->facts.oid;
  facts.category = base->facts.category;
  if (base->element != 0) {
    std::int32_t unused = -1;
    const RawType* element = base_of(types, base->element, &unused);
    facts.element_oid = element == nullptr ? base->element : element->facts.oid;
  }
  return facts;
}

}  // namespace

std::vector<TypeFacts> load_types(Connection& ordinary, const Interrupt& interrupt) {
  RawTypes types;
  const auto order = read_types(ordinary.exec(fmt::format(kTypes, ""), interrupt), types);
  std::vector<TypeFacts> all;
  all.reserve(order.size());
  for (const auto oid : order) all.push_back(resolve(types, oid));
  return all;
}

std::optional<TypeFacts> load_type(Connection& ordinary, std::uint32_t oid,
                                   const Interrupt& interrupt) {
  RawTypes types;
  const auto order = read_types(
      ordinary.exec_params(
          "WITH RECURSIVE needed(oid) AS (SELECT $1::oid UNION SELECT x FROM needed "
          "JOIN pg_type t USING (oid), unnest(ARRAY[t.typbasetype, t.typelem]) x WHERE x <> 0) " +
              fmt::format(kTypes, "JOIN needed USING (oid)"),
          {std::to_string(oid)}, interrupt),
      types);
  if (types.find(oid) == types.end()) return std::nullopt;
  return resolve(types, oid);
}

}  // namespace walspout::postgres
