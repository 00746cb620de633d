#include <poll.h>

#include "fixture.hpp"
#include "postgres/identify.hpp"
#include "postgres/publication.hpp"
#include "postgres/replication_stream.hpp"
#include "postgres/slot.hpp"
#include "support/tcp_proxy.hpp"

namespace walspout::postgres {

using ::testing::HasSubstr;

class Stream : public WithDatabase {
 protected:
  Stream() {
    sql("CREATE TABLE t (id int PRIMARY KEY, x text); CREATE PUBLICATION pub FOR TABLE t");
    auto replication = replicate();
    SlotOptions options;
    options.name = slot_;
    consistent_point_ = create_slot(replication, options, Interrupt()).consistent_point;
  }
  ~Stream() override {
    eventually(test::Seconds(5), [&] {
      return value("SELECT active FROM pg_replication_slots WHERE slot_name = '" + slot_ + "'") ==
             "f";
    });
    auto conn = connect();
    drop_slot(conn, slot_);
  }

  StreamOptions wanted() const {
    StreamOptions options;
    options.slot = slot_;
    options.publications = {"pub"};
    return options;
  }
  ReplicationStream start(const StreamOptions& options) {
    return ReplicationStream(replicate(), options, Interrupt());
  }

  // Reads until `stop` takes a frame. Fails after a while.
  static bool read_until(ReplicationStream& stream, const std::function<bool(const Frame&)>& stop) {
    const double start = test::now();
    Frame frame;
    while (test::now() - start < 10 * test::patience()) {
      switch (stream.read(frame)) {
        case Read::kMessage:
          if (stop(frame)) return true;
          break;
        case Read::kWouldBlock:
          Interrupt().wait(stream.fd(), POLLIN, deadline_in(100ms));
          break;
        case Read::kEnded:
          return false;
      }
    }
    return false;
  }
  static bool is(const Frame& frame, char type) {
    return frame.kind == Frame::Kind::kWal && !frame.payload.empty() &&
           static_cast<char>(frame.payload[0]) == type;
  }

  std::string slot_ = "stream_" + db_;
  base::Lsn consistent_point_ = 0;
};

TEST_F(Stream, BringsATransactionMessageByMessage) {
  auto stream = start(wanted());
  sql("INSERT INTO t VALUES (1, 'hello')");
  std::string types;
  ASSERT_TRUE(read_until(stream, [&](const Frame& frame) {
    if (frame.kind == Frame::Kind::kWal) types += static_cast<char>(frame.payload[0]);
    return is(frame, 'C');
  }));
  EXPECT_EQ(types, "BRIC");
}

TEST_F(Stream, AKeepaliveTellsThePositionOfAnIdleServer) {
  auto stream = start(wanted());
  sql("CREATE TABLE elsewhere (x int)");
  auto conn = connect();
  const auto target = committed_end(conn);
  StandbyStatus asks;
  asks.reply_requested = true;
  stream.send_status(asks);
  EXPECT_TRUE(read_until(stream, [&](const Frame& frame) {
    if (frame.kind == Frame::Kind::kKeepalive && frame.wal_end < target) stream.send_status(asks);
    return frame.kind == Frame::Kind::kKeepalive && frame.wal_end >= target;
  }));
}

TEST_F(Stream, WhenFinishedTheLastStatusHasReachedTheServer) {
  auto stream = start(wanted());
  sql("INSERT INTO t VALUES (1, 'hello')");
  base::Lsn end = 0;
  ASSERT_TRUE(read_until(stream, [&](const Frame& frame) {
    end = frame.wal_end;
    return is(frame, 'C');
  }));
  stream.send_status({end, end, end, false});
  EXPECT_TRUE(stream.finish(Interrupt(), 10s));
  auto conn = connect();
  const auto slot = find_slot(conn, slot_);
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->confirmed_flush_lsn, end);
  EXPECT_GT(end, consistent_point_);
}

