// Control: how another process asks a running host to do something.
//
// A host listens on the unix stream socket `control.sock` in its state directory, mode 0600: who
// may use it is a matter of the file system, and nothing is open to the network. One connection is
// one request and its answer.
//
//   request   one line of words (control/words.hpp: each percent-encoded, one blank between two)
//   answer    `ok`, or `error TEXT`
//             any number of lines, for whoever asked to read
//             `end`, without which the answer was cut off
//
// A request may be 1 MiB long and must be there, with its newline, within 5 seconds; a line that is
// cut off is never taken for a shorter request. The answer must be taken within 5 seconds, too. By
// hand: `echo ping | socat -t 5 - UNIX-CONNECT:shop.state/control.sock`.
//
//   ping
//       Answers `ok`.
//   resync [--sink NAME] [PATTERN]...
//       Copies the tables anew while the stream goes on, into every sink or the one named. A
//       PATTERN is as in `tables` of the configuration ("public.orders", "public.*",
//       "!public.audit_*"); none means all tables. A pattern that matches no table is an error, and
//       nothing is done.
//   pause SINK
//       Gives the sink nothing until `resume`, over a start of the host, too. What comes for it
//       waits; what it had taken is made durable.
//   resume SINK
//       Lets it go on, and has a call that failed be tried at once.
//   status
//       Answers at once with one line of words for the host and one for each sink, in the order of
//       control/status.hpp.
//   repair SINK SCHEMA TABLE COLUMN VALUE [COLUMN VALUE]...
//       Reads the row with this key at the source again and mends it in the sink. The columns are
//       those of the key, the values their text; a key holds no NULL.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace walspout::control {

struct Reply {
  bool ok = true;
  // What is printed. When not ok the first says what is wrong and what to do; there may be none.
  std::vector<std::string> lines;
};

inline constexpr const char* kSocketName = "control.sock";
inline constexpr std::size_t kLongestRequest = std::size_t{1} << 20;  // bytes, newline included
inline constexpr std::chrono::milliseconds kRequestTime{5'000};       // from the connection on
inline constexpr std::chrono::milliseconds kAnswerTime{5'000};        // to take the answer

}  // namespace walspout::control
