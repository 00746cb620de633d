# shellcheck shell=bash
# Sourced by the checks of this folder, in the top folder of the tree.
# files PATTERN: the project's files whose path matches the extended regular expression, one a line.
# In a clone what git tracks or could track, elsewhere everything but the build's output.
files() {
  {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
      git ls-files --cached --others --exclude-standard
    else
      find . -path ./build -prune -o -path ./demo -prune -o -type f -printf '%P\n'
    fi
  } | grep -E "$1" | LC_ALL=C sort -u | while IFS= read -r file; do
    if [[ -f $file ]]; then echo "$file"; fi
  done
}

# parallel COMMAND...: runs COMMAND once per line of its input, on all processors.
parallel() { xargs -r -d '\n' -n 1 -P "$(nproc)" "$@"; }
