# shellcheck shell=bash
# Sourced: a throwaway PostgreSQL server of the newest version installed. Unix socket only, without
# password, in a temporary folder; when root asks, it runs as an unprivileged user.
#   server_start TEMPLATE [SETTING=VALUE...]   sets PG_BIN and PG_DIR (folder, socket; log in PG_DIR/log)
#   server_stop                                kills it and removes the folder; harmless when not started

server_as() {
  local user=postgres
  if ((EUID != 0)); then
    "$@"
    return
  fi
  id postgres >/dev/null 2>&1 || user=nobody
  # From /, as the present folder may be closed to that user.
  (cd / && exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups env LC_ALL=C.UTF-8 "$@")
}

server_start() {
  local options setting
  PG_BIN=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
  [[ -x $PG_BIN/initdb ]] || { echo 'no PostgreSQL server is installed in /usr/lib/postgresql' >&2; return 1; }
  PG_DIR=$(mktemp -d "$1")
  chmod 755 "$PG_DIR"
  if ((EUID == 0)); then chown "$(server_as id -u)" "$PG_DIR"; fi
  server_as "$PG_BIN/initdb" -D "$PG_DIR/data" -U postgres -A trust -N --no-locale -E UTF8 >"$PG_DIR/initdb.log" 2>&1 ||
    { cat "$PG_DIR/initdb.log" >&2; return 1; }
  options="-k $PG_DIR -c listen_addresses= -c wal_level=logical -c fsync=off"
  for setting in "${@:2}"; do options+=" -c $setting"; done
  server_as "$PG_BIN/pg_ctl" -D "$PG_DIR/data" -w -s -l "$PG_DIR/log" -o "$options" start >/dev/null </dev/null ||
    { cat "$PG_DIR/log" >&2; return 1; }
}

server_stop() {
  [[ ${PG_DIR:-} ]] || return 0
  if [[ -f $PG_DIR/data/postmaster.pid ]]; then
    server_as "$PG_BIN/pg_ctl" -D "$PG_DIR/data" -w -s -m immediate stop >/dev/null 2>&1 || true
  fi
  rm -rf "$PG_DIR"
  PG_DIR=
}
