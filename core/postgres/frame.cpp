#include <fmt/format.h>

#include <stdexcept>

#include "base/byte_reader.hpp"
#include "postgres/replication_stream.hpp"

namespace walspout::postgres {

namespace {
// PostgreSQL counts from 2000-01-01.
constexpr std::int64_t kEpochShiftUs = 946'684'800LL * 1'000'000;
}  // namespace

int protocol_for(int server_version) {
  if (server_version >= 160000) return 4;
  if (server_version >= 150000) return 3;
  if (server_version >= 140000) return 2;
  return 1;
}

Frame parse_frame(std::span<const std::byte> message) {
  base::ByteReader in(message);
  Frame frame;
  try {
    switch (const char kind = static_cast<char>(in.u8())) {
      case 'w':
        frame.kind = Frame::Kind::kWal;
        frame.start = in.u64();
        frame.wal_end = in.u64();
        frame.send_time_us = in.i64() + kEpochShiftUs;
        frame.payload = in.bytes(in.remaining());
        break;
      case 'k':
        frame.kind = Frame::Kind::kKeepalive;
        frame.wal_end = in.u64();
        frame.send_time_us = in.i64() + kEpochShiftUs;
        frame.reply_requested = in.u8() != 0;
        break;
      default:
        throw std::runtime_error(fmt::format(
            "the replication stream has a frame of unknown kind {:#04x}", static_cast<int>(kind)));
    }
  } catch (const base::Truncated&) {
    throw std::runtime_error(fmt::format(
        "the replication stream has a frame that ends too early ({} bytes)", message.size()));
  }
  return frame;
}

}  // namespace walspout::postgres
