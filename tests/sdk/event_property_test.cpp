// Random rows against an oracle: what nlohmann::json reads from the event is what was put in.
#include <gtest/gtest.h>
#include <walspout/json.hpp>
#include <walspout/testing.hpp>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>

namespace walspout {
namespace {

using namespace testing;  // NOLINT: the fixture's language
using Json = nlohmann::ordered_json;

std::string utf8(char32_t c) {
  std::string out;
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
  if (c < 0x10000)
    return {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
            static_cast<char>(0x80 | (c & 63))};
  return {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
          static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return random_() % n; }

  std::string text() {
    std::string out;
    for (std::size_t n = below(30); n != 0; --n) {
      static constexpr char32_t kOdd[] = {'"',    '\\',   '\n',   0x7F,   0x85,
                                          0x2028, 0x2029, 0xFEFF, 0xFFFE, 0x1F600};
      const std::size_t kind = below(4);
      char32_t c = kind == 0   ? kOdd[below(std::size(kOdd))]
                   : kind == 1 ? 1 + below(0x10FFFE)
                               : 0x20 + below(0x5F);
      if (c >= 0xD800 && c < 0xE000) c = 'x';
      out += utf8(c);
    }
    return out;
  }

  // PostgreSQL's text of a value of the type, and the JSON it must become.
  std::pair<std::string, Json> value(std::uint32_t type) {
    switch (type) {
      case oid::kInt8: {
        const auto number = static_cast<std::int64_t>(std::uint64_t{random_()} << 32 | random_());
        return {std::to_string(number), number};
      }
      case oid::kBool:
        return below(2) == 0 ? std::pair<std::string, Json>("t", true)
                             : std::pair<std::string, Json>("f", false);
      case oid::kJsonb: {
        const Json document = {{"k", text()},
                               {"n", static_cast<std::int64_t>(random_())},
                               {"a", {1, nullptr, text()}}};
        return {document.dump(static_cast<int>(below(3)) - 1),
                document};  // also over several lines
      }
      case oid::kNumeric: {
        const std::string digits = std::to_string(random_()) + "." + std::to_string(random_());
        return {digits, digits};
      }
      default: {
        const std::string any = text();
        return {any, any};
      }
    }
  }

 private:
  std::mt19937 random_;
};

constexpr std::uint32_t kTypes[] = {oid::kInt8,    oid::kBool, oid::kJsonb,
                                    oid::kNumeric, oid::kText, oid::kUuid};

// A random row, and what "new" or "old" and "unchanged" must hold of it.
Row random_row(Generator& random, const walspout_relation& table, bool old, Json& sent,
               Json& unsent) {
  Row row;
  sent = Json::object();
  unsent = Json::array();
  for (std::uint32_t i = 0; i < table.column_count; ++i) {
    const std::string name(table.columns[i]->name.data, table.columns[i]->name.size);
    const std::size_t state = i == 0 ? 9 : random.below(10);
    if (state == 0) {
      row.emplace_back(nullopt);
      sent[name] = nullptr;
    } else if (state == 1 && old) {
      row.emplace_back(absent);
    } else if (state == 1) {
      row.emplace_back(unchanged);
      unsent.push_back(name);
    } else {
      auto [text, json] = random.value(table.columns[i]->base_type_oid);
      row.emplace_back(text);
      sent[name] = json;
    }
  }
  return row;
}

TEST(EventProperty, WhatIsReadFromAnEventIsWhatWasWritten) {
  Generator random(4);
  EventWriter writer;
  for (int round = 0; round < 5000; ++round) {
    Relation table = relation(random.text(), random.text());
    for (std::size_t i = 0, n = 1 + random.below(6); i < n; ++i)
      table.column(std::to_string(i) + random.text(), kTypes[random.below(std::size(kTypes))],
                   i == 0 ? primary : 0);
    Json sent, unsent, old, unused;
    Row new_row = random_row(random, *table.get(), false, sent, unsent);
    Row old_row = random_row(random, *table.get(), true, old, unused);
    Txn txn(0x1A2B3C4);
    txn.update(table, old_row, new_row);

    const walspout_relation& r = *table.get();
    Json expected;
    expected["id"] = "0000000001A2B3C4-0";
    expected["op"] = "update";
    expected["schema"] = std::string(r.schema.data, r.schema.size);
    expected["table"] = std::string(r.name.data, r.name.size);
    const std::string key(r.columns[0]->name.data, r.columns[0]->name.size);
    expected["key"] = {{key, sent[key]}};
    expected["new"] = sent;
    expected["old"] = old;
    if (!unsent.empty()) expected["unchanged"] = unsent;
    expected["xid"] = 742;
    expected["lsn"] = "0/1A2B3C4";
    expected["ts"] = "2026-01-31T12:00:00.000000Z";

    std::string out;
    ASSERT_TRUE(writer.append(out, txn.get(), *txn.changes()[0]));
    ASSERT_EQ(out.find_first_of("\n\r"), std::string::npos);
    ASSERT_EQ(Json::parse(out), expected) << out;
    ASSERT_EQ(Json::parse(out).dump(), expected.dump()) << "in this order of keys";
  }
}

}  // namespace
}  // namespace walspout
