#include "pipeline/source_history.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/memory_budget.hpp"
#include "base/wake.hpp"

namespace walspout {
namespace {

using testing::HasSubstr;

// Transactions are named by where they commit: each ends 16 bytes behind that.
class SourceHistoryTest : public testing::Test {
 protected:
  SourceHistoryTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "walspout_history_XXXXXX";
    directory_ = mkdtemp(pattern.data());
    config_.file = "shop.toml";
    config_.source.publication = "p";
    source_.identity.system_id = "7301";
    source_.identity.timeline = 1;
    source_.slot = "s";
    store_ = std::make_unique<progress::StateStore>(directory_ / "state");
    start_process();
  }
  ~SourceHistoryTest() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  // A new process; `fresh`: with sinks that have nothing.
  void start_process(bool fresh = false) {
    history_.emplace(config_, *store_);
    history_->begin(source_, fresh);
  }
  void stop_process() { history_->note_now(); }

  transaction::ChunkPtr chunk(base::Lsn commit, std::uint32_t xid = 7,
                              std::uint32_t flags = WALSPOUT_FIRST | WALSPOUT_LAST,
                              std::uint32_t rows = 1) {
    auto made = std::make_shared<transaction::Chunk>(budget_);
    walspout_txn txn{};
    txn.xid = xid;
    txn.commit_lsn = commit;
    txn.commit_time_us = static_cast<std::int64_t>(commit);
    if ((flags & WALSPOUT_LAST) != 0) txn.end_lsn = commit + 16;
    made->add(transaction::Piece{txn, flags, 0, rows});
    return made;
  }
  void meet(base::Lsn commit, std::uint32_t xid = 7) {
    history_->meet(*chunk(commit, xid));
    history_->reached(commit + 16);
  }
  // What is said, or "".
  template <class Call>
  static std::string said(const Call& call) {
    try {
      call();
    } catch (const SlotLost& error) {
      return error.what();
    }
    return "";
  }

  config::Config config_;
  Source source_;
  std::filesystem::path directory_;
  base::Wake wake_;
  base::MemoryBudget budget_{1 << 20, wake_};
  std::unique_ptr<progress::StateStore> store_;
  std::optional<SourceHistory> history_;
};

// Mirrored 100 and 200, and idle up to 300; the slot has confirmed 50.
class Mirrored : public SourceHistoryTest {
 protected:
  Mirrored() {
    history_->connected(50);
    meet(100);
    meet(200);
    history_->reached(300);
    stop_process();
    start_process();
  }
  void connect(base::Lsn confirmed = 50) { history_->connected(history_->start(300, confirmed)); }
};

TEST_F(Mirrored, TheSameHistoryIsFollowed) {
  connect();
  EXPECT_EQ(history_->may_confirm(300), 200U);
  EXPECT_EQ(history_->awaited(), 300U);
  meet(200);
  EXPECT_EQ(history_->may_confirm(300), 200U);
  history_->reached(300);
  EXPECT_EQ(history_->may_confirm(300), 300U);
  EXPECT_EQ(history_->awaited(), 0U);
  meet(400);
  EXPECT_EQ(history_->may_confirm(416), 416U);
}

TEST_F(Mirrored, NothingIsComparedThatTheSlotHasConfirmed) {
  EXPECT_EQ(history_->start(300, 300), 300U);
  connect(300);
  EXPECT_EQ(history_->may_confirm(300), 300U);
  meet(310);
}

TEST_F(Mirrored, ATransactionThatDoesNotComeAgainIsMissed) {
  connect();
  EXPECT_THAT(said([&] { meet(400); }), HasSubstr("does not send transaction 7 at 0/C8 again"));
  start_process();
  connect();
  EXPECT_THAT(
      said([&] { history_->reached(250); }),
      testing::AllOf(HasSubstr("restored from a backup"), HasSubstr("walspout resync shop.toml")));
}

TEST_F(Mirrored, AnotherTransactionInItsPlaceIsTold) {
  connect();
  EXPECT_THAT(said([&] { meet(200, 8); }), HasSubstr("in place of transaction 7 at 0/C8"));
}

TEST_F(Mirrored, ATransactionWhereNoneWasIsTold) {
  connect();
  meet(200);
  EXPECT_THAT(said([&] { meet(250); }), HasSubstr("at 0/FA that was not there before"));
  start_process();
  connect(240);  // nothing of what is known can come again
  EXPECT_THAT(said([&] { meet(250); }), HasSubstr("that was not there before"));
}

TEST_F(Mirrored, TheFirstPieceOfALargeTransactionTells) {
  connect();
  EXPECT_NE(said([&] { history_->meet(*chunk(400, 9, WALSPOUT_FIRST)); }), "");
}

TEST_F(Mirrored, EmptyTransactionsDoNotCount) {
  connect();
  history_->meet(*chunk(260, 9, WALSPOUT_FIRST | WALSPOUT_LAST, 0));
  meet(200);
  history_->meet(*chunk(260, 9, WALSPOUT_FIRST | WALSPOUT_LAST, 0));
  history_->reached(300);
  EXPECT_EQ(history_->awaited(), 0U);
}

TEST_F(Mirrored, ATransactionThatBrokeOffIsNotExpected) {
  connect();
  meet(200);
  history_->reached(300);
  history_->meet(*chunk(400, 9, WALSPOUT_FIRST));
  stop_process();
  start_process();
  connect();
  meet(200);
  history_->meet(*chunk(400, 10, WALSPOUT_FIRST));
  history_->meet(*chunk(400, 10, WALSPOUT_LAST, 0));
  EXPECT_EQ(history_->may_confirm(416), 416U);
}

TEST_F(Mirrored, WhatIsOfAnotherTimelineSlotOrPublicationDoesNotCount) {
  const auto accepts_anything = [&] {
    start_process();
    connect();
    meet(250);
  };
  source_.identity.timeline = 2;
  accepts_anything();
  source_.identity.timeline = 1;
  source_.slot = "other";
  accepts_anything();
  source_.slot = "s";
  config_.source.publication = "q";
  accepts_anything();
}

// A process that was killed between two notes had received more, of which the server sends nothing
// while it remembers that it was confirmed; a restart makes it forget.
TEST_F(Mirrored, WhatCameAfterTheNewestNoteMayComeAgain) {
  history_->connected(history_->start(800, 800));
  history_->reached(900);  // nothing new yet
  stop_process();
  start_process();
  connect(50);
  meet(200);
  EXPECT_EQ(said([&] { meet(600); }), "");
  history_->reached(900);
  EXPECT_EQ(history_->may_confirm(900), 900U);
}

TEST_F(SourceHistoryTest, WhatCameBeforeTheFirstStartMayComeAgain) {
  history_->connected(800);
  history_->reached(900);
  stop_process();
  start_process();
  history_->connected(history_->start(900, 50));
  EXPECT_EQ(said([&] { meet(600); }), "");
}

TEST_F(Mirrored, SinksThatStartAfreshTakeAnySource) {
  start_process(true);
  connect();
  meet(250);
  EXPECT_EQ(history_->may_confirm(266), 266U);
}

}  // namespace
}  // namespace walspout
