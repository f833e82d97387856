# Sourced by the tests in bash. In: CLIENT, for sql and plans; WORK, a directory, for yes and no, which leave the output
# of their command in WORK/out. Out: the functions below, which count checks. However the test ends, its output ends
# with all failures again, one a line beginning with "FAILED: ", and a line of counts: "N passed, M failed", and ", K
# skipped" if there are any.
# shellcheck shell=bash

passed=0
failed=0
skipped=0
FAILURES=$(mktemp)
export PATIENCE=600 # timeout for an event, in seconds, also on slow machines

# pass [NUMBER]: counts passed checks
pass() { passed=$((passed + ${1:-1})); }
# fail WHAT [DETAILS]: counts a failure and continues
fail() {
  failed=$((failed + 1))
  printf 'FAILED: %s\n' "${1//$'\n'/ }" | tee -a "$FAILURES"
  [ -z "${2:-}" ] || sed 's/^/  /' <<<"$2"
}
# skip WHAT [HOW]: counts a check that lacks a program, and says how to install it
skip() {
  skipped=$((skipped + 1))
  echo "skipped: $1${2:+ ($2)}"
}
# die: ends the test, because the rest depends on the failed step
die() {
  fail "$@" >&2
  exit 1
}
# at_end COMMAND: registers a command that runs before the final counts
at_end() {
  AT_END=$1
  trap 'end_of_test $?' EXIT
}
end_of_test() {
  local status=$1
  trap - EXIT ERR
  set +e
  if [ "$status" != 0 ] && ! [ -s "$FAILURES" ]; then fail "${0##*/} ended early, with exit code $status"; fi
  eval "$AT_END"
  # failures in subshells are recorded only in the file
  failed=$(wc -l <"$FAILURES")
  cat "$FAILURES"
  rm -f "$FAILURES"
  [ $((passed + failed + skipped)) != 0 ] || { echo "FAILED: ${0##*/} checks nothing"; failed=1; }
  echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
  exit $((failed > 0))
}
# go_on: from here on a failing command counts as a failure and the test continues. Commands inside functions are not
# covered.
go_on() {
  set +e
  trap 'fail "${BASH_SOURCE[0]##*/}, line $LINENO: exit code $? of $BASH_COMMAND"' ERR
}

# equal WHAT EXPECTED ACTUAL
equal() {
  if [ "$2" = "$3" ]; then
    pass
  else
    fail "$1: expected $(brief "$2"), found $(brief "$3")" "$([ ${#2} -le 200 ] && [ ${#3} -le 200 ] || printf 'expected: %s\nfound:    %s\n' "$2" "$3")"
  fi
}
brief() { printf '%q' "${1:0:200}"; }
# holds WHAT COMMAND...: checks that the command succeeds
holds() {
  local what=$1
  shift
  if "$@"; then pass; else fail "$what"; fi
}
# wait_for WHAT COMMAND...: repeats the command until it succeeds
wait_for() {
  local what=$1 end=$((SECONDS + PATIENCE))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $end ]; then
      fail "after $((PATIENCE / 60)) minutes there is still not: $what"
      return 0
    fi
    sleep 0.05
  done
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
# the earlier versions, from which there are upgrade scripts
earlier_versions() { printf '%s\n' sql/chess--*--*.sql | sed 's/^sql.chess--\(.*\)--.*/\1/'; }
# with_first_sql COMMAND...: runs the command while CREATE EXTENSION finds the SQL of the first version, from which the upgrade
# scripts lead to each later one. It is removed again, so that an upgrade has what is installed and no more. In: EXTENSIONS, a
# directory other than the private copy's.
with_first_sql() {
  local script status=0
  [ -n "${EXTENSIONS:-}${SYSTEM_PG_CONFIG:-}" ] || die "this needs a private copy of PostgreSQL: scripts/private.sh $0"
  script=${EXTENSIONS:-$("$PG_CONFIG" --sharedir)/extension}/chess--0.1.0.sql
  install -m 644 tests/upgrade/chess--0.1.0.sql "$script"
  "$@" || status=$?
  rm "$script"
  return "$status"
}
# explains WHAT: whether plans can be asked for; WHAT is skipped otherwise
explains() {
  sql "LOAD 'auto_explain'" >/dev/null 2>&1 && return
  skip "$1: this server has no auto_explain" "in a PostgreSQL that is built from source: make -C contrib install"
  return 1
}
# plans STATEMENT...: prints the plan of every query that the statements run, including those inside functions, with
# actual row counts
plans() {
  sql "LOAD 'auto_explain'" "SET auto_explain.log_nested_statements = on" "SET auto_explain.log_analyze = on" \
    "SET auto_explain.log_min_duration = 0" "SET client_min_messages = log" "$@" 2>&1
}

at_end :
