#include "postgres/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace walspout::postgres {

namespace {

base::Lsn lsn_of(const Result& result, int row, int column) {
  const std::string text = result.string(row, column);
  const auto lsn = base::parse_lsn(text);
  if (!lsn) throw std::runtime_error("the server's answer is no WAL position: " + text);
  return *lsn;
}

// "1min", "500ms", "60s", "0", as SHOW prints a time.
std::chrono::milliseconds parse_time(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  if (error != std::errc()) throw std::runtime_error("the server's answer is no time: " + text);
  if (unit.empty() || unit == "ms") return std::chrono::milliseconds(number);
  if (unit == "s") return std::chrono::seconds(number);
  if (unit == "min") return std::chrono::minutes(number);
  if (unit == "h") return std::chrono::hours(number);
  if (unit == "d") return std::chrono::hours(24 * number);
  throw std::runtime_error("the server's answer is no time: " + text);
}

// Nothing for a line that is empty or a comment.
std::optional<std::pair<std::string_view, std::string_view>> first_two_fields(
    std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  std::string_view fields[2];
  for (std::string_view& field : fields) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    field = line.substr(0, line.find_first_of(kBlank));
    line.remove_prefix(field.size());
  }
  if (fields[0].empty() || fields[0].front() == '#') return std::nullopt;
  return std::pair(fields[0], fields[1]);
}

}  // namespace

SystemIdentity identify_system(Connection& replication, const Interrupt& interrupt) {
  const Result result = replication.exec("IDENTIFY_SYSTEM", interrupt);
  SystemIdentity identity;
  identity.system_id = result.string(0, 0);
  identity.timeline = static_cast<std::uint32_t>(result.integer(0, 1));
  identity.wal_flushed = lsn_of(result, 0, 2);
  identity.database = std::string(result.text(0, 3).value_or(""));
  return identity;
}

TimelineEnds timeline_history(Connection& replication, std::uint32_t timeline,
                              const Interrupt& interrupt) {
  if (timeline <= 1) return {};
  const Result result = replication.exec("TIMELINE_HISTORY " + std::to_string(timeline), interrupt);
  return parse_timeline_history(result.string(0, 1));
}

TimelineEnds parse_timeline_history(std::string_view text) {
  TimelineEnds ends;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto fields = first_two_fields(line);
    if (!fields) continue;
    std::uint32_t timeline = 0;
    const auto [number, position] = *fields;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), timeline);
    const auto lsn = base::parse_lsn(position);
    if (error != std::errc() || end != number.data() + number.size() || !lsn)
      throw std::runtime_error("the server's answer is no history of a timeline: " +
                               std::string(line.substr(0, 100)));
    ends[timeline] = *lsn;
  }
  return ends;
}

std::chrono::milliseconds wal_sender_timeout(Connection& conn, const Interrupt& interrupt) {
  return parse_time(conn.exec("SHOW wal_sender_timeout", interrupt).string(0, 0));
}

bool is_in_recovery(Connection& ordinary, const Interrupt& interrupt) {
  return ordinary.exec("SELECT pg_is_in_recovery()", interrupt).boolean(0, 0);
}

base::Lsn current_wal_lsn(Connection& ordinary, const Interrupt& interrupt) {
  return lsn_of(ordinary.exec("SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
                              "ELSE pg_current_wal_lsn() END",
                              interrupt),
                0, 0);
}

base::Lsn flushed_wal_lsn(Connection& ordinary, const Interrupt& interrupt) {
  return lsn_of(ordinary.exec("SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
                              "ELSE pg_current_wal_flush_lsn() END",
                              interrupt),
                0, 0);
}

base::Lsn without_page_header(base::Lsn lsn, std::uint64_t segment_size, std::uint64_t block_size) {
  constexpr std::uint64_t kLongHeader = 40;   // SizeOfXLogLongPHD, first page of a segment
  constexpr std::uint64_t kShortHeader = 24;  // SizeOfXLogShortPHD
  if (lsn % segment_size == kLongHeader) return lsn - kLongHeader;
  if (lsn % segment_size > block_size && lsn % block_size == kShortHeader) {
    return lsn - kShortHeader;
  }
  return lsn;
}

base::Lsn committed_end(Connection& ordinary, const Interrupt& interrupt) {
  if (is_in_recovery(ordinary, interrupt)) return current_wal_lsn(ordinary, interrupt);
  const Result start = ordinary.exec(
      "SELECT pg_current_wal_insert_lsn(), "
      "(SELECT setting FROM pg_settings WHERE name = 'wal_segment_size'), "
      "(SELECT setting FROM pg_settings WHERE name = 'wal_block_size'), "
      "(SELECT setting FROM pg_settings WHERE name = 'wal_writer_delay')",
      interrupt);
  const auto end =
      without_page_header(lsn_of(start, 0, 0), static_cast<std::uint64_t>(start.integer(0, 1)),
                          static_cast<std::uint64_t>(start.integer(0, 2)));
  // Asynchronous commits reach the disk within three rounds of the WAL writer (documentation,
  // "Asynchronous Commit"). What is behind the last commit may stay unflushed for ever, and the
  // stream does not get there: it is left out.
  const auto deadline =
      deadline_in(3 * std::chrono::milliseconds(start.integer(0, 3)) + std::chrono::seconds(1));
  for (;;) {
    const auto flushed =
        lsn_of(ordinary.exec("SELECT pg_current_wal_flush_lsn()", interrupt), 0, 0);
    if (flushed >= end) return end;
    if (std::chrono::steady_clock::now() >= *deadline) return flushed;
    interrupt.wait(-1, 0, deadline_in(std::chrono::milliseconds(20)));
  }
}

}  // namespace walspout::postgres
