#include "fixture.hpp"

#include <algorithm>
#include <stdexcept>

namespace walspout::webhook_test {

namespace fs = std::filesystem;

WebhookTest::WebhookTest() {
  char name[] = "/tmp/walspout_webhook_XXXXXX";
  if (::mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = name;
  fs::create_directory(folder_ / "state");
}

WebhookTest::~WebhookTest() { fs::remove_all(folder_); }

Settings WebhookTest::settings(Settings more) const {
  const auto has = [&](const char* option) {
    return std::any_of(more.begin(), more.end(), [&](const auto& s) { return s.first == option; });
  };
  if (!has("url")) more.emplace_back("url", server_.url());
  if (!has("allow_private")) more.emplace_back("allow_private", "true");
  return more;
}

const Relation& WebhookTest::table() {
  static const Relation made =
      relation("public", "t").column("id", oid::kInt8, primary).column("note", oid::kText);
  return made;
}

void WebhookTest::fill(Txn& txn, int rows, std::size_t note) {
  for (int i = 0; i < rows; ++i) txn.insert(table(), {std::to_string(i), std::string(note, 'x')});
}

Reply WebhookTest::put(Driver& sink, Lsn lsn, int rows, std::size_t note, std::size_t pieces) {
  Txn txn(lsn);
  fill(txn, rows, note);
  return sink.deliver(txn, pieces);
}

std::string WebhookTest::ids(const std::string& body) {
  std::string all;
  const std::string mark = "{\"id\":\"";
  for (std::size_t at = 0; (at = body.find(mark, at)) != std::string::npos;) {
    at += mark.size();
    std::string id = body.substr(at, body.find('"', at) - at);
    id.erase(0, std::min(id.find_first_not_of('0'), id.size() - 1));
    all += (all.empty() ? "" : " ") + id;
  }
  return all;
}

std::vector<std::string> WebhookTest::bodies() const {
  std::vector<std::string> all;
  for (const HttpRequest& request : server_.requests()) all.push_back(ids(request.body));
  return all;
}

std::vector<std::string> WebhookTest::message_ids() const {
  std::vector<std::string> all;
  for (const HttpRequest& request : server_.requests()) all.push_back(request.header("webhook-id"));
  return all;
}

Reply WebhookTest::flush_until_done(Driver& sink) {
  for (int i = 0; i < 100; ++i)
    if (sink.flush().status != WALSPOUT_RETRY) return sink.last();
  return sink.last();
}

}  // namespace walspout::webhook_test
