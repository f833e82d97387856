# Sourced by tests of the loader, after a server was started. In: CLIENT, WORK, a directory. Out: the functions below, which
# count in passed and failed; what a command of yes or no has printed is in WORK/out.
# shellcheck shell=bash

passed=0
failed=
# equal WHAT EXPECTED ACTUAL
equal() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s:\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
  fi
}
# yes WHAT COMMAND...
yes() {
  local what=$1 status=0
  shift
  "$@" >"$WORK/out" 2>&1 || status=$?
  equal "$what (exit code)" 0 "$status"
  [ "$status" = 0 ] || sed 's/^/  /' "$WORK/out"
}
no() {
  local what=$1 status=0
  shift
  "$@" >"$WORK/out" 2>&1 || status=$?
  equal "$what must fail (exit code)" 1 "$status"
}
# statements in the database DB, one after the other in one session; an error is not taken for an empty answer
sql() { "${CLIENT[@]}" -d "${DB:-postgres}" -At "${@/#/-c}" || { echo "psql failed"; return 1; }; }
# plans STATEMENT...: of all that the statements and their functions run, with what each node has done
plans() {
  sql "LOAD 'auto_explain'" "SET auto_explain.log_nested_statements = on" "SET auto_explain.log_analyze = on" \
    "SET auto_explain.log_min_duration = 0" "SET client_min_messages = log" "$@" 2>&1
}
# paged BOARD COUNT: the question for what pages of so many games list: as many as have the board, how many, in order
paged() {
  local page="SELECT id FROM chess.explorer_games($1, sort => 'rating', count => $2"
  cat <<SQL
WITH RECURSIVE pages AS (
    SELECT ARRAY($page)) AS ids
    UNION ALL
    SELECT ARRAY($page, after => ids[cardinality(ids)])) FROM pages WHERE cardinality(ids) = $2
), listed AS (SELECT id, row_number() OVER () AS n FROM pages, unnest(ids) id),
wanted AS (SELECT id, row_number() OVER (ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC) AS n
           FROM chess.games WHERE hasBoard(game, $1))
SELECT count(*) = (SELECT count(*) FROM wanted), count(*), every(w.id = l.id) FROM listed l LEFT JOIN wanted w USING (n)
SQL
}
