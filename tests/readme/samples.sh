#!/usr/bin/env bash
# samples.sh WALSPOUT: every pipeline in config/ passes `walspout check` and runs until it has caught
# up, against a throwaway server with the demo's shop. Changed is "localhost" only, which becomes the
# server's socket folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
top=$PWD
walspout=$(realpath "$1")
source tests/demo/server.sh

work=$(mktemp -d /tmp/walspout-samples.XXXXXX)
clean_up() {
  local status=$?
  trap - EXIT
  server_stop
  rm -rf "$work"
  exit $status
}
trap clean_up EXIT
trap 'exit 130' INT TERM

server_start /tmp/walspout-pg.XXXXXX
"$PG_BIN/psql" -X -q -d "host=$PG_DIR user=postgres dbname=postgres" -c 'CREATE DATABASE shop' \
  -c 'CREATE ROLE walspout LOGIN SUPERUSER REPLICATION'
"$PG_BIN/psql" -X -q -v ON_ERROR_STOP=1 -d "host=$PG_DIR user=postgres dbname=shop" -f tests/demo/shop.sql

cd "$work"
export WEBHOOK_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
export WALSPOUT_PASSWORD=none SHOP_DB=$work/quick.db SHOP_STATE=$work/quick.state
export SHOP_URL="host=$PG_DIR user=walspout dbname=shop"
for sample in "$top"/config/*.toml; do
  name=${sample##*/}
  echo "== config/$name"
  sed "s/@localhost/@${PG_DIR//\//%2F}/" "$sample" >"$name"
  # A slot serves one pipeline: each is torn down before the next starts.
  "$walspout" check "$name"
  "$walspout" run "$name" --until-caught-up
  "$walspout" teardown "$name"
  # The keys that are commented out are right, too.
  sed -E 's/^# ([a-z_]+ = )/\1/' "$name" >"all-$name"
  "$walspout" check "all-$name" >all.out || { cat all.out; exit 1; }
done
[[ $(sqlite3 quick.db 'SELECT count(*) FROM orders') == 300 ]]
[[ $(sqlite3 shop.db 'SELECT count(*) FROM orders') == 300 ]]
[[ -f changes.jsonl ]]
echo 'every sample runs'
