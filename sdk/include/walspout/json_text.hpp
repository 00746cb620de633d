// walspout/json_text.hpp - the pieces of JSON that events are made of: strings, numbers, bytes.
// Each function appends to a buffer of the caller's, which may be used again and again; nothing
// else is allocated. Threads: any, there is no state. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace walspout {
namespace detail {

// The first byte in [p, end) that a JSON string cannot take as it is, or that is not ASCII.
inline const char* skip_plain(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i blank = _mm_set1_epi8(0x20);
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  for (; end - p >= 16; p += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    // The comparison is signed: bytes from 0x80 on are negative, and so "less than a blank" too.
    const __m128i special =
        _mm_or_si128(_mm_cmplt_epi8(v, blank),
                     _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)));
    const int mask = _mm_movemask_epi8(special);
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
  }
#endif
  while (p != end && static_cast<signed char>(*p) >= 0x20 && *p != '"' && *p != '\\') ++p;
  return p;
}

// The length of the UTF-8 character at p (RFC 3629: no overlong form, no surrogate, at most
// U+10FFFF), or 0 when there is none.
inline int utf8_length(const char* p, const char* end) {
  const auto byte = [p](int i) { return static_cast<unsigned char>(p[i]); };
  const auto tail = [&](int i) { return (byte(i) & 0xC0) == 0x80; };
  const auto left = end - p;
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return left >= 2 && tail(1) ? 2 : 0;
  if (first < 0xF0) {
    if (left < 3 || !tail(1) || !tail(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    return first == 0xED && byte(1) > 0x9F ? 0 : 3;
  }
  if (first > 0xF4 || left < 4 || !tail(1) || !tail(2) || !tail(3)) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  return first == 0xF4 && byte(1) > 0x8F ? 0 : 4;
}

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

inline void append_escape(std::string& out, unsigned char c) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default: {
      const char text[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
      out.append(text, sizeof text);
    }
  }
}

// One character that is not ASCII at p; returns its length. The three line ends of Unicode are
// escaped, as many a reader splits lines at them.
inline int append_wide(std::string& out, const char* p, const char* end) {
  const int length = utf8_length(p, end);
  const std::string_view character(p, static_cast<std::size_t>(length));
  if (length == 0) {
    out += kReplacement;
    return 1;
  }
  if (character == "\xE2\x80\xA8") {
    out += "\\u2028";
  } else if (character == "\xE2\x80\xA9") {
    out += "\\u2029";
  } else if (character == "\xC2\x85") {
    out += "\\u0085";
  } else {
    out += character;
  }
  return length;
}

}  // namespace detail

// The text in quotes. Control characters, '"' and '\' are escaped, as are U+0085, U+2028 and
// U+2029; everything else stays UTF-8. A byte that is not UTF-8 (a database in SQL_ASCII may hold
// any) becomes U+FFFD, so that the result is always valid JSON.
inline void append_string(std::string& out, std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  out += '"';
  for (;;) {
    const char* const stop = detail::skip_plain(p, end);
    out.append(p, stop);
    p = stop;
    if (p == end) break;
    if (static_cast<signed char>(*p) < 0) {
      p += detail::append_wide(out, p, end);
    } else {
      detail::append_escape(out, static_cast<unsigned char>(*p++));
    }
  }
  out += '"';
}

// Whether the text is a number as RFC 8259 section 6 writes it. "NaN", "Infinity" and "" are none.
inline bool is_json_number(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - from;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const std::size_t whole = i;
  const std::size_t count = digits();
  if (count == 0 || (count > 1 && text[whole] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

// The digits as they are, so that none is lost; NaN and infinities in quotes.
inline void append_number(std::string& out, std::string_view text) {
  if (is_json_number(text)) {
    out += text;
  } else {
    append_string(out, text);
  }
}

// JSON text of PostgreSQL (json or jsonb) as it is, save that it stays on one line and is UTF-8:
// raw line ends, which JSON allows between tokens only, become blanks, and bytes that are not UTF-8
// U+FFFD. Digits, blanks, doubled keys and escapes (a lone surrogate's, too) are the source's.
inline void append_json(std::string& out, std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const char* from = p;  // not appended yet
  while (p != end) {
    if (static_cast<signed char>(*p) >= 0x20) {
      ++p;
    } else if (static_cast<signed char>(*p) >= 0) {
      if (*p == '\n' || *p == '\r') {
        out.append(from, p);
        out += ' ';
        from = p + 1;
      }
      ++p;
    } else if (const int length = detail::utf8_length(p, end); length != 0) {
      p += length;
    } else {
      out.append(from, p);
      out += detail::kReplacement;
      from = ++p;
    }
  }
  out.append(from, end);
}

namespace detail {

// byte(i) for i in [0, size), in base64 and quotes.
template <class Byte>
void append_base64_of(std::string& out, std::size_t size, Byte byte) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t start = out.size();
  out.resize(start + 2 + (size + 2) / 3 * 4);
  char* to = out.data() + start;
  *to++ = '"';
  std::size_t i = 0;
  for (; i + 3 <= size; i += 3) {
    const std::uint32_t v = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    *to++ = kAlphabet[v >> 18];
    *to++ = kAlphabet[v >> 12 & 63];
    *to++ = kAlphabet[v >> 6 & 63];
    *to++ = kAlphabet[v & 63];
  }
  const std::size_t left = size - i;
  if (left != 0) {
    const std::uint32_t v = byte(i) << 16 | (left == 2 ? byte(i + 1) << 8 : 0);
    *to++ = kAlphabet[v >> 18];
    *to++ = kAlphabet[v >> 12 & 63];
    *to++ = left == 2 ? kAlphabet[v >> 6 & 63] : '=';
    *to++ = '=';
  }
  *to = '"';
}

// The value of a hexadecimal digit, or 16 and more.
inline std::uint32_t hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
  return c >= 'A' && c <= 'F' ? static_cast<std::uint32_t>(c - 'A' + 10) : 16;
}

}  // namespace detail

// RFC 4648 section 4 ("+/" and padded), in quotes.
inline void append_base64(std::string& out, std::string_view bytes) {
  detail::append_base64_of(out, bytes.size(), [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(bytes[i]);
  });
}

// The same of the bytes that bytea's hex form ("\x68690a") stands for. False, and nothing is
// appended, when the text has another form.
inline bool append_base64_of_hex(std::string& out, std::string_view text) {
  if (text.size() < 2 || text[0] != '\\' || text[1] != 'x' || text.size() % 2 != 0) return false;
  const std::string_view digits = text.substr(2);
  for (const char c : digits)
    if (detail::hex_digit(c) > 15) return false;
  detail::append_base64_of(out, digits.size() / 2, [&](std::size_t i) {
    return detail::hex_digit(digits[2 * i]) << 4 | detail::hex_digit(digits[2 * i + 1]);
  });
  return true;
}

}  // namespace walspout
