// A client without manners, and a state directory for it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "control/endpoint.hpp"

namespace walspout::control {

class StateFolder {
 public:
  StateFolder();
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path socket() const { return path_ / "control.sock"; }

 private:
  std::filesystem::path path_;
};

class RawClient {
 public:
  struct Later {};
  explicit RawClient(const std::filesystem::path& state_directory);  // throws when nobody listens
  RawClient(const std::filesystem::path& state_directory, Later);    // to be connected

  void connect() const;
  void send(std::string_view bytes) const;  // as much as is taken
  void finish() const;                      // nothing more will be sent
  std::string rest() const;                 // all that comes until the other side closes
  int fd() const { return socket_.get(); }

 private:
  Endpoint endpoint_;
  Descriptor socket_;
};

}  // namespace walspout::control
