// A folder of its own, the file plugin as it was built, and short words for what the tests do.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <walspout/testing.hpp>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace walspout::file_test {

using namespace walspout::testing;  // NOLINT: the tests' language
namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    char name[] = "/tmp/walspout_file_XXXXXX";
    if (::mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = name;
    fs::create_directory(folder_ / "state");
  }
  ~FileTest() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "events.jsonl").string(); }
  std::string path(int n) const { return path() + "." + std::to_string(n); }
  std::string state() const { return (folder_ / "state").string(); }
  Settings settings(Settings more = {}) const {
    more.emplace_back("path", path());
    return more;
  }

  // A transaction that ends at this position and inserts this many rows, whose notes have this many
  // bytes.
  static void fill(Txn& txn, int rows, std::size_t note = 5) {
    static const Relation table =
        relation("public", "orders").column("id", oid::kInt8, primary).column("note", oid::kText);
    for (int i = 0; i < rows; ++i) txn.insert(table, {std::to_string(i), std::string(note, 'x')});
  }
  static Reply put(Driver& sink, Lsn lsn, int rows = 1, std::size_t note = 5) {
    Txn txn(lsn, lsn);
    fill(txn, rows, note);
    return sink.deliver(txn);
  }
  static Lsn put_and_flush(Driver& sink, Lsn lsn, int rows = 1, std::size_t note = 5) {
    EXPECT_TRUE(put(sink, lsn, rows, note).ok()) << sink.last().message;
    EXPECT_TRUE(sink.flush().ok()) << sink.last().message;
    return sink.last().durable;
  }

  static std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  static void append(const std::string& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
  }

  // "100-0 100-1 200-0": the events of a file, by their transaction (hexadecimal) and ordinal.
  // Lines that are no event show as "?".
  static std::string ids(const std::string& file) {
    std::string all;
    std::istringstream in(content(file));
    for (std::string line; std::getline(in, line);) {
      const auto event = nlohmann::json::parse(line, nullptr, false);
      std::string id = event.is_object() ? event.value("id", "?") : "?";
      id.erase(0, std::min(id.find_first_not_of('0'), id.size() - 1));
      all += (all.empty() ? "" : " ") + id;
    }
    return all;
  }

  const walspout_plugin& plugin_ = load_plugin(FILE_PLUGIN);
  fs::path folder_;
};

}  // namespace walspout::file_test
