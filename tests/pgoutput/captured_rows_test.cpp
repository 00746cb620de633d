// Streams of real servers, decoded whole: what the scenario in data/NAME.sql did must come out.
#include <map>
#include <string>
#include <vector>

#include "capture.hpp"

namespace walspout::pgoutput {
namespace {

using testing::ElementsAre;

TEST(CapturedRows, AreDecodedInOrder) {
  EXPECT_EQ(Capture("rows").shape(), "BRIUUUDCBRIUDRIUDRIRIRIRRICBRRTCBRTCBRICBRICBRRTCBRIC");
}

TEST(CapturedRows, AToastedValueThatDidNotChangeIsNotSent) {
  const Capture capture("rows");
  const auto updates = capture.all<Update>();
  EXPECT_EQ(updates.at(0).old_kind, OldRow::kNone);
  EXPECT_EQ(show(updates[0].new_row), "('1', 'uno', '1.50', UNCHANGED)");
  EXPECT_EQ(show(updates.at(2).new_row), "('10', 'uno', '1.50', 'short')");
}

TEST(CapturedRows, AKeyThatChangedBringsTheOldOne) {
  const Capture capture("rows");
  const auto update = capture.all<Update>().at(1);
  EXPECT_EQ(update.old_kind, OldRow::kKey);
  EXPECT_EQ(show(update.old_row), "('1', NULL, NULL, NULL)");
  EXPECT_EQ(show(update.new_row), "('10', 'uno', '1.50', UNCHANGED)");
}

TEST(CapturedRows, NullAndEmptyAreDifferent) {
  const Capture capture("rows");
  EXPECT_EQ(show(capture.all<Insert>().at(1).new_row), "('2', '', NULL, NULL)");
  const auto removed = capture.all<Delete>().at(0);
  EXPECT_EQ(removed.old_kind, OldRow::kKey);
  EXPECT_EQ(show(removed.old_row), "('2', NULL, NULL, NULL)");
}

TEST(CapturedRows, FullIdentityBringsTheWholeOldRow) {
  const Capture capture("rows");
  const auto update = capture.all<Update>().at(3);
  EXPECT_EQ(update.old_kind, OldRow::kFull);
  EXPECT_EQ(show(update.old_row), "('1', 'before')");
  EXPECT_EQ(show(update.new_row), "('1', 'after')");
  EXPECT_EQ(capture.all<Delete>().at(1).old_kind, OldRow::kFull);
  EXPECT_EQ(show(capture.all<Delete>().at(1).old_row), "('2', NULL)");
  EXPECT_EQ(capture.relation("full_row").replica_identity, 'f');
  for (const auto& column : capture.relation("full_row").columns) EXPECT_TRUE(column.key);
}

TEST(CapturedRows, AnIndexAsIdentityMarksItsColumns) {
  const Capture capture("rows");
  const auto relation = capture.relation("by_index");
  EXPECT_EQ(relation.replica_identity, 'i');
  EXPECT_FALSE(relation.columns[0].key);
  EXPECT_TRUE(relation.columns[1].key);
  EXPECT_EQ(show(capture.all<Update>().at(4).old_row), "(NULL, 'k', NULL)");
}

TEST(CapturedRows, ATableMayHaveNoColumns) {
  const Capture capture("rows");
  const auto relation = capture.relation("no_column");
  EXPECT_TRUE(relation.columns.empty());
  for (const Insert& insert : capture.all<Insert>()) {
    if (insert.relation_oid == relation.oid) {
      EXPECT_TRUE(insert.new_row.empty());
      return;
    }
  }
  FAIL() << "no row of the table without columns";
}

TEST(CapturedRows, NamesMayBeAnything) {
  const Capture capture("rows");
  const auto relation = capture.relation("naïve \"table\"");
  EXPECT_EQ(relation.schema, "Größe");
  EXPECT_EQ(relation.columns[0].name, "1st col");
}

TEST(CapturedRows, TruncateNamesAllTablesAndOptions) {
  const Capture capture("rows");
  const auto truncates = capture.all<Truncate>();
  ASSERT_EQ(truncates.size(), 3U);
  EXPECT_THAT(truncates[0].relation_oids,
              ElementsAre(capture.relation("no_key").oid, capture.relation("full_row").oid));
  EXPECT_FALSE(truncates[0].cascade || truncates[0].restart_identity);
  EXPECT_TRUE(truncates[1].restart_identity);
  EXPECT_FALSE(truncates[1].cascade);
  EXPECT_THAT(truncates[2].relation_oids,
              ElementsAre(capture.relation("parent").oid, capture.relation("child").oid));
  EXPECT_TRUE(truncates[2].cascade && truncates[2].restart_identity);
}

TEST(CapturedRows, ANewShapeComesBeforeItsFirstRow) {
  const Capture capture("rows");
  ASSERT_EQ(capture.relation("item").columns.size(), 5U);
  EXPECT_EQ(capture.relation("item").columns[4].name, "added");
  EXPECT_EQ(capture.relation("item").columns[4].type_mod, 16);
  EXPECT_EQ(show(capture.all<Insert>().back().new_row), "('3', 'three', '3.00', NULL, 'd')");
}

TEST(CapturedRows, CommitsRepeatTheirBeginAndGrow) {
  const Capture capture("rows");
  const auto begins = capture.all<Begin>();
  const auto commits = capture.all<Commit>();
  ASSERT_EQ(begins.size(), commits.size());
  Lsn last = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    EXPECT_EQ(begins[i].commit_lsn, commits[i].commit_lsn);
    EXPECT_EQ(begins[i].commit_time_us, commits[i].commit_time_us);
    EXPECT_GT(commits[i].commit_time_us, 1'700'000'000'000'000);  // recorded after 2023
    EXPECT_GT(commits[i].end_lsn, commits[i].commit_lsn);
    EXPECT_GT(commits[i].commit_lsn, last);
    last = commits[i].end_lsn;
  }
}

TEST(CapturedTypes, ComeBeforeTheRelationDomainsAsTheirBaseType) {
  const Capture capture("types");
  EXPECT_EQ(capture.shape(), "BYYYYYYRIC");
  std::map<std::uint32_t, std::string> names;
  for (const Type& type : capture.all<Type>()) {
    names[type.oid] = std::string(type.schema) + '.' + std::string(type.name);
  }
  std::vector<std::string> columns;
  for (const auto& column : capture.relation("typed").columns)
    columns.push_back(names[column.type_oid]);
  EXPECT_THAT(columns,
              ElementsAre("", "public.mood", "pg_catalog.int4", "public.point3", "public._mood",
                          "pg_catalog.pg_user", "pg_catalog.varchar", "", "", "", ""));
  EXPECT_EQ(
      show(capture.all<Insert>().at(0).new_row),
      "('1', 'happy', '5', '(1,2,3)', '{sad,happy}', NULL, 'YES', '2026-01-31 12:00:00.5+00', "
      "'\\x00ff', 't', 'NaN')");
}

TEST(CapturedBinary, ValuesAreInTheSendFormat) {
  const Capture capture("binary");
  EXPECT_EQ(
      show(capture.all<Insert>().at(0).new_row),
      "(x00000102, xffffffffffffffff, x68c3b6686572, x0002000000000002000c1388, x01, "
      "x00000000000f4240, x00ff, x0000000100000000000000170000000200000001000000040000000100000004"
      "00000002)");
  EXPECT_EQ(show(capture.all<Insert>().at(1).new_row),
            "(x00000002, NULL, x, NULL, x00, NULL, x, x000000000000000000000017)");
  EXPECT_EQ(show(capture.all<Update>().at(0).old_row),
            "(x00000002, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
}

TEST(CapturedMessages, OneThatIsNotTransactionalComesOutsideOfATransaction) {
  const Capture capture("messages");
  EXPECT_EQ(capture.shape(), "BRIMCMBMCBMC");
  const auto messages = capture.all<LogicalMessage>();
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_TRUE(messages[0].transactional);
  EXPECT_EQ(messages[0].prefix, "audit");
  EXPECT_EQ(messages[0].content, "user=7");
  EXPECT_FALSE(messages[1].transactional);
  EXPECT_EQ(messages[1].content, "rolled back, yet sent");
  EXPECT_EQ(messages[2].prefix, "");
  EXPECT_EQ(messages[2].content, "");
  EXPECT_EQ(messages[3].content, std::string_view("\0\xff\0", 3));
}

TEST(CapturedOrigin, IsNamedInTheTransactionThatAnotherServerWroteFirst) {
  const Capture capture("origin");
  EXPECT_EQ(capture.shape(), "BRICBOICBIC");
  EXPECT_EQ(capture.all<Origin>().at(0).name, "upstream");
  EXPECT_EQ(capture.all<Origin>().at(0).lsn, 0xABCD1234U);
}

}  // namespace
}  // namespace walspout::pgoutput
