#!/usr/bin/env bash
# run.sh [-r ROOT] COMMAND...: COMMAND on a bare Debian 12, in a fresh clone of what is committed
# here, as a newcomer's first one. Takes root, debootstrap and util-linux; ROOT (default
# /tmp/walspout-fresh) is made anew each time from ROOT.tar, which is kept.
#
#   tests/fresh/run.sh ./dev demo
#   tests/fresh/run.sh ./dev test
#
# It runs in namespaces of its own: its mounts and every process in it are gone when it ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=/tmp/walspout-fresh
if [[ ${1:-} == -r ]]; then
  root=$2
  shift 2
fi
(($#)) || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
((EUID == 0)) || { echo 'fresh: needs root' >&2; exit 1; }
command -v debootstrap >/dev/null || { echo 'fresh: needs the package debootstrap' >&2; exit 1; }

if [[ ! -f $root.tar ]]; then
  echo "fresh: making $root.tar"
  debootstrap --variant=minbase bookworm "$root" >"$root.log" 2>&1
  tar --one-file-system -C "$root" -cf "$root.tar" .
fi
rm -rf --one-file-system "$root"
mkdir -p "$root"
tar -C "$root" -xpf "$root.tar"

# How packages and names are found is this machine's matter, as on any machine; a bare Debian has
# not even localhost.
rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"
for item in etc/apt/sources.list etc/apt/sources.list.d etc/apt/apt.conf etc/apt/apt.conf.d etc/resolv.conf; do
  if [[ -e /$item ]]; then
    rm -rf "${root:?}/$item"
    cp -aL "/$item" "$root/$item"
  fi
done
printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
# There is no init in it: installing a package must not try to start a service.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"

mkdir -p "$root/src/walspout"
git archive HEAD | tar -C "$root/src/walspout" -x

# shellcheck disable=SC2016  # the inner shell expands
exec unshare --mount --propagation private --pid --fork --kill-child bash -c '
  root=$1
  shift
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  exec chroot "$root" env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    bash -c "cd /src/walspout && \"\$@\"" _ "$@"' _ "$root" "$@"
