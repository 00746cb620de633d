// The host and the server give the same digest for the same value, in every form.
#include "verify/form.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "postgres/catalogue.hpp"
#include "postgres/connection.hpp"
#include "support/postgres_server.hpp"
#include "verify/type_values.hpp"

namespace walspout::verify {
namespace {

using test::TypeValues;

class Forms : public testing::TestWithParam<const char*> {
 protected:
  // A database in the encoding of the test.
  Forms() : db_(std::string("forms_") + GetParam()), convert_(db_ == "forms_latin1") {
    auto& server = test::shared_server();
    if (server.value("postgres",
                     "select count(*) from pg_database where datname = '" + db_ + "'") != "1") {
      server.sql("postgres", "create database " + db_ + " encoding '" + GetParam() +
                                 "' lc_collate 'C' lc_ctype 'C' template template0");
      server.sql(db_, test::kTypes);
    }
    postgres::ConnectOptions options;
    options.url = server.url(db_);
    connection_.emplace(options, postgres::Interrupt());
    connection_->exec("set search_path = public");
  }

  postgres::TypeFacts facts(const std::string& type) {
    const auto row = connection_->exec("select '" + type + "'::regtype::oid");
    return *postgres::load_type(*connection_, static_cast<std::uint32_t>(row.integer(0, 0)));
  }

  // The digest of a row of these columns, by the server and from what it prints.
  void expect_same(const std::vector<std::pair<ColumnForm, std::string>>& columns) {
    const PieceSql sql(convert_);
    std::vector<std::string> arguments;
    std::string list, printed;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string name = "c" + std::to_string(i);
      sql.append(arguments, columns[i].first, "t." + name);
      list += (i == 0 ? "" : ", ") + columns[i].second + " as " + name;
      printed += ", t." + name;
    }
    const auto row = connection_->exec("select " + sql.digest(arguments) + printed +
                                       " from (select " + list + " offset 0) t");
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i)
      append_piece(text, columns[i].first, row.text(0, static_cast<int>(i) + 1), Origin::kSource);
    EXPECT_EQ(static_cast<Digest>(row.integer(0, 0)), digest_of(text, convert_))
        << list << " as " << text;
  }

  std::string db_;
  bool convert_;
  std::optional<postgres::Connection> connection_;
};

std::vector<std::uint8_t> forms_of(const std::string& type, const postgres::TypeFacts& facts) {
  std::vector<std::uint8_t> forms = {WALSPOUT_FORM_TEXT};
  if (type == "real" || type == "double precision" || type.starts_with("numeric") ||
      type == "cents")
    if (facts.element_oid == 0) forms.push_back(WALSPOUT_FORM_FLOAT8);
  if (facts.element_oid != 0) forms.push_back(WALSPOUT_FORM_ELEMENTS);
  return forms;
}

TEST_P(Forms, HostAndServerDigestEveryValueAlike) {
  for (const TypeValues& one :
       test::type_values(test::shared_server().value("postgres", "show server_version_num"))) {
    const postgres::TypeFacts type = facts(one.type);
    for (const std::uint8_t form : forms_of(one.type, type)) {
      std::vector<std::string> values = one.values;
      values.emplace_back("null");
      for (const std::string& value : values) {
        // No euro and no line separators in Latin 1, no escapes of Unicode in SQL_ASCII.
        const bool wide = value.find("\xE2\x82\xAC") != std::string::npos ||
                          value.find("\\2028") != std::string::npos ||
                          value.find("\\u00") != std::string::npos;
        if (db_ != "forms_utf8" && wide) continue;
        SCOPED_TRACE(one.type + " in form " + std::to_string(form));
        expect_same({{{form, type.base_oid, type.element_oid}, "(" + value + ")::" + one.type}});
      }
    }
  }
}

