#!/bin/bash
# Records what a real PostgreSQL sends for each scenario: data/NAME.sql in, data/NAME.hex out.
# Run by hand after a scenario was added or changed, never by the tests; the .hex files are committed.
#
#   tests/pgoutput/record.sh [BIN] [NAME...]
#
# BIN is a folder with initdb, pg_ctl and postgres (default: the newest of /usr/lib/postgresql). psql
# is taken from PATH, since it works with every server. Without NAMEs all scenarios are recorded that
# BIN's server is new enough for.
#
# A scenario is SQL with directives in its first comments:
#   -- options: proto_version=2 streaming=on    options of pgoutput, publication_names aside
#   -- two_phase                                the slot is created with two_phase
#   -- at least: 16                             the first major version that can do it
#   -- set: NAME=VALUE                          a setting of the session that decodes
#   -- workload                                 what comes before it runs before the slot is created
# A .hex file has the directives that a reader needs as `#` lines, then one message a line.
#
# The server is thrown away: unix socket only, temporary folder, unprivileged user.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
if [[ ${1:-} == */* ]]; then bin=$1; shift; fi
names=("$@")
if [[ ${#names[@]} == 0 ]]; then
  for file in "$here"/data/*.sql; do names+=("$(basename "$file" .sql)"); done
fi

as_server=()
if [[ $(id -u) == 0 ]]; then
  as_server=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
dir=$(mktemp -d /tmp/record.XXXXXX)
if [[ $(id -u) == 0 ]]; then chown postgres "$dir"; fi
cd /tmp
stop() {
  if [[ -f $dir/data/postmaster.pid ]]; then
    "${as_server[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate -s stop
  fi
  rm -rf "$dir"
}
trap stop EXIT
"${as_server[@]}" env LC_ALL=C.UTF-8 "$bin/initdb" -D "$dir/data" -U postgres -A trust -N \
  --no-locale -E UTF8 >"$dir/initdb.log"
"${as_server[@]}" "$bin/pg_ctl" -D "$dir/data" -w -s -l "$dir/log" -o "-k $dir -c listen_addresses= \
  -c wal_level=logical -c fsync=off -c max_prepared_transactions=10 -c autovacuum=off \
  -c logical_decoding_work_mem=64kB" start

export PGHOST=$dir PGUSER=postgres PGOPTIONS="-c TimeZone=UTC -c client_min_messages=warning"
sql() { psql -XqAt -v ON_ERROR_STOP=1 "$@"; }
server=$(sql -d postgres -c 'SHOW server_version')

for name in "${names[@]}"; do
  file=$here/data/$name.sql
  directive() { sed -n "s/^-- $1: //p" "$file"; }
  least=$(directive 'at least')
  if ((${server%%.*} < ${least:-0})); then
    echo "$name: skipped, needs PostgreSQL $least" >&2
    continue
  fi
  two_phase=false
  if grep -q '^-- two_phase$' "$file"; then two_phase=true; fi

  sql -d postgres -c "CREATE DATABASE \"$name\""
  sed '/^-- workload$/,$d' "$file" | sql -d "$name" >/dev/null
  sql -d "$name" >/dev/null <<SQL
CREATE PUBLICATION walspout FOR ALL TABLES WITH (publish_via_partition_root);
SELECT pg_create_logical_replication_slot('$name', 'pgoutput', false, $two_phase);
SQL
  sed '1,/^-- workload$/d' "$file" | sql -d "$name" >/dev/null

  list="'publication_names', 'walspout'"
  for option in $(directive options); do list+=", '${option%%=*}', '${option#*=}'"; done
  {
    echo "# server: PostgreSQL $server"
    echo "# options: $(directive options)"
    {
      for setting in $(directive set); do echo "SET ${setting%%=*} = '${setting#*=}';"; done
      echo "SELECT encode(data, 'hex')
              FROM pg_logical_slot_peek_binary_changes('$name', NULL, NULL, $list);"
    } | sql -d "$name"
  } >"$dir/out"
  cp "$dir/out" "$here/data/$name.hex"
  sql -d "$name" -c "SELECT pg_drop_replication_slot('$name')" >/dev/null
  echo "$name: $(grep -vc '^#' "$here/data/$name.hex") messages" >&2
done
