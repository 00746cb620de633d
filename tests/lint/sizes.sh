#!/usr/bin/env bash
# A file that holds one job is short: 300 lines are the aim, 400 the limit.
set -euo pipefail
source tests/lint/files.sh
status=0 over_aim=0
while read -r lines file; do
  if ((lines > 400)); then
    echo "$file: $lines lines; split it by job (the limit is 400)"
    status=1
  elif ((lines > 300)); then
    over_aim=$((over_aim + 1))
  fi
done < <(files '(\.(c|h|cpp|hpp|sh|cmake)|CMakeLists\.txt|^dev)$' | xargs -d '\n' wc -l | grep -v ' total$')
[[ $status == 0 ]] && echo "$over_aim files between 300 and 400 lines"
exit $status
