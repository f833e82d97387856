#!/usr/bin/env bash
# In: CHESS_WEB and LOADER, the programs; PSQL; the variables of libpq; TARGET, the build; KEEPER and READER, settings of the
# roles that write and read. Out: an error unless, of everything that visitors share, one address can hold only a part while
# another one gets its answer. The program itself says what visitors share, so that nothing new is forgotten.
set -euo pipefail
. scripts/checks.sh
work_here
"${PSQL:-psql}" -X -q -d postgres -c 'DROP DATABASE IF EXISTS shares' -c 'CREATE DATABASE shares'
"${PSQL:-psql}" -X -q -d shares -c 'CREATE EXTENSION chess' -c 'GRANT CREATE, TEMPORARY ON DATABASE shares TO chess_web' \
  -c 'ALTER DEFAULT PRIVILEGES FOR ROLE chess_web GRANT USAGE ON SCHEMAS TO chess_web_read' \
  -c 'ALTER DEFAULT PRIVILEGES FOR ROLE chess_web GRANT SELECT ON TABLES TO chess_web_read'
"$TARGET/release/chess-gamegen" --games 8000 --seed 50 >"$WORK/games.pgn"
"$LOADER" load -d "${KEEPER/dbname=chess/dbname=shares}" --index "$WORK/games.pgn" >/dev/null
go_on
while read -r verdict what; do
  echo "$verdict: $what"
  case $verdict in
  pass) pass ;;
  skip) skip "$what" ;;
  *) fail "$what" ;;
  esac
done < <(WORK=$WORK python3 tests/web/shares.py 2>"$WORK/errors" || echo "fail the test ended early: $(tail -n 3 "$WORK/errors" | tr '\n' ' ')")
