#!/usr/bin/env bash
# run.sh VERSION PROGRAM [ARG...]: a test program with servers of that version; 77 (skipped, for ctest)
# with the reason when the version is not on this machine.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
bin=$("$here/fetch.sh" --where "$1") || exit
echo "$("$bin/postgres" --version) in $bin"
WALSPOUT_PG_BIN=$bin exec "${@:2}"
