// Sends what the outbox holds, and does what the answers demand.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>
#include <walspout/context.hpp>

#include "client.hpp"
#include "delivered.hpp"
#include "options.hpp"
#include "outbox.hpp"

namespace walspout::webhook {

class Sender {
 public:
  // All of them must outlive it. prefix: what message ids begin with.
  Sender(const Options& options, const walspout_host& host, Outbox& outbox, Delivered& delivered,
         std::string prefix);

  // Until nothing is left that may be sent. Throws Retry (what was not sent is still in the
  // outbox), BadConfig, and Poison, whose event is out of the outbox then: the host leaves it out.
  void run();

 private:
  void start();
  void handle(Answer answer);
  void accept(std::size_t lane);
  [[noreturn]] void fail();
  [[noreturn]] void fail_poison(std::size_t lane, const std::string& what);

  const Options& options_;
  const walspout_host& host_;
  Outbox& outbox_;
  Delivered& delivered_;
  const std::string prefix_;
  Client client_;
  std::vector<Answer> ended_;
  std::optional<Answer> failure_;  // the first one: nothing is begun after it
  // Of each lane: what was taken of the message that is being halved.
  std::vector<std::vector<Event>> parts_;
};

}  // namespace walspout::webhook
