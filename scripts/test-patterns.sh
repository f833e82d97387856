#!/usr/bin/env bash
# In: a checkout beside the reference implementation of patterns, in ../shared/prototypes/patterns.
# Out: an error if the matches of a random pattern differ from the reference's (tests/patterns/differential.py). If
# the reference or python-chess is missing, the test is counted as skipped.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/checks.sh

reference=$PWD/../shared/prototypes/patterns
[ -f "$reference/oracle.py" ] || { skip "patterns against their reference: no $reference" "the reference is not published"; exit; }
venv=$TARGET/patterns-venv
if ! "$venv/bin/python" -c 'import chess' 2>/dev/null; then
  python3 -m venv "$venv" && "$venv/bin/pip" -q install chess ||
    { skip "patterns against their reference: no python-chess" "apt-get install python3-venv, and a way to PyPI"; exit; }
fi
cargo_build -q
for seed in 1 2 3; do
  holds "seed $seed: a match is not that of the reference" "$venv/bin/python" tests/patterns/differential.py "$TARGET/release/patterns" "$reference" "$seed" 300 12
done
