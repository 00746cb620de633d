#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postgres/replication_stream.hpp"

namespace walspout::postgres {

namespace {

std::vector<std::byte> bytes(const std::string& text) {
  std::vector<std::byte> all;
  for (const char c : text) all.push_back(static_cast<std::byte>(c));
  return all;
}

std::string u64(std::uint64_t number) {
  std::string text;
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift);
  return text;
}

constexpr std::int64_t kYear2000Us = 946'684'800'000'000;

}  // namespace

TEST(Frame, WalDataHasItsPositionsTimeAndPayload) {
  const auto message = bytes("w" + u64(5) + u64(9) + u64(7) + "body");
  const Frame frame = parse_frame(message);
  EXPECT_EQ(frame.kind, Frame::Kind::kWal);
  EXPECT_EQ(frame.start, 5u);
  EXPECT_EQ(frame.wal_end, 9u);
  EXPECT_EQ(frame.send_time_us, kYear2000Us + 7);
  EXPECT_EQ(std::vector(frame.payload.begin(), frame.payload.end()), bytes("body"));
}

TEST(Frame, KeepaliveTellsWhetherAReplyIsWanted) {
  const auto asks = bytes("k" + u64(9) + u64(7) + '\1');
  const auto tells = bytes("k" + u64(9) + u64(7) + std::string(1, '\0'));
  EXPECT_TRUE(parse_frame(asks).reply_requested);
  EXPECT_FALSE(parse_frame(tells).reply_requested);
  EXPECT_EQ(parse_frame(tells).wal_end, 9u);
}

TEST(Frame, AnEmptyOneIsRefused) { EXPECT_THROW(parse_frame({}), std::runtime_error); }

TEST(Frame, WalDataWithoutAWholeHeaderIsRefused) {
  EXPECT_THROW(parse_frame(bytes("w" + u64(5) + u64(9) + "abc")), std::runtime_error);
}

TEST(Frame, AKeepaliveWithoutItsFlagIsRefused) {
  EXPECT_THROW(parse_frame(bytes("k" + u64(9) + u64(7))), std::runtime_error);
}

TEST(Frame, AnUnknownKindIsRefused) {
  EXPECT_THROW(parse_frame(bytes("z" + u64(9) + u64(7))), std::runtime_error);
}

TEST(Protocol, TheNewestThatTheServerKnows) {
  EXPECT_EQ(protocol_for(130000), 1);
  EXPECT_EQ(protocol_for(140023), 2);
  EXPECT_EQ(protocol_for(150018), 3);
  EXPECT_EQ(protocol_for(180004), 4);
}

}  // namespace walspout::postgres
