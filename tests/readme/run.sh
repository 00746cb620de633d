#!/usr/bin/env bash
# run.sh WALSPOUT: does what README.md shows, in its order, against a throwaway server with the
# demo's shop. Blocks are marked in README.md by a comment on the line before them:
#   <!-- readme-test: psql -->          SQL for the superuser
#   <!-- readme-test: file NAME -->     the block becomes the file NAME; "append NAME" adds to it
#   <!-- readme-test: sh -->            commands; "sh at the end" runs after all others
# They run in a folder that looks like the clone after `./dev build`. Changed are two things only:
# "localhost" in a file becomes the server's socket folder, and `walspout run` ends once it has
# caught up, before which a row is inserted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
top=$PWD
walspout=$(realpath "$1")
source tests/demo/server.sh

work=$(mktemp -d /tmp/walspout-readme.XXXXXX)
clean_up() {
  local status=$?
  trap - EXIT
  server_stop
  rm -rf "$work"
  exit $status
}
trap clean_up EXIT
trap 'exit 130' INT TERM

fail() {
  echo "readme: $*" >&2
  exit 1
}
sql() { "$PG_BIN/psql" -X -q -At -v ON_ERROR_STOP=1 -P null=NULL -d "host=$PG_DIR user=postgres dbname=${DB:-shop}" "$@"; }

server_start /tmp/walspout-pg.XXXXXX
DB=postgres sql -c 'CREATE DATABASE shop'
sql -f tests/demo/shop.sql

mkdir "$work/blocks"
# Cuts README.md into NN.KIND files, named by a number and the marker's words, in order.
awk -v folder="$work/blocks" '
  /^<!-- readme-test: / {
    name = $0
    sub(/^<!-- readme-test: /, "", name)
    sub(/ -->$/, "", name)
    gsub(/ /, "+", name)
    next
  }
  /^```/ && open { open = 0; next }
  /^```/ && name != "" {
    open = 1
    file = sprintf("%s/%s%02d+%s", folder, name ~ /at\+the\+end/ ? "z" : "a", ++count, name)
    name = ""
    next
  }
  open { print > file }
  END { if (count < 8) { print "readme: found " count " marked blocks only" > "/dev/stderr"; exit 1 } }
' README.md

cd "$work"
mkdir build
ln -s "$(dirname "$walspout")" build/release
ln -s "$top/sdk" sdk
printf '#!/bin/sh\n' >dev # the build is there
chmod +x dev

inserted=2000
walspout() {
  if [[ $1 != run ]]; then
    command walspout "$@"
    return
  fi
  inserted=$((inserted + 1))
  sql -c "CALL place_order($inserted)"
  command walspout "$@" --until-caught-up
}

ran=0
for block in blocks/*; do
  kind=${block#*+}
  echo "== README.md: ${kind//+/ }"
  case $kind in
    psql) sql -f "$block" ;;
    file+*) sed "s/@localhost/@${PG_DIR//\//%2F}/" "$block" >"${kind#file+}" ;;
    append+*) cat "$block" >>"${kind#append+}" ;;
    sh*)
      # Sourced, so that PATH and variables stay for the blocks that follow.
      # shellcheck disable=SC1090
      source "$block"
      ran=$((ran + 1))
      ;;
    *) fail "unknown marker '${kind//+/ }'" ;;
  esac
done
((ran >= 4)) || fail "only $ran blocks of commands were run"

sql -f "$top/tests/demo/rows.source.sql" >source.rows
sqlite3 -batch -bail -cmd '.nullvalue NULL' shop.db <"$top/tests/demo/rows.mirror.sql" >mirror.rows
diff source.rows mirror.rows >/dev/null || fail "the mirror of README.md differs from its source: $(diff source.rows mirror.rows | head -n 4)"
grep -qx '1 orders' lines.txt || fail "the sink of README.md wrote no line for an inserted order"
[[ $(sql -c 'SELECT count(*) FROM pg_replication_slots') == 0 ]] || fail 'teardown left a slot behind'
echo "README.md holds: $ran blocks of commands, $(wc -l <source.rows) rows mirrored"
