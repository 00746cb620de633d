#include "delivered.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "durable_file.hpp"

namespace walspout::webhook {
namespace {

// With the time of the commit, so that another server's transaction at this LSN is another event.
std::string line_of(const Event& event) {
  std::string line;
  event.append_id(line);
  return line + ' ' + std::to_string(event.commit_time_us);
}

}  // namespace

Delivered::Delivered(std::string path) : path_(std::move(path)) {
  const std::string content = read_file(path_);
  std::string_view rest = content;
  for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos;) {
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    walspout_lsn lsn = 0;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), lsn, 16);
    if (parsed.ec != std::errc()) continue;
    ids_.emplace(line);
    last_ = std::max(last_, lsn);
  }
}

bool Delivered::contains(const Event& event) const {
  return !ids_.empty() && ids_.contains(line_of(event));
}

void Delivered::add(const std::vector<Event>& events) {
  std::string content;
  for (const Event& event : events) {
    if (event.copied) continue;
    ids_.insert(line_of(event));
    last_ = std::max(last_, event.commit_lsn);
  }
  for (const std::string& id : ids_) content += id + '\n';
  if (!events.empty()) replace_file(path_, content);
}

void Delivered::forget(walspout_lsn position) {
  if (ids_.empty() || position <= last_) return;
  remove_file(path_);
  ids_.clear();
  last_ = 0;
}

}  // namespace walspout::webhook
