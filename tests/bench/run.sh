#!/usr/bin/env bash
# How fast a slot is drained, from process start to process end, beside pg_recvlogical to /dev/null.
#
#   tests/bench/run.sh [WORKLOAD...]     w1 w2 w3 w4 by default; REPEAT=3
#
# WAL is prepared once per workload and rewound for each repetition by copying a slot; the consumers
# take turns, so that the ratios are of one stretch of time. Prints a Markdown table.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${WALSPOUT_BUILD:-$top/build/release}
walspout=$build/walspout
repeat=${REPEAT:-3}
workloads=("$@")
((${#workloads[@]})) || workloads=(w1 w2 w3 w4)
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
export WALSPOUT_PLUGIN_PATH=$build/plugins PGHOST PGPORT=54329 PGUSER=postgres

root=$(mktemp -d /tmp/walspout-bench.XXXXXX)
chmod 755 "$root"
as=()
if ((EUID == 0)); then
  as=(setpriv --reuid=postgres --regid=postgres --clear-groups --)
  install -d -o postgres "$root/pg"
else
  mkdir "$root/pg"
fi
PGHOST=$root/pg
cleanup() {
  (cd / && "${as[@]}" "$bin/pg_ctl" -D "$root/pg/data" -m immediate -w stop >/dev/null 2>&1) || true
  rm -rf "$root"
}
trap cleanup EXIT

start_server() {
  cd /
  "${as[@]}" env LC_ALL=C.UTF-8 "$bin/initdb" -D "$root/pg/data" -U postgres -A trust -N -E UTF8 --no-locale >/dev/null
  "${as[@]}" tee -a "$root/pg/data/postgresql.conf" >/dev/null <<CONF
listen_addresses = ''
unix_socket_directories = '$root/pg'
port = $PGPORT
wal_level = logical
shared_buffers = 512MB
max_wal_size = 16GB
checkpoint_timeout = 1h
autovacuum = off
jit = off
CONF
  "${as[@]}" "$bin/pg_ctl" -D "$root/pg/data" -l "$root/pg/log" -w start >/dev/null
}

sql() { # sql DATABASE TEXT
  psql -X -q -At -v ON_ERROR_STOP=1 -d "$1" -c "$2"
}

orders='create table orders(id bigint primary key, customer_id int, note text, created_at timestamptz,
        amount numeric(12,2), paid boolean)'
row="i, (i*7919)%100000, 'note-'||left(md5(i::text),15),
     timestamptz '2024-01-01 00:00:00+00' + i*interval '1.000123 second', ((i*37)%10000000)/100.0, i%3=0"

base_rows() {
  case $1 in
    w1 | w2) sql "$1" "$orders" ;;
    w3) sql "$1" "$orders; insert into orders select $row from generate_series(1::bigint,200000) i" ;;
    w4)
      "$bin/pgbench" -i -q -s 10 "$1" >/dev/null 2>&1
      sql "$1" 'alter table pgbench_history replica identity full'
      ;;
  esac
}

work() {
  export PGOPTIONS='-c synchronous_commit=off'
  case $1 in
    w1) sql "$1" "do \$\$ begin for k in 0..9999 loop insert into orders select $row
          from generate_series((k*100+1)::bigint, k*100+100) i; commit; end loop; end \$\$" ;;
    w2) sql "$1" "insert into orders select $row from generate_series(1::bigint,1000000) i" ;;
    w3) sql "$1" "do \$\$ begin for k in 1..200000 loop update orders set amount = (k%100000)/10.0,
          note = 'upd-'||left(md5(k::text),16), paid = not paid where id = 1 + (k*7919::bigint)%200000;
          commit; end loop; end \$\$" ;;
    w4) "$bin/pgbench" -n -c 4 -j 2 -t 15000 "$1" >/dev/null 2>&1 ;;
  esac
  unset PGOPTIONS
}

declare -A rows=([w1]=1000000 [w2]=1000000 [w3]=200000 [w4]=240000)
declare -A proof=(
  [w1]='select count(*) from orders'
  [w2]='select count(*) from orders'
  [w3]="select count(*) from orders where note like 'upd-%'"
  [w4]="select count(*)||':'||sum(abalance) from pgbench_accounts")

