#!/usr/bin/env bash
# layers.sh [ROOT]: the arrows of CONTRIBUTING.md. Which folder of core may include which, and which
# folder owns which library. CMake's include roots enforce the first as well; this names the line.
set -euo pipefail
here=$PWD
cd "${1:-.}"
source "$here/tests/lint/files.sh"

files '^(core|plugins|sdk)/.*\.(c|h|cpp|hpp)$' | xargs -r -d '\n' awk '
  function allow(folder, list) { may[folder] = " " folder " " list " " }
  function own(pattern, folders) { owned[pattern] = " " folders " " }
  function bad(text) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, target, text
    status = 1
  }
  BEGIN {
    # A folder may include those that stand below it.
    allow("base", "")
    allow("log", "base")
    allow("postgres", "base log")
    allow("pgoutput", "base log")
    allow("transaction", "base log postgres pgoutput")
    allow("route", "base log postgres pgoutput transaction")
    allow("sink", "base log postgres pgoutput transaction route")
    allow("progress", "base log postgres pgoutput transaction route")
    allow("config", "base log postgres pgoutput transaction route sink progress")
    allow("control", "base log")
    allow("admin", "base log postgres pgoutput transaction route sink control")
    allow("pipeline", "base log postgres pgoutput transaction route sink progress config control admin")
    allow("verify", "base log postgres pgoutput transaction route sink progress config control admin pipeline")
    allow("cli", "base log postgres pgoutput transaction route sink progress config control admin pipeline verify")
    # A library is included in one folder, so that it can be replaced there.
    own("^(libpq-fe\\.h|libpq/|postgres_ext\\.h|postgresql/)", "core/postgres")
    own("^boost/", "core/sink")
    own("^toml\\+\\+/", "core/config")
    own("^CLI/", "core/cli")
    own("^spdlog/", "core/log")
    own("^sqlite3\\.h$", "core/progress plugins/sqlite")
    own("^httplib", "core/admin")
    own("^curl/", "plugins/webhook")
    own("^openssl/", "plugins/webhook")
    own("^zlib\\.h$", "plugins/webhook")
    own("^nlohmann/", "")
  }
  FNR == 1 {
    split(FILENAME, part, "/")
    top = part[1]
    folder = part[2]
    place = top "/" folder
    # What lies in core itself: the pipeline, and main() on top of everything.
    if (top == "core" && folder ~ /\./) folder = folder ~ /^main\./ ? "cli" : "pipeline"
  }
  /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    target = $0
    sub(/^[^<"]*[<"]/, "", target)
    sub(/[>"].*$/, "", target)
    head = target
    sub(/\/.*$/, "", head)
    if (head ~ /^pipeline/) head = "pipeline"

    if (target ~ /^\.\.?\//) bad("include by the path from an include root")
    if (top == "core") {
      if (!(folder in may)) bad("core/" folder " has no place in the order of the folders")
      else if (head in may && index(may[folder], " " head " ") == 0)
        bad("core/" folder " stands below core/" head " or beside it")
    } else if (head in may && target ~ /\// && !(head == "sink" && target ~ /^walspout/)) {
      bad(top " knows the SDK only, never core")
    }
    if (target ~ /^fmt\// && FILENAME ~ /\.(h|hpp)$/) bad("fmt stays inside .cpp files")
    for (pattern in owned)
      if (target ~ pattern && index(owned[pattern], " " place " ") == 0)
        bad(owned[pattern] ~ /[^ ]/ ? "belongs to" owned[pattern] "only" : "is for tests only")
  }
  END { exit status }
'
echo "every include goes down"
