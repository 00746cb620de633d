#include "pgoutput/reader.hpp"

#include <cstdio>

namespace walspout::pgoutput {
namespace {

// As the documentation's section heads name them; nullptr for a byte that starts no message.
const char* message_name(char type) {
  switch (type) {
    case 'B':
      return "Begin";
    case 'C':
      return "Commit";
    case 'O':
      return "Origin";
    case 'R':
      return "Relation";
    case 'Y':
      return "Type";
    case 'I':
      return "Insert";
    case 'U':
      return "Update";
    case 'D':
      return "Delete";
    case 'T':
      return "Truncate";
    case 'M':
      return "Message";
    case 'S':
      return "Stream Start";
    case 'E':
      return "Stream Stop";
    case 'c':
      return "Stream Commit";
    case 'A':
      return "Stream Abort";
    case 'b':
      return "Begin Prepare";
    case 'P':
      return "Prepare";
    case 'K':
      return "Commit Prepared";
    case 'r':
      return "Rollback Prepared";
    case 'p':
      return "Stream Prepare";
    default:
      return nullptr;
  }
}

// "0x7A ('z')", the latter only where it can be printed.
std::string show_byte(std::uint8_t byte) {
  const bool printable = byte > 0x20 && byte < 0x7f;
  char text[16];
  const int size = printable ? std::snprintf(text, sizeof text, "0x%02X ('%c')", byte, byte)
                             : std::snprintf(text, sizeof text, "0x%02X", byte);
  return std::string(text, static_cast<std::size_t>(size));
}

}  // namespace

Reader::Reader(std::span<const std::byte> payload)
    : ByteReader(payload), size_(payload.size()), type_(0) {
  if (payload.empty()) throw Malformed("malformed pgoutput message: it is empty");
  type_ = static_cast<char>(u8());
}

std::string_view Reader::string() {
  const std::size_t at = offset();
  try {
    return c_string();
  } catch (const base::Truncated&) {
    fail(at, "a string without its terminating NUL");
  }
}

std::string_view Reader::schema() {
  const std::string_view name = string();
  return name.empty() ? std::string_view("pg_catalog") : name;
}

std::uint8_t Reader::flags(std::uint8_t known) {
  const std::size_t at = offset();
  const std::uint8_t value = u8();
  if ((value & ~known) != 0) fail_byte(at, "unknown flags", value);
  return value;
}

void Reader::fail(std::size_t at, std::string_view what) const {
  const char* name = message_name(type_);
  std::string text = "malformed pgoutput message ";
  text += name != nullptr ? std::string(name)
                          : "of type " + show_byte(static_cast<std::uint8_t>(type_));
  text += " at byte " + std::to_string(at) + " of " + std::to_string(size_) + ": ";
  text += what;
  throw Malformed(text);
}

void Reader::fail_byte(std::size_t at, std::string_view what, std::uint8_t byte) const {
  fail(at, std::string(what) + ' ' + show_byte(byte));
}

void Reader::fail_count(std::size_t at, std::int64_t value) const {
  if (value < 0) fail(at, "a negative count or length, " + std::to_string(value));
  fail(at, "a count or length of " + std::to_string(value) + " does not fit into the " +
               std::to_string(remaining()) + " bytes left");
}

}  // namespace walspout::pgoutput
