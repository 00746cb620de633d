// Rates of the plugin alone: inserts and single-row updates, groups of `group` transactions of
// `size` rows. bench_plugin_sqlite FILE [rows] [group] [size]
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <walspout/testing.hpp>

namespace {

namespace oid = walspout::oid;
using walspout::testing::Cell;
using walspout::testing::Driver;
using walspout::testing::Relation;
using walspout::testing::Row;
using walspout::testing::Txn;

Row order(int id, int customer) {
  return {Cell(std::to_string(id)),
          Cell(std::to_string(customer)),
          Cell("note of order " + std::to_string(id) + ", to be delivered"),
          Cell("2026-01-31 12:00:00.123456+00"),
          Cell(std::to_string(customer % 1000) + ".50"),
          Cell(customer % 2 == 0 ? "t" : "f")};
}

double cpu_seconds() {
  rusage u = {};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

// Prepared before the clock starts; delivered and flushed under it.
void measure(Driver& sink, const char* what, const std::vector<std::unique_ptr<Txn>>& txns,
             size_t group, size_t rows) {
  const double cpu_start = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  size_t n = 0;
  for (const auto& t : txns) {
    if (!sink.deliver(*t).ok() || (++n % group == 0 && !sink.flush().ok())) {
      std::fprintf(stderr, "%s\n", sink.last().message.c_str());
      std::exit(1);
    }
  }
  sink.flush();
  const std::chrono::duration<double> d = std::chrono::steady_clock::now() - start;
  std::printf("%-8s %8zu transactions, %5zu a group: %8.0f rows/s, CPU %.2f s a million rows\n",
              what, txns.size(), group, static_cast<double>(rows) / d.count(),
              (cpu_seconds() - cpu_start) * 1e6 / static_cast<double>(rows));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int rows = argc > 2 ? std::atoi(argv[2]) : 300000;
  const size_t group = argc > 3 ? static_cast<size_t>(std::atoi(argv[3])) : 1000;
  const int size = argc > 4 ? std::atoi(argv[4]) : 1;
  Relation table = walspout::testing::relation("public", "orders")
                       .column("id", oid::kInt8, walspout::testing::primary)
                       .column("customer_id", oid::kInt4)
                       .column("note", oid::kText)
                       .column("created_at", oid::kTimestamptz)
                       .column("amount", oid::kNumeric)
                       .type_mod((12 << 16 | 2) + 4)
                       .column("paid", oid::kBool);
  Driver sink(walspout::testing::load_plugin(WALSPOUT_SQLITE_PLUGIN), {{"path", argv[1]}});
  if (!sink.open().ok()) return 1;
  std::mt19937 random(1);
  walspout_lsn lsn = 0x1000;
  std::vector<std::unique_ptr<Txn>> inserts, updates;
  for (int i = 0; i < rows;) {
    inserts.push_back(std::make_unique<Txn>(lsn += 0x100));
    updates.push_back(std::make_unique<Txn>(lsn + walspout_lsn{0x100000000}));
    for (int k = 0; k < size && i < rows; ++k, ++i) {
      inserts.back()->insert(table, order(i + 1, i % 5000));
      updates.back()->update(
          table, order(1 + static_cast<int>(random() % static_cast<unsigned>(rows)), i));
    }
  }
  measure(sink, "insert", inserts, group, static_cast<size_t>(rows));
  measure(sink, "update", updates, group, static_cast<size_t>(rows));
}
