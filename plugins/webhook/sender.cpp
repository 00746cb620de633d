#include "sender.hpp"

#include <utility>
#include <walspout/error.hpp>

namespace walspout::webhook {

Sender::Sender(const Options& options, const walspout_host& host, Outbox& outbox,
               Delivered& delivered, std::string prefix)
    : options_(options),
      host_(host),
      outbox_(outbox),
      delivered_(delivered),
      prefix_(std::move(prefix)),
      client_(options, outbox.limits().lanes),
      parts_(outbox.limits().lanes) {}

void Sender::run() {
  failure_.reset();
  while (true) {
    if (!failure_) start();
    if (!client_.busy()) break;
    client_.wait(ended_);
    for (Answer& answer : ended_) handle(std::move(answer));
    ended_.clear();
    if (client_.busy() && host_.wait_ms(host_.ctx, 0) == 0) {
      client_.cancel();
      throw Retry(options_.receiver + " has not answered, and the host is stopping");
    }
  }
  if (failure_) fail();
}

void Sender::start() {
  for (std::size_t lane = 0; lane < outbox_.limits().lanes; ++lane) {
    if (client_.busy(lane)) continue;
    if (const Message* const message = outbox_.next(lane))
      client_.post(lane, message->id(prefix_), host_.now_us(host_.ctx), message->body);
  }
}

void Sender::handle(Answer answer) {
  const Verdict verdict = judge(answer);
  if (verdict == Verdict::kAccepted) return accept(answer.lane);
  const bool divisible = outbox_.next(answer.lane)->events.size() > 1;
  if (divisible && (verdict == Verdict::kTooLarge || verdict == Verdict::kRefused))
    return outbox_.halve(answer.lane);
  if (!failure_) failure_ = std::move(answer);
}

void Sender::accept(std::size_t lane) {
  const Message& message = *outbox_.next(lane);
  if (message.part) {
    std::vector<Event>& parts = parts_[lane];
    parts.insert(parts.end(), message.events.begin(), message.events.end());
    if (message.last_part) parts.clear();
  }
  outbox_.pop(lane);
}

void Sender::fail() {
  const Answer answer = *std::exchange(failure_, std::nullopt);
  std::string what = options_.receiver + " " + describe(answer, options_.confidential);
  switch (judge(answer)) {
    case Verdict::kGone:
      throw BadConfig(what +
                      "; it wants no more: remove the sink, or set url to what takes its "
                      "place");
    case Verdict::kMisconfigured:
      throw BadConfig(what);
    case Verdict::kTooLarge:
    case Verdict::kRefused:
      fail_poison(answer.lane, what);
    default:
      throw Retry(what, answer.retry_after_ms);
  }
}

void Sender::fail_poison(std::size_t lane, const std::string& what) {
  // First, as it may have to be tried again.
  std::vector<Event> taken;
  for (const auto& parts : parts_) taken.insert(taken.end(), parts.begin(), parts.end());
  delivered_.add(taken);
  const Message& message = *outbox_.next(lane);
  const Event& event = message.events.front();
  Poison poison(event.commit_lsn, event.ordinal,
                what + "; the event is " + std::string(message.head()));
  poison.copy_id = event.copied ? event.copy_id : 0;
  if (message.last_part) parts_[lane].clear();
  outbox_.pop(lane);
  throw poison;
}

}  // namespace walspout::webhook
