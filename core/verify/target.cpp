#include "verify/target.hpp"

#include <cstring>
#include <exception>

#include "base/quote.hpp"

namespace walspout::verify {

namespace {

walspout_error empty_error() {
  walspout_error error{};
  error.struct_size = sizeof error;
  return error;
}

std::string text(const walspout_error& error) {
  const std::size_t size = strnlen(error.message, sizeof error.message);
  return size == 0 ? "no reason given" : base::one_line({error.message, size});
}

// Exceptions do not cross the plugin.
struct Rows {
  const Target::OnRow& row;
  std::exception_ptr thrown;
};

std::int32_t on_row(void* ctx, const walspout_value* row) {
  auto& rows = *static_cast<Rows*>(ctx);
  try {
    return rows.row(row) ? 0 : 1;
  } catch (...) {
    rows.thrown = std::current_exception();
    return 1;
  }
}

}  // namespace

Target::Opener::Opener(const config::Config& config, const PreparedSink& sink)
    : sink_(sink),
      pipeline_(config.host.name),
      state_dir_((config.state.directory / sink.config->name).string()),
      host_(sink.config->name, [] {}) {}

std::unique_ptr<Target> Target::Opener::open() {
  walspout_open_args args{};
  args.struct_size = sizeof args;
  args.host = &host_.abi();
  args.pipeline = pipeline_.c_str();
  args.sink = sink_.config->name.c_str();
  args.state_dir = state_dir_.c_str();
  args.settings = sink_.settings.settings().data();
  args.setting_count = static_cast<std::uint32_t>(sink_.settings.settings().size());
  walspout_reader* reader = nullptr;
  walspout_lsn position = 0;
  walspout_error error = empty_error();
  const walspout_status status =
      sink_.plugin->descriptor().reader->open(&args, &reader, &position, &error);
  if (status == WALSPOUT_OK) return std::unique_ptr<Target>(new Target(*this, reader, position));
  why_ = text(error);
  if (status == WALSPOUT_RETRY) return nullptr;
  throw TargetError("sink " + name() + ": " + why_);
}

Target::~Target() { calls().close(reader_); }

const walspout_reader_calls& Target::calls() const {
  return *opener_.sink_.plugin->descriptor().reader;
}

void Target::check(walspout_status status, const walspout_error& error) const {
  if (status != WALSPOUT_OK) throw TargetError("sink " + opener_.name() + ": " + text(error));
}

Target::Table Target::table(const walspout_relation& relation) {
  Table table;
  table.forms.resize(relation.column_count, WALSPOUT_FORM_NONE);
  std::int32_t present = 0;
  walspout_error error = empty_error();
  check(calls().table(reader_, &relation, table.forms.data(), &present, &error), error);
  table.present = present;
  if (present != 1) table.why = text(error);
  return table;
}

void Target::scan(const OnRow& row) {
  Rows rows{row, nullptr};
  walspout_error error = empty_error();
  const walspout_status status = calls().scan(reader_, on_row, &rows, &error);
  if (rows.thrown) std::rethrow_exception(rows.thrown);
  check(status, error);
}

void Target::find(const walspout_value* key, const OnRow& row) {
  Rows rows{row, nullptr};
  walspout_error error = empty_error();
  const walspout_status status = calls().find(reader_, key, on_row, &rows, &error);
  if (rows.thrown) std::rethrow_exception(rows.thrown);
  check(status, error);
}

}  // namespace walspout::verify
