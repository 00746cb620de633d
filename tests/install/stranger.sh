#!/bin/sh
# stranger.sh CMAKE BUILD_FOLDER COMPILER SOURCE_FOLDER
set -eu
cmake=$1 build=$2 compiler=$3 source=$4
dir=$(mktemp -d /tmp/walspout_install_XXXXXX)
trap 'rm -rf "$dir"' EXIT
"$cmake" --install "$build" --prefix "$dir/prefix" --component sdk >"$dir/log"
example=$(find "$dir/prefix" -path '*/sdk/example' -type d)

# The example as it was installed.
"$cmake" -G Ninja -S "$example" -B "$dir/tail" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$dir/prefix" >>"$dir/log"
"$cmake" --build "$dir/tail" >>"$dir/log" || { cat "$dir/log"; exit 1; }
exported=$(nm -D --defined-only "$dir/tail/plugins/tail.so" | awk '{print $3}')
[ "$exported" = walspout_plugin_v1 ] || { echo "exported: $exported"; exit 1; }

# A program of the stranger's own that tests it.
"$cmake" -G Ninja -S "$source" -B "$dir/try" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$dir/prefix" >>"$dir/log"
"$cmake" --build "$dir/try" >>"$dir/log" || { cat "$dir/log"; exit 1; }
"$dir/try/try" "$dir/tail/plugins/tail.so" "$dir/changes.txt"
printf '1 public.orders\n2 public.orders\n3 public.orders\n' | diff - "$dir/changes.txt"

# The package of another contract is refused.
if "$cmake" -G Ninja -S "$source" -B "$dir/other" -DCMAKE_PREFIX_PATH="$dir/prefix" -DABI=2 >"$dir/log" 2>&1; then
  echo "find_package(walspout 2) found version 1"
  exit 1
fi
