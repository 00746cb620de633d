#include <fmt/format.h>
#include <link.h>
#include <walspout/abi.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "cli/console.hpp"
#include "cli/verbs.hpp"

namespace walspout::cli {
namespace {

using Row = std::vector<std::string>;

// "libpq.so.5.15" as {"libpq", "5.15"}. The dynamic linker tells which files are in use, so that
// no library's header is needed to name its version.
int add_library(dl_phdr_info* info, std::size_t, void* rows) {
  constexpr std::array<std::string_view, 6> kShown = {"libpq",  "libssl",    "libtomlplusplus",
                                                      "libfmt", "libspdlog", "libstdc++"};
  std::error_code error;
  const auto file = std::filesystem::canonical(info->dlpi_name, error).filename().string();
  const std::size_t suffix = file.find(".so.");
  if (error || suffix == std::string::npos) return 0;
  const std::string name = file.substr(0, suffix);
  if (std::find(kShown.begin(), kShown.end(), name) != kShown.end()) {
    static_cast<std::vector<Row>*>(rows)->push_back({name, file.substr(suffix + 4)});
  }
  return 0;
}

}  // namespace

int version() {
  std::vector<Row> rows = {
      {"walspout", WALSPOUT_VERSION},
      {"plugin ABI", fmt::format("{}.{}", WALSPOUT_ABI_MAJOR, WALSPOUT_ABI_MINOR)}};
  const auto fixed = static_cast<std::ptrdiff_t>(rows.size());
  dl_iterate_phdr(add_library, &rows);
  std::sort(rows.begin() + fixed, rows.end());
  print(columns(rows));
  return kDone;
}

}  // namespace walspout::cli
