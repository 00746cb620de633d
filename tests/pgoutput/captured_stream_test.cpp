// Streamed and prepared transactions of real servers, decoded whole: what the scenario in
// data/NAME.sql did must come out.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "capture.hpp"

namespace walspout::pgoutput {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

// What is left of a stream when aborted (sub)transactions are cut: the committed rows of each
// table, by name, in the order of the commits.
class Assembled {
 public:
  explicit Assembled(const Capture& capture) {
    for (const Message& message : capture.messages()) std::visit(*this, message);
  }

  void operator()(const Begin&) { current_ = 0; }
  void operator()(const StreamStart& start) { current_ = start.xid; }
  void operator()(const Relation& relation) { names_[relation.oid] = relation.name; }
  void operator()(const Insert& insert) {
    open_[current_].push_back({insert.xid, insert.relation_oid, show(insert.new_row)});
  }
  void operator()(const StreamAbort& abort) {
    std::erase_if(open_[abort.xid], [&](const Change& change) {
      return abort.xid == abort.subxid || change.xid == abort.subxid;
    });
  }
  void operator()(const Commit&) { commit(0); }
  void operator()(const StreamCommit& end) { commit(end.xid); }
  void operator()(const BeginPrepare&) { current_ = 0; }
  void operator()(const Prepare& end) { prepared_[end.gid] = std::exchange(open_[0], {}); }
  void operator()(const StreamPrepare& end) { prepared_[end.gid] = std::move(open_[end.xid]); }
  void operator()(const CommitPrepared& end) {
    open_[0] = std::move(prepared_[end.gid]);
    commit(0);
  }
  template <class T>
  void operator()(const T&) {}

  std::vector<std::string> rows(const std::string& table) { return rows_[table]; }

 private:
  struct Change {
    std::uint32_t xid;
    std::uint32_t relation_oid;
    std::string row;
  };

  void commit(std::uint32_t xid) {
    for (const Change& change : open_[xid]) {
      rows_[std::string(names_.at(change.relation_oid))].push_back(change.row);
    }
    open_.erase(xid);
  }

  std::uint32_t current_ = 0;
  std::map<std::uint32_t, std::string_view> names_;
  std::map<std::uint32_t, std::vector<Change>> open_;  // by top-level xid, 0 = not streamed
  std::map<std::string_view, std::vector<Change>> prepared_;
  std::map<std::string, std::vector<std::string>> rows_;
};

TEST(CapturedStreaming, LeavesWhatWasCommittedWhenAbortedPartsAreCut) {
  const Capture capture("streaming");
  Assembled assembled(capture);
  std::vector<std::string> t = {"('-1')"};
  for (int i = 1; i <= 1200; ++i) t.push_back("('" + std::to_string(i) + "')");
  t.push_back("('-2')");
  EXPECT_EQ(assembled.rows("t"), t);
  std::vector<std::string> s = {"('0')", "('2')"};
  s.insert(s.end(), 600, "('3')");
  s.push_back("('4')");
  EXPECT_EQ(assembled.rows("s"), s);
}

TEST(CapturedStreaming, BlocksOfTwoTransactionsTakeTurns) {
  const Capture capture("streaming");
  const auto starts = capture.all<StreamStart>();
  ASSERT_GE(starts.size(), 6U);
  EXPECT_NE(starts[0].xid, starts[1].xid);
  EXPECT_TRUE(starts[0].first_segment && starts[1].first_segment);
  std::map<std::uint32_t, int> blocks;
  for (const StreamStart& start : starts) {
    EXPECT_EQ(start.first_segment, blocks[start.xid]++ == 0) << start.xid;
  }
  const auto commits = capture.all<StreamCommit>();
  ASSERT_EQ(commits.size(), 2U);
  EXPECT_EQ(commits[0].xid, starts[0].xid);
  EXPECT_EQ(commits[1].xid, starts[1].xid);
  EXPECT_GT(commits[1].commit_lsn, commits[0].end_lsn - 1);
}

TEST(CapturedStreaming, AbortsNameASubtransactionOrTheWhole) {
  const Capture capture("streaming");
  const auto aborts = capture.all<StreamAbort>();
  ASSERT_EQ(aborts.size(), 2U);
  EXPECT_NE(aborts[0].subxid, aborts[0].xid);
  EXPECT_EQ(aborts[1].subxid, aborts[1].xid);
  EXPECT_EQ(aborts[0].abort_lsn, 0U);
}

TEST(CapturedStreaming, AMessageInsideOfABlockCarriesItsTransaction) {
  const Capture capture("streaming");
  const auto messages = capture.all<LogicalMessage>();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].xid, capture.all<StreamStart>().at(1).xid);
}

