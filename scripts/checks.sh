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