TEST_F(Stream, WithoutAConfirmationTheSameComesAgain) {
  sql("INSERT INTO t VALUES (1, 'hello')");
  for (int round = 0; round < 2; ++round) {
    auto stream = start(wanted());
    EXPECT_TRUE(read_until(stream, [&](const Frame& frame) { return is(frame, 'I'); }));
    EXPECT_TRUE(stream.finish(Interrupt(), 10s));
  }
}

TEST_F(Stream, FinishingInTheMiddleOfManyRowsEndsToo) {
  auto stream = start(wanted());
  sql("INSERT INTO t SELECT i, repeat('x', 1000) FROM generate_series(1, 20000) i");
  ASSERT_TRUE(read_until(stream, [&](const Frame& frame) { return is(frame, 'I'); }));
  EXPECT_TRUE(stream.finish(Interrupt(), 30s));
}

TEST_F(Stream, PublicationNamesOfAnyKindWork) {
  sql("CREATE PUBLICATION \"We\"\"ird, 'Pub'\" FOR TABLE t");
  auto options = wanted();
  options.publications = {"We\"ird, 'Pub'"};
  options.protocol = 2;
  options.streaming = options.messages = true;
  auto stream = start(options);
  sql("INSERT INTO t VALUES (1, 'hello')");
  EXPECT_TRUE(read_until(stream, [&](const Frame& frame) { return is(frame, 'I'); }));
}

TEST_F(Stream, AMissingPublicationIsAnErrorWithItsState) {
  auto options = wanted();
  options.publications = {"nowhere"};
  auto stream = start(options);
  if (stream.connection().server_version() >= 180000) {
    GTEST_SKIP() << "from 18 on it is a warning in the server's log";
  }
  sql("INSERT INTO t VALUES (1, 'hello')");
  try {
    read_until(stream, [](const Frame&) { return false; });
    FAIL();
  } catch (const SqlError& error) {
    EXPECT_EQ(error.sqlstate, "42704");
    EXPECT_THAT(error.what(), HasSubstr("nowhere"));
  }
}

TEST_F(Stream, AMissingSlotIsRefused) {
  auto options = wanted();
  options.slot = "nowhere";
  EXPECT_THAT(message_of<Refused>([&] { start(options); }), HasSubstr("slot nowhere"));
}

TEST_F(Stream, AnActiveSlotIsWorthAnotherTry) {
  auto first = start(wanted());
  try {
    start(wanted());
    FAIL();
  } catch (const SqlError& error) {
    EXPECT_EQ(error.sqlstate, "55006");
    EXPECT_TRUE(is_transient(error));
  }
}

TEST_F(Stream, ATerminatedWalsenderIsALostConnection) {
  auto stream = start(wanted());
  sql("SELECT pg_terminate_backend(" + std::to_string(stream.connection().backend_pid()) + ")");
  EXPECT_THROW(read_until(stream, [](const Frame&) { return false; }), ConnectionLost);
}

TEST_F(Stream, AFullSocketNeverBlocksTheReaderAndKeepsTheNewestStatus) {
  test::TcpProxy proxy(shared_server().socket_path());
  ConnectOptions through;
  through.url = proxy.url(db_);
  through.replication = true;
  ReplicationStream stream(Connection(through, Interrupt()), wanted(), Interrupt());
  proxy.freeze();
  base::Lsn position = consistent_point_;
  for (int i = 0; i < 1'000'000 && !stream.wants_write(); ++i) {
    stream.send_status({position, position, position, false});
  }
  ASSERT_TRUE(stream.wants_write());
  auto conn = connect();
  sql("INSERT INTO t VALUES (1, 'hello')");
  position = committed_end(conn);
  stream.send_status({position, position, position, false});
  proxy.thaw();
  EXPECT_TRUE(stream.finish(Interrupt(), 30s));
  EXPECT_EQ(find_slot(conn, slot_)->confirmed_flush_lsn, position);
}

}  // namespace walspout::postgres
