// The stream of one logical slot through pgoutput. Non-blocking: the reader polls fd() for
// POLLIN, and for POLLOUT too while wants_write(). One thread.
//
//   ReplicationStream stream(std::move(replication), options, interrupt);
//   Frame frame;
//   while (stream.read(frame) == Read::kMessage) { ... }   // kWouldBlock: poll, then again
//   stream.send_status({written, flushed, applied});       // from time to time, and when asked
//   stream.finish(interrupt, 5s);
//
// Source: documentation, "Streaming Replication Protocol" and "Logical Streaming Replication
// Parameters".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "postgres/connection.hpp"

namespace walspout::postgres {

// The newest pgoutput protocol that a server knows: 4 from 16 on, 3 on 15, 2 on 14, else 1.
int protocol_for(int server_version);

struct StreamOptions {
  std::string slot;
  std::vector<std::string> publications;
  base::Lsn start = 0;  // 0 = the slot's confirmed position; an earlier one is moved up to it
  int protocol = 1;
  bool streaming = false;             // protocol 2 and later
  bool binary = false;                // server 14 and later
  bool messages = false;              // server 14 and later
  bool two_phase = false;             // protocol 3 and later
  std::optional<std::string> origin;  // "none" or "any", server 16 and later
};

struct Frame {
  enum class Kind { kWal, kKeepalive };
  Kind kind = Kind::kKeepalive;
  base::Lsn start = 0;                 // kWal: of the message; 0 for some
  base::Lsn wal_end = 0;               // the server's position when it sent this
  std::int64_t send_time_us = 0;       // since the Unix epoch, by the server's clock
  bool reply_requested = false;        // kKeepalive: answer at once
  std::span<const std::byte> payload;  // kWal: one pgoutput message, valid until the next read
};

enum class Read { kMessage, kWouldBlock, kEnded };

// Positions to report; the server takes `flushed` as confirmed.
struct StandbyStatus {
  base::Lsn written = 0;
  base::Lsn flushed = 0;
  base::Lsn applied = 0;
  bool reply_requested = false;
};

class ReplicationStream {
 public:
  // Sends START_REPLICATION and waits for its answer. Throws SqlError (55006: the slot is active,
  // worth another try), Refused (no such slot, slot lost), ConnectionLost, Interrupted.
  ReplicationStream(Connection&& replication, const StreamOptions& options,
                    const Interrupt& interrupt);

  int fd() const { return connection_.fd(); }
  const Connection& connection() const { return connection_; }

  // kEnded: the server ended the stream in order (it shuts down). Throws ConnectionLost, SqlError,
  // and std::runtime_error for a frame that is no frame. Never waits.
  Read read(Frame& frame);

  // Queues a status and sends what the socket takes. While an older one is still stuck, only the
  // newest is kept. Never waits.
  void send_status(const StandbyStatus& status);

  // True while something is queued: poll for POLLOUT as well, then call flush().
  bool wants_write() const { return unflushed_ || waiting_; }
  void flush();

  // Sends what is queued, ends the copy, and reads until the server has ended it too: then the last
  // status has surely been processed. Frames that come meanwhile are dropped. False when the
  // timeout passed first. Closes the connection in any case; no other call may follow. The
  // descriptor that asked for the stop is readable already: pass another one, or none.
  bool finish(const Interrupt& interrupt, std::chrono::milliseconds timeout);

 private:
  struct FreeBuffer {
    void operator()(char* buffer) const;
  };

  void queue(const StandbyStatus& status);
  Read ended();
  bool drain(const Interrupt& interrupt, Deadline deadline);

  Connection connection_;
  std::unique_ptr<char, FreeBuffer> buffer_;  // what the last frame's payload points into
  std::optional<StandbyStatus> waiting_;      // newest status that could not be queued yet
  bool unflushed_ = false;                    // libpq holds bytes for the socket
};

// Splits one CopyData message into a frame. Throws std::runtime_error when malformed.
Frame parse_frame(std::span<const std::byte> message);

}  // namespace walspout::postgres
