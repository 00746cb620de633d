// The rules themselves, without a server: what is refused, and with which words.
#include "pipeline/rule_check.hpp"

#include <gmock/gmock.h>

namespace walspout {
namespace {

using postgres::PublishedTable;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr std::uint64_t kAllTakes = WALSPOUT_TAKES_TRUNCATE | WALSPOUT_TAKES_PARTIAL_ROW |
                                    WALSPOUT_TAKES_KEY_CHANGE | WALSPOUT_TAKES_MESSAGE |
                                    WALSPOUT_TAKES_SCHEMA | WALSPOUT_TAKES_NO_KEY;
constexpr std::uint32_t kRows = route::kInsert | route::kUpdate | route::kDelete;

PublishedTable table(std::uint32_t oid, const std::string& name) {
  PublishedTable table;
  table.oid = oid;
  table.schema = "public";
  table.name = name;
  for (const char* column : {"id", "body", "data"}) {
    postgres::PublishedColumn one;
    one.name = column;
    one.in_identity = table.columns.empty();
    table.columns.push_back(one);
  }
  table.primary_key = {"id"};
  table.identity_index = {"id"};
  return table;
}

// One sink "s" of plugin "p" that takes everything of public.a and public.b, until told otherwise.
class RuleCheck : public testing::Test {
 protected:
  RuleCheck() {
    config_.name = "s";
    sink_ = {&config_, "p", 0, kAllTakes, kRows | route::kTruncate};
    published_.publication.name = "w";
    published_.publication.inserts = published_.publication.updates = true;
    published_.publication.deletes = published_.publication.truncates = true;
    published_.tables = {table(1, "a"), table(2, "b")};
  }

  void takes_all_but(std::uint64_t what) {
    sink_.takes &= ~what;
    if (what == WALSPOUT_TAKES_TRUNCATE) sink_.operations &= ~std::uint32_t{route::kTruncate};
  }
  void configure_operations(std::uint32_t operations) {
    config_.operations = config::Operations{};
    sink_.operations = operations;
  }
  std::vector<std::string> lines(bool error) {
    std::vector<std::string> lines;
    for (RuleFinding& finding : check_rules({&sink_, 1}, published_)) {
      EXPECT_EQ(finding.text.find('\n'), std::string::npos);
      if (finding.error == error) lines.push_back(std::move(finding.text));
    }
    return lines;
  }
  std::vector<std::string> errors() { return lines(true); }
  std::vector<std::string> warnings() { return lines(false); }

