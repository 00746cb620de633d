// The parts of preflight(), for this folder: each adds what it finds.
#pragma once

#include "postgres/preflight.hpp"

namespace walspout::postgres {

struct PreflightContext {
  Connection& conn;  // ordinary
  const PreflightOptions& options;
  const Interrupt& interrupt;
  Preflight& result;

  void error(std::string object, std::string text, std::string remedy = "") const;
  void warning(std::string object, std::string text, std::string remedy = "") const;
  void note(std::string object, std::string text, std::string remedy = "") const;
};

void check_server(const PreflightContext& context);
void check_role(const PreflightContext& context);
void check_slot(const PreflightContext& context);
void check_publication(const PreflightContext& context);
void check_patterns(const PreflightContext& context);
void check_tables(const PreflightContext& context);

}  // namespace walspout::postgres
