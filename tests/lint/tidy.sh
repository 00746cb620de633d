#!/usr/bin/env bash
# tidy.sh [--all]: clang-tidy with the checks of .clang-tidy, by default on the sources that changed
# since LINT_BASE (default: where this branch left origin/main, on main itself the commit before) and
# on those beside changed headers. Files that the build does not know are left out.
set -euo pipefail
source tests/lint/files.sh
database=build/release/compile_commands.json
[[ -f $database ]] || { echo "no $database; run ./dev build first"; exit 1; }

base() {
  local fork
  if [[ ${LINT_BASE:-} ]]; then
    echo "$LINT_BASE"
    return
  fi
  fork=$(git merge-base HEAD origin/main 2>/dev/null || true)
  [[ $fork && $fork != "$(git rev-parse HEAD)" ]] || fork=$(git rev-parse -q --verify HEAD~1 || true)
  echo "$fork"
}

since=
[[ ${1:-} == --all ]] || since=$(base 2>/dev/null)
if [[ $since ]]; then
  # A changed header is checked through the source beside it, or through any one that includes it.
  candidates=$({ git diff --name-only --diff-filter=d "$since"; git ls-files -o --exclude-standard; } |
    { grep -E '\.(cpp|hpp|h)$' || true; } | while IFS= read -r file; do
      if [[ $file == *.cpp ]]; then
        echo "$file"
      elif [[ -f ${file%.*}.cpp ]]; then
        echo "${file%.*}.cpp"
      else
        git grep -lF --max-count=1 "${file#*/}\"" -- '*.cpp' | head -n 1 || true
      fi
    done)
else
  candidates=$(files '\.cpp$')
fi
mapfile -t sources < <(LC_ALL=C sort -u <<<"$candidates" | while IFS= read -r file; do
  if [[ $file ]] && grep -qF "\"$PWD/$file\"" "$database"; then echo "$file"; fi
done)
((${#sources[@]})) || { echo "nothing changed"; exit 0; }

tidy() {
  local output
  # The database is g++'s: clang does not know all of its warnings.
  if ! output=$(clang-tidy -p build/release --quiet --warnings-as-errors='*' \
      --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null); then
    echo "$output"
    return 1
  fi
}
export -f tidy
# shellcheck disable=SC2016
printf '%s\n' "${sources[@]}" | parallel bash -c 'tidy "$1"' _
echo "${#sources[@]} sources"
