// pg_logical_emit_message() through to the file: order, identities, restarts.
#include <set>

#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class Messages : public PipelineTest {};

// The server names the end of a non-transactional message's record, and that is where the record of
// the commit begins: taken for a position that contains the commit, it loses the transaction.
TEST_F(Messages, AMessageRightBeforeACommitDoesNotHideTheTransaction) {
  sql("create table a(id int primary key)");
  host().start_streaming();
  for (int i = 1; i <= 40; ++i) {
    const std::string id = std::to_string(i);
    sql("begin; insert into a values (" + id + "); select pg_logical_emit_message(false, 'p', '" +
        id + "'); commit");
    if (i % 10 == 0) {
      if (i % 20 == 0) host().kill9();
      if (i % 20 != 0) host().stop();
      host().start_streaming();
    }
  }
  host().wait_caught_up();
  host().stop();
  EXPECT_EQ(mirrored("a"), 40);
  EXPECT_EQ(count_events("insert", "a"), 40U);
  std::set<std::string> ids;
  std::size_t messages = 0;
  for (const auto& event : events()) {
    EXPECT_TRUE(ids.insert(event["id"].get<std::string>()).second) << event;
    if (event["op"] != "message") continue;
    ++messages;
    EXPECT_TRUE(event["ts"].is_null()) << event;
  }
  EXPECT_EQ(messages, 40U);
}

TEST_F(Messages, TransactionalOnesKeepTheirPlaceAndCountInTheOrdinals) {
  sql("create table a(id int primary key)");
  host().start_streaming();
  sql("begin; insert into a values (1); select pg_logical_emit_message(true, 'p', 'x');"
      "insert into a values (2); commit");
  host().wait_caught_up();
  host().stop();
  const auto all = events();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1]["op"], "message");
  EXPECT_EQ(all[1]["prefix"], "p");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(all[i]["id"].get<std::string>().ends_with("-" + std::to_string(i))) << all[i];
}

}  // namespace
}  // namespace walspout::test
