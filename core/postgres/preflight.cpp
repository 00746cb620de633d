#include "postgres/preflight.hpp"

#include <algorithm>

#include "postgres/preflight_checks.hpp"

namespace walspout::postgres {

namespace {

void add(const PreflightContext& context, Finding::Severity severity, std::string object,
         std::string text, std::string remedy) {
  context.result.findings.push_back(
      {severity, std::move(object), std::move(text), std::move(remedy)});
}

// A check that fails itself is a finding, and the others go on.
void run_check(const PreflightContext& context, const char* object,
               void (*check)(const PreflightContext&)) {
  try {
    check(context);
  } catch (const SqlError& error) {
    context.error(object, std::string("cannot be checked: ") + error.what());
  }
}

// The right to replicate may also be withheld by pg_hba.conf: only a login shows it.
void check_replication_login(const PreflightContext& context) {
  const bool known = std::any_of(
      context.result.findings.begin(), context.result.findings.end(), [](const Finding& finding) {
        return finding.object == "max_wal_senders" || finding.object.rfind("role ", 0) == 0;
      });
  if (known) return;
  ConnectOptions options;
  options.url = context.options.url;
  options.replication = true;
  try {
    const Connection replication(options, context.interrupt);
  } catch (const Refused& error) {
    context.error("replication connection", error.what());
  } catch (const ConnectionLost& error) {
    context.error("replication connection", error.what());
  }
}

}  // namespace

void PreflightContext::error(std::string object, std::string text, std::string remedy) const {
  add(*this, Finding::Severity::kError, std::move(object), std::move(text), std::move(remedy));
}

void PreflightContext::warning(std::string object, std::string text, std::string remedy) const {
  add(*this, Finding::Severity::kWarning, std::move(object), std::move(text), std::move(remedy));
}

void PreflightContext::note(std::string object, std::string text, std::string remedy) const {
  add(*this, Finding::Severity::kNote, std::move(object), std::move(text), std::move(remedy));
}

bool Preflight::ok() const {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Finding::Severity::kError;
  });
}

Preflight preflight(const PreflightOptions& options, const Interrupt& interrupt) {
  Preflight result;
  result.where = describe_url(options.url);
  try {
    ConnectOptions connect;
    connect.url = options.url;
    Connection conn(connect, interrupt);
    result.where = conn.where();
    result.server_version = conn.server_version();
    const PreflightContext context{conn, options, interrupt, result};
    run_check(context, "server", check_server);
    run_check(context, "role", check_role);
    run_check(context, "slot", check_slot);
    run_check(context, "publication", check_publication);
    run_check(context, "tables", check_patterns);
    run_check(context, "tables", check_tables);
    check_replication_login(context);
  } catch (const std::runtime_error& error) {
    result.findings.push_back({Finding::Severity::kError, "connection", error.what(), ""});
  }
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return result;
}

}  // namespace walspout::postgres
