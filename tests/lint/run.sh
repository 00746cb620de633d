#!/usr/bin/env bash
# All checks of this folder: `./dev lint [--all]`. Each prints what it finds; the status is 1 if any
# of them found something. compile_commands.json is expected in build/release.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

status=0
check() { # check NAME COMMAND...
  local begin=$SECONDS output
  if output=$("${@:2}" 2>&1); then
    printf '%-10s ok      %3d s  %s\n' "$1" $((SECONDS - begin)) "${output##*$'\n'}"
  else
    status=1
    printf '%-10s FAILED  %3d s\n%s\n' "$1" $((SECONDS - begin)) "$output"
  fi
}

check format tests/lint/format.sh
check sizes tests/lint/sizes.sh
check names tests/lint/names.sh
check layers tests/lint/layers.sh
check abi tests/lint/abi.sh
check headers tests/lint/headers.sh
check tidy tests/lint/tidy.sh "$@"
exit $status
