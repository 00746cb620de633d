// The two slots of the position record.
#include "file/position_store.hpp"

#include <walspout/error.hpp>

#include "fixture.hpp"

namespace walspout::file_test {
namespace {

using file::PositionStore;
using file::Record;

class PositionStoreTest : public FileTest {
 protected:
  std::string record_path() const { return state() + "/position"; }
  std::optional<Record> load() const { return PositionStore(record_path()).last(); }
  void damage(std::uint64_t at) const {
    std::fstream file(record_path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char c = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(c ^ 1));
  }
};

TEST_F(PositionStoreTest, ANewOneHasNoRecord) {
  EXPECT_EQ(load(), std::nullopt);
  EXPECT_EQ(load(), std::nullopt) << "a file of NUL bytes is a new one";
}

TEST_F(PositionStoreTest, TheLastRecordComesBack) {
  const Record a{1, 2, 3, 4, "five"}, b{~0ull, ~0ull, ~0ull, ~0u, std::string("\0x", 2)};
  {
    PositionStore store(record_path());
    store.save(a);
    EXPECT_EQ(store.last(), a);
    store.save(b);
  }
  EXPECT_EQ(load(), b);
}

TEST_F(PositionStoreTest, ATornWriteLeavesTheRecordBefore) {
  const Record a{1, 2, 3, 4, "a"}, b{2, 2, 4, 4, "b"};
  {
    PositionStore store(record_path());
    store.save(a);  // sequence 1, in the second slot
    store.save(b);  // sequence 2, in the first
  }
  for (std::uint64_t at = 0; at < 57; ++at) {
    if (at >= 52 && at < 56) continue;  // the reserved bytes are covered below
    damage(at);
    EXPECT_EQ(load(), a) << at;
    damage(at);
  }
  damage(53);
  EXPECT_EQ(load(), a);
  damage(53);
  EXPECT_EQ(load(), b);
}

TEST_F(PositionStoreTest, WithoutAnyValidSlotItRefuses) {
  PositionStore(record_path()).save({1, 2, 3, 4, "a"});
  damage(8192 + 20);
  EXPECT_THROW(load(), BadConfig);
}

TEST_F(PositionStoreTest, AFileOfAnotherSizeIsRefused) {
  PositionStore(record_path()).save({1, 2, 3, 4, "a"});
  fs::resize_file(record_path(), 5000);
  EXPECT_THROW(load(), BadConfig);
  fs::resize_file(record_path(), 0);
  EXPECT_THROW(load(), BadConfig);
}

TEST_F(PositionStoreTest, AStateOfAnySizeFits) {
  PositionStore store(record_path());
  Record record{1, 2, 3, 4, ""};
  for (const std::size_t size : {100u, 8136u, 8137u, 9000u, 100'000u, 10u, 1'000'000u, 0u}) {
    for (int twice = 0; twice < 3; ++twice) {
      record.host_state.assign(size, 's');
      ++record.position;
      store.save(record);
    }
    fs::copy_file(record_path(), state() + "/copy", fs::copy_options::overwrite_existing);
    EXPECT_EQ(PositionStore(state() + "/copy").last(), record) << size;
  }
}

TEST_F(PositionStoreTest, GrowthNeverPutsTheNextRecordOverTheOnlyOne) {
  const Record big{1, 2, 3, 4, std::string(20'000, 's')}, next{2, 2, 3, 4, "n"};
  for (int saves_before = 0; saves_before < 3; ++saves_before) {
    fs::remove(record_path());
    {
      PositionStore store(record_path());
      for (int i = 0; i < saves_before; ++i) store.save({9, 9, 9, 9, ""});
      store.save(big);
      store.save(next);
    }
    const std::uint64_t slot_size = fs::file_size(record_path()) / 2;
    const std::uint64_t slot_of_next = static_cast<std::uint64_t>(saves_before) % 2 * slot_size;
    damage(slot_of_next + 20);
    EXPECT_EQ(load(), big) << saves_before;
  }
}

}  // namespace
}  // namespace walspout::file_test
