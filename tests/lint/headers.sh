#!/usr/bin/env bash
# Each header compiles as the only include of a file: it brings what it uses. Fixtures of one test
# program are left out: they need that program's definitions.
set -euo pipefail
source tests/lint/files.sh

check_header() {
  local path=$1 include=$1
  case $path in
    core/*) include=${path#core/} ;;
    sdk/include/*) include=${path#sdk/include/} ;;
  esac
  # shellcheck disable=SC2046  # the flags are several words
  g++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -Wno-restrict -fsyntax-only -x c++ \
    -I core -I sdk/include -I . -I tests -I "$(dirname "$path")" $(pkg-config --cflags libpq) \
    - <<<"#include \"$include\"" || {
    echo "$path: does not compile on its own"
    return 1
  }
}
export -f check_header

mapfile -t headers < <(files '\.(h|hpp)$' | grep -E '^(core|sdk|plugins|tests/support)/')
# shellcheck disable=SC2016
printf '%s\n' "${headers[@]}" | parallel bash -c 'check_header "$1"' _
echo "${#headers[@]} headers"
