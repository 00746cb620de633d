#include "borders.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <walspout/event_fields.hpp>
#include <walspout/json_text.hpp>

#include "durable_file.hpp"

namespace walspout::webhook {
namespace {

constexpr std::size_t kDigits = 16, kLine = 2 * kDigits + 2;
constexpr std::size_t kManyLines = 4096;

std::string line_of(const Span& span) {
  std::string line;
  append_hex(line, span.first, kDigits);
  line += ' ';
  append_hex(line, span.last, kDigits);
  line += '\n';
  return line;
}

std::optional<walspout_lsn> parse_lsn(std::string_view digits) {
  walspout_lsn lsn = 0;
  for (const char c : digits) {
    const std::uint32_t digit = detail::hex_digit(c);
    if (digit > 15) return std::nullopt;
    lsn = lsn << 4 | digit;
  }
  return lsn;
}

// nullopt for what a crash left of a line: its batch was never sent.
std::optional<Span> parse(std::string_view line) {
  if (line.size() != kLine || line[kDigits] != ' ' || line.back() != '\n') return std::nullopt;
  const auto first = parse_lsn(line.substr(0, kDigits));
  const auto last = parse_lsn(line.substr(kDigits + 1, kDigits));
  if (!first || !last || *first > *last) return std::nullopt;
  return Span{*first, *last};
}

}  // namespace

Borders::Borders(std::string path) : path_(std::move(path)) {
  const std::string content = read_file(path_);
  std::string_view rest = content;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    if (const auto span = parse(rest.substr(0, end))) add(*span);
    rest.remove_prefix(end);
    ++lines_;
  }
  unsaved_.clear();
  torn_ = !content.empty() && content.back() != '\n';
}

std::optional<Span> Borders::find(walspout_lsn commit) const {
  auto after = spans_.upper_bound(commit);
  if (after == spans_.begin()) return std::nullopt;
  --after;
  if (after->second < commit) return std::nullopt;
  return Span{after->first, after->second};
}

void Borders::add(const Span& span) {
  auto at = spans_.upper_bound(span.first);
  if (at != spans_.begin() && std::prev(at)->second >= span.first) --at;
  while (at != spans_.end() && at->first <= span.last) at = spans_.erase(at);
  spans_.emplace(span.first, span.last);
  unsaved_ += line_of(span);
}

void Borders::save() {
  if (unsaved_.empty()) return;
  if (torn_ || (lines_ > kManyLines && spans_.size() < lines_ / 2)) {
    std::string all;
    for (const auto& [first, last] : spans_) all += line_of({first, last});
    replace_file(path_, all);
    lines_ = spans_.size();
  } else {
    torn_ = true;  // until it is known to be whole
    append_to_file(path_, unsaved_);
    lines_ += unsaved_.size() / kLine;
  }
  torn_ = false;
  unsaved_.clear();
}

void Borders::forget(walspout_lsn position) {
  while (!spans_.empty() && spans_.begin()->second < position) spans_.erase(spans_.begin());
}

}  // namespace walspout::webhook
