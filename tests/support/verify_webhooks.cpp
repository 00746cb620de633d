#include "support/verify_webhooks.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace walspout::test {

bool have_python() { return std::system("command -v python3 >/dev/null") == 0; }

std::string verify_webhooks(const std::vector<HttpRequest>& requests, const std::string& secret,
                            std::int64_t now, const std::string& folder) {
  const std::string input = folder + "/requests";
  {
    std::ofstream out(input);
    for (const HttpRequest& request : requests) {
      out << request.header("webhook-id") << '\t' << request.header("webhook-timestamp") << '\t'
          << request.header("webhook-signature") << '\t';
      constexpr char kDigits[] = "0123456789abcdef";
      for (const char c : request.body)
        out << kDigits[static_cast<unsigned char>(c) >> 4] << kDigits[c & 15];
      out << '\n';
    }
  }
  const std::string command = std::string("python3 ") + WEBHOOK_VERIFY + " " + secret + " " +
                              std::to_string(now) + " < " + input + " 2>&1";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  if (!pipe) throw std::runtime_error("popen");
  std::string said;
  std::array<char, 4096> block;
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), pipe.get()))
    said.append(block.data(), n);
  while (said.ends_with('\n')) said.pop_back();
  return said;
}

}  // namespace walspout::test
