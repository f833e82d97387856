#!/usr/bin/env bash
# In: a checkout; PATTERNS and GAMES, how many random patterns are looked for in how many random games for each seed
# (default: 300 and 8); SEEDS (default: 1 2 3).
# Out: an error if the matches of a pattern differ from those of the reference in tests/patterns. If python-chess is
# missing, the test is counted as skipped.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/checks.sh

venv=$TARGET/patterns-venv
if ! "$venv/bin/python" -c 'import chess' 2>/dev/null; then
  python3 -m venv "$venv" && "$venv/bin/pip" -q install 'chess>=1.10' ||
    { skip "patterns against their reference: no python-chess" "apt-get install python3-venv, and a way to PyPI"; exit; }
fi
find_postgres
cargo_build -q --bin patterns
for seed in ${SEEDS:-1 2 3}; do
  holds "seed $seed: a match is not that of the reference" \
    "$venv/bin/python" -B tests/patterns/differential.py "$TARGET/release/patterns" "$seed" "${PATTERNS:-300}" "${GAMES:-8}"
done
