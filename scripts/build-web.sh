#!/usr/bin/env bash
# In: crates/chess-web/ui, npm; optionally the word "check".
# Out: the bundle in crates/chess-web/assets; with "check" an error for wrong types, or if the checked-in bundle
# differs from that of the sources.
set -euo pipefail
. "$(dirname "$0")/env.sh"

command -v npm >/dev/null || die "npm is missing: apt-get install nodejs npm"
cd crates/chess-web/ui
npm ci --no-audit --no-fund --ignore-scripts --loglevel=error >/dev/null
case ${1:-} in
"") node build.mjs ;;
check)
  node_modules/.bin/tsc
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
