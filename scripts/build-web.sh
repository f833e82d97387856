#!/usr/bin/env bash
# In: crates/chess-web/ui, npm; optionally the word "check".
# Out: the bundle in crates/chess-web/assets. With "check", an error if the sources are not formatted, the linter or the
# compiler reports something, a unit test fails, or the bundle in assets is not what the sources make.
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
  size=$(cat ../assets/* | gzip -9 | wc -c)
  [ "$size" -le 100000 ] || die "the page has $size bytes, compressed; it may have 100000"
  echo "The bundle is that of its sources; compressed it has $size bytes"
  ;;
*) die "usage: build-web.sh [check]" ;;
esac
