// A mirror in a temporary folder: deliver transactions, then read the file as a user would.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <walspout/testing.hpp>

namespace walspout::sqlite {

namespace oid = walspout::oid;
using testing::absent;
using testing::Driver;
using testing::Lsn;
using testing::nullopt;
using testing::primary;
using testing::Relation;
using testing::relation;
using testing::Reply;
using testing::Row;
using testing::Settings;
using testing::Txn;
using testing::unchanged;

inline const walspout_plugin& plugin() {
  static const walspout_plugin& loaded = testing::load_plugin(WALSPOUT_SQLITE_PLUGIN);
  return loaded;
}

// A connection of the test's own: a reader, or a user with a hand in the file.
class Reader {
 public:
  explicit Reader(const std::string& path) {
    if (sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
      throw std::runtime_error("cannot open " + path);
    sqlite3_busy_timeout(db_, 5000);
  }
  ~Reader() { sqlite3_close_v2(db_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Rows on lines, values with | in between: 1, 1.5, 'text', x'00ff', null.
  std::string rows(const std::string& sql) {
    std::string out;
    sqlite3_stmt* s = nullptr;
    for (const char* rest = sql.c_str(); *rest != '\0';) {
      if (sqlite3_prepare_v2(db_, rest, -1, &s, &rest) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(db_));
      if (s == nullptr) break;
      int rc;
      while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        if (!out.empty()) out += '\n';
        for (int i = 0; i < sqlite3_column_count(s); ++i) out += (i == 0 ? "" : "|") + value(s, i);
      }
      sqlite3_finalize(s);
      if (rc != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(db_));
    }
    return out;
  }

 private:
  static std::string value(sqlite3_stmt* s, int i) {
    char number[64];
    switch (sqlite3_column_type(s, i)) {
      case SQLITE_NULL:
        return "null";
      case SQLITE_INTEGER:
        return std::to_string(sqlite3_column_int64(s, i));
      case SQLITE_FLOAT:
        std::snprintf(number, sizeof number, "%.17g", sqlite3_column_double(s, i));
        return std::string("r") + number;
      default:
        break;
    }
    const auto* data = static_cast<const char*>(sqlite3_column_blob(s, i));
    std::string bytes(data == nullptr ? "" : data, static_cast<size_t>(sqlite3_column_bytes(s, i)));
    if (sqlite3_column_type(s, i) == SQLITE_TEXT) return "'" + bytes + "'";
    std::string hex = "x'";
    for (const unsigned char c : bytes) {
      std::snprintf(number, sizeof number, "%02x", c);
      hex += number;
    }
    return hex + "'";
  }
  sqlite3* db_ = nullptr;
};

class MirrorTest : public ::testing::Test {
 protected:
  MirrorTest() {
    // In memory where there is such a place: every flush syncs.
    const bool shm = ::access("/dev/shm", W_OK) == 0;
    const std::filesystem::path base = shm ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (base / "walspout-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~MirrorTest() override {
    driver_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string path() const { return folder_ + "/mirror.db"; }

  // The sink of the test, opened at the first use.
  Driver& sink() {
    if (!driver_) restart();
    return *driver_;
  }
  // Opens it (anew), as after a stop or a REOPEN; the answer is in opened_.
  void restart(Settings more = {}) {
    driver_.reset();
    more.emplace_back("path", path());
    driver_ = std::make_unique<Driver>(plugin(), more);
    opened_ = driver_->open();
    ASSERT_TRUE(opened_.ok()) << opened_.message;
  }

  Lsn next() { return lsn_ += 0x100; }

  // One transaction, delivered in so many pieces and flushed. Fill: void(Txn&).
  template <class Fill>
  void commit(Fill&& fill, size_t pieces = 1) {
    Txn txn(next());
    fill(txn);
    const Reply reply = sink().deliver(txn, pieces);
    ASSERT_TRUE(reply.ok()) << reply.message;
    const Reply flushed = sink().flush();
    ASSERT_TRUE(flushed.ok()) << flushed.message;
    ASSERT_EQ(flushed.durable, txn.end_lsn());
  }
  void insert(const Relation& table, Row row) {
    commit([&](Txn& t) { t.insert(table, std::move(row)); });
  }

  std::string rows(const std::string& sql) { return Reader(path()).rows(sql); }
  bool logged(std::string_view text) { return sink().host.logged(text); }

  std::string folder_;
  Reply opened_;

 private:
  std::unique_ptr<Driver> driver_;
  Lsn lsn_ = 0x1000;
};

}  // namespace walspout::sqlite
