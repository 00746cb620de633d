#!/bin/sh
# headers.sh INCLUDE_FOLDER: the contract's header compiles as C11 and later and as C++11 to C++20,
# every other header alone as C++20, without a warning.
set -eu
include=$1
flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$include"
failed=0
try() {
  if ! printf '#include <walspout/%s>\n' "$4" | $1 -std="$2" $flags -x "$3" -; then
    echo "$4 does not compile with $1 -std=$2"
    failed=1
  fi
}
found=0
for cc in gcc clang; do
  command -v $cc >/dev/null || continue
  found=1
  for std in c11 c17 c2x; do try $cc $std c abi.h; done
done
for cxx in g++ clang++; do
  command -v $cxx >/dev/null || continue
  for std in c++11 c++14 c++17 c++20; do try $cxx $std c++ abi.h; done
  for header in "$include"/walspout/*.hpp; do try $cxx c++20 c++ "$(basename "$header")"; done
done
[ $found = 1 ] || { echo "no compiler was found"; exit 1; }
exit $failed
