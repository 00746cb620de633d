// The events of each kind of change, byte for byte.
#include <gtest/gtest.h>
#include <walspout/json.hpp>
#include <walspout/testing.hpp>

#include <string>
#include <vector>

namespace walspout {
namespace {

using namespace testing;  // NOLINT: the fixture's language

std::vector<std::string> events_of(const Txn& txn) {
  EventWriter writer;
  std::vector<std::string> events;
  for (const walspout_change* change : txn.changes()) {
    std::string out;
    if (writer.append(out, txn.get(), *change)) events.push_back(out);
  }
  return events;
}

std::string event_of(const Txn& txn) {
  const auto events = events_of(txn);
  return events.size() == 1 ? events[0] : "not one event";
}

constexpr char kTail[] = R"(,"xid":742,"lsn":"0/1A2B3C4","ts":"2026-01-31T12:00:00.000000Z"})";

Relation orders() {
  return relation("public", "orders")
      .column("id", oid::kInt8, primary)
      .column("paid", oid::kBool)
      .column("amount", oid::kNumeric)
      .column("note", oid::kText);
}

TEST(Event, OfTheContract) {
  Txn txn(0x1A2B3C4);
  const Relation table = orders().identity('f');
  txn.update(table, {absent, "f", absent, absent}, {"7", "t", "12.50", unchanged});
  EXPECT_EQ(
      event_of(txn),
      R"({"id":"0000000001A2B3C4-0","op":"update","schema":"public","table":"orders",)"
      R"("key":{"id":7},"new":{"id":7,"paid":true,"amount":"12.50"},"old":{"paid":false},)"
      R"("unchanged":["note"],"xid":742,"lsn":"0/1A2B3C4","ts":"2026-01-31T12:00:00.000000Z"})");
}

TEST(Event, InsertHasKeyAndNewRow) {
  Txn txn(0x1A2B3C4);
  txn.insert(orders(), {"1", nullopt, nullopt, ""});
  EXPECT_EQ(event_of(txn),
            R"({"id":"0000000001A2B3C4-0","op":"insert","schema":"public","table":"orders",)"
            R"("key":{"id":1},"new":{"id":1,"paid":null,"amount":null,"note":""})" +
                std::string(kTail));
}

TEST(Event, DeleteHoldsWhatTheSourceSent) {
  Txn txn(0x1A2B3C4);
  txn.remove(orders(), {"1", absent, absent, absent});
  EXPECT_EQ(event_of(txn),
            R"({"id":"0000000001A2B3C4-0","op":"delete","schema":"public","table":"orders",)"
            R"("key":{"id":1},"old":{"id":1})" +
                std::string(kTail));
}

TEST(Event, KeyOfAnUpdateIsTheNewOne) {
  Txn txn(0x1A2B3C4);
  txn.update(orders(), {"1", absent, absent, absent}, {"2", "t", "1", "x"});
  EXPECT_NE(event_of(txn).find(R"("key":{"id":2},"new":{"id":2,)"), std::string::npos);
  EXPECT_NE(event_of(txn).find(R"("old":{"id":1},"xid")"), std::string::npos);
}

TEST(Event, KeyFollowsThePrimaryKeysOrder) {
  const Relation table = relation("s", "t")
                             .column("b", oid::kInt4, primary)
                             .key_ordinal(2)
                             .column("a", oid::kInt4, primary)
                             .key_ordinal(1);
  Txn txn(1);
  txn.insert(table, {"1", "2"});
  EXPECT_NE(event_of(txn).find(R"("key":{"a":2,"b":1},"new":{"b":1,"a":2})"), std::string::npos);
}

TEST(Event, AToastedKeyThatStaysIsTakenFromTheOldRow) {
  Relation table = relation("s", "t").column("k", oid::kText, primary).column("v", oid::kInt4);
  Txn txn(1);
  txn.update(table, {"long", absent}, {unchanged, "2"});
  EXPECT_NE(event_of(txn).find(
                R"("key":{"k":"long"},"new":{"v":2},"old":{"k":"long"},"unchanged":["k"])"),
            std::string::npos);
}

TEST(Event, WithoutAPrimaryKeyTheReplicaIdentityIsTheKey) {
  Relation table =
      relation("s", "t").column("a", oid::kInt4).column("e", oid::kText, key).identity('i');
  Txn txn(1);
  txn.insert(table, {"1", "x"});
  EXPECT_NE(event_of(txn).find(R"("key":{"e":"x"})"), std::string::npos);
}

TEST(Event, ADeleteWithoutThePrimaryKeyIsKeyedByTheReplicaIdentity) {
  Relation table = relation("s", "t")
                       .column("id", oid::kInt4, WALSPOUT_COLUMN_PRIMARY)
                       .column("e", oid::kText, key)
                       .identity('i');
  Txn txn(1);
  txn.remove(table, {absent, "x"});
  EXPECT_NE(event_of(txn).find(R"("key":{"e":"x"},"old":{"e":"x"})"), std::string::npos);
}

TEST(Event, FullIdentityWithoutAPrimaryKeyHasNoKey) {
  Relation table =
      relation("s", "t").column("a", oid::kInt4, key).column("b", oid::kInt4, key).identity('f');
  Txn txn(1);
  txn.remove(table, {"1", nullopt});
  EXPECT_NE(event_of(txn).find(R"("key":null,"old":{"a":1,"b":null})"), std::string::npos);
}

TEST(Event, TruncateNamesItsFlags) {
  Txn txn(0x1A2B3C4);
  txn.truncate(orders(), WALSPOUT_TRUNCATE_CASCADE)
      .truncate(orders(), WALSPOUT_TRUNCATE_RESTART_IDENTITY);
  EXPECT_EQ(events_of(txn)[0],
            R"({"id":"0000000001A2B3C4-0","op":"truncate","schema":"public","table":"orders",)"
            R"("cascade":true,"restart_identity":false)" +
                std::string(kTail));
  EXPECT_NE(events_of(txn)[1].find(R"(A2B3C4-1","op":"truncate")"), std::string::npos);
  EXPECT_NE(events_of(txn)[1].find(R"("cascade":false,"restart_identity":true)"),
            std::string::npos);
}

TEST(Event, MessageCarriesAnyBytes) {
  Txn txn(0x1A2B3C4);
  txn.message("app \"x\"", std::string("\0\xFF", 2));
  EXPECT_EQ(event_of(txn),
            R"({"id":"0000000001A2B3C4-0","op":"message","prefix":"app \"x\"","content":"AP8=")" +
                std::string(kTail));
}

TEST(Event, RowsOfACopyAreReads) {
  Txn txn(0x1A2B3C4);
  txn.snapshot(12).ordinal(345).insert(orders(), {"1", "t", "2", "x"});
  EXPECT_EQ(event_of(txn),
            R"({"id":"copy-12-345","op":"read","schema":"public","table":"orders","key":{"id":1},)"
            R"("new":{"id":1,"paid":true,"amount":"2","note":"x"},)"
            R"("xid":0,"lsn":"0/1A2B3C4","ts":"2026-01-31T12:00:00.000000Z"})");
}

TEST(Event, CopyBeginAndEndAreNone) {
  Txn txn(1);
  txn.snapshot(1).copy_begin(orders()).copy_end(orders());
  EXPECT_TRUE(events_of(txn).empty());
}

TEST(Event, SchemaTellsTheNewShapeAndWhatBecameOfTheOld) {
  const Relation before = orders();
  const Relation after = relation("public", "orders2")
                             .column("id", oid::kInt8, primary)
                             .column("sum", oid::kNumeric)
                             .type_mod(655366)
                             .column("tags", oid::kTextArray);
  Txn txn(0x1A2B3C4);
  txn.schema(before, after, {0, 2, -1}, {nullopt, nullopt, "{a}"}).insert(after, {"1", "2", "{}"});
  EXPECT_EQ(events_of(txn)[0],
            R"({"id":"0000000001A2B3C4-0-s","op":"schema","schema":"public","table":"orders2",)"
            R"("columns":[{"name":"id","type":"bigint","primary":true,"key":true,"not_null":true},)"
            R"({"name":"sum","type":"numeric","type_mod":655366,"was":"amount"},)"
            R"({"name":"tags","type":"text[]","added":true,"fill":["a"]}],)"
            R"("dropped":["paid","note"],"renamed_from":{"schema":"public","table":"orders"})" +
                std::string(kTail));
  EXPECT_EQ(events_of(txn)[1].substr(0, 30), R"({"id":"0000000001A2B3C4-0","op)");
}

TEST(Event, FirstSchemaOfATableHasTheShapeAlone) {
  Txn txn(0x1A2B3C4);
  txn.schema(relation("s", "t").column("a", oid::kInt4));
  EXPECT_EQ(event_of(txn), R"({"id":"0000000001A2B3C4-0-s","op":"schema","schema":"s","table":"t",)"
                           R"("columns":[{"name":"a","type":"integer"}])" +
                               std::string(kTail));
}

TEST(Event, NamesAreEscaped) {
  Txn txn(1);
  txn.insert(relation("a\"b", "t\\").column("c\nd", oid::kInt4, primary), {"1"});
  EXPECT_NE(
      event_of(txn).find(R"("schema":"a\"b","table":"t\\","key":{"c\nd":1},"new":{"c\nd":1})"),
      std::string::npos);
}

TEST(Event, DomainsAreWrittenAsTheirBaseType) {
  Txn txn(1);
  txn.insert(relation("s", "t").domain("n", 16999, oid::kInt4).domain("l", 17000, oid::kInt4Array),
             {"5", "{1}"});
  EXPECT_NE(event_of(txn).find(R"("new":{"n":5,"l":[1]})"), std::string::npos);
}

// Numbers beyond a double keep their digits: see xataio/pgstream issue 824.
TEST(Event, LedgerKeepsEveryDigit) {
  Relation ledger = relation("public", "ledger")
                        .column("id", oid::kInt8, primary)
                        .column("small", oid::kInt2)
                        .column("doc", oid::kJsonb)
                        .column("raw", oid::kJson)
                        .column("f", oid::kFloat8);
  Txn txn(1);
  txn.insert(ledger, {"-9223372036854775808", "-32768",
                      R"({"m": [1)" + std::string(400, '0') +
                          R"(, 0.1000000000000000000001], "n": 9007199254740993})",
                      R"({"n": 1E400})", "1e-307"});
  EXPECT_NE(
      event_of(txn).find(
          R"("new":{"id":-9223372036854775808,"small":-32768,"doc":{"m": [1)" +
          std::string(400, '0') +
          R"(, 0.1000000000000000000001], "n": 9007199254740993},"raw":{"n": 1E400},"f":1e-307})"),
      std::string::npos);
}

TEST(Event, BinaryByteaIsBase64AndOtherBinaryValuesAreRefused) {
  Txn txn(1);
  txn.insert(relation("s", "t").column("b", oid::kBytea), {Cell::binary("foo")});
  EXPECT_NE(event_of(txn).find(R"("new":{"b":"Zm9v"})"), std::string::npos);
  Txn wrong(1);
  wrong.insert(relation("s", "t").column("i", oid::kInt4), {Cell::binary(std::string(4, '\0'))});
  EXPECT_THROW(events_of(wrong), Error);
}

TEST(Event, TheEndOfAnotherTransactionIsItsOwn) {
  EventWriter writer;
  const Relation table = orders();
  Txn one(0x10), two(0x20);
  one.xid(5).remove(table, {"1", absent, absent, absent});
  two.xid(6).commit_time_us(1).remove(table, {"1", absent, absent, absent});
  std::string out;
  writer.append(out, one.get(), *one.changes()[0]);
  writer.append(out, two.get(), *two.changes()[0]);
  EXPECT_NE(out.find(R"("xid":5,"lsn":"0/10","ts":"2026-)"), std::string::npos);
  EXPECT_NE(out.find(R"("xid":6,"lsn":"0/20","ts":"1970-)"), std::string::npos);
}

TEST(Event, WithoutACommitTimeTheTimestampIsNull) {
  Txn txn(0x10);
  txn.commit_time_us(0).remove(orders(), {"1", absent, absent, absent});
  EXPECT_NE(event_of(txn).find(R"("ts":null})"), std::string::npos);
}

}  // namespace
}  // namespace walspout
