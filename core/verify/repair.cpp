#include "verify/repair.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "control/client.hpp"
#include "control/requests.hpp"

namespace walspout::verify {

namespace {

control::Reply call(const std::filesystem::path& state_directory,
                    const std::vector<std::string>& words) {
  try {
    return control::Client::call(state_directory, words);
  } catch (const control::NoHost&) {
    throw std::runtime_error(fmt::format(
        "no host runs with the state directory {}, so nothing was mended; start it (walspout run) "
        "and verify again",
        state_directory.string()));
  }
}

void note_refusal(const control::Reply& reply, const TableResult& result, Listener& listener) {
  if (reply.ok) return;
  listener.note(fmt::format("{}: the host does not mend it: {}", result.table,
                            reply.lines.empty() ? "no reason given" : reply.lines.front()));
}

}  // namespace

bool mends_rows(const TableResult& result) {
  return !result.key.empty() && !result.counts.more &&
         result.counts.keys.size() == result.counts.differences;
}

void send_repairs(const std::filesystem::path& state_directory, const std::string& sink,
                  const TableResult& result, Listener& listener) {
  if (!mends_rows(result)) {
    listener.note(fmt::format("{}: the host is asked to copy the whole table anew, as {}",
                              result.table,
                              result.key.empty() ? "its rows cannot be named by a key"
                                                 : "more rows differ than are listed"));
    note_refusal(call(state_directory, control::to_words(control::Resync{sink, {result.table}})),
                 result, listener);
    return;
  }
  for (const Row& row : result.counts.keys) {
    control::Repair repair{sink, result.schema, result.name, {}};
    for (std::size_t i = 0; i < row.size(); ++i)
      repair.key.emplace_back(result.key[i], row[i].value_or(""));
    note_refusal(call(state_directory, control::to_words(repair)), result, listener);
  }
}

}  // namespace walspout::verify
