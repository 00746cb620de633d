#!/usr/bin/env bash
# A class has one definition: two of the same name in one namespace are one to the linker, which keeps
# the destructor of either for both. What is in an unnamed namespace belongs to its file.
set -euo pipefail
source tests/lint/files.sh
found=$(files '\.(cpp|hpp)$' | while read -r file; do
  awk -v file="$file" '
    /^namespace [A-Za-z_:]+ \{/ { space = $2 }
    /^namespace \{/ { unnamed = 1 }
    /^}  \/\/ namespace$/ { unnamed = 0 }
    /^(struct|class) [A-Za-z0-9_]+( final)?( : .*)? *\{/ && !unnamed {
      name = $2
      sub(/[:{].*/, "", name)
      print space "::" name, file
    }' "$file"
done | sort | awk '
  $1 == name && $2 != file { print $1 ": defined in " file " and in " $2 "; rename one of them" }
  { name = $1; file = $2 }')
if [[ $found ]]; then
  echo "$found"
  exit 1
fi
echo 'every class has one definition'
