#include "postgres/error.hpp"

namespace walspout::postgres {

bool is_transient(std::string_view sqlstate) {
  if (sqlstate.size() != 5) return false;
  if (sqlstate.substr(0, 2) == "08") return true;  // connection exceptions
  static constexpr std::string_view kStates[] = {
      "57P01",  // admin_shutdown
      "57P02",  // crash_shutdown
      "57P03",  // cannot_connect_now: starting up, or not yet consistent
      "53300",  // too_many_connections, also too many walsenders
      "53200",  // out_of_memory
      "53100",  // disk_full
      "55006",  // object_in_use: the slot is active for another process
      "55P03",  // lock_not_available
      "40001",  // serialization_failure, also a recovery conflict on a standby
      "40P01",  // deadlock_detected
      "58030",  // io_error
  };
  for (const std::string_view state : kStates) {
    if (state == sqlstate) return true;
  }
  return false;
}

bool is_transient(const std::exception& error) {
  if (dynamic_cast<const ConnectionLost*>(&error) != nullptr) return true;
  const auto* sql = dynamic_cast<const SqlError*>(&error);
  return sql != nullptr && is_transient(sql->sqlstate);
}

}  // namespace walspout::postgres
