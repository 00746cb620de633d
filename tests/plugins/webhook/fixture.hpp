// A receiver, a state folder, the webhook plugin as it was built, and short words for what the
// tests do.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <walspout/testing.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/http_server.hpp"

namespace walspout::webhook_test {

using namespace walspout::testing;  // NOLINT: the tests' language
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

inline constexpr char kSecret[] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
inline constexpr char kOtherSecret[] = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

class WebhookTest : public ::testing::Test {
 protected:
  WebhookTest();
  ~WebhookTest() override;

  std::string state() const { return (folder_ / "state").string(); }
  std::string state_file(const std::string& name) const { return state() + "/" + name; }
  // With url and allow_private, unless more has them.
  Settings settings(Settings more = {}) const;

  // A transaction whose rows have these ids in public.t, a key of int8 and a note.
  Reply put(Driver& sink, Lsn lsn, int rows, std::size_t note = 5, std::size_t pieces = 1);
  static void fill(Txn& txn, int rows, std::size_t note = 5);
  static const Relation& table();

  // "100-0 100-1": the events of a body, by transaction (hexadecimal) and ordinal.
  static std::string ids(const std::string& body);
  // The same for each request so far, as the receiver got them.
  std::vector<std::string> bodies() const;
  std::vector<std::string> message_ids() const;

  // Flushes as the host does, until it succeeds or fails for good.
  static Reply flush_until_done(Driver& sink);

  std::filesystem::path folder_;
  const walspout_plugin& plugin_ = load_plugin(WEBHOOK_PLUGIN);
  HttpServer server_;
};

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
inline std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }

}  // namespace walspout::webhook_test