TEST_P(Forms, RowsOfManyColumnsDigestAlike) {
  const ColumnForm text{WALSPOUT_FORM_TEXT, facts("text").base_oid, 0};
  const ColumnForm integer{WALSPOUT_FORM_TEXT, facts("integer").base_oid, 0};
  std::vector<std::pair<ColumnForm, std::string>> columns;
  for (int i = 0; i < 250; ++i) {
    columns.emplace_back(text, i % 7 == 0 ? "null::text" : "'v" + std::to_string(i) + "'::text");
    columns.emplace_back(integer, std::to_string(i));
  }
  expect_same(columns);
}

INSTANTIATE_TEST_SUITE_P(Encodings, Forms, testing::Values("utf8", "latin1", "sql_ascii"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Digest, IsHashTextExtended) {
  postgres::ConnectOptions options;
  options.url = test::shared_server().url("postgres");
  postgres::Connection connection(options, postgres::Interrupt());
  for (int size = 0; size < 64; ++size) {
    std::string text;
    for (int i = 0; i < size; ++i) text += static_cast<char>('0' + (i * 7 + size) % 75);
    std::replace(text.begin(), text.end(), '\'', '-');
    const auto row = connection.exec_params("select hashtextextended($1 collate \"C\", 0)", {text});
    EXPECT_EQ(static_cast<Digest>(row.integer(0, 0)), digest(text)) << text;
  }
}

std::string piece(const ColumnForm& form, std::optional<std::string_view> text,
                  Origin origin = Origin::kSource) {
  std::string out;
  append_piece(out, form, text, origin);
  return out;
}

TEST(Pieces, NullIsNoEmptyText) {
  const ColumnForm text{WALSPOUT_FORM_TEXT, 25, 0};
  EXPECT_NE(piece(text, std::nullopt), piece(text, ""));
  const ColumnForm integer{WALSPOUT_FORM_TEXT, 23, 0};
  EXPECT_NE(piece(integer, std::nullopt), piece(integer, "0"));
}

TEST(Pieces, TextCannotRunOverIntoTheNextColumn) {
  const ColumnForm text{WALSPOUT_FORM_TEXT, 25, 0};
  EXPECT_NE(piece(text, "a|1:b") + piece(text, "c"), piece(text, "a") + piece(text, "b|1:c"));
  EXPECT_NE(piece(text, "a") + piece(text, "bc"), piece(text, "ab") + piece(text, "c"));
}

TEST(Pieces, DoublesAreTheirBitsWhateverTheSpelling) {
  const ColumnForm real{WALSPOUT_FORM_FLOAT8, 701, 0};
  EXPECT_EQ(piece(real, "1.50"), piece(real, "1.5", Origin::kTarget));
  EXPECT_EQ(piece(real, "1e+15"), piece(real, "1000000000000000", Origin::kTarget));
  EXPECT_EQ(piece(real, "-0"), piece(real, "0", Origin::kTarget));
  EXPECT_EQ(piece(real, "NaN"), "7ff8000000000000|");
  EXPECT_NE(piece(real, "0.1"), piece(real, "0.10000000000000002", Origin::kTarget));
}

TEST(Pieces, WhatTheTargetHoldsAgainstItsFormIsLikeNothingAtTheSource) {
  const ColumnForm real{WALSPOUT_FORM_FLOAT8, 701, 0};
  const std::string odd("\0text:1.5", 9);
  EXPECT_NE(piece(real, odd, Origin::kTarget), piece(real, "1.5"));
}

TEST(Modulo, ReadsWhatSumPrints) {
  EXPECT_EQ(parse_modulo("0"), 0U);
  EXPECT_EQ(parse_modulo("-1"), ~std::uint64_t{0});
  EXPECT_EQ(parse_modulo("18446744073709551617"), 1U);
  EXPECT_EQ(parse_modulo("-18446744073709551618"), ~std::uint64_t{0} - 1);
  EXPECT_FALSE(parse_modulo(""));
  EXPECT_FALSE(parse_modulo("-"));
  EXPECT_FALSE(parse_modulo("1.5"));
}

}  // namespace
}  // namespace walspout::verify
