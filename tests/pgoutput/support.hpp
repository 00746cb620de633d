// The tests' tiny language: messages written field by field, rows as readable text.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pgoutput/message.hpp"

namespace walspout::pgoutput {

// Bytes of a message, in the order of the documentation's tables.
class Build {
 public:
  explicit Build(char type) { u8(static_cast<std::uint8_t>(type)); }

  Build& u8(std::uint8_t value) { return number(value, 1); }
  Build& u16(std::uint16_t value) { return number(value, 2); }
  Build& u32(std::uint32_t value) { return number(value, 4); }
  Build& u64(std::uint64_t value) { return number(value, 8); }
  Build& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  Build& str(std::string_view text) { return raw(text).u8(0); }

  Build& null() { return raw("n"); }
  Build& unchanged() { return raw("u"); }
  Build& text(std::string_view value) { return sized('t', value); }
  Build& binary(std::string_view value) { return sized('b', value); }

  const std::string& bytes() const { return bytes_; }

 private:
  Build& number(std::uint64_t value, int size) {
    for (int i = size - 1; i >= 0; --i) bytes_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  Build& sized(char kind, std::string_view value) {
    return u8(static_cast<std::uint8_t>(kind))
        .u32(static_cast<std::uint32_t>(value.size()))
        .raw(value);
  }

  std::string bytes_;
};

// "(1, 'one', NULL, UNCHANGED, x00ff)": text values quoted, binary ones as hex.
inline std::string show(std::span<const walspout_value> row) {
  std::string out = "(";
  for (const walspout_value& value : row) {
    if (out.size() > 1) out += ", ";
    const std::string_view data(static_cast<const char*>(value.data), value.size);
    switch (value.state) {
      case WALSPOUT_NULL:
        out += "NULL";
        break;
      case WALSPOUT_UNCHANGED:
        out += "UNCHANGED";
        break;
      case WALSPOUT_TEXT:
        out += "'" + std::string(data) + "'";
        break;
      case WALSPOUT_BINARY:
        out += 'x';
        for (const char c : data) {
          out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
          out += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
        }
        break;
      default:
        out += "state " + std::to_string(value.state);
    }
  }
  return out + ")";
}

// Payloads live on the heap with their exact size, so that AddressSanitizer sees each byte read too
// far.
class Payload {
 public:
  explicit Payload(std::string_view bytes)
      : size_(bytes.size()), bytes_(std::make_unique<std::byte[]>(size_)) {
    if (size_ != 0) std::memcpy(bytes_.get(), bytes.data(), size_);
  }
  std::span<std::byte> span() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

class Decode : public testing::Test {
 protected:
  Message message(std::string_view bytes) {
    payloads_.emplace_back(bytes);
    return decode(payloads_.back().span(), context, arena);
  }

  template <class T>
  T as(const Build& build) {
    return std::get<T>(message(build.bytes()));
  }

  // What Malformed says about the message; a failure of the test when it is none.
  std::string malformed(std::string_view bytes) {
    try {
      message(bytes);
    } catch (const Malformed& error) {
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
      return error.what();
    }
    ADD_FAILURE() << "decoded, though malformed";
    return "";
  }
  std::string malformed(const Build& build) { return malformed(build.bytes()); }

  Context context;
  base::Arena arena;

 private:
  std::vector<Payload> payloads_;
};

}  // namespace walspout::pgoutput
