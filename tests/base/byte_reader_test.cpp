#include "base/byte_reader.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace walspout::base {
namespace {

// Bytes on the heap in their exact size, so that AddressSanitizer sees a read too far.
class Bytes {
 public:
  explicit Bytes(const std::string& text)
      : size_(text.size()), data_(std::make_unique<std::byte[]>(size_)) {
    if (size_ != 0) std::memcpy(data_.get(), text.data(), size_);
  }
  std::span<const std::byte> span() const { return {data_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> data_;
};

TEST(ByteReader, NumbersAreBigEndian) {
  const Bytes bytes(
      std::string("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f", 15));
  ByteReader reader(bytes.span());
  EXPECT_EQ(reader.u8(), 0x01);
  EXPECT_EQ(reader.u16(), 0x0203);
  EXPECT_EQ(reader.u32(), 0x04050607u);
  EXPECT_EQ(reader.u64(), 0x08090a0b0c0d0e0full);
  EXPECT_EQ(reader.remaining(), 0u);
  EXPECT_EQ(reader.offset(), 15u);
}

TEST(ByteReader, SignedNumbersKeepTheirSign) {
  const Bytes bytes(std::string("\xff\xfe\xff\xff\xff\xfe\xff\xff\xff\xff\xff\xff\xff\xfe", 14));
  ByteReader reader(bytes.span());
  EXPECT_EQ(reader.i16(), -2);
  EXPECT_EQ(reader.i32(), -2);
  EXPECT_EQ(reader.i64(), -2);
}

TEST(ByteReader, StringEndsBeforeItsNul) {
  const Bytes bytes(std::string("ab\0\0c", 5));
  ByteReader reader(bytes.span());
  EXPECT_EQ(reader.c_string(), "ab");
  EXPECT_EQ(reader.c_string(), "");
  EXPECT_EQ(reader.remaining(), 1u);
}

TEST(ByteReader, StringWithoutNulIsTruncated) {
  const Bytes bytes("abc");
  ByteReader reader(bytes.span());
  EXPECT_THROW(reader.c_string(), Truncated);
  EXPECT_EQ(reader.offset(), 0u) << "a failed read must leave nothing read";
}

TEST(ByteReader, StringOfNoBytesIsTruncated) {
  ByteReader reader({});
  EXPECT_THROW(reader.c_string(), Truncated);
}

TEST(ByteReader, EveryNumberIsCheckedAgainstTheEnd) {
  for (std::size_t size = 0; size < 8; ++size) {
    const Bytes bytes(std::string(size, 'x'));
    if (size < 1) {
      EXPECT_THROW(ByteReader(bytes.span()).u8(), Truncated);
    }
    if (size < 2) {
      EXPECT_THROW(ByteReader(bytes.span()).u16(), Truncated);
    }
    if (size < 4) {
      EXPECT_THROW(ByteReader(bytes.span()).u32(), Truncated);
    }
    EXPECT_THROW(ByteReader(bytes.span()).u64(), Truncated);
  }
}

TEST(ByteReader, FailedNumberLeavesNothingRead) {
  const Bytes bytes("\x01\x02");
  ByteReader reader(bytes.span());
  EXPECT_THROW(reader.u32(), Truncated);
  EXPECT_EQ(reader.u16(), 0x0102);
}

TEST(ByteReader, MoreBytesThanThereAreAreTruncated) {
  const Bytes bytes("abc");
  ByteReader reader(bytes.span());
  EXPECT_THROW(reader.bytes(4), Truncated);
  EXPECT_THROW(reader.bytes(static_cast<std::size_t>(-1)), Truncated);
  EXPECT_EQ(reader.bytes(3).size(), 3u);
}

}  // namespace
}  // namespace walspout::base
