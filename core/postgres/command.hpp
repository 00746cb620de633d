// The steps of a command on a non-blocking connection, for this folder: send, wait, collect, give
// up. Connection::exec is all of them in a row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postgres/connection.hpp"

namespace walspout::postgres {

// Newlines and runs of blanks become one blank: messages are one line.
std::string one_line(std::string_view text);

// Throws what the error of a result or the state of the connection means.
[[noreturn]] void throw_result_error(const Connection& conn, const pg_result* result);
[[noreturn]] void throw_connection_lost(const Connection& conn);

// Queues the command and sends it off.
void send_command(Connection& conn, const std::string& sql, const Interrupt& interrupt);
void send_command(Connection& conn, const std::string& sql,
                  const std::vector<std::optional<std::string>>& params,
                  const Interrupt& interrupt);

// Sends all that libpq holds for the socket.
void flush_all(Connection& conn, const Interrupt& interrupt);

// True when a result, or its end, can be taken without waiting; false after the deadline.
bool await_result(Connection& conn, const Interrupt& interrupt, Deadline deadline = {});

// Waits for the command's results up to its end, or to the start of a copy, and gives the last.
// Throws the first error.
Result collect(Connection& conn, const Interrupt& interrupt);

// Asks the server to cancel what runs, and waits a few seconds until it has ended; closes the
// connection when it does not. True when the command had completed before that. Never throws.
bool cancel_and_drain(Connection& conn) noexcept;

}  // namespace walspout::postgres
