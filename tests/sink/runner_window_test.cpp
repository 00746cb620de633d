#include "sink/window.hpp"

#include <gmock/gmock.h>

#include "feed.hpp"

namespace walspout::sink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using transaction::begin_message;
using transaction::commit_message;
using transaction::insert_message;

class WindowTest : public testing::Test {
 protected:
  WindowTest() { feed.announce(); }

  void add() { window.add({feed.assembler.take(), nullptr}); }
  void whole(base::Lsn commit) {
    feed.transaction(commit, commit + 5, {insert_message(1, {"1", "x"})});
  }
  void open(base::Lsn commit) { feed << begin_message(commit) << insert_message(1, {"1", "x"}); }
  // The pieces that count, all entries together.
  std::vector<std::string> pieces() const {
    std::vector<std::string> all;
    for (const Window::Entry& entry : window.entries()) {
      const auto lines = transaction::show(entry.delivery.pieces(), entry.delivery.changes());
      for (std::size_t i = 0; i < entry.piece_count; ++i)
        all.push_back(lines[i].substr(0, lines[i].find(':')));
    }
    return all;
  }

  transaction::Feed feed;
  Window window{1'000'000};
};

TEST_F(WindowTest, ForgetsWhatIsDurable) {
  whole(100);
  whole(110);
  add();
  whole(120);
  add();
  window.release(105);
  EXPECT_EQ(window.entries().size(), 2u) << "the first chunk is not durable as a whole";
  window.release(115);
  EXPECT_THAT(pieces(), ElementsAre("first last 120..125"));
  window.release(125);
  EXPECT_THAT(pieces(), IsEmpty());
  EXPECT_EQ(window.bytes(), 0u);
  EXPECT_EQ(feed.budget.used(), 0u);
}

TEST_F(WindowTest, KeepsAnUnfinishedTransactionUntilItsEndIsDurable) {
  whole(100);
  open(110);
  add();
  window.release(110);  // all before it
  EXPECT_THAT(pieces(), ElementsAre("first last 100..105", "first 110..0"));
  feed << commit_message(110, 115);
  add();
  window.release(110);
  EXPECT_EQ(window.entries().size(), 2u);
  window.release(115);
  EXPECT_TRUE(window.entries().empty());
}

TEST_F(WindowTest, AbortTakesBackTheUnfinishedTransactionOnly) {
  whole(100);
  open(110);
  add();
  feed << insert_message(1, {"2", "y"});
  add();
  window.abort();
  EXPECT_THAT(pieces(), ElementsAre("first last 100..105"));
  window.release(105);
  EXPECT_EQ(window.bytes(), 0u);
}

TEST_F(WindowTest, AbortOfNothingKeepsEverything) {
  whole(100);
  add();
  window.abort();
  EXPECT_THAT(pieces(), ElementsAre("first last 100..105"));
}

TEST_F(WindowTest, OnceDroppedTakesNothingUntilItIsCleared) {
  Window small(1000);
  open(100);
  small.add({feed.assembler.take(), nullptr});
  EXPECT_TRUE(small.over_limit());
  small.drop();
  EXPECT_FALSE(small.complete());
  EXPECT_FALSE(small.over_limit());
  feed << commit_message(100, 105);
  small.add({feed.assembler.take(), nullptr});
  EXPECT_TRUE(small.entries().empty());
  EXPECT_EQ(feed.budget.used(), 0u);
  small.clear();
  EXPECT_TRUE(small.complete());
}

}  // namespace
}  // namespace walspout::sink
