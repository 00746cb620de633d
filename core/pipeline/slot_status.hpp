// A slot as operators are told of it.
#pragma once

#include <string>

#include "base/lsn.hpp"
#include "control/status.hpp"
#include "postgres/slot.hpp"

namespace walspout {

// written: the end of the server's WAL at the same moment.
control::SlotStatus slot_status(const postgres::SlotInfo& slot, base::Lsn written);

// "reserved, 1.2 GiB of WAL retained, lost after 800.0 MiB more, at 1.0 MiB/s in 13 min, held back
// by sink mirror, in use"
std::string describe(const control::SlotStatus& slot);

}  // namespace walspout