// The server sends relations again after an abort, so that one that went with it is not missed.
TEST(CapturedStreaming, AfterAnAbortTheRelationIsSentAgain) {
  const Capture capture("streaming");
  const auto abort = capture.all<StreamAbort>().at(0);
  std::vector<std::uint32_t> xids;
  for (const Relation& relation : capture.all<Relation>()) {
    if (relation.name == "s") xids.push_back(relation.xid);
  }
  ASSERT_GE(xids.size(), 3U);
  EXPECT_EQ(xids[0], 0U);
  EXPECT_EQ(xids[1], abort.subxid);
  EXPECT_GT(xids[2], abort.subxid);
}

TEST(CapturedTwoPhase, TransactionsArePreparedAndThenCommittedOrRolledBack) {
  const Capture capture("two_phase");
  EXPECT_THAT(capture.shape(), AllOf(HasSubstr("bRIPBICK"), HasSubstr("bIPr")));
  EXPECT_TRUE(capture.shape().ends_with("EpK"));
  const auto prepares = capture.all<Prepare>();
  ASSERT_EQ(prepares.size(), 2U);
  EXPECT_EQ(prepares[0].gid, "first, then committed");
  EXPECT_EQ(capture.all<BeginPrepare>().at(0).gid, prepares[0].gid);
  EXPECT_EQ(capture.all<BeginPrepare>().at(0).prepare_lsn, prepares[0].prepare_lsn);
  const auto commits = capture.all<CommitPrepared>();
  ASSERT_EQ(commits.size(), 2U);
  EXPECT_EQ(commits[0].gid, prepares[0].gid);
  EXPECT_EQ(commits[0].xid, prepares[0].xid);
  EXPECT_GT(commits[0].commit_lsn, prepares[0].end_lsn);
  const auto rollback = capture.all<RollbackPrepared>().at(0);
  EXPECT_EQ(rollback.gid, "second, then rolled back");
  EXPECT_EQ(rollback.prepare_end_lsn, prepares[1].end_lsn);
  EXPECT_EQ(rollback.prepare_time_us, prepares[1].prepare_time_us);
  EXPECT_GE(rollback.rollback_time_us, rollback.prepare_time_us);
}

TEST(CapturedTwoPhase, ALargeTransactionIsPreparedAsAStream) {
  const Capture capture("two_phase");
  const auto prepare = capture.all<StreamPrepare>().at(0);
  EXPECT_EQ(prepare.gid, "streamed");
  EXPECT_EQ(prepare.xid, capture.all<StreamStart>().at(0).xid);
}

TEST(CapturedTwoPhase, RowsAreThereInTheOrderOfTheCommits) {
  const Capture capture("two_phase");
  std::vector<std::string> t = {"('2')", "('1')"};
  for (int i = 10; i <= 700; ++i) t.push_back("('" + std::to_string(i) + "')");
  EXPECT_EQ(Assembled(capture).rows("t"), t);
}

TEST(CapturedParallel, AnAbortHasPositionAndTime) {
  const Capture capture("parallel");
  const auto aborts = capture.all<StreamAbort>();
  ASSERT_EQ(aborts.size(), 3U);
  for (const StreamAbort& abort : aborts) {
    EXPECT_GT(abort.abort_lsn, 0U);
    EXPECT_GT(abort.abort_time_us, 1'700'000'000'000'000);
  }
  EXPECT_EQ(aborts[0].xid, aborts[1].xid);
  EXPECT_NE(aborts[0].subxid, aborts[1].subxid);
  EXPECT_EQ(aborts[2].xid, aborts[2].subxid);
}

TEST(CapturedParallel, EveryKindOfChangeIsStreamed) {
  const Capture capture("parallel");
  EXPECT_TRUE(capture.all<Begin>().empty());
  EXPECT_EQ(show(capture.all<Update>().at(0).old_row), "('1', NULL)");
  EXPECT_EQ(show(capture.all<Delete>().at(0).old_row), "('1', NULL)");
  EXPECT_THAT(capture.all<Truncate>().at(0).relation_oids, ElementsAre(capture.relation("u").oid));
  EXPECT_THAT(capture.all<LogicalMessage>(),
              ElementsAre(Field(&LogicalMessage::prefix, std::string_view("in"))));
  EXPECT_EQ(capture.all<RollbackPrepared>().at(0).gid, capture.all<StreamPrepare>().at(0).gid);
}

}  // namespace
}  // namespace walspout::pgoutput
