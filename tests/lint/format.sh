#!/usr/bin/env bash
# Every C and C++ file is as clang-format writes it (.clang-format).
set -euo pipefail
source tests/lint/files.sh
mapfile -t sources < <(files '\.(c|h|cpp|hpp)$')
status=0
for file in "${sources[@]}"; do
  if ! clang-format --style=file "$file" | cmp -s - "$file"; then
    echo "$file: clang-format -i $file"
    status=1
  fi
done
[[ $status == 0 ]] && echo "${#sources[@]} files"
exit $status
