#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include "progress/state_store.hpp"

namespace walspout::progress {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StateStoreRecordsTest : public testing::Test {
 protected:
  StateStoreRecordsTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "state_store_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~StateStoreRecordsTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path state() const { return folder_ / "state"; }
  // As another program may have written the file.
  void write_database(const char* sql) const {
    std::filesystem::create_directory(state());
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((state() / "state.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  std::filesystem::path folder_;
};

TEST_F(StateStoreRecordsTest, KeepsRequestsOverAStartInTheirOrder) {
  {
    StateStore store(state());
    store.add_request({"resync", "public.b"});
    store.add_request({"resync", "--sink", "mirror", "public.a"});
  }
  StateStore store(state());
  EXPECT_THAT(store.take_requests(),
              ElementsAre(ElementsAre("resync", "public.b"),
                          ElementsAre("resync", "--sink", "mirror", "public.a")));
}

TEST_F(StateStoreRecordsTest, ARequestIsTakenOnce) {
  {
    StateStore store(state());
    store.add_request({"resync"});
    EXPECT_EQ(store.take_requests().size(), 1U);
    EXPECT_THAT(store.take_requests(), IsEmpty());
  }
  StateStore store(state());
  EXPECT_THAT(store.take_requests(), IsEmpty());
}

TEST_F(StateStoreRecordsTest, WordsOfARequestAreAnyText) {
  StateStore store(state());
  const std::vector<std::string> words = {"resync",       "",  "a b\nc",
                                          "o'hara\"; --", "é", std::string("x\0y", 3)};
  store.add_request(words);
  EXPECT_THAT(store.take_requests(), ElementsAre(words));
}

TEST_F(StateStoreRecordsTest, ARequestWithoutWordsIsRefused) {
  StateStore store(state());
  EXPECT_THROW(store.add_request({}), std::invalid_argument);
  EXPECT_THAT(store.requests(), IsEmpty());
}

TEST_F(StateStoreRecordsTest, RequestsStayUntilTheyAreRemoved) {
  StateStore store(state());
  store.add_request({"a"});
  store.add_request({"b"});
  EXPECT_EQ(store.requests().size(), 2U);
  ASSERT_EQ(store.requests().size(), 2U);
  store.remove_requests(store.requests()[0].id);
  ASSERT_EQ(store.requests().size(), 1U);
  EXPECT_THAT(store.requests()[0].words, ElementsAre("b"));
}

TEST_F(StateStoreRecordsTest, ARequestThatCameAfterTheOthersWereReadIsNotRemovedWithThem) {
  StateStore store(state());
  store.add_request({"a"});
  const std::int64_t last = store.requests().back().id;
  store.remove_requests(last);
  store.add_request({"b"});
  store.remove_requests(last);
  EXPECT_EQ(store.requests().size(), 1U);
}

TEST_F(StateStoreRecordsTest, ARequestSurvivesAProcessThatIsKilled) {
  const pid_t child = fork();
  if (child == 0) {
    StateStore store(state());
    store.add_request({"resync", "public.a"});
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  StateStore store(state());
  EXPECT_THAT(store.take_requests(), ElementsAre(ElementsAre("resync", "public.a")));
}

TEST_F(StateStoreRecordsTest, KeepsFactsOverAStart) {
  {
    StateStore store(state());
    store.put_facts(1, "one");
    store.put_facts(~std::uint64_t{0}, std::string("\0last", 5));
    store.put_facts(0, "");
  }
  const StateStore store(state());
  EXPECT_EQ(store.get_facts(1), "one");
  EXPECT_EQ(store.get_facts(~std::uint64_t{0}), std::string("\0last", 5));
  EXPECT_EQ(store.get_facts(0), "");
  EXPECT_FALSE(store.get_facts(2));
}

TEST_F(StateStoreRecordsTest, FactsPutAgainAreTheNewOnes) {
  StateStore store(state());
  store.put_facts(1, "one");
  store.put_facts(1, "one");
  EXPECT_EQ(store.get_facts(1), "one");
  store.put_facts(1, "uno");
  EXPECT_EQ(store.get_facts(1), "uno");
}

TEST_F(StateStoreRecordsTest, ForgetsFactsThatAreNotKept) {
  StateStore store(state());
  for (std::uint64_t hash = 1; hash <= 2000; ++hash) store.put_facts(hash << 53U, "x");
  store.keep_facts(std::vector<std::uint64_t>{2000ULL << 53U, 7, 1ULL << 53U});
  EXPECT_TRUE(store.get_facts(1ULL << 53U));
  EXPECT_TRUE(store.get_facts(2000ULL << 53U));
  EXPECT_FALSE(store.get_facts(2ULL << 53U));
  EXPECT_FALSE(store.get_facts(7));
  store.keep_facts({});
  EXPECT_FALSE(store.get_facts(1ULL << 53U));
}

TEST_F(StateStoreRecordsTest, AFileOfTheFirstFormatIsUpgradedWithItsPositions) {
  write_database(
      "CREATE TABLE sink_position(sink TEXT PRIMARY KEY, lsn INTEGER NOT NULL,"
      " host_state TEXT NOT NULL); INSERT INTO sink_position VALUES('a', 77, 'kept')");
  {
    StateStore store(state());
    ASSERT_TRUE(store.load("a"));
    EXPECT_EQ(store.load("a")->lsn, 77U);
    EXPECT_EQ(store.load("a")->host_state, "kept");
    store.add_request({"resync"});
    store.put_facts(1, "x");
  }
  const StateStore again(state());
  EXPECT_EQ(again.requests().size(), 1U);
  EXPECT_EQ(again.get_facts(1), "x");
  EXPECT_TRUE(again.load("a"));
}

TEST_F(StateStoreRecordsTest, AnEmptyFileIsANewOne) {
  write_database("");
  StateStore store(state());
  store.save("a", {5, ""});
  store.add_request({"resync"});
  EXPECT_TRUE(store.load("a"));
}

TEST_F(StateStoreRecordsTest, AFileWithoutALandmarkGetsOne) {
  {
    StateStore store(state());
    store.add_request({"resync"});
  }
  write_database("DROP TABLE landmark; DROP TABLE pause; PRAGMA user_version = 1");
  const Landmark landmark{"cluster 1", 0xfedcba9876543210, 0xffffffff, -5, 0xfedcba9876543220};
  {
    StateStore store(state());
    EXPECT_EQ(store.requests().size(), 1U);
    EXPECT_EQ(store.landmark(), std::nullopt);
    store.save_landmark({"another", 1, 2, 3, 4});
    store.save_landmark(landmark);
  }
  EXPECT_EQ(StateStore(state()).landmark(), landmark);
}

TEST_F(StateStoreRecordsTest, AFileWithoutPausesGetsThem) {
  { StateStore store(state()); }
  write_database("DROP TABLE pause; PRAGMA user_version = 2");
  StateStore store(state());
  EXPECT_FALSE(store.pause("a"));
  store.save_pause("a", "walspout pause");
  EXPECT_TRUE(store.pause("a"));
}

TEST_F(StateStoreRecordsTest, KeepsAPauseOverAStartUntilItIsRemoved) {
  const std::int64_t before = std::time(nullptr);
  {
    StateStore store(state());
    store.save_pause("a", "walspout pause");
    store.save_pause("b", "410 Gone");
    store.save_pause("b", "another reason");
  }
  StateStore store(state());
  ASSERT_TRUE(store.pause("a"));
  EXPECT_EQ(store.pause("a")->why, "walspout pause");
  EXPECT_GE(store.pause("a")->since, before);
  EXPECT_LE(store.pause("a")->since, std::time(nullptr));
  EXPECT_EQ(store.pause("b")->why, "another reason");
  EXPECT_FALSE(store.pause("A"));
  store.remove_pause("a");
  store.remove_pause("never paused");
  EXPECT_FALSE(store.pause("a"));
  EXPECT_TRUE(store.pause("b"));
}

TEST_F(StateStoreRecordsTest, AFileOfALaterFormatIsRefusedAndLeftAsItIs) {
  write_database("PRAGMA user_version = 1000");
  for (int i = 0; i < 2; ++i) {
    try {
      const StateStore store(state());
      ADD_FAILURE() << "opened it";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "state directory " + (state() / "state.db").string() +
                                  ": a newer walspout has written it (format 1000, this one knows "
                                  "3); run the newer one");
    }
  }
}

TEST_F(StateStoreRecordsTest, AnUpgradeThatFailsChangesNothing) {
  // A table of ours under the name of another version's index.
  write_database("CREATE TABLE t(x); CREATE INDEX fact ON t(x)");
  for (int i = 0; i < 2; ++i) {
    try {
      const StateStore store(state());
      ADD_FAILURE() << "opened it";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("move the file away to start anew"));
    }
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((state() / "state.db").c_str(), &database), SQLITE_OK);
  sqlite3_stmt* query = nullptr;
  sqlite3_prepare_v2(database, "SELECT count(*) FROM sqlite_master", -1, &query, nullptr);
  sqlite3_step(query);
  EXPECT_EQ(sqlite3_column_int(query, 0), 2);
  sqlite3_finalize(query);
  sqlite3_close(database);
}

TEST_F(StateStoreRecordsTest, SeveralThreadsMayAskAndTakeAndNoRequestIsLost) {
  StateStore store(state());
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&store, t] {
      for (int i = 0; i < 20; ++i) store.add_request({std::to_string(t), std::to_string(i)});
    });
  }
  std::size_t taken = 0;
  while (taken < 30) taken += store.take_requests().size();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken + store.take_requests().size(), 60U);
}

}  // namespace
}  // namespace walspout::progress
