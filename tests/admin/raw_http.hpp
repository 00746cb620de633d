// A connection to 127.0.0.1 that sends whatever bytes it is given.
#pragma once

#include <string>
#include <string_view>

namespace walspout::admin {

class RawHttp {
 public:
  explicit RawHttp(int port);  // throws when nobody listens
  ~RawHttp();
  RawHttp(const RawHttp&) = delete;
  RawHttp& operator=(const RawHttp&) = delete;

  void send(std::string_view bytes) const;
  std::string rest() const;  // all that comes until the other side closes

 private:
  int fd_;
};

struct Answer {
  int status = 0;
  std::string headers;
  std::string body;
};
Answer get(int port, const std::string& path, const std::string& method = "GET");

}  // namespace walspout::admin
