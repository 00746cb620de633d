#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteValues : public MirrorTest {
 protected:
  // What one value of a type becomes: its storage class and itself.
  std::string stored(uint32_t type, const testing::Cell& cell, int32_t type_mod = -1) {
    Relation r = relation("public", "v" + std::to_string(++count_));
    r.column("id", oid::kInt4, primary).column("v", type).type_mod(type_mod);
    insert(r, {"1", cell});
    return rows("SELECT v FROM v" + std::to_string(count_));
  }
  std::string declared() {
    return rows("SELECT type FROM pragma_table_info('v" + std::to_string(count_) +
                "') WHERE name = 'v'");
  }
  static int32_t numeric(int precision, int scale) {
    return (precision << 16 | (scale & 0x7ff)) + 4;
  }
  int count_ = 0;
};

TEST_F(SqliteValues, IntegersKeepEveryDigit) {
  EXPECT_EQ(stored(oid::kInt8, "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(stored(oid::kInt8, "9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(stored(oid::kInt8, "9007199254740993"), "9007199254740993");
  EXPECT_EQ(stored(oid::kInt2, "-32768"), "-32768");
  EXPECT_EQ(stored(oid::kOid, "4294967295"), "4294967295");
  EXPECT_EQ(declared(), "'INTEGER'");
}

TEST_F(SqliteValues, ASingleIntegerKeyIsTheRowid) {
  Relation r = relation("public", "k").column("id", oid::kInt8, primary).column("v", oid::kText);
  insert(r, {"7", "x"});
  EXPECT_EQ(rows("SELECT rowid, id FROM k"), "7|7");
  EXPECT_NE(rows("SELECT sql FROM sqlite_schema WHERE name = 'k'").find("INTEGER PRIMARY KEY"),
            std::string::npos);
}

TEST_F(SqliteValues, BooleansAreZeroAndOne) {
  EXPECT_EQ(stored(oid::kBool, "t"), "1");
  EXPECT_EQ(stored(oid::kBool, "f"), "0");
  EXPECT_EQ(declared(), "'BOOLEAN'");
}

TEST_F(SqliteValues, FloatsEqualThePrintedDecimal) {
  EXPECT_EQ(stored(oid::kFloat4, "0.1"), "r0.10000000000000001");
  EXPECT_EQ(stored(oid::kFloat8, "0.30000000000000004"), "r0.30000000000000004");
  EXPECT_EQ(stored(oid::kFloat8, "1e+23"), "r9.9999999999999992e+22");
  EXPECT_EQ(stored(oid::kFloat8, "10"), "r10");
  EXPECT_EQ(stored(oid::kFloat8, "5e-324"), "r4.9406564584124654e-324");
  EXPECT_EQ(declared(), "'REAL'");
}

TEST_F(SqliteValues, NotANumberIsTextAndInfinitiesAreReal) {
  EXPECT_EQ(stored(oid::kFloat8, "NaN"), "'NaN'");
  EXPECT_EQ(stored(oid::kFloat8, "Infinity"), "rinf");
  EXPECT_EQ(stored(oid::kFloat4, "-Infinity"), "r-inf");
}

TEST_F(SqliteValues, NumericOfUpTo15DigitsIsANumber) {
  EXPECT_EQ(stored(oid::kNumeric, "12.50", numeric(12, 2)), "r12.5");
  EXPECT_EQ(declared(), "'NUMERIC'");
  EXPECT_EQ(stored(oid::kNumeric, "100.00", numeric(5, 2)), "100");
  EXPECT_EQ(stored(oid::kNumeric, "-0.07", numeric(5, 2)), "r-0.070000000000000007");
  EXPECT_EQ(stored(oid::kNumeric, "0.00", numeric(5, 2)), "0");
  EXPECT_EQ(stored(oid::kNumeric, "999999999999999", numeric(15, 0)), "999999999999999");
  EXPECT_EQ(stored(oid::kNumeric, "9999999999.99999", numeric(15, 5)), "r9999999999.9999905");
  EXPECT_EQ(stored(oid::kNumeric, "NaN", numeric(5, 2)), "'NaN'");
}

TEST_F(SqliteValues, NumericsCompareAsNumbers) {
  Relation r = relation("public", "m").column("id", oid::kInt4, primary);
  r.column("amount", oid::kNumeric).type_mod(numeric(12, 2));
  commit([&](Txn& t) { t.insert(r, {"1", "9.50"}).insert(r, {"2", "100.00"}); });
  EXPECT_EQ(rows("SELECT id FROM m WHERE amount > 50"), "2");
  EXPECT_EQ(rows("SELECT id FROM m ORDER BY amount"), "1\n2");
}

TEST_F(SqliteValues, OtherNumericsKeepTheirDigits) {
  EXPECT_EQ(stored(oid::kNumeric, "1.10"), "'1.10'");
  EXPECT_EQ(declared(), "'TEXT'");
  EXPECT_EQ(stored(oid::kNumeric, "100.00", numeric(16, 2)), "'100.00'");
  EXPECT_EQ(stored(oid::kNumeric, "18446744073709551616", numeric(20, 0)),
            "'18446744073709551616'");
  EXPECT_EQ(stored(oid::kNumeric, "Infinity"), "'Infinity'");
  const std::string digits(1000, '7');
  EXPECT_EQ(stored(oid::kNumeric, digits), "'" + digits + "'");
}

TEST_F(SqliteValues, NumericWhoseScaleNoNumberHoldsIsText) {
  EXPECT_EQ(stored(oid::kNumeric, "12000000000000000000000", numeric(3, -20)),
            "'12000000000000000000000'");
  EXPECT_EQ(stored(oid::kNumeric, "1200", numeric(3, -2)), "1200");
  EXPECT_EQ(stored(oid::kNumeric, "0.00000000000000000000000000012", numeric(5, 30)),
            "r1.2000000000000001e-28");
}

TEST_F(SqliteValues, TheOptionNumericTextKeepsDigitsEverywhere) {
  restart({{"numeric", "text"}});
  EXPECT_EQ(stored(oid::kNumeric, "100.00", numeric(5, 2)), "'100.00'");
  EXPECT_EQ(declared(), "'TEXT'");
}

TEST_F(SqliteValues, TheOptionNumericRealStoresNumbersEverywhere) {
  restart({{"numeric", "real"}});
  EXPECT_EQ(stored(oid::kNumeric, "1.10"), "r1.1000000000000001");
  EXPECT_EQ(stored(oid::kNumeric, "NaN"), "'NaN'");
  EXPECT_EQ(stored(oid::kNumeric, "-Infinity"), "r-inf");
}

TEST_F(SqliteValues, AnotherValueOfTheOptionNumericRebuildsTheTable) {
  Relation r = relation("public", "m", 7).column("id", oid::kInt4, primary);
  r.column("v", oid::kNumeric).type_mod(numeric(5, 2));
  insert(r, {"1", "1.50"});
  restart({{"numeric", "text"}});
  insert(r, {"2", "2.00"});
  EXPECT_EQ(rows("SELECT v FROM m ORDER BY id"), "'1.5'\n'2.00'");
}

TEST_F(SqliteValues, ByteaIsABlob) {
  EXPECT_EQ(stored(oid::kBytea, "\\x005c27FF"), "x'005c27ff'");
  EXPECT_EQ(stored(oid::kBytea, "\\x"), "x''");
  EXPECT_EQ(stored(oid::kBytea, "\\x5c78"), "x'5c78'");
}

TEST_F(SqliteValues, TimestamptzHasAnOffsetThatSqliteReads) {
  EXPECT_EQ(stored(oid::kTimestamptz, "2026-01-31 12:00:00.5+00"), "'2026-01-31 12:00:00.5+00:00'");
  EXPECT_EQ(rows("SELECT strftime('%Y-%m-%d %H:%M', v) FROM v1"), "'2026-01-31 12:00'");
  EXPECT_EQ(stored(oid::kTimestamptz, "294276-12-31 23:59:59.999999+00"),
            "'294276-12-31 23:59:59.999999+00:00'");
}

TEST_F(SqliteValues, BcAndInfinityStayAsPrinted) {
  EXPECT_EQ(stored(oid::kTimestamptz, "0044-03-15 00:00:00+00 BC"), "'0044-03-15 00:00:00+00 BC'");
  EXPECT_EQ(stored(oid::kTimestamptz, "-infinity"), "'-infinity'");
  EXPECT_EQ(stored(oid::kTimestamp, "0044-03-15 00:00:00 BC"), "'0044-03-15 00:00:00 BC'");
  EXPECT_EQ(stored(oid::kDate, "infinity"), "'infinity'");
}

TEST_F(SqliteValues, TextIsNeverAltered) {
  EXPECT_EQ(stored(oid::kText, "007"), "'007'");
  EXPECT_EQ(stored(oid::kText, "1e5"), "'1e5'");
  EXPECT_EQ(stored(oid::kText, ""), "''");
  EXPECT_EQ(stored(oid::kText, nullopt), "null");
  EXPECT_EQ(stored(oid::kBpchar, "abc     "), "'abc     '");
  EXPECT_EQ(stored(oid::kText, "tab\tnl\ncr\r\x1b \xe2\x80\xa8 \xf0\x9f\x98\x80"),
            "'tab\tnl\ncr\r\x1b \xe2\x80\xa8 \xf0\x9f\x98\x80'");
  EXPECT_EQ(stored(oid::kJson, R"({"a":1,  "a":2})"), R"('{"a":1,  "a":2}')");
  EXPECT_EQ(stored(oid::kMoney, "-$1,234.50"), "'-$1,234.50'");
}

TEST_F(SqliteValues, ArraysAreJson) {
  EXPECT_EQ(stored(oid::kTextArray, R"({"",NULL,"NULL","a,b"})"), R"('["",null,"NULL","a,b"]')");
  EXPECT_EQ(stored(oid::kInt4Array, "{{1,2},{3,NULL}}"), "'[[1,2],[3,null]]'");
  EXPECT_EQ(stored(oid::kNumericArray, "{NaN,1.10}"), R"('["NaN","1.10"]')");
  EXPECT_EQ(stored(oid::kInt4Array, "{}"), "'[]'");
  EXPECT_EQ(stored(oid::kBoolArray, "{t,NULL,f}"), "'[true,null,false]'");
}

TEST_F(SqliteValues, DomainsAreStoredAsTheirBaseType) {
  Relation r = relation("public", "d").column("id", oid::kInt4, primary);
  r.domain("v", 99999, oid::kNumeric).type_mod(numeric(6, 2));
  insert(r, {"1", "1.50"});
  EXPECT_EQ(rows("SELECT v FROM d"), "r1.5");
}

TEST_F(SqliteValues, CopiedAndStreamedRowsAreIdentical) {
  Relation r = relation("public", "p").column("id", oid::kInt4, primary).column("f", oid::kFloat4);
  r.column("b", oid::kBytea).column("t", oid::kTimestamptz).column("a", oid::kTextArray);
  const Row values = {"1", "1.5", "\\xdeadbeef", "2024-06-15 08:30:45.1+00", "{a,NULL}"};
  Row second = values;
  second[0] = "2";
  commit([&](Txn& t) { t.snapshot(1).copy_begin(r).insert(r, values).copy_end(r); });
  insert(r, second);
  EXPECT_EQ(rows("SELECT count(*) FROM p a JOIN p b ON a.f IS b.f AND a.b IS b.b AND a.t IS b.t "
                 "AND a.a IS b.a AND typeof(a.f) = typeof(b.f) WHERE a.id = 1 AND b.id = 2"),
            "1");
}

TEST_F(SqliteValues, AValueOutsideItsTypesFormIsPoisonAndNamed) {
  Relation r = relation("public", "bad").column("id", oid::kInt4, primary);
  r.column("n", oid::kInt4).column("b", oid::kBytea).column("f", oid::kFloat8);
  r.column("t", oid::kBool);
  for (const Row& row :
       {Row{"1", "x", nullopt, nullopt, nullopt},
        Row{"1", "99999999999999999999", nullopt, nullopt, nullopt},
        Row{"1", nullopt, "abc", nullopt, nullopt}, Row{"1", nullopt, "\\x0", nullopt, nullopt},
        Row{"1", nullopt, "\\xzz", nullopt, nullopt}, Row{"1", nullopt, nullopt, "one", nullopt},
        Row{"1", nullopt, nullopt, "", nullopt}, Row{"1", nullopt, nullopt, nullopt, "yes"}}) {
    Txn txn(next());
    txn.ordinal(5).insert(r, row);
    const Reply reply = sink().deliver(txn);
    EXPECT_EQ(reply.status, WALSPOUT_POISON);
    EXPECT_EQ(reply.commit_lsn, txn.commit_lsn());
    EXPECT_EQ(reply.ordinal, 5U);
    EXPECT_NE(reply.message.find("public.bad, column"), std::string::npos) << reply.message;
  }
}

}  // namespace walspout::sqlite
