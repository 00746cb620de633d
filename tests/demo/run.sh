#!/usr/bin/env bash
# run.sh WALSPOUT: the demonstration behind `./dev demo`. A throwaway PostgreSQL (unix socket, folder
# in /tmp, unprivileged user), a small shop in it, config/quickstart.toml run as it is, and the rows
# of both sides compared line by line. Leaves demo/shop.db; takes everything else down.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
walspout=$(realpath "$1")
source tests/demo/server.sh

tables=(customers products orders order_lines carts)
mirror=demo/shop.db
host_pid=''
seller_pid=''

say() { printf '\n%s\n' "$*"; }
sql() { "$PG_BIN/psql" -X -q -At -v ON_ERROR_STOP=1 -P null=NULL -d "host=$PG_DIR user=postgres dbname=shop" "$@"; }
in_mirror() { [[ -s $mirror ]] && sqlite3 -batch -bail -cmd '.timeout 5000' -cmd '.nullvalue NULL' "$mirror" "$@" 2>/dev/null; }

clean_up() {
  local status=$?
  trap - EXIT
  if ((status != 0)) && [[ -d ${PG_DIR:-} ]]; then
    printf '\ndemo: FAILED. The end of the logs of walspout and of PostgreSQL:\n' >&2
    tail -n 15 "$PG_DIR/walspout.log" "$PG_DIR/log" >&2 || true
  fi
  for pid in $host_pid $seller_pid; do kill -KILL "$pid" 2>/dev/null || true; done
  server_stop
  exit $status
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# until_true SECONDS WHAT COMMAND...: until COMMAND succeeds; at once an error when the host is gone.
until_true() {
  local deadline=$((SECONDS + $1)) what=$2
  until "${@:3}"; do
    kill -0 "$host_pid" 2>/dev/null || { echo "demo: walspout stopped while waiting for $what" >&2; exit 1; }
    ((SECONDS < deadline)) || { echo "demo: waited $1 s in vain for $what" >&2; exit 1; }
    sleep 0.05
  done
}

start_host() {
  SHOP_URL="postgresql:///shop?host=$PG_DIR&user=postgres" SHOP_DB=$PWD/$mirror SHOP_STATE=$PG_DIR/state \
    WALSPOUT_PLUGIN_PATH=$(dirname "$walspout")/plugins \
    "$walspout" run config/quickstart.toml </dev/null >>"$PG_DIR/walspout.log" 2>&1 &
  host_pid=$!
}

read_source() { sql -f tests/demo/rows.source.sql >"$PG_DIR/source.rows"; }
read_mirror() { in_mirror <tests/demo/rows.mirror.sql >"$PG_DIR/mirror.rows"; }
agree() { read_mirror && cmp -s "$PG_DIR/source.rows" "$PG_DIR/mirror.rows"; }

# One line a table: the rows on each side, and whether each line is the same.
side_by_side() {
  local table source mirrored verdict
  printf '  %-12s %12s %12s\n' table PostgreSQL SQLite
  for table in "${tables[@]}"; do
    source=$(grep -c "^$table|" "$PG_DIR/source.rows" || true)
    mirrored=$(grep -c "^$table|" "$PG_DIR/mirror.rows" || true)
    verdict='equal'
    cmp -s <(grep "^$table|" "$PG_DIR/source.rows") <(grep "^$table|" "$PG_DIR/mirror.rows") || verdict='behind'
    printf '  %-12s %7d rows %7d rows   %s\n' "$table" "$source" "$mirrored" "$verdict"
  done
}

# The source stands still: shows both sides as they are now, then waits until they agree.
settle() {
  local begin=${EPOCHREALTIME/./}
  read_source
  if ! agree; then
    side_by_side
    until_true 60 'the mirror to agree with the source' agree
    printf '  ... %d ms later:\n' $(((${EPOCHREALTIME/./} - begin) / 1000))
  fi
  side_by_side
}

mkdir -p demo
rm -f "$mirror" "$mirror"-wal "$mirror"-shm
server_start /tmp/walspout-demo.XXXXXX
say "1. PostgreSQL $(sql -d "host=$PG_DIR user=postgres dbname=postgres" -c 'SHOW server_version') in $PG_DIR, and a small shop in it"
sql -d "host=$PG_DIR user=postgres dbname=postgres" -c 'CREATE DATABASE shop'
sql -f tests/demo/shop.sql
sql -c "SELECT '  ' || (SELECT count(*) FROM customers) || ' customers, ' || (SELECT count(*) FROM products) || ' products, ' ||
        (SELECT count(*) FROM orders) || ' orders with ' || (SELECT count(*) FROM order_lines) || ' lines'"

say '2. walspout run config/quickstart.toml: copies the tables'
start_host
settle

say '3. Rows change while it runs: inserts, updates, deletes, new keys, a truncate, a rollback'
sql -f tests/demo/changes.sql
settle
echo '  the same row on both sides:'
for side in source mirror; do printf '    %s\n' "$(grep '^customers|1007|' "$PG_DIR/$side.rows")"; done

say '4. The shop sells 400 orders; walspout is killed (kill -9) in the middle, and started again'
sql -c 'CALL sell(1001, 1400)' &
seller_pid=$!
sold_in_mirror() { in_mirror 'SELECT count(*) FROM orders WHERE id > 1000'; }
hundred_sold() { local sold; sold=$(sold_in_mirror) && ((sold >= 100)); }
until_true 60 'a hundred orders to arrive' hundred_sold
kill -KILL "$host_pid"
wait "$host_pid" 2>/dev/null || true
printf '  killed with %d orders sold and %d in the mirror\n' "$(sql -c 'SELECT count(*) FROM orders WHERE id > 1000')" "$(sold_in_mirror)"
start_host
wait "$seller_pid"
seller_pid=''
settle

say '5. walspout is stopped (SIGTERM): it flushes, confirms, and ends'
kill -TERM "$host_pid"
status=0
wait "$host_pid" || status=$?
host_pid=''
((status == 0)) || { echo "demo: walspout ended with status $status" >&2; exit 1; }
agree || { echo 'demo: the mirror differs from the source' >&2; exit 1; }
cat <<END
  done: $(wc -l <"$PG_DIR/source.rows") lines of rows, the same on both sides

The mirror is yours to query:
  sqlite3 $mirror "SELECT status, count(*), round(sum(total), 2) FROM orders GROUP BY status"
$(sqlite3 "$mirror" "SELECT status, count(*), round(sum(total), 2) FROM orders GROUP BY status" | sed 's/^/    /')
Next: mirror your own database, README.md, "Your own database".
END
