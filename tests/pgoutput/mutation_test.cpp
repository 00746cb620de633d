// Damaged messages of real servers: cut at every length, and with bytes changed. The result is
// Malformed or a message, never a crash (which AddressSanitizer and UBSan look for).
#include <map>
#include <random>
#include <tuple>

#include "capture.hpp"
#include "pgoutput_input.hpp"

namespace walspout::pgoutput {
namespace {

class Damaged : public testing::TestWithParam<std::string> {
 protected:
  // True if the bytes decode, and all that the result points to can be read.
  static bool decodes(std::string_view bytes, const Context& context) {
    const auto flags =
        (context.in_stream ? fuzz::kInStream : 0) | (context.parallel ? fuzz::kParallel : 0);
    std::vector<std::uint8_t> input = {static_cast<std::uint8_t>(flags)};
    input.insert(input.end(), bytes.begin(), bytes.end());
    return fuzz::run_pgoutput(input);
  }

  // The messages of the capture, without those that only repeat a shape: of each type and length
  // the first few.
  static std::vector<CapturedMessage> messages() {
    std::vector<CapturedMessage> some;
    std::map<std::tuple<char, std::size_t, bool>, int> seen;
    for (CapturedMessage& message : read_capture(GetParam())) {
      const auto key =
          std::tuple(message.bytes[0], message.bytes.size(), message.context.in_stream);
      if (++seen[key] <= 3) some.push_back(std::move(message));
    }
    return some;
  }
};

TEST_P(Damaged, AMessageCutAtAnyLengthIsMalformed) {
  for (const CapturedMessage& message : messages()) {
    ASSERT_TRUE(decodes(message.bytes, message.context));
    for (std::size_t size = 0; size < message.bytes.size(); ++size) {
      EXPECT_FALSE(decodes(std::string_view(message.bytes).substr(0, size), message.context))
          << message.bytes[0] << " cut to " << size;
    }
  }
}

TEST_P(Damaged, AMessageWithAByteMoreIsMalformed) {
  for (const CapturedMessage& message : messages()) {
    EXPECT_FALSE(decodes(message.bytes + '\0', message.context)) << message.bytes[0];
  }
}

TEST_P(Damaged, AMessageWithBytesChangedIsMalformedOrDecodes) {
  std::mt19937 random(20260131);
  std::size_t malformed = 0;
  for (const CapturedMessage& message : messages()) {
    for (int round = 0; round < 200; ++round) {
      std::string bytes = message.bytes;
      const int changes = 1 + static_cast<int>(random() % 3);
      for (int i = 0; i < changes; ++i)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      if (!decodes(bytes, message.context)) ++malformed;
    }
  }
  EXPECT_GT(malformed, 0U);
}

TEST_P(Damaged, AMessageInTheOtherContextIsMalformedOrDecodes) {
  std::size_t malformed = 0;
  for (const CapturedMessage& message : messages()) {
    Context other = message.context;
    other.in_stream = !other.in_stream;
    if (!decodes(message.bytes, other)) ++malformed;
  }
  EXPECT_GT(malformed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Captures, Damaged, testing::ValuesIn(capture_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace walspout::pgoutput