  config::Sink config_;
  RuledSink sink_;
  Published published_;
};

TEST_F(RuleCheck, ASinkThatTakesEverythingIsNeverRefused) {
  published_.tables[0].primary_key.clear();
  published_.tables[0].identity_index.clear();
  published_.left_out[1] = {"body"};
  EXPECT_THAT(errors(), IsEmpty());
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(RuleCheck, TruncateIsRefusedWhereItIsPublishedAndNotSpokenOf) {
  takes_all_but(WALSPOUT_TAKES_TRUNCATE);
  EXPECT_THAT(errors(), ElementsAre("sink s: plugin p cannot take truncate, which publication w "
                                    "publishes of public.a and public.b; to leave it out, set "
                                    "operations = [\"insert\", \"update\", \"delete\"]"));
}

TEST_F(RuleCheck, TruncateThatIsNotPublishedHindersNothing) {
  takes_all_but(WALSPOUT_TAKES_TRUNCATE);
  published_.publication.truncates = false;
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(RuleCheck, TruncateThatTheConfigurationLeavesOutHindersNothing) {
  takes_all_but(WALSPOUT_TAKES_TRUNCATE);
  configure_operations(kRows);
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(RuleCheck, ASinkWithoutTablesIsNotRefused) {
  sink_.takes = 0;
  published_.left_out[1] = {"body"};
  config_.tables = base::TablePatterns({"other.*"});
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(RuleCheck, ManyTablesAreNotAllNamed) {
  takes_all_but(WALSPOUT_TAKES_TRUNCATE);
  for (std::uint32_t oid = 3; oid <= 40; ++oid)
    published_.tables.push_back(table(oid, "t" + std::to_string(oid)));
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("of public.a, public.b, public.t3 and 37 more;")));
}

TEST_F(RuleCheck, ATableWithoutAKeyIsRefused) {
  takes_all_but(WALSPOUT_TAKES_NO_KEY);
  published_.tables[1].primary_key.clear();
  published_.tables[1].identity_index.clear();
  EXPECT_THAT(errors(),
              ElementsAre("sink s: plugin p needs a key, and public.b has none that is published; "
                          "ALTER TABLE \"public\".\"b\" ADD PRIMARY KEY (...), or leave the table "
                          "out with \"!public.b\" in tables"));
}

TEST_F(RuleCheck, TheIndexOfTheReplicaIdentityIsAKey) {
  takes_all_but(WALSPOUT_TAKES_NO_KEY);
  published_.tables[1].primary_key.clear();
  published_.tables[1].replica_identity = 'i';
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(RuleCheck, ATableThatTheSinkDoesNotGetNeedsNoKey) {
  takes_all_but(WALSPOUT_TAKES_NO_KEY);
  published_.tables[1].primary_key.clear();
  published_.tables[1].identity_index.clear();
  config_.tables = base::TablePatterns({"public.*", "!public.b"});
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(RuleCheck, UpdatesOfKeysAreRefusedWhereUpdatesAreRouted) {
  takes_all_but(WALSPOUT_TAKES_KEY_CHANGE);
  published_.tables[1].primary_key.clear();
  published_.tables[1].identity_index.clear();
  EXPECT_THAT(
      errors(),
      ElementsAre("sink s: plugin p cannot take updates that change a key, which may come of "
                  "public.a; to leave updates out, set operations = [\"insert\", \"delete\", "
                  "\"truncate\"], or use a plugin that takes them"));
}

TEST_F(RuleCheck, UpdatesThatDoNotComeChangeNoKeysAndLeaveNothingOut) {
  sink_.takes &= ~std::uint64_t{WALSPOUT_TAKES_KEY_CHANGE | WALSPOUT_TAKES_PARTIAL_ROW};
  published_.left_out[1] = {"body"};
  EXPECT_THAT(errors(), SizeIs(2));
  configure_operations(route::kInsert | route::kDelete);
  EXPECT_THAT(errors(), IsEmpty());
  configure_operations(kRows);
  EXPECT_THAT(errors(), SizeIs(2));
  published_.publication.updates = false;
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(RuleCheck, ATableWhoseUpdatesLeaveValuesOutIsRefused) {
  takes_all_but(WALSPOUT_TAKES_PARTIAL_ROW);
  published_.left_out[2] = {"body", "data"};
  EXPECT_THAT(
      errors(),
      ElementsAre(
          "sink s: plugin p needs whole rows, and updates of public.b leave out long values "
          "that they do not change (body and data); ALTER TABLE \"public\".\"b\" REPLICA "
          "IDENTITY FULL, or name the columns in exclude_columns, or set operations = "
          "[\"insert\", \"delete\", \"truncate\"]"));
}

TEST_F(RuleCheck, OfAPartitionedTableThePartitionsAreWhatIsToBeAltered) {
  takes_all_but(WALSPOUT_TAKES_PARTIAL_ROW);
  published_.tables[1].relkind = 'p';
  published_.left_out[2] = {"body"};
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("REPLICA IDENTITY FULL (of each partition), or")));
}

TEST_F(RuleCheck, ColumnsThatTheSinkDoesNotGetMayBeLeftOut) {
  takes_all_but(WALSPOUT_TAKES_PARTIAL_ROW);
  published_.left_out[2] = {"body", "data", "unpublished"};
  config_.exclude_columns = {"public.b.body"};
  EXPECT_THAT(errors(), ElementsAre(AllOf(HasSubstr("(data)"), Not(HasSubstr("unpublished")))));
  config_.exclude_columns = {"public.*.body", "public.b.d*"};
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(RuleCheck, EveryTableHasALineOfItsOwn) {
  sink_.takes &= ~std::uint64_t{WALSPOUT_TAKES_PARTIAL_ROW | WALSPOUT_TAKES_NO_KEY};
  published_.left_out[1] = published_.left_out[2] = {"body"};
  published_.tables[1].primary_key.clear();
  published_.tables[1].identity_index.clear();
  EXPECT_THAT(errors(), UnorderedElementsAre(HasSubstr("updates of public.a leave out"),
                                             HasSubstr("updates of public.b leave out"),
                                             HasSubstr("public.b has none")));
}

TEST_F(RuleCheck, ASinkThatKeepsRowsAndTakesNoSchemaChangesIsWarnedOf) {
  takes_all_but(WALSPOUT_TAKES_SCHEMA);
  EXPECT_THAT(warnings(), IsEmpty());
  sink_.caps = WALSPOUT_CAP_SNAPSHOT;
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("sink s: plugin p takes no schema changes")));
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(RuleCheck, PatternsThatMatchNothingAreWarnedOf) {
  config_.tables = base::TablePatterns({"public.a", "public.nope", "!public.audit"});
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("\"public.nope\""), HasSubstr("\"!public.audit\"")));
}

TEST_F(RuleCheck, AKeyColumnCannotBeExcluded) {
  config_.exclude_columns = {"public.a.id", "public.a.nope"};
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("takes away public.a.id, a column of the key")));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("\"public.a.nope\" matches no column")));
}

TEST_F(RuleCheck, EachSinkIsCheckedForItself) {
  config::Sink other = config_;
  other.name = "other";
  const RuledSink sinks[] = {sink_, {&other, "q", 0, 0, kRows}};
  const std::vector<RuleFinding> findings = check_rules(sinks, published_);
  EXPECT_THAT(findings, SizeIs(2));  // truncate, and keys
  for (const RuleFinding& finding : findings)
    EXPECT_THAT(finding.text, HasSubstr("sink other: plugin q cannot take "));
}

}  // namespace
}  // namespace walspout
