#!/usr/bin/env bash
# The layer check finds each kind of wrong include, and nothing in a tree that keeps the rules.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

file() { # file PATH LINE...: a file of the tree
  mkdir -p "$tree/$(dirname "$1")"
  printf '%s\n' "${@:2}" >"$tree/$1"
}
refuses() { # refuses PATH INCLUDE: this line alone makes the check fail, and is named
  local output
  file "$1" "#include $2"
  if output=$(tests/lint/layers.sh "$tree"); then
    echo "FAILED: $1 may include $2"
    failures=$((failures + 1))
  elif ! grep -q "^$1:1: " <<<"$output"; then
    echo "FAILED: $1 with $2 gave: $output"
    failures=$((failures + 1))
  fi
  rm "$tree/$1"
}

file core/base/lsn.hpp '#include <string>'
file core/postgres/connection.cpp '#include <libpq-fe.h>' '#include "base/lsn.hpp"' '#include "log/log.hpp"'
file core/sink/load.cpp '#include <boost/dll/shared_library.hpp>' '#include <walspout/abi.h>' '#include <fmt/format.h>'
file core/pipeline/pipeline.cpp '#include "sink/runner.hpp"' '#include "config/config.hpp"'
file core/control/server.cpp '#include "log/log.hpp"'
file core/cli/run.cpp '#include "pipeline/pipeline.hpp"' '#include "control/client.hpp"'
file plugins/sqlite/sink.cpp '#include <sqlite3.h>' '#include <walspout/sink.hpp>' '#include "statements.hpp"'
tests/lint/layers.sh "$tree" || { echo 'FAILED: a right tree is refused'; failures=1; }

refuses core/base/bad.hpp '"log/log.hpp"'
refuses core/pgoutput/bad.cpp '"postgres/stream.hpp"'
refuses core/postgres/bad.cpp '"pgoutput/message.hpp"'
refuses core/sink/bad.cpp '"progress/progress.hpp"'
refuses core/route/bad.cpp '"sink/runner.hpp"'
refuses core/config/bad.cpp '"pipeline/pipeline.hpp"'
refuses core/control/bad.cpp '"config/config.hpp"'
refuses core/progress/bad.cpp '"control/words.hpp"'
refuses core/pipeline/bad.cpp '"verify/verify.hpp"'
refuses core/newcomer/bad.cpp '<string>'
refuses core/transaction/bad.cpp '<libpq-fe.h>'
refuses core/config/bad.cpp '<spdlog/spdlog.h>'
refuses core/log/bad.hpp '<fmt/format.h>'
refuses core/sink/bad.cpp '<sqlite3.h>'
refuses core/base/bad.cpp '"../log/log.hpp"'
refuses plugins/sqlite/bad.cpp '"base/lsn.hpp"'
refuses sdk/include/walspout/bad.hpp '"base/lsn.hpp"'
((failures == 0)) && echo 'every planted include was found'
exit $((failures != 0))
