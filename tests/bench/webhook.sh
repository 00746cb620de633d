#!/usr/bin/env bash
# The webhook plugin beside a bare loop of libcurl, both over one connection to the same nginx
# (Debian: nginx-light) that accepts everything.
#
#   tests/bench/webhook.sh [REQUESTS [ROWS]]
#
# Needs bench_plugin_webhook: configure with -DWALSPOUT_BENCH=ON. WALSPOUT_BUILD names the build folder.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bench=${WALSPOUT_BUILD:-$top/build/release}/tests/plugins/bench_plugin_webhook
nginx=$(command -v nginx || command -v /usr/sbin/nginx) || { echo "needs nginx (nginx-light)" >&2; exit 1; }
root=$(mktemp -d /tmp/walspout-nginx.XXXXXX)
clean_up() {
  [[ ! -s $root/pid ]] || kill "$(<"$root/pid")"
  rm -rf "$root"
}
trap clean_up EXIT
cat >"$root/conf" <<CONF
worker_processes 1;
pid $root/pid;
error_log $root/error.log;
events {}
http {
  access_log off;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  client_body_temp_path $root/body;
  proxy_temp_path $root/proxy;
  fastcgi_temp_path $root/fastcgi;
  uwsgi_temp_path $root/uwsgi;
  scgi_temp_path $root/scgi;
  server { listen 127.0.0.1:18473; location / { return 204; } }
}
CONF
"$nginx" -c "$root/conf"
"$bench" http://127.0.0.1:18473/hook "$@"
