// One fuzzing input of the pgoutput decoder: a byte of context, then the message. Shared by the
// libFuzzer target and by the test that replays its corpus.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "pgoutput/message.hpp"

namespace walspout::fuzz {

// The context byte's bits; others are ignored.
enum : std::uint8_t { kInStream = 1, kParallel = 2 };

// Reads what a consumer would read, so that a view beyond its message is found; aborts on a view or
// a state that decode() does not promise.
class Toucher {
 public:
  explicit Toucher(std::span<const std::byte> payload) : payload_(payload) {}

  void bytes(const void* data, std::size_t size) {
    const auto* byte = static_cast<const volatile unsigned char*>(data);  // reads that must happen
    for (std::size_t i = 0; i < size; ++i) static_cast<void>(byte[i]);
  }
  void inside(const void* data, std::size_t size) {
    const auto* start = static_cast<const std::byte*>(data);
    if (start < payload_.data() || start + size > payload_.data() + payload_.size()) std::abort();
    bytes(data, size);
  }
  void text(std::string_view value) { bytes(value.data(), value.size()); }
  void row(std::span<const walspout_value> row) {
    if (row.size() > payload_.size()) std::abort();
    for (const walspout_value& value : row) {
      if (value.state == WALSPOUT_TEXT || value.state == WALSPOUT_BINARY) {
        inside(value.data, value.size);
      } else if ((value.state != WALSPOUT_NULL && value.state != WALSPOUT_UNCHANGED) ||
                 value.data != nullptr || value.size != 0) {
        std::abort();
      }
    }
  }

  void operator()(const pgoutput::Insert& message) { row(message.new_row); }
  void operator()(const pgoutput::Update& message) {
    if ((message.old_kind == pgoutput::OldRow::kNone) != (message.old_row.data() == nullptr)) {
      std::abort();
    }
    row(message.old_row);
    row(message.new_row);
  }
  void operator()(const pgoutput::Delete& message) { row(message.old_row); }
  void operator()(const pgoutput::Truncate& message) {
    bytes(message.relation_oids.data(), message.relation_oids.size_bytes());
  }
  void operator()(const pgoutput::Relation& message) {
    text(message.schema);
    text(message.name);
    for (const pgoutput::RelationColumn& column : message.columns) text(column.name);
  }
  void operator()(const pgoutput::Type& message) {
    text(message.schema);
    text(message.name);
  }
  void operator()(const pgoutput::Origin& message) { text(message.name); }
  void operator()(const pgoutput::LogicalMessage& message) {
    text(message.prefix);
    inside(message.content.data(), message.content.size());
  }
  template <class T>
  void operator()(const T& message) {
    if constexpr (requires { message.gid; }) text(message.gid);
  }

 private:
  std::span<const std::byte> payload_;
};

// True if the input is a message; false if it is malformed. Everything else is a bug.
inline bool run_pgoutput(std::span<const std::uint8_t> input) {
  if (input.empty()) return false;
  pgoutput::Context context;
  context.in_stream = (input[0] & kInStream) != 0;
  context.parallel = (input[0] & kParallel) != 0;
  const std::size_t size = input.size() - 1;
  const auto payload = std::make_unique<std::byte[]>(size);  // of exact size, for AddressSanitizer
  if (size != 0) std::memcpy(payload.get(), input.data() + 1, size);
  base::Arena arena;
  try {
    const pgoutput::Message message = pgoutput::decode({payload.get(), size}, context, arena);
    Toucher toucher({payload.get(), size});
    std::visit(toucher, message);
    // Sixteen bytes for each byte received, and a block's worth of rounding up.
    if (arena.footprint() > 16 * size + base::Arena::kBlockSize) std::abort();
    return true;
  } catch (const pgoutput::Malformed&) {
    return false;
  }
}

}  // namespace walspout::fuzz
