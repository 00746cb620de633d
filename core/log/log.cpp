#include "log/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace walspout::log {
namespace {

// The message without line breaks (a name from the database may hold one), for a line to stay a
// line.
class OneLine : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& msg, const std::tm&,
              spdlog::memory_buf_t& out) override {
    for (const char c : msg.payload) out.push_back(c == '\n' || c == '\r' ? ' ' : c);
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<OneLine>();
  }
};

// The message as the inside of a JSON string.
class JsonEscaped : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& msg, const std::tm&,
              spdlog::memory_buf_t& out) override {
    static constexpr char kHex[] = "0123456789abcdef";
    for (const char c : msg.payload) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out.push_back('\\');
        out.push_back(c);
      } else if (byte < 0x20) {
        for (const char e : {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]})
          out.push_back(e);
      } else {
        out.push_back(c);
      }
    }
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonEscaped>();
  }
};

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::kTrace:
      return spdlog::level::trace;
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = spdlog::stderr_logger_mt("walspout");
    auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    formatter->add_flag<OneLine>('*').set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %*");
    made->set_formatter(std::move(formatter));
    return made;
  }();
  return *instance;
}

}  // namespace

void configure(Level level, Format format) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  if (format == Format::kJson) {
    formatter->add_flag<JsonEscaped>('*').set_pattern(
        R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":"%*"})");
  } else {
    formatter->add_flag<OneLine>('*').set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %*");
  }
  logger().set_formatter(std::move(formatter));
  logger().set_level(to_spdlog(level));
  logger().flush_on(spdlog::level::trace);
}

bool enabled(Level level) { return logger().should_log(to_spdlog(level)); }

void write(Level level, std::string_view text) {
  logger().log(to_spdlog(level), spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace walspout::log
