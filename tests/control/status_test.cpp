#include "control/status.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace walspout::control {
namespace {

TEST(StatusWords, ComeBackAsTheyWere) {
  Status status;
  status.version = "1.2.3";
  status.pid = 42;
  status.up_seconds = 7;
  status.streaming = true;
  status.received = 0x1'0000'0002;
  status.confirmed = 0x1'0000'0001;
  status.memory_used = 10;
  status.memory = 64 << 20;
  status.sinks.resize(2);
  status.sinks[0] = {"mirror", "sqlite", "running", 5, 0, std::nullopt, 0, "", 0};
  status.sinks[1] = {"hook", "webhook",           "retrying",   3, 8, 1500,
                     99,     "no answer\nat all", 1'700'000'000};
  SlotStatus slot;
  slot.name = "walspout";
  slot.wal_status = "extended";
  slot.active = true;
  slot.confirmed = 0x1'0000'0000;
  slot.retained_bytes = 1 << 20;
  slot.safe_bytes = -5;
  slot.growth = 77;
  slot.lost_in_s = 12;
  slot.held_by = "hook";
  status.slot = slot;
  const Status back = parse_status(to_reply(status));
  EXPECT_EQ(back.version, "1.2.3");
  EXPECT_EQ(back.pid, 42);
  EXPECT_EQ(back.up_seconds, 7);
  EXPECT_TRUE(back.streaming);
  EXPECT_EQ(back.received, status.received);
  EXPECT_EQ(back.confirmed, status.confirmed);
  EXPECT_EQ(back.memory_used, 10U);
  EXPECT_EQ(back.memory, 64U << 20);
  ASSERT_EQ(back.sinks.size(), 2U);
  EXPECT_EQ(back.sinks[0].name, "mirror");
  EXPECT_EQ(back.sinks[0].error, "");
  EXPECT_FALSE(back.sinks[0].behind_ms);
  EXPECT_EQ(back.sinks[1].plugin, "webhook");
  EXPECT_EQ(back.sinks[1].state, "retrying");
  EXPECT_EQ(back.sinks[1].durable, 3U);
  EXPECT_EQ(back.sinks[1].behind_bytes, 8U);
  EXPECT_EQ(back.sinks[1].behind_ms, 1500);
  EXPECT_EQ(back.sinks[1].queue_bytes, 99U);
  EXPECT_EQ(back.sinks[1].error, "no answer\nat all");
  EXPECT_EQ(back.sinks[1].error_at, 1'700'000'000);
  ASSERT_TRUE(back.slot);
  EXPECT_EQ(back.slot->name, "walspout");
  EXPECT_EQ(back.slot->wal_status, "extended");
  EXPECT_TRUE(back.slot->active);
  EXPECT_EQ(back.slot->confirmed, slot.confirmed);
  EXPECT_EQ(back.slot->retained_bytes, 1U << 20);
  EXPECT_EQ(back.slot->safe_bytes, -5);
  EXPECT_EQ(back.slot->growth, 77U);
  EXPECT_EQ(back.slot->lost_in_s, 12);
  EXPECT_EQ(back.slot->held_by, "hook");
}

TEST(StatusWords, OfASlotWithoutALimitSayNothingOfOne) {
  Status status;
  status.slot.emplace();
  status.slot->name = "s";
  const Status back = parse_status(to_reply(status));
  ASSERT_TRUE(back.slot);
  EXPECT_FALSE(back.slot->active);
  EXPECT_FALSE(back.slot->safe_bytes);
  EXPECT_FALSE(back.slot->lost_in_s);
  EXPECT_EQ(back.slot->held_by, "");
}

TEST(StatusWords, OfAnotherFormAreRefused) {
  EXPECT_THROW(parse_status({true, {}}), std::runtime_error);
  EXPECT_THROW(parse_status({true, {"sink a b c"}}), std::runtime_error);
  EXPECT_THROW(parse_status({true, {"host 1 x 3 streaming 0/1 0/1 5 6"}}), std::runtime_error);
  EXPECT_THROW(parse_status({true, {"host 1 2 3 streaming 0/1 0/1 5 6", "else"}}),
               std::runtime_error);
}

}  // namespace
}  // namespace walspout::control
