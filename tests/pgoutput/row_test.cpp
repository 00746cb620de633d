// Insert, Update, Delete and Truncate.
#include "support.hpp"

namespace walspout::pgoutput {
namespace {

using RowMessages = Decode;

TEST_F(RowMessages, InsertHasEachKindOfValue) {
  const auto insert = as<Insert>(Build('I')
                                     .u32(16384)
                                     .raw("N")
                                     .u16(5)
                                     .text("one")
                                     .null()
                                     .unchanged()
                                     .binary(std::string_view("\0\xff", 2))
                                     .text(""));
  EXPECT_EQ(insert.xid, 0U);
  EXPECT_EQ(insert.relation_oid, 16384U);
  EXPECT_EQ(show(insert.new_row), "('one', NULL, UNCHANGED, x00ff, '')");
}

TEST_F(RowMessages, ValuesPointIntoThePayloadAndOthersNowhere) {
  const Payload payload(Build('I').u32(1).raw("N").u16(3).text("ab").text("").null().bytes());
  const auto row = std::get<Insert>(decode(payload.span(), context, arena)).new_row;
  EXPECT_EQ(row[0].data, payload.span().data() + 13);
  EXPECT_EQ(row[1].data, payload.span().data() + 20);
  EXPECT_EQ(row[2].data, nullptr);
}

TEST_F(RowMessages, ARowTakesOnePieceOfTheArenaAndItsValuesNone) {
  const auto* before = static_cast<std::byte*>(arena.allocate(16, 16));
  const auto insert =
      as<Insert>(Build('I').u32(1).raw("N").u16(3).text("a").text(std::string(5000, 'x')).null());
  const auto* after = static_cast<std::byte*>(arena.allocate(16, 16));
  EXPECT_EQ(static_cast<const void*>(insert.new_row.data()), before + 16);
  EXPECT_EQ(after - before, static_cast<std::ptrdiff_t>(16 + 3 * sizeof(walspout_value)));
}

TEST_F(RowMessages, ARowOfNoColumnsIsEmptyButThere) {
  const auto insert = as<Insert>(Build('I').u32(1).raw("N").u16(0));
  EXPECT_TRUE(insert.new_row.empty());
  EXPECT_NE(insert.new_row.data(), nullptr);
}

TEST_F(RowMessages, UpdateWithoutAnOldRow) {
  const auto update = as<Update>(Build('U').u32(9).raw("N").u16(1).text("new"));
  EXPECT_EQ(update.relation_oid, 9U);
  EXPECT_EQ(update.old_kind, OldRow::kNone);
  EXPECT_EQ(update.old_row.data(), nullptr);
  EXPECT_EQ(show(update.new_row), "('new')");
}

TEST_F(RowMessages, UpdateWithAnOldKey) {
  const auto update = as<Update>(
      Build('U').u32(9).raw("K").u16(2).text("1").null().raw("N").u16(2).text("2").unchanged());
  EXPECT_EQ(update.old_kind, OldRow::kKey);
  EXPECT_EQ(show(update.old_row), "('1', NULL)");
  EXPECT_EQ(show(update.new_row), "('2', UNCHANGED)");
}

TEST_F(RowMessages, UpdateWithAWholeOldRow) {
  const auto update =
      as<Update>(Build('U').u32(9).raw("O").u16(1).text("1").raw("N").u16(1).text("2"));
  EXPECT_EQ(update.old_kind, OldRow::kFull);
  EXPECT_EQ(show(update.old_row), "('1')");
  EXPECT_EQ(show(update.new_row), "('2')");
}

TEST_F(RowMessages, DeleteWithAnOldKey) {
  const auto removed = as<Delete>(Build('D').u32(9).raw("K").u16(2).text("1").null());
  EXPECT_EQ(removed.relation_oid, 9U);
  EXPECT_EQ(removed.old_kind, OldRow::kKey);
  EXPECT_EQ(show(removed.old_row), "('1', NULL)");
}

TEST_F(RowMessages, DeleteWithAWholeOldRow) {
  const auto removed = as<Delete>(Build('D').u32(9).raw("O").u16(1).text("1"));
  EXPECT_EQ(removed.old_kind, OldRow::kFull);
}

TEST_F(RowMessages, TruncateNamesItsTablesInOrder) {
  const auto truncate = as<Truncate>(Build('T').u32(2).u8(0).u32(20).u32(10));
  EXPECT_THAT(truncate.relation_oids, testing::ElementsAre(20U, 10U));
  EXPECT_FALSE(truncate.cascade);
  EXPECT_FALSE(truncate.restart_identity);
}

TEST_F(RowMessages, TruncateKeepsItsOptionsApart) {
  const auto cascade = as<Truncate>(Build('T').u32(1).u8(1).u32(10));
  EXPECT_TRUE(cascade.cascade);
  EXPECT_FALSE(cascade.restart_identity);
  const auto restart = as<Truncate>(Build('T').u32(1).u8(2).u32(10));
  EXPECT_FALSE(restart.cascade);
  EXPECT_TRUE(restart.restart_identity);
}

TEST_F(RowMessages, EachCarriesAnXidInsideOfAStreamedBlock) {
  context.in_stream = true;
  const auto insert = as<Insert>(Build('I').u32(77).u32(9).raw("N").u16(1).text("a"));
  EXPECT_EQ(insert.xid, 77U);
  EXPECT_EQ(insert.relation_oid, 9U);
  EXPECT_EQ(as<Update>(Build('U').u32(78).u32(9).raw("N").u16(1).text("a")).xid, 78U);
  EXPECT_EQ(as<Delete>(Build('D').u32(79).u32(9).raw("K").u16(1).text("a")).xid, 79U);
  EXPECT_EQ(as<Truncate>(Build('T').u32(80).u32(1).u8(0).u32(9)).xid, 80U);
}

TEST_F(RowMessages, AnUnknownKindOfValueIsMalformed) {
  EXPECT_EQ(
      malformed(Build('I').u32(1).raw("N").u16(2).null().raw("x")),
      "malformed pgoutput message Insert at byte 9 of 10: unknown kind of column value 0x78 ('x')");
}

TEST_F(RowMessages, AnInsertWithoutANewRowIsMalformed) {
  EXPECT_THAT(
      malformed(Build('I').u32(1).raw("K").u16(1).null()),
      testing::HasSubstr("Insert at byte 5 of 9: 'N' and a new row expected, not 0x4B ('K')"));
}

TEST_F(RowMessages, AnUpdateOfAnUnknownShapeIsMalformed) {
  EXPECT_THAT(malformed(Build('U').u32(1).raw("X").u16(1).null()),
              testing::HasSubstr(
                  "Update at byte 5 of 9: 'K', 'O' or 'N' and a row expected, not 0x58 ('X')"));
}

TEST_F(RowMessages, AnUpdateWithTwoOldRowsIsMalformed) {
  EXPECT_THAT(
      malformed(Build('U').u32(1).raw("K").u16(1).null().raw("O").u16(1).null()),
      testing::HasSubstr("Update at byte 9 of 13: 'N' and a new row expected, not 0x4F ('O')"));
}

TEST_F(RowMessages, AnUpdateWithOnlyAnOldRowIsMalformed) {
  EXPECT_THAT(malformed(Build('U').u32(1).raw("K").u16(1).null()),
              testing::HasSubstr("Update at byte 9 of 9: the message ends too early"));
}

TEST_F(RowMessages, ADeleteWithANewRowIsMalformed) {
  EXPECT_THAT(malformed(Build('D').u32(1).raw("N").u16(1).null()),
              testing::HasSubstr(
                  "Delete at byte 5 of 9: 'K' or 'O' and an old row expected, not 0x4E ('N')"));
}

TEST_F(RowMessages, MoreColumnsThanBytesLeftAreRefusedBeforeMemoryIsTaken) {
  EXPECT_EQ(
      malformed(Build('I').u32(1).raw("N").u16(32767).raw("nn")),
      "malformed pgoutput message Insert at byte 6 of 10: a count or length of 32767 does not fit "
      "into the 2 bytes left");
  EXPECT_EQ(arena.footprint(), 0U);
}

TEST_F(RowMessages, ANegativeNumberOfColumnsIsRefusedBeforeMemoryIsTaken) {
  EXPECT_EQ(malformed(Build('I').u32(1).raw("N").u16(65535).raw("nn")),
            "malformed pgoutput message Insert at byte 6 of 10: a negative count or length, -1");
  EXPECT_EQ(arena.footprint(), 0U);
}

TEST_F(RowMessages, AValueLongerThanItsMessageIsMalformed) {
  EXPECT_THAT(
      malformed(Build('I').u32(1).raw("N").u16(1).raw("t").u32(0x7FFFFFFF).raw("abc")),
      testing::HasSubstr("at byte 9 of 16: a count or length of 2147483647 does not fit into the 3 "
                         "bytes left"));
}

TEST_F(RowMessages, ANegativeLengthOfAValueIsMalformed) {
  EXPECT_THAT(malformed(Build('I').u32(1).raw("N").u16(1).raw("b").u32(0xFFFFFFFF).raw("abc")),
              testing::HasSubstr("at byte 9 of 16: a negative count or length, -1"));
}

TEST_F(RowMessages, ATruncateOfMoreTablesThanBytesLeftIsRefusedBeforeMemoryIsTaken) {
  EXPECT_THAT(
      malformed(Build('T').u32(0x7FFFFFFF).u8(0).u32(10)),
      testing::HasSubstr("Truncate at byte 1 of 10: a count or length of 2147483647 does not fit"));
  EXPECT_EQ(arena.footprint(), 0U);
}

TEST_F(RowMessages, ATruncateThatEndsInItsLastTableIsMalformed) {
  EXPECT_THAT(malformed(Build('T').u32(2).u8(0).u32(10).raw("abc")),
              testing::HasSubstr("Truncate at byte 10 of 13: the message ends too early"));
}

TEST_F(RowMessages, ATruncateOfANegativeNumberOfTablesIsMalformed) {
  EXPECT_THAT(malformed(Build('T').u32(0xFFFFFFFF).u8(0).u32(10)),
              testing::HasSubstr("a negative count or length, -1"));
}

TEST_F(RowMessages, UnknownFlagsOfATruncateAreMalformed) {
  EXPECT_THAT(malformed(Build('T').u32(1).u8(4).u32(10)),
              testing::HasSubstr("Truncate at byte 5 of 10: unknown flags 0x04"));
}

TEST_F(RowMessages, AMalformedRowIsNeverQuoted) {
  EXPECT_THAT(malformed(Build('I').u32(1).raw("N").u16(1).text("secret").raw("secret")),
              testing::Not(testing::HasSubstr("secret")));
}

}  // namespace
}  // namespace walspout::pgoutput
