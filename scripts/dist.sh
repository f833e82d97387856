#!/usr/bin/env bash
# In: a checkout. Out: target/chess-VERSION.zip for PGXN: the files of the last commit, with META.json at the top.
set -euo pipefail
. "$(dirname "$0")/env.sh"
version=$(perl -MJSON::PP -0777 -ne 'print JSON::PP->new->decode($_)->{version}' META.json)
mkdir -p "$TARGET"
archive=$TARGET/chess-$version.zip
git archive --format=zip --prefix="chess-$version/" -o "$archive" HEAD
listed=$(python3 -m zipfile -l "$archive" 2>/dev/null || unzip -l "$archive")
for file in META.json README.md LICENSE chess.control Makefile sql/chessgame.sql; do
  grep -qF "chess-$version/$file " <<<"$listed" || die "$archive has no $file"
done
echo "$archive"
