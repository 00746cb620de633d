#include "verify/digest.hpp"

#include <bit>

namespace walspout::verify {

namespace {

struct State {
  std::uint32_t a, b, c;

  void mix() {
    step(a, c, 4), c += b;
    step(b, a, 6), a += c;
    step(c, b, 8), b += a;
    step(a, c, 16), c += b;
    step(b, a, 19), a += c;
    step(c, b, 4), b += a;
  }

  void finish() {
    last(c, b, 14);
    last(a, c, 11);
    last(b, a, 25);
    last(c, b, 16);
    last(a, c, 4);
    last(b, a, 14);
    last(c, b, 24);
  }

 private:
  static void step(std::uint32_t& x, std::uint32_t y, int bits) {
    x -= y;
    x ^= std::rotl(y, bits);
  }
  static void last(std::uint32_t& x, std::uint32_t y, int bits) {
    x ^= y;
    x -= std::rotl(y, bits);
  }
};

// Up to four bytes, the first the lowest.
std::uint32_t word(std::string_view text, std::size_t from) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4 && from + i < text.size(); ++i)
    value |= std::uint32_t{static_cast<unsigned char>(text[from + i])} << (8 * i);
  return value;
}

}  // namespace

Digest digest(std::string_view text) {
  const std::uint32_t start = 0x9e3779b9U + static_cast<std::uint32_t>(text.size()) + 3923095U;
  State state{start, start, start};
  for (; text.size() >= 12; text.remove_prefix(12)) {
    state.a += word(text, 0);
    state.b += word(text, 4);
    state.c += word(text, 8);
    state.mix();
  }
  state.a += word(text, 0);
  state.b += word(text, 4);
  state.c += word(text, 8) << 8;  // the lowest byte is the length's
  state.finish();
  return std::uint64_t{state.b} << 32 | state.c;
}

std::optional<std::uint64_t> parse_modulo(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  if (number.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : number) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return negative ? 0 - value : value;
}

}  // namespace walspout::verify
