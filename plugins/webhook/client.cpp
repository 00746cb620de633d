#include "client.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <walspout/error.hpp>

#include "address.hpp"
#include "gzip.hpp"

namespace walspout::webhook {
namespace {

// More of an answer is not read: it would say nothing more.
constexpr std::size_t kMostHeaders = 64 * 1024, kMostBody = 64 * 1024, kKeptBody = 2048;
constexpr curl_off_t kLongestRetryAfter = 3600;  // seconds

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  if (const CURLcode code = curl_easy_setopt(easy, option, value); code != CURLE_OK)
    throw Fatal("libcurl refuses option " + std::to_string(option) + ": " +
                curl_easy_strerror(code));
}

void check(CURLMcode code) {
  if (code != CURLM_OK) throw Fatal(std::string("libcurl: ") + curl_multi_strerror(code));
}

void init_curl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK)
    throw Fatal(std::string("libcurl cannot start: ") + curl_easy_strerror(code));
}

}  // namespace

Client::Client(const Options& options, std::size_t lanes) : options_(options) {
  init_curl();
  multi_.reset(curl_multi_init());
  if (!multi_) throw Retry("libcurl cannot start: no memory");
  check(curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(lanes)));
  for (std::size_t i = 0; i < lanes; ++i) {
    transfers_.push_back(std::make_unique<Transfer>(options));
    transfers_.back()->answer.lane = i;
    prepare(*transfers_.back());
  }
}

Client::~Client() { cancel(); }

void Client::prepare(Transfer& transfer) {
  transfer.options = &options_;
  transfer.easy.reset(curl_easy_init());
  if (!transfer.easy) throw Retry("libcurl cannot start: no memory");
  CURL* const easy = transfer.easy.get();
  set(easy, CURLOPT_URL, options_.url.c_str());
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(easy, CURLOPT_POST, 1L);
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_USERAGENT, "walspout");
  // The address that is checked must be the receiver's: no proxy of the environment's.
  set(easy, CURLOPT_PROXY, "");
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_QUICK_EXIT, 1L);  // a cancelled look-up of a name is not waited for
  set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  set(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout.count()));
  set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(options_.timeout.count()));
  if (!options_.ca_file.empty()) set(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
  if (!options_.client_cert.empty()) {
    set(easy, CURLOPT_SSLCERT, options_.client_cert.c_str());
    set(easy, CURLOPT_SSLKEY, options_.client_key.c_str());
  }
  if (!options_.client_key_password.empty())
    set(easy, CURLOPT_KEYPASSWD, options_.client_key_password.c_str());
  set(easy, CURLOPT_ERRORBUFFER, transfer.problem.data());
  set(easy, CURLOPT_PRIVATE, static_cast<void*>(&transfer));
  set(easy, CURLOPT_HEADERFUNCTION, &Client::on_header);
  set(easy, CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  set(easy, CURLOPT_WRITEFUNCTION, &Client::on_body);
  set(easy, CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(easy, CURLOPT_OPENSOCKETFUNCTION, &Client::on_socket);
  set(easy, CURLOPT_OPENSOCKETDATA, static_cast<void*>(&transfer));
}

void Client::post(std::size_t lane, const std::string& id, std::int64_t now_us,
                  const std::string& body) {
  Transfer& transfer = *transfers_[lane];
  if (options_.gzip) transfer.compressed = gzip(body);
  const std::string& wire = options_.gzip ? transfer.compressed : body;
  transfer.answer = {};
  transfer.answer.lane = lane;
  transfer.header_bytes = transfer.body_bytes = 0;
  transfer.problem[0] = '\0';
  transfer.size = static_cast<curl_off_t>(wire.size());
  transfer.sent = 0;
  transfer.sent_at = Clock::now();
  CURL* const easy = transfer.easy.get();
  set(easy, CURLOPT_HTTPHEADER, transfer.headers.of(id, now_us, wire));
  set(easy, CURLOPT_POSTFIELDSIZE_LARGE, transfer.size);
  set(easy, CURLOPT_POSTFIELDS, wire.data());
  check(curl_multi_add_handle(multi_.get(), easy));
  transfer.running = true;
  ++running_;
}

void Client::wait(std::vector<Answer>& ended) {
  const auto until = Clock::now() + kSlice;
  const std::size_t before = ended.size();
  while (running_ != 0) {
    int still = 0, left = 0;
    check(curl_multi_perform(multi_.get(), &still));
    while (CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;  // gone with the handle
      void* transfer = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      end(*static_cast<Transfer*>(transfer), code, ended);
    }
    const auto now = Clock::now();
    if (ended.size() != before || now >= until) break;
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
    check(curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(ms), nullptr));
  }
  end_stalled(ended);
}

void Client::end(Transfer& transfer, CURLcode code, std::vector<Answer>& ended) {
  CURL* const easy = transfer.easy.get();
  Answer& answer = transfer.answer;
  answer.code = code;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
  curl_off_t seconds = 0;
  if (curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK && seconds > 0)
    answer.retry_after_ms =
        static_cast<std::uint32_t>(std::min(seconds, kLongestRetryAfter) * 1000);
  const char* location = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &location) == CURLE_OK && location != nullptr)
    answer.location = location;
  answer.problem = transfer.problem[0] != '\0' ? transfer.problem.data() : curl_easy_strerror(code);
  curl_multi_remove_handle(multi_.get(), easy);
  transfer.running = false;
  --running_;
  ended.push_back(std::move(answer));
}

// A receiver that does not read: curl's own limits count the wait for the answer as well.
void Client::end_stalled(std::vector<Answer>& ended) {
  const auto now = Clock::now();
  for (const auto& transfer : transfers_) {
    if (!transfer->running) continue;
    curl_off_t sent = 0;
    curl_easy_getinfo(transfer->easy.get(), CURLINFO_SIZE_UPLOAD_T, &sent);
    if (sent != transfer->sent) {
      transfer->sent = sent;
      transfer->sent_at = now;
    }
    // Before the first byte it is the connection that is waited for.
    if (sent == 0 || sent >= transfer->size) continue;
    if (now - transfer->sent_at < options_.send_timeout) continue;
    transfer->answer.stalled = true;
    end(*transfer, CURLE_OPERATION_TIMEDOUT, ended);
  }
}

void Client::cancel() {
  for (const auto& transfer : transfers_) {
    if (!transfer->running) continue;
    curl_multi_remove_handle(multi_.get(), transfer->easy.get());
    transfer->running = false;
    --running_;
  }
}

std::size_t Client::on_header(char* data, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.header_bytes += size;
  if (transfer.header_bytes > kMostHeaders) return 0;  // ends the transfer
  long status = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &status);
  const std::string_view line(data, size);
  if (status >= 200 && (line == "\r\n" || line == "\n")) transfer.answer.headers_done = true;
  return size;
}

std::size_t Client::on_body(char* data, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  std::string& kept = transfer.answer.body;
  kept.append(data, std::min(size, kKeptBody - std::min(kKeptBody, kept.size())));
  transfer.body_bytes += size;
  if (transfer.body_bytes <= kMostBody) return size;
  transfer.answer.cut = true;
  return 0;  // ends the transfer
}

curl_socket_t Client::on_socket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (!transfer.options->allow_private && !is_public(address->addr)) {
    transfer.answer.refused = address_text(address->addr);
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

}  // namespace walspout::webhook
