#include "fixture.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

namespace walspout::postgres {

Switch::Switch() : fd_(::eventfd(0, EFD_CLOEXEC)) {}

Switch::~Switch() { ::close(fd_); }

void Switch::on() {
  const std::uint64_t one = 1;
  ASSERT_EQ(::write(fd_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
}

WithDatabase::WithDatabase() {
  static int count = 0;
  db_ = "db" + std::to_string(++count);
  shared_server().create_database(db_);
  url_ = shared_server().url(db_);
}

ConnectOptions WithDatabase::options(const std::string& user) const {
  ConnectOptions options;
  options.url = shared_server().url(db_, user);
  return options;
}

Connection WithDatabase::connect(const std::string& user) {
  return Connection(options(user), Interrupt());
}

Connection WithDatabase::replicate(const std::string& user) {
  ConnectOptions wanted = options(user);
  wanted.replication = true;
  return Connection(wanted, Interrupt());
}

int WithDatabase::slots(const std::string& name) {
  return std::stoi(
      value("SELECT count(*) FROM pg_replication_slots WHERE slot_name = '" + name + "'"));
}

}  // namespace walspout::postgres
