#include "sink.hpp"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <walspout/event_fields.hpp>

#include "key.hpp"

namespace walspout::webhook {
namespace {

// A transaction of any size passes through: from here on it is sent while more of it comes.
constexpr std::size_t kMostQueued = 8 * 1024 * 1024;

// Tells apart the messages of several sinks and pipelines that one receiver gets.
std::string message_prefix(const Context& context) {
  std::string prefix = "msg_";
  const std::uint64_t pipeline = hash(std::string_view("\0", 1), hash(context.pipeline()));
  append_hex(prefix, hash(context.sink(), pipeline), 16);
  return prefix + '_';
}

Options checked(const Context& context) {
  Options options(context);
  options.check_files();
  return options;
}

std::string state_file(const Context& context, const char* name) {
  return std::string(context.state_dir()) + '/' + name;
}

// A connection that the receiver closed must be an error of the request, not the end of the
// process: the signal goes to the thread that writes, which is this sink's own.
void block_sigpipe() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr); error != 0)
    throw Fatal("cannot block SIGPIPE: " + std::generic_category().message(error));
}

}  // namespace

WebhookSink::WebhookSink(const Context& context)
    : host_(context.host()),
      options_(checked(context)),
      borders_(state_file(context, "borders")),
      delivered_(state_file(context, "delivered")),
      outbox_({options_.batch_rows, options_.batch_bytes, options_.concurrency}),
      merger_(outbox_, borders_, options_.batch_time.count() * 1000),
      sender_(options_, host_, outbox_, delivered_, message_prefix(context)) {
  block_sigpipe();
}

void WebhookSink::check(const Context& context) { checked(context); }

void WebhookSink::write(const walspout::Batch& batch) {
  // What is sent here belongs to the transaction that goes on, or to those before it.
  if (!batch.first() && outbox_.bytes() >= kMostQueued) send();
  const Event before = last_;
  staged_.clear();
  if (batch.first()) last_ = {};
  try {
    for (const Change change : batch) stage(batch.txn(), change.raw());
  } catch (...) {
    last_ = before;
    throw;
  }
  merger_.take(staged_, batch.txn(), batch.first(), batch.last(), now_us());
}

void WebhookSink::stage(const walspout_txn& txn, const walspout_change& change) {
  const std::size_t begin = staged_.text.size();
  if (!events_.append(staged_.text, txn, change)) return;
  StagedEvent staged;
  Event& event = staged.event;
  event.commit_lsn = txn.commit_lsn;
  event.commit_time_us = txn.commit_time_us;
  event.ordinal = change.ordinal;
  event.copied = txn.kind == WALSPOUT_TXN_SNAPSHOT;
  event.copy_id = event.copied ? txn.copy_id : 0;
  event.schema = change.op == WALSPOUT_SCHEMA;
  if (event.schema && last_.schema && last_.ordinal == event.ordinal)
    event.repeat = last_.repeat + 1;
  event.end = staged_.text.size();
  last_ = event;
  if (delivered_.contains(event)) return staged_.text.resize(begin);
  staged.bytes = event.end - begin;
  if (options_.concurrency > 1)
    if (const auto key = key_hash(change)) staged.lane = *key % options_.concurrency;
  staged_.events.push_back(staged);
}

void WebhookSink::flush() {
  borders_.forget(reported_);
  delivered_.forget(reported_);
  merger_.close_due(now_us());
  send();
}

void WebhookSink::send() {
  borders_.save();
  sender_.run();
}

Lsn WebhookSink::durable(Lsn accepted) {
  const bool all = outbox_.settled() && !merger_.due_us();
  return reported_ = all ? accepted : outbox_.position();
}

void WebhookSink::abort() { merger_.abort(); }

}  // namespace walspout::webhook

using walspout::webhook::WebhookSink;

WALSPOUT_PLUGIN(
    WebhookSink, "webhook", "1.0",
    "Posts changes as JSON to a URL, signed, in order, at least once with ids that never change.",
    WALSPOUT_CAP_SNAPSHOT,
    WALSPOUT_TAKES_TRUNCATE | WALSPOUT_TAKES_PARTIAL_ROW | WALSPOUT_TAKES_KEY_CHANGE |
        WALSPOUT_TAKES_MESSAGE | WALSPOUT_TAKES_SCHEMA | WALSPOUT_TAKES_NO_KEY,
    {"url", WALSPOUT_STRING, WALSPOUT_REQUIRED, nullptr,
     "Where to post; https:// or http://, without credentials."},
    {"allow_private", WALSPOUT_BOOL, 0, "false",
     "Whether the receiver may have a private, local or link-local address."},
    {"secrets", WALSPOUT_STRING, WALSPOUT_LIST | WALSPOUT_SECRET, nullptr,
     "Standard Webhooks secrets (whsec_...): each signs every request, so that one can be "
     "replaced."},
    {"headers", WALSPOUT_STRING, WALSPOUT_TABLE | WALSPOUT_SECRET, nullptr,
     "Further headers of every request."},
    {"bearer", WALSPOUT_STRING, WALSPOUT_SECRET, nullptr, "Token for Authorization: Bearer."},
    {"basic_user", WALSPOUT_STRING, 0, nullptr, "User for Authorization: Basic."},
    {"basic_password", WALSPOUT_STRING, WALSPOUT_SECRET, nullptr,
     "Password for Authorization: Basic."},
    {"ca_file", WALSPOUT_PATH, 0, nullptr,
     "PEM file with the authorities to trust; default: the system's."},
    {"client_cert", WALSPOUT_PATH, 0, nullptr, "PEM file with the certificate to show."},
    {"client_key", WALSPOUT_PATH, 0, nullptr, "PEM file with its private key."},
    {"client_key_password", WALSPOUT_STRING, WALSPOUT_SECRET, nullptr, "Password of client_key."},
    {"compression", WALSPOUT_STRING, 0, "none", "\"none\" or \"gzip\": of the request's body."},
    {"batch_rows", WALSPOUT_INT, 0, "1",
     "Most events of a request; 1: the body is one event, more: a JSON array of events."},
    {"batch_bytes", WALSPOUT_BYTES, 0, "1MiB",
     "Most bytes of a request's events; a larger event goes alone."},
    {"batch_time", WALSPOUT_DURATION_MS, 0, "0ms",
     "How long events may wait for others of later transactions; 0 = each transaction alone."},
    {"concurrency", WALSPOUT_INT, 0, "1",
     "Requests at a time; from 2 on only events of one key stay in order."},
    {"connect_timeout", WALSPOUT_DURATION_MS, 0, "10s", "Longest time to connect, TLS included."},
    {"send_timeout", WALSPOUT_DURATION_MS, 0, "10s",
     "Longest time in which the receiver takes nothing of a request."},
    {"timeout", WALSPOUT_DURATION_MS, 0, "30s", "Longest time of a request, the answer included."})
