// The host's log: one line per event on standard error, as text or JSON. Threads: any.
#pragma once

#include <string_view>

namespace walspout::log {

enum class Level { kTrace, kDebug, kInfo, kWarn, kError };
enum class Format { kText, kJson };

// Before the first line; later calls change what follows.
void configure(Level level, Format format);

bool enabled(Level level);
void write(Level level, std::string_view text);

inline void trace(std::string_view text) { write(Level::kTrace, text); }
inline void debug(std::string_view text) { write(Level::kDebug, text); }
inline void info(std::string_view text) { write(Level::kInfo, text); }
inline void warn(std::string_view text) { write(Level::kWarn, text); }
inline void error(std::string_view text) { write(Level::kError, text); }

}  // namespace walspout::log
