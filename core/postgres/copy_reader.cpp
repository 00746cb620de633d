#include "postgres/copy_reader.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include "postgres/command.hpp"
#include "postgres/quote.hpp"
#include "postgres/rights.hpp"

namespace walspout::postgres {

namespace {

// COPY of a table is the fastest form; a filter, a generated column, the rows of partitions and a
// list without columns need a query.
std::string copy_command(const PublishedTable& table, const CopyOptions& options) {
  const std::string name = quote_table(table.schema, table.name);
  std::string list;
  bool plain = table.relkind == 'r' && !table.row_filter && options.where.empty() &&
               options.limit == 0 && !table.columns.empty();
  for (const auto& column : table.columns) {
    list += (list.empty() ? "" : ", ") + quote_identifier(column.name);
    plain = plain && !column.generated;
  }
  if (plain) return fmt::format("COPY {} ({}) TO STDOUT", name, list);
  std::string filter = table.row_filter ? fmt::format("({})", *table.row_filter) : "";
  if (!options.where.empty())
    filter += fmt::format("{}({})", filter.empty() ? "" : " AND ", options.where);
  return fmt::format("COPY (SELECT {} FROM {}{}{}{}{}) TO STDOUT", list,
                     table.relkind == 'p' ? "" : "ONLY ", name,
                     filter.empty() ? "" : " WHERE " + filter,
                     options.order_by.empty() ? "" : " ORDER BY " + options.order_by,
                     options.limit == 0 ? "" : fmt::format(" LIMIT {}", options.limit));
}

}  // namespace

CopyReader::CopyReader(Connection& connection, const PublishedTable& table,
                       const CopyOptions& options, const Interrupt& interrupt)
    : connection_(connection),
      interrupt_(interrupt),
      table_(table.full_name()),
      column_count_(table.columns.size()) {
  try {
    const Result started = connection.exec(copy_command(table, options), interrupt);
    if (!started.starts_copy()) throw std::runtime_error("COPY was answered by no copy");
  } catch (const SqlError& error) {
    if (error.sqlstate == "42P01" || error.sqlstate == "42703") {
      throw TableChanged(fmt::format("table {} changed: {}", table_, error.what()));
    }
    if (error.sqlstate != "42501") throw;
    if (std::string_view(error.what()).find("row-level security") != std::string_view::npos) {
      throw row_security_refusal(connection, table);
    }
    throw missing_select_refusal(connection, table, error);
  }
}

CopyReader::~CopyReader() {
  if (!done_) cancel_and_drain(connection_);
}

bool CopyReader::next(base::Arena& arena, std::span<walspout_value>& row) {
  if (done_) return false;
  struct Free {
    void operator()(char* buffer) const { PQfreemem(buffer); }
  };
  PGconn* conn = connection_.raw();
  for (;;) {
    char* data = nullptr;
    const int size = PQgetCopyData(conn, &data, 1);
    if (size > 0) {
      const std::unique_ptr<char, Free> buffer(data);
      ++rows_;
      bytes_ += static_cast<std::uint64_t>(size);
      row = parse_copy_row({data, static_cast<std::size_t>(size)}, column_count_, arena);
      return true;
    }
    if (size == -2) throw_connection_lost(connection_);
    if (size == -1) break;
    interrupt_.wait(connection_.fd(), POLLIN);
    if (PQconsumeInput(conn) == 0) throw_connection_lost(connection_);
  }
  collect(connection_, interrupt_);  // throws what ended the copy, if it was an error
  done_ = true;
  return false;
}

}  // namespace walspout::postgres
