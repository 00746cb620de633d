// What operators ask for, through the control socket or stored while no host ran.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "log/log.hpp"
#include "pipeline/rule_check.hpp"
#include "pipeline/table_watch.hpp"
#include "route/key_list.hpp"

namespace walspout {

namespace {

// The reader looks at requests between two chunks; it never waits for a sink.
constexpr std::chrono::seconds kPatience{10};

}  // namespace

control::Reply TableWatch::ask(const std::vector<std::string>& words) {
  if (words.front() == "ping") return {};
  if (words.front() == "status") return control::to_reply(status_.get());
  if (words.front() == "pause" || words.front() == "resume") return pause_or_resume(words);
  std::future<control::Reply> answer;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return {false, {"the host is stopping"}};
    requests_.push_back({words, {}});
    answer = requests_.back().reply.get_future();
  }
  wake_.ring();
  if (answer.wait_for(kPatience) != std::future_status::ready)
    return {false, {"the host is not connected to the source; the request is done once it is"}};
  return answer.get();
}

control::Reply TableWatch::pause_or_resume(const std::vector<std::string>& words) {
  if (words.size() != 2) return {false, {words.front() + " takes the name of one sink"}};
  const std::string& name = words[1];
  const auto done = words.front() == "pause" ? sinks_.pause(name) : sinks_.resume(name);
  if (!done) return {false, {"the host runs no sink " + base::quoted(name)}};
  return {true, {*done}};
}

void TableWatch::take_requests() {
  std::vector<Request> requests;
  {
    const std::lock_guard lock(mutex_);
    requests.swap(requests_);
  }
  for (Request& request : requests) {
    control::Reply reply;
    try {
      if (request.words.front() == "resync") {
        reply = resync(control::parse_resync(request.words));
      } else if (request.words.front() == "repair") {
        reply = repair(control::parse_repair(request.words));
      } else {
        reply = {false, {"unknown request " + base::quoted(request.words.front())}};
      }
    } catch (const std::exception& error) {
      reply = {false, {error.what()}};
    }
    request.reply.set_value(std::move(reply));
  }
}

void TableWatch::take_stored_requests() {
  for (const progress::StateStore::Request& stored : store_.requests()) {
    control::Reply reply;
    try {
      reply = resync(control::parse_resync(stored.words));
    } catch (const std::exception& error) {
      reply = {false, {error.what()}};
    }
    if (!reply.ok)
      log::warn("a stored request cannot be done, and is dropped: " + reply.lines.front());
    stored_requests_ = std::max(stored_requests_, stored.id);
  }
}

control::Reply TableWatch::resync(const control::Resync& request) {
  resolver_.look_again();
  control::Reply reply;
  bool known_sink = request.sink.empty();
  std::vector<std::string_view> names;
  const base::TablePatterns patterns(request.patterns);
  if (const auto none = unmatched(request.patterns, resolver_.tables()); !none.empty())
    return {false, {nothing_matches(none)}};
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    names.push_back(sinks_.name(i));
    if (!request.sink.empty() && request.sink != sinks_.name(i)) continue;
    known_sink = true;
    if ((sinks_.caps(i) & WALSPOUT_CAP_SNAPSHOT) == 0) {
      reply.lines.push_back("sink " + sinks_.name(i) + " takes no copies");
      continue;
    }
    for (const postgres::PublishedTable& table : resolver_.tables()) {
      if (!router_.takes_table(i, table.schema, table.name) ||
          !patterns.matches(table.schema, table.name))
        continue;
      SinkTables& mine = tables_.tables(i);
      if (mine.state().stopped.erase(table.oid) != 0) tables_.store_state(i);
      tables_.forgive(i, table.oid);
      tables_.want(i, table.oid, table.full_name());
      reply.lines.push_back(table.full_name() + " is copied anew to sink " + sinks_.name(i));
    }
  }
  for (const std::string& line : reply.lines) log::info("on request: " + line);
  if (!known_sink) {
    const auto near = base::nearest(request.sink, names);
    return {false,
            {"there is no sink " + base::quoted(request.sink) +
             (near ? "; did you mean " + std::string(*near) + "?" : "")}};
  }
  if (reply.lines.empty())
    return {false, {"no table that a sink takes is left by these patterns; correct them"}};
  return reply;
}

control::Reply TableWatch::repair(const control::Repair& request) {
  std::size_t sink = 0;
  while (sink < sinks_.size() && sinks_.name(sink) != request.sink) ++sink;
  if (sink == sinks_.size()) return {false, {"there is no sink " + base::quoted(request.sink)}};
  for (const postgres::PublishedTable& table : resolver_.tables()) {
    if (table.schema != request.schema || table.name != request.table) continue;
    if (!tables_.tables(sink).has(table.oid))
      return {false, {table.full_name() + " is not whole in this sink yet"}};
    // In the order in which the copy compares keys.
    std::vector<std::string> values;
    for (const std::string& column : TableSync::key_names(table)) {
      for (const auto& [name, value] : request.key)
        if (name == column) values.push_back(value);
    }
    if (values.size() != request.key.size() || values.empty())
      return {false, {"the key of " + table.full_name() + " has other columns"}};
    tables_.want_repair(sink, table.oid, table.full_name(), {route::encode_key(values)});
    return {true, {"the row is read again"}};
  }
  return {false, {"table " + request.schema + "." + request.table + " is not published"}};
}

}  // namespace walspout
