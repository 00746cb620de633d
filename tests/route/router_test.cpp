// Which sink gets which change.
#include "routed.hpp"

namespace walspout::route {
namespace {

using testing::ElementsAre;

TEST(Router, SinkThatTakesEverythingSharesTheChunk) {
  Routed feed({rules({})});
  feed.transaction(100, 110, {insert_message(1, {"1", "x"}), insert_message(2, {"2", "y"})});
  const ChunkPtr chunk = feed.assembler.take();
  const Delivery delivery = feed.router.route(0, chunk);
  EXPECT_EQ(delivery.own, nullptr);
  EXPECT_EQ(delivery.pieces().data(), chunk->pieces().data());
  EXPECT_EQ(&delivery.changes(), &chunk->changes());
}

TEST(Router, EachSinkGetsItsTables) {
  Routed feed({rules({"public.a"}), rules({"public.*", "!public.a"}), rules({"other.*"})});
  feed.transaction(100, 110, {insert_message(1, {"1", "x"}), insert_message(2, {"2", "y"})});
  const ChunkPtr chunk = feed.assembler.take();
  EXPECT_THAT(feed.show(feed.router.route(0, chunk)),
              ElementsAre("first last 100..110: 0 insert a (1, x)"));
  EXPECT_THAT(feed.show(feed.router.route(1, chunk)),
              ElementsAre("first last 100..110: 1 insert b (2, y)"));
  EXPECT_TRUE(feed.router.route(2, chunk).empty());
}

TEST(Router, OrdinalsAreThoseOfTheSource) {
  Routed feed({rules({"public.b"})});
  feed.transaction(100, 110,
                   {insert_message(1, {"1", "x"}), insert_message(1, {"2", "x"}),
                    insert_message(2, {"3", "y"}), truncate_message({1, 2})});
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 100..110: 2 insert b (3, y); 4 truncate b"));
}

TEST(Router, OnlyTheOperationsThatWereAskedFor) {
  Routed feed({rules({}, kInsert | kTruncate), rules({}, kUpdate | kDelete)});
  feed.transaction(100, 110,
                   {insert_message(1, {"1", "x"}), update_message(1, 0, {}, {"1", "y"}),
                    delete_message(1, 'K', {"1", transaction::kNull}), truncate_message({1})});
  const ChunkPtr chunk = feed.assembler.take();
  EXPECT_THAT(feed.show(feed.router.route(0, chunk)),
              ElementsAre("first last 100..110: 0 insert a (1, x); 3 truncate a"));
  EXPECT_THAT(feed.show(feed.router.route(1, chunk)),
              ElementsAre("first last 100..110: 1 update a (1, y); 2 delete a (1, ABSENT)"));
}

TEST(Router, MessagesGoToWhoTakesThem) {
  Routed feed({rules({"public.a"}), rules({"public.a"}, ~std::uint32_t{kMessage})});
  feed << logical_message(false, 90, "p", "one");
  feed.transaction(100, 110,
                   {logical_message(true, 95, "p", "two"), insert_message(2, {"1", "x"})});
  const ChunkPtr chunk = feed.assembler.take();
  EXPECT_THAT(
      feed.show(feed.router.route(0, chunk)),
      ElementsAre("first last 89..90: 0 message p: one", "first last 100..110: 0 message p: two"));
  EXPECT_TRUE(feed.router.route(1, chunk).empty());
}

TEST(Router, TransactionsWithNothingForTheSinkAreLeftOut) {
  Routed feed({rules({"public.a"})});
  feed.transaction(100, 110, {insert_message(1, {"1", "x"})});
  feed.transaction(120, 130, {insert_message(2, {"2", "y"})});
  feed.transaction(140, 150, {insert_message(1, {"3", "z"})});
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 100..110: 0 insert a (1, x)",
                                          "first last 140..150: 0 insert a (3, z)"));
}