prepare() {
  sql postgres "create database $1"
  base_rows "$1"
  sql "$1" 'create publication bench for all tables'
  sql "$1" "select pg_create_logical_replication_slot('base_$1', 'pgoutput')" >/dev/null
  # The mirror starts from the base rows.
  sql "$1" "select pg_copy_logical_replication_slot('base_$1', 'first_$1')" >/dev/null
  mkdir -p "$root/$1"
  BENCH_URL="host=$PGHOST port=$PGPORT user=postgres dbname=$1" BENCH_SLOT=first_$1 BENCH_OUT=$root/$1 \
    "$walspout" run --until-caught-up "$here/sqlite.toml"
  sql "$1" "select pg_drop_replication_slot('first_$1')" >/dev/null
  work "$1"
  end=$(sql "$1" 'select pg_current_wal_insert_lsn()')
  sql "$1" 'checkpoint'
}

# consume NAME WORKLOAD: prints wall and CPU seconds.
consume() {
  local out=$root/out slot=r_$2
  rm -rf "$out"
  mkdir -p "$out"
  [[ $1 != sqlite ]] || cp -a "$root/$2/." "$out/"
  sql "$2" "select pg_copy_logical_replication_slot('base_$2', '$slot')" >/dev/null
  sync
  local command=("$walspout" run --until-caught-up "$here/$1.toml")
  if [[ $1 == pg_recvlogical ]]; then
    command=("$bin/pg_recvlogical" -d "$2" -S "$slot" --start --no-loop "--endpos=$end" -f /dev/null
             -o proto_version=1 -o publication_names=bench)
  fi
  export BENCH_URL="host=$PGHOST port=$PGPORT user=postgres dbname=$2" BENCH_SLOT=$slot BENCH_OUT=$out
  TIMEFORMAT='%R %U %S'
  { time "${command[@]}" >"$root/log" 2>&1 || { cat "$root/log" >&2; exit 1; }; } 2>"$root/time"
  tail -n 1 "$root/time"
  case $1 in
    sqlite)
      local want got
      want=$(sql "$2" "${proof[$2]}")
      got=$(sqlite3 "$out/mirror.db" "${proof[$2]}")
      [[ $want == "$got" ]] || { echo "$2: the mirror has $got, the source $want" >&2; exit 1; } ;;
    file) [[ $(grep -c '"op":' "$out/events.jsonl") -ge ${rows[$2]} ]] || { echo "$2: lines are missing" >&2; exit 1; } ;;
  esac
  sql "$2" "select pg_drop_replication_slot('$slot')" >/dev/null
}

median() { sort -n | awk '{v[NR]=$1} END {print (NR%2) ? v[(NR+1)/2] : (v[NR/2]+v[NR/2+1])/2}'; }

measure() {
  local workload=$1 name i
  for ((i = 0; i < repeat; ++i)); do
    for name in pg_recvlogical file sqlite; do
      consume "$name" "$workload" >>"$root/$workload.$name"
    done
    paste -d' ' "$root/$workload.pg_recvlogical" "$root/$workload.file" "$root/$workload.sqlite" | tail -n 1 |
      awk -v w="$workload" '{printf "%s: pg_recvlogical %.2f s, file %.2f s, sqlite %.2f s\n", w, $1, $4, $7}' >&2
  done
  for name in pg_recvlogical file sqlite; do
    local wall cpu ratio
    wall=$(awk '{print $1}' "$root/$workload.$name" | median)
    cpu=$(awk '{print $2+$3}' "$root/$workload.$name" | median)
    ratio=$(paste -d' ' "$root/$workload.pg_recvlogical" "$root/$workload.$name" | awk '{print $1/$4}' | median)
    awk -v w="$workload" -v n="$name" -v t="$wall" -v c="$cpu" -v r="$ratio" -v rows="${rows[$workload]}" \
      'BEGIN {printf "| %s | %s | %.0f | %.2f | %.2f |\n", w, n, rows/t/1000, r, c*1e6/rows}' >>"$root/table"
  done
}

start_server
for workload in "${workloads[@]}"; do
  prepare "$workload"
  measure "$workload"
done
echo '| workload | consumer | thousand rows/s | x pg_recvlogical | CPU s per million rows |'
echo '|---|---|---|---|---|'
cat "$root/table"
