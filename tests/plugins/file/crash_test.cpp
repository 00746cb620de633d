// Killed at any point, again and again, with replay from the reported position: each line once and
// in order.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "fixture.hpp"

namespace walspout::file_test {
namespace {

constexpr int kTransactions = 3000;

// Transaction n (from 1) is the same in every process.
int rows_of(int n) { return 1 + n * 7 % 13; }
std::size_t note_of(int n) {
  return n % 97 == 0 ? 100'000 : static_cast<std::size_t>(n * 31 % 200);
}
Lsn lsn_of(int n) { return static_cast<Lsn>(n) * 0x100; }

class CrashTest : public FileTest {
 protected:
  // The child: as a host would, from the reported position on. Exits with 0 once all is durable.
  [[noreturn]] void host(const Settings& options, unsigned seed) {
    std::mt19937 random(seed);
    Driver sink(plugin_, options, state());
    if (!sink.open().ok()) ::_exit(2);
    for (int n = static_cast<int>(sink.last().position / 0x100) + 1; n <= kTransactions; ++n) {
      Txn txn(lsn_of(n), lsn_of(n));
      fill(txn, rows_of(n), note_of(n));
      if (random() % 20 == 0) {  // one that does not come to its end
        if (!sink.write(txn, 0, 1, WALSPOUT_FIRST).ok() || !sink.abort().ok()) ::_exit(3);
      }
      if (!sink.deliver(txn, 1 + random() % 3).ok()) ::_exit(4);
      if (random() % 8 == 0 && !sink.flush().ok()) ::_exit(5);
    }
    ::_exit(sink.flush().ok() ? 0 : 6);
  }

  // Runs the child until it is done, killing it after random times. between() runs in the parent
  // while the child does. Returns how often it was killed.
  template <class F>
  int run(const Settings& options, F between) {
    std::mt19937 random(5);
    for (int kills = 0;; ++kills) {
      const pid_t child = ::fork();
      if (child == 0) host(options, static_cast<unsigned>(kills));
      const auto life = std::chrono::microseconds(500 + random() % 30'000 * (1 + kills / 10));
      std::this_thread::sleep_for(life / 2);
      between(kills);
      std::this_thread::sleep_for(life / 2);
      ::kill(child, SIGKILL);
      int status = 0;
      EXPECT_EQ(::waitpid(child, &status, 0), child);
      if (WIFEXITED(status)) {
        EXPECT_EQ(WEXITSTATUS(status), 0);
        return kills;
      }
    }
  }

  // All lines of all files, the files in the order of their first lines.
  std::vector<std::string> all_ids() const {
    std::vector<std::vector<std::string>> files;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      std::istringstream in(content(entry.path().string()));
      std::vector<std::string> lines;
      for (std::string line; std::getline(in, line);) {
        const auto event = nlohmann::json::parse(line, nullptr, false);
        EXPECT_TRUE(event.is_object()) << entry.path() << ": " << line.substr(0, 100);
        if (event.is_object()) lines.push_back(event["id"]);
      }
      if (!lines.empty()) files.push_back(lines);
    }
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
      return a[0].substr(0, 16) < b[0].substr(0, 16);  // a file begins with a transaction's first
    });
    std::vector<std::string> all;
    for (const auto& file : files) all.insert(all.end(), file.begin(), file.end());
    return all;
  }

  static std::vector<std::string> expected_ids() {
    std::vector<std::string> all;
    for (int n = 1; n <= kTransactions; ++n)
      for (int i = 0; i < rows_of(n); ++i) {
        char id[32];
        std::snprintf(id, sizeof id, "%016llX-%d", static_cast<unsigned long long>(lsn_of(n)), i);
        all.emplace_back(id);
      }
    return all;
  }
};

TEST_F(CrashTest, EachLineIsThereOnceAndInOrder) {
  EXPECT_GT(run(settings(), [](int) {}), 3);
  EXPECT_EQ(all_ids(), expected_ids());
}

TEST_F(CrashTest, AlsoWithRotationBySize) {
  EXPECT_GT(run(settings({{"rotate_size", "64KiB"}}), [](int) {}), 3);
  EXPECT_EQ(all_ids(), expected_ids());
  EXPECT_TRUE(fs::exists(path(5)));
}

TEST_F(CrashTest, AlsoWithRenamesFromOutside) {
  const int kills = run(settings({{"rotate_size", "1MiB"}}), [&](int round) {
    std::error_code gone;  // the file may be between two names just now
    fs::rename(path(), folder_ / ("renamed." + std::to_string(round)), gone);
  });
  EXPECT_GT(kills, 3);
  EXPECT_EQ(all_ids(), expected_ids());
}

TEST_F(CrashTest, AlsoWithGarbageBehindTheEnd) {
  const int kills = run(settings(), [](int) {});
  EXPECT_GT(kills, 3);
  append(path(), std::string(4096, '\0') + "{\"torn");
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  EXPECT_EQ(sink.last().position, lsn_of(kTransactions));
  EXPECT_EQ(all_ids(), expected_ids());
}

}  // namespace
}  // namespace walspout::file_test
