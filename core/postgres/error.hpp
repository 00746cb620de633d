// What can go wrong with the source, in three kinds, and the one list that tells what is worth
// another try. Messages are one line and never hold a password or the connection string: they name
// host, port, database and user.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace walspout::postgres {

// The connection could not be made, or broke: try again later.
struct ConnectionLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The server answered a command with an error. `sqlstate` has five characters (PostgreSQL
// documentation, appendix A).
struct SqlError : std::runtime_error {
  SqlError(const std::string& what, std::string state)
      : std::runtime_error(what), sqlstate(std::move(state)) {}
  std::string sqlstate;
};

// The source refuses for good, until a person acts: exit status 3. The message says what to do.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A table is no longer what the snapshot knows: it was rewritten, dropped or changed its shape.
// Copy it under a newer snapshot.
struct TableChanged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// True for the few states that pass by themselves. Everything unknown goes to a person.
bool is_transient(std::string_view sqlstate);

// ConnectionLost, or SqlError with a transient state.
bool is_transient(const std::exception& error);

}  // namespace walspout::postgres
