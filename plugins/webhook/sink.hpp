// The webhook sink: JSON events over HTTP, at least once, each message with an id that never
// changes. README.md has the promises.
#pragma once

#include <cstdint>
#include <string>
#include <walspout/json.hpp>
#include <walspout/sink.hpp>

#include "borders.hpp"
#include "delivered.hpp"
#include "merger.hpp"
#include "options.hpp"
#include "outbox.hpp"
#include "sender.hpp"
#include "staged.hpp"

namespace walspout::webhook {

class WebhookSink : public Sink {
 public:
  explicit WebhookSink(const Context& context);
  static void check(const Context& context);

  void write(const walspout::Batch& batch) override;
  void flush() override;
  Lsn durable(Lsn accepted) override;
  void abort() override;

 private:
  void stage(const walspout_txn& txn, const walspout_change& change);
  void send();
  std::int64_t now_us() const { return host_.now_us(host_.ctx); }

  const walspout_host& host_;
  Options options_;
  Borders borders_;
  Delivered delivered_;
  Outbox outbox_;
  Merger merger_;
  Sender sender_;
  EventWriter events_;
  Staged staged_;     // of this call
  Event last_;        // of the transaction that is being written
  Lsn reported_ = 0;  // by durable(): stored by the host when flush() is called again
};

}  // namespace walspout::webhook
