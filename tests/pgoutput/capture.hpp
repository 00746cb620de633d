// What a real server sent: data/NAME.hex, recorded by record.sh from data/NAME.sql.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support.hpp"

namespace walspout::pgoutput {

// Each message with the context in which it came.
struct CapturedMessage {
  std::string bytes;
  Context context;
};

// Throws if the file is missing or is not hex.
std::vector<CapturedMessage> read_capture(std::string_view name);

// The names of all captures, in alphabetical order.
std::vector<std::string> capture_names();

// A capture, decoded. Messages point into it: none can be asked of a temporary.
class Capture {
 public:
  explicit Capture(std::string_view name);

  const std::vector<Message>& messages() const { return messages_; }

  // The first bytes of all messages, a run of inserts shortened to one: "BRIC".
  std::string shape() const;

  // The messages of one type, in order.
  template <class T>
  std::vector<T> all() const& {
    std::vector<T> found;
    for (const Message& message : messages_) {
      if (const T* one = std::get_if<T>(&message)) found.push_back(*one);
    }
    return found;
  }

  template <class T>
  std::vector<T> all() const&& = delete;

  // The last relation of this name; a failure of the test if there is none.
  Relation relation(std::string_view name) const&;
  Relation relation(std::string_view name) const&& = delete;

 private:
  std::vector<Payload> payloads_;
  base::Arena arena_;
  std::vector<Message> messages_;
};

}  // namespace walspout::pgoutput
