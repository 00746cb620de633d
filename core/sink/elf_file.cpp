#include "sink/elf_file.hpp"

#include <fmt/format.h>
#include <walspout/abi.h>

#include "sink/elf_image.hpp"

namespace walspout::sink {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif
#else
constexpr bool kAddressSanitizer = false;
#endif

// The runtime of AddressSanitizer aborts the process when it comes in by dlopen().
void check_sanitizer(const ElfImage& image) {
  if (!kAddressSanitizer && image.needs("libasan.so"))
    throw BadElf{"is built with AddressSanitizer and this host is not; build it without"};
}

void check_entry(const ElfImage& image) {
  if (image.exports(WALSPOUT_ENTRY_NAME)) return;
  constexpr int kLastMajor = 9;
  for (int major = 0; major <= kLastMajor; ++major) {
    if (!image.exports(fmt::format("walspout_plugin_v{}", major))) continue;
    throw BadElf{fmt::format(
        "is built for plugin ABI {} and has no {}; this host supports ABI {}; rebuild it with "
        "this host's SDK",
        major, WALSPOUT_ENTRY_NAME, WALSPOUT_ABI_MAJOR)};
  }
  throw BadElf{"is no walspout plugin: it does not export " WALSPOUT_ENTRY_NAME};
}

}  // namespace

std::optional<std::string> check_elf(const std::filesystem::path& path) {
  try {
    ElfImage image(path);
    image.read_header();
    image.read_segments();
    image.read_dynamic();
    check_sanitizer(image);
    check_entry(image);
    return std::nullopt;
  } catch (const BadElf& bad) {
    return bad.text;
  }
}

}  // namespace walspout::sink
