#!/usr/bin/env bash
# The contract's header is clean in every C and C++ that plugin authors may use, with g++ and, where
# it is installed, clang.
set -euo pipefail
flags=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I sdk/include)
count=0
for c in gcc clang; do
  command -v $c >/dev/null || continue
  for standard in c11 c17 c2x; do
    $c -std=$standard "${flags[@]}" -x c - <<<'#include <walspout/abi.h>'
    count=$((count + 1))
  done
  for standard in c++11 c++14 c++17 c++20; do
    $c -std=$standard "${flags[@]}" -x c++ - <<<'#include <walspout/abi.h>'
    count=$((count + 1))
  done
done
echo "$count compilers and standards"
