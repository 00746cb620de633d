#include "capture.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace walspout::pgoutput {
namespace {

int digit(char c) {
  const auto at = std::string_view("0123456789abcdef").find(c);
  if (at == std::string_view::npos)
    throw std::runtime_error("a capture has a line that is not hex");
  return static_cast<int>(at);
}

std::string from_hex(std::string_view line) {
  if (line.size() % 2 != 0) throw std::runtime_error("a capture has half a byte");
  std::string bytes;
  for (std::size_t i = 0; i < line.size(); i += 2) {
    bytes += static_cast<char>(digit(line[i]) * 16 + digit(line[i + 1]));
  }
  return bytes;
}

}  // namespace

std::vector<CapturedMessage> read_capture(std::string_view name) {
  const std::string path = std::string(WALSPOUT_CAPTURES "/") + std::string(name) + ".hex";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<CapturedMessage> messages;
  Context context;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      if (line.find("streaming=parallel") != std::string::npos) context.parallel = true;
      continue;
    }
    std::string bytes = from_hex(line);
    if (bytes[0] == 'E') context.in_stream = false;
    messages.push_back({bytes, context});
    if (bytes[0] == 'S') context.in_stream = true;
  }
  return messages;
}

std::vector<std::string> capture_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(WALSPOUT_CAPTURES)) {
    if (entry.path().extension() == ".hex") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Capture::Capture(std::string_view name) {
  for (const CapturedMessage& captured : read_capture(name)) {
    const Payload& payload = payloads_.emplace_back(captured.bytes);
    messages_.push_back(decode(payload.span(), captured.context, arena_));
  }
}

std::string Capture::shape() const {
  std::string shape;
  for (const Payload& payload : payloads_) {
    const char type = static_cast<char>(payload.span()[0]);
    if (type != 'I' || !shape.ends_with('I')) shape += type;
  }
  return shape;
}

Relation Capture::relation(std::string_view name) const& {
  Relation found{};
  for (const Relation& relation : all<Relation>()) {
    if (relation.name == name) found = relation;
  }
  EXPECT_EQ(found.name, name);
  return found;
}

}  // namespace walspout::pgoutput
