#include "support/temp_dir.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace walspout::test {

TempDir::TempDir() {
  char pattern[] = "/tmp/wsp.XXXXXX";
  if (!mkdtemp(pattern)) throw std::runtime_error("mkdtemp failed in /tmp");
  path_ = pattern;
  // The server's unprivileged user must be able to pass through.
  std::filesystem::permissions(path_, std::filesystem::perms(0755));
}

TempDir::~TempDir() {
  if (std::getenv("WALSPOUT_KEEP")) {
    std::cerr << "kept " << path_ << "\n";
    return;
  }
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (error) std::cerr << "cannot remove " << path_ << ": " << error.message() << "\n";
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

static void write_to(const std::string& path, const std::string& text, std::ios::openmode mode) {
  std::ofstream out(path, std::ios::binary | mode);
  out << text;
  out.flush();
  if (!out) throw std::runtime_error("cannot write " + path);
}

void write_file(const std::string& path, const std::string& text) {
  write_to(path, text, std::ios::trunc);
}

void append_file(const std::string& path, const std::string& text) {
  write_to(path, text, std::ios::app);
}

}  // namespace walspout::test
