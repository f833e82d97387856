#!/usr/bin/env bash
# In: python3 with venv, and a way to PyPI, unless an earlier run has left the tables.
# Out: prints the directory of the endgame tables of up to four men, which are in the source distribution of the Python
# package chess. The directory $TARGET/endgame-tables also has a Python environment with that package.
set -euo pipefail
. "$(dirname "$0")/env.sh"

home=$TARGET/endgame-tables
tables=$home/tables
# several tests may ask at once
mkdir -p "$home"
exec 9>"$home/lock"
flock 9
if [ ! -d "$tables" ]; then
  new=$home/new-$$
  mkdir -p "$new"
  [ -x "$home/venv/bin/python" ] || python3 -m venv "$home/venv"
  # the hash is that of the source distribution; the wheel lacks the tables
  echo 'chess==1.11.2 --hash=sha256:a8b43e5678fdb3000695bdaa573117ad683761e5ca38e591c4826eba6d25bb39' >"$new/requirements.txt"
  "$home/venv/bin/pip" -q download --no-binary chess --no-deps -d "$new" -r "$new/requirements.txt" >&2
  "$home/venv/bin/pip" -q install --no-deps "$new"/chess-*.tar.gz >&2
  tar xzf "$new"/chess-*.tar.gz -C "$new"
  mv "$new"/chess-*/data/syzygy/regular "$tables"
  rm -rf "$new"
fi
echo "$tables"
