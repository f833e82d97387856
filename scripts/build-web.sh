#!/usr/bin/env bash
# In: crates/chess-web/ui, npm; optionally the word "check".
# Out: the bundle in crates/chess-web/assets. With "check", an error if the sources are not formatted, the linter or the
# compiler reports something, a unit test fails, the bundle in assets is not what the sources make, or it is too large.
set -euo pipefail
. "$(dirname "$0")/env.sh"

command -v npm >/dev/null || die "npm is missing: apt-get install nodejs npm"
cd crates/chess-web/ui
npm ci --no-audit --no-fund --ignore-scripts --loglevel=error >/dev/null
case ${1:-} in
"") node build.mjs ;;
check)
  npm run -s check
  BUILT=$(mktemp -d)
  trap 'rm -rf "$BUILT"' EXIT
  node build.mjs "$BUILT"
  for file in "$BUILT"/*; do
    cmp -s "$file" "../assets/${file##*/}" || die "crates/chess-web/assets/${file##*/} is not what crates/chess-web/ui makes: run make web"
  done
  # budget LIMIT FILE...: an error if the files are larger than docs/page.md says; prints their bytes, each compressed
  budget() {
    local file size=0
    for file in "${@:2}"; do ((size += $(gzip -9c "../assets/$file" | wc -c))); done
    [ "$size" -le "$1" ] || die "${*:2}: $size bytes, compressed; they may have $1"
    echo "$size"
  }
  size=$(budget 80000 index.html app.css app.js)
  for file in ../assets/*.js; do
    case ${file##*/} in
    app.js) ;;
    # the table of a language
    ??.js) budget 20000 "${file##*/}" >/dev/null ;;
    *) budget 15000 "${file##*/}" >/dev/null ;;
    esac
  done
  echo "The bundle is that of its sources; compressed, what the first page loads has $size bytes"
  ;;
*) die "usage: build-web.sh [check]" ;;
esac
