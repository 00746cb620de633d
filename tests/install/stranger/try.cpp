// try PLUGIN FILE: the example of the SDK's README.
#include <walspout/testing.hpp>

#include <iostream>

int main(int argc, char** argv) {
  using namespace walspout::testing;  // NOLINT: as the README shows it
  if (argc != 3) return 2;
  const Relation orders = relation("public", "orders")
                              .column("id", walspout::oid::kInt8, primary)
                              .column("note", walspout::oid::kText);
  Driver sink(load_plugin(argv[1]), {{"path", argv[2]}});
  Txn txn(0x100);
  txn.insert(orders, {"1", "a note"})
      .update(orders, {"1", unchanged})
      .remove(orders, {"1", absent});
  if (sink.open().ok() && sink.deliver(txn).ok() && sink.flush().durable == txn.end_lsn()) return 0;
  std::cerr << sink.last().message << "\n";
  return 1;
}
