// HTTP/1.1 over libcurl's multi interface: one request a lane at a time, connections kept.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "answer.hpp"
#include "options.hpp"
#include "request.hpp"

namespace walspout::webhook {

// Threads: one.
class Client {
 public:
  // options must outlive it. Throws BadConfig and Retry.
  Client(const Options& options, std::size_t lanes);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Begins a request on a lane that has none. The body must stay until it is answered or cancelled.
  void post(std::size_t lane, const std::string& id, std::int64_t now_us, const std::string& body);
  bool busy() const { return running_ != 0; }
  bool busy(std::size_t lane) const { return transfers_[lane]->running; }

  // Works on all requests until one has ended, or for kSlice; appends what ended.
  void wait(std::vector<Answer>& ended);
  void cancel();

  static constexpr std::chrono::milliseconds kSlice{100};

 private:
  using Clock = std::chrono::steady_clock;
  struct Transfer {
    explicit Transfer(const Options& options) : headers(options) {}
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy{nullptr, curl_easy_cleanup};
    Headers headers;
    const Options* options = nullptr;
    bool running = false;
    std::string compressed;
    curl_off_t size = 0, sent = 0;
    Clock::time_point sent_at;
    std::size_t header_bytes = 0, body_bytes = 0;
    std::array<char, CURL_ERROR_SIZE> problem = {};
    Answer answer;
  };

  void prepare(Transfer& transfer);
  void end(Transfer& transfer, CURLcode code, std::vector<Answer>& ended);
  void end_stalled(std::vector<Answer>& ended);
  static std::size_t on_header(char* data, std::size_t one, std::size_t size, void* transfer);
  static std::size_t on_body(char* data, std::size_t one, std::size_t size, void* transfer);
  static curl_socket_t on_socket(void* transfer, curlsocktype purpose, curl_sockaddr* address);

  const Options& options_;
  std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi_{nullptr, curl_multi_cleanup};
  std::vector<std::unique_ptr<Transfer>> transfers_;
  std::size_t running_ = 0;
};

}  // namespace walspout::webhook