TEST(Router, ExcludedColumnsAreLeftOutWithoutCopyingValues) {
  Routed feed({rules({}, ~0U, {"public.a.v"})});
  feed << relation_message(1, "a", {{"id", true}, {"v"}, {"w"}});
  feed.transaction(100, 110,
                   {insert_message(1, {"1", "secret", "x"}), insert_message(2, {"2", "kept"}),
                    update_message(1, 'K', {"1", transaction::kNull, transaction::kNull},
                                   {"3", "secret", transaction::kUnchanged})});
  const ChunkPtr chunk = feed.assembler.take();
  const Delivery delivery = feed.router.route(0, chunk);
  EXPECT_THAT(feed.show(delivery),
              ElementsAre("first last 100..110: 0 insert a (1, x); 1 insert b (2, kept);"
                          " 2 update a (1, ABSENT) -> (3, UNCHANGED)"));
  const walspout_change& from = *chunk->changes()[0];
  const walspout_change& to = *delivery.changes()[0];
  EXPECT_EQ(to.new_row[1].data, from.new_row[2].data) << "the value's bytes were copied";
  ASSERT_EQ(to.relation->column_count, 2u);
  const walspout_str name = to.relation->columns[1]->name;
  EXPECT_EQ(std::string_view(name.data, name.size), "w");
  EXPECT_EQ(to.relation->oid, 1u);
  EXPECT_NE(to.relation->version, from.relation->version);
  EXPECT_EQ(delivery.changes()[1], chunk->changes()[1]) << "the other table is shared";
}

TEST(Router, ExclusionMayUsePatterns) {
  Routed feed({rules({}, ~0U, {"public.*.v"})});
  feed.transaction(100, 110, {insert_message(1, {"1", "x"}), insert_message(2, {"2", "y"})});
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 100..110: 0 insert a (1); 1 insert b (2)"));
}

TEST(Router, ExclusionOfAnotherTablesColumnKeepsTheChunkShared) {
  Routed feed({rules({}, ~0U, {"public.c.v"})});
  feed.transaction(100, 110, {insert_message(1, {"1", "x"})});
  EXPECT_EQ(feed.router.route(0, feed.assembler.take()).own, nullptr);
}

TEST(Router, ProjectedRowsOutliveTheRouter) {
  Delivery delivery;
  transaction::Feed memory;  // its budget outlives the rest
  {
    Router router({rules({}, ~0U, {"public.t.v"})}, memory.cache);
    memory.announce();
    memory.transaction(100, 110, {insert_message(1, {"1", "x"})});
    delivery = router.route(0, memory.assembler.take());
  }
  memory.assembler.reset();
  memory.cache = transaction::RelationCache();
  EXPECT_THAT(transaction::show(delivery.pieces(), delivery.changes()),
              ElementsAre("first last 100..110: 0 insert t (1)"));
}

TEST(Router, NewShapeIsProjectedAnew) {
  Routed feed({rules({}, ~0U, {"public.a.v"})});
  feed.transaction(
      100, 110,
      {insert_message(1, {"1", "x"}), relation_message(1, "a", {{"v"}, {"id", true}, {"w"}}),
       insert_message(1, {"x", "2", "y"})});
  EXPECT_THAT(feed.deliver(),
              ElementsAre("first last 100..110: 0 insert a (1); 1 insert a (2, y)"));
}

TEST(Router, RenamedTableIsRoutedByItsNewName) {
  Routed feed({rules({"public.a"})});
  feed.transaction(100, 110,
                   {insert_message(1, {"1", "x"}), relation_message(1, "z", {{"id", true}, {"v"}}),
                    insert_message(1, {"2", "y"})});
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 100..110: 0 insert a (1, x)"));
}

TEST(Router, KnowsWhetherASinkTakesATable) {
  Routed feed({rules({"public.a"})});
  EXPECT_TRUE(feed.router.takes_table(0, "public", "a"));
  EXPECT_FALSE(feed.router.takes_table(0, "public", "b"));
}

}  // namespace
}  // namespace walspout::route
