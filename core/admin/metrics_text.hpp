// The figures as Prometheus reads them.
//
// Source: Prometheus documentation, "Exposition formats", text format 0.0.4.
#pragma once

#include <string>

#include "admin/figures.hpp"

namespace walspout::admin {

std::string metrics_text(const Figures& figures);

}  // namespace walspout::admin
