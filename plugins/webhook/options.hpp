// The sink's settings, checked.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <walspout/context.hpp>

namespace walspout::webhook {

struct Options {
  // Throws BadConfig. Looks at the values only: check_files() looks at the files they name.
  explicit Options(const Context& context);

  std::string url;
  std::string receiver;  // host[:port] of the url: what messages may show of it
  bool allow_private = false;
  std::vector<std::string> secrets;  // of the signature, decoded
  // "Name: value", the user's and the credentials'.
  std::vector<std::string> headers;
  std::vector<std::string> confidential;  // what no message may show
  std::string ca_file, client_cert, client_key, client_key_password;
  bool gzip = false;
  std::size_t batch_rows = 1;
  std::size_t batch_bytes = 0;
  std::chrono::milliseconds batch_time{0};
  std::size_t concurrency = 1;
  std::chrono::milliseconds connect_timeout{0}, send_timeout{0}, timeout{0};

  bool batched() const { return batch_rows > 1; }
  void check_files() const;  // throws BadConfig when one cannot be read
};

}  // namespace walspout::webhook
