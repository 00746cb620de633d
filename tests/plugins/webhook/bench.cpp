// bench_plugin_webhook URL [REQUESTS [ROWS]]: how many requests a second the plugin makes over one
// connection, beside a bare loop of libcurl with the same bodies. They take turns. The plugin's
// time has everything in it: serializing, signing, sending, reading the answers.
#include <curl/curl.h>
#include <walspout/testing.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <walspout/json.hpp>

namespace {

using namespace walspout::testing;  // NOLINT: the tests' language

double seconds(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

double bare(const char* url, const std::deque<std::string>& bodies) {
  CURL* const easy = curl_easy_init();
  curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/json");
  headers = curl_slist_append(headers, "Expect:");
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& body : bodies) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
    long status = 0;
    if (curl_easy_perform(easy) != CURLE_OK) fail("the bare loop failed");
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status / 100 != 2) fail("the receiver does not accept");
  }
  const double took = seconds(start);
  curl_easy_cleanup(easy);
  curl_slist_free_all(headers);
  return static_cast<double>(bodies.size()) / took;
}

double plugin(Driver& sink, const std::deque<Txn>& transactions) {
  const auto start = std::chrono::steady_clock::now();
  std::size_t n = 0;
  for (const Txn& txn : transactions) {
    if (!sink.deliver(txn).ok()) fail(sink.last().message.c_str());
    // The host flushes when its queue has run dry or four megabytes have come.
    if (++n % 200 == 0 && !sink.flush().ok()) fail(sink.last().message.c_str());
  }
  if (!sink.flush().ok()) fail(sink.last().message.c_str());
  return static_cast<double>(transactions.size()) / seconds(start);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) fail("usage: bench_plugin_webhook URL [REQUESTS [ROWS]]");
  const int requests = argc > 2 ? std::atoi(argv[2]) : 20000;
  const int rows = argc > 3 ? std::atoi(argv[3]) : 10;
  const Relation orders = relation("public", "orders")
                              .column("id", walspout::oid::kInt8, primary)
                              .column("customer_id", walspout::oid::kInt4)
                              .column("note", walspout::oid::kText)
                              .column("created_at", walspout::oid::kTimestamptz)
                              .column("amount", walspout::oid::kNumeric)
                              .column("paid", walspout::oid::kBool);
  std::deque<Txn> transactions;
  std::deque<std::string> bodies;
  walspout::EventWriter writer;
  for (int i = 0; i < requests; ++i) {
    Txn& txn = transactions.emplace_back(static_cast<Lsn>(0x1000 + 0x100 * i));
    for (int row = 0; row < rows; ++row)
      txn.insert(orders, {std::to_string(i * rows + row), "4711", "note-0123456789abcde",
                          "2026-01-31 12:00:00+00", "12.50", "t"});
    std::string& body = bodies.emplace_back();
    for (const walspout_change* change : txn.changes()) {
      body += body.empty() ? '[' : ',';
      writer.append(body, txn.get(), *change);
    }
    body += ']';
  }
  Driver sink(load_plugin(WEBHOOK_PLUGIN),
              {{"url", argv[1]},
               {"allow_private", "true"},
               {"secrets", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
               {"batch_rows", std::to_string(rows)}},
              "/tmp");
  if (!sink.open().ok()) fail(sink.last().message.c_str());
  std::vector<double> ratios;
  std::printf("| bare libcurl, requests/s | plugin, requests/s | ratio |\n|---|---|---|\n");
  for (int round = 0; round < 5; ++round) {
    const double without = bare(argv[1], bodies), with = plugin(sink, transactions);
    std::printf("| %.0f | %.0f | %.2f |\n", without, with, with / without);
    ratios.push_back(with / without);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("median ratio %.2f, %zu bytes a request\n", ratios[2], bodies.back().size());
  return 0;
}
