#!/usr/bin/env bash
# In: a checkout after scripts/setup.sh test; PG or PG_CONFIG; the word "all" to include tests that take minutes, or
# "rest" for only those; JOBS, the number of concurrent steps (default: one more than processors, because steps often
# wait; 4 at most).
# Out: the result and the duration of each step, its output in target/test-logs; at the end the failures, the steps
# skipped because the machine lacks a program, and a line of counts: "N passed, N failed".
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres

# The tests install their own builds and damage data, so they use a private copy of PostgreSQL.
if [ -z "${SYSTEM_PG_CONFIG:-}" ]; then
  PRIVATE=$(private_copy)
  export PRIVATE SYSTEM_PG_CONFIG=$PG_CONFIG PG_CONFIG=$PRIVATE$BINDIR/pg_config
  scripts/setup.sh test
  exec scripts/test.sh "$@"
fi
PART=${1:-short}
case $PART in short | all | rest) ;; *) die "usage: scripts/test.sh [all|rest]" ;; esac
unset ACCEPT # a test run accepts nothing

LOGS=$TARGET/test-logs/$MAJOR
rm -rf "$LOGS"
mkdir -p "$LOGS"
processors=$(nproc)
JOBS=${JOBS:-$((processors < 4 ? processors + 1 : 4))}
names=()

# record NAME COMMAND...: runs the command; its output goes to NAME.log, its exit code and seconds to NAME.result
record() {
  local name=$1 status=0 start=$SECONDS
  shift
  "$@" </dev/null >"$LOGS/$name.log" 2>&1 || status=$?
  echo "$status $((SECONDS - start))" >"$LOGS/$name.result"
}
count() { { grep -oE "[0-9]+ $1" "$LOGS/$2.log" || true; } | awk '{ sum += $1 } END { print sum + 0 }'; }
# tell NAME: prints the result of a step in one line, and the end of its output if it failed
tell() {
  local status seconds
  read -r status seconds <"$LOGS/$1.result"
  if [ "$status" = 0 ]; then
    printf '%-18s passed  %4d s\n' "$1" "$seconds"
  else
    tail -n 40 "$LOGS/$1.log"
    printf '%-18s FAILED  %4d s  (%s)\n' "$1" "$seconds" "$LOGS/$1.log"
  fi
}

# alone NAME COMMAND...: runs a step while no other runs
alone() {
  finish
  names+=("$1")
  record "$@"
  tell "$1"
}
# step NAME COMMAND...: runs a step in parallel with others
declare -A running=()
step() {
  while [ ${#running[@]} -ge "$JOBS" ]; do reap; done
  names+=("$1")
  record "$@" &
  running[$!]=$1
}
reap() {
  local process
  wait -n -p process "${!running[@]}" || true
  tell "${running[$process]}"
  unset "running[$process]"
}
finish() { while [ ${#running[@]} -gt 0 ]; do reap; done; }
trap 'kill "${!running[@]}" 2>/dev/null || true' EXIT

clippy() {
  cargo_release clippy --all-targets -- -D warnings &&
    cargo_release clippy --test replay -- -D warnings && # which is not among all
    (export WITHOUT_PARQUET=1 && find_postgres && cargo_release clippy -- -D warnings) &&
    cargo_release clippy --lib --features chess/pg_test -- -D warnings
}

# The benchmarks have no tests; clippy compiles them. The fuzzer's seeds are tested in the rest, where the fuzzer runs, too.
run_tests() { cargo_test --exclude chess-bench-core --exclude chess-bench-instructions --exclude chess-fuzz "$@"; }

# The property tests of make test with all of their cases, and the fuzzer's seeds.
properties() { WHOLE=1 cargo_test --test tests --no-fail-fast; }

# Cargo compiles a crate again if its features or its profile differ: neither should, between make build and the tests, nor
# between all tests and those of one crate.
compiled_once() {
  local again crate log
  again=$(comm -12 <(compiled "$TARGET/build-pg$MAJOR.log") <(compiled "$LOGS/compile-tests.log"))
  [ -z "$again" ] || { echo "FAILED: compiled for the programs, and again for the tests:" && echo "$again" && return 1; }
  for crate in core db index web; do
    if ! log=$(cargo_test -p "chess-$crate" --no-run 2>&1) || [[ $log == *Compiling* ]]; then
      echo "FAILED: compiled again for the tests of chess-$crate:" && echo "$log" && return 1
    fi
  done
}
# compiled LOG: the crates of others that a build has compiled
compiled() { { grep -E '^ *Compiling [^(]*$' "$1" || true; } | sort -u; }

licences() { cargo metadata --format-version 1 --all-features 2>/dev/null | perl scripts/licences.pl; }

# The files of the system's PostgreSQL, with checksums.
system_files() {
  find "$("$SYSTEM_PG_CONFIG" --pkglibdir)" "$("$SYSTEM_PG_CONFIG" --sharedir)/extension" -name '*chess*' \
    -printf '%i %m %s %T@ %p ' -exec sha256sum {} \; | sort
}
system_untouched() { diff "$before" <(system_files) || { echo "FAILED: the tests have changed what is installed in PostgreSQL"; return 1; }; }
before=$LOGS/system-files
system_files >"$before"

# index NAME...: TAP tests of the index in a longer form than make test has; POINTS, KILL_ROUNDS and so on make it longer
index() {
  POINTS=${POINTS:-100} KILL_ROUNDS=${KILL_ROUNDS:-2} PAUSES=${PAUSES:-20} ROUNDS=${ROUNDS:-10} \
    TRANSACTIONS=${TRANSACTIONS:-600} scripts/tap.sh "$@"
}

install_release() { PG_CONFIG=$SYSTEM_PG_CONFIG DESTDIR=$PRIVATE scripts/install.sh; }
# installed NAME: builds and installs, as a step of this name, what WITHOUT_PARQUET says; later steps use that
installed() {
  local status
  find_postgres
  alone "$1" install_release
  read -r status _ <"$LOGS/$1.result"
  [ "$status" = 0 ]
}

say "Testing with PostgreSQL $MAJOR, $JOBS steps at once; the output is in ${LOGS#"$ROOT/"}"
alone format cargo fmt --all --check
# as make demo, because the crates of Parquet take long to compile
if [ "$PART" != rest ] && export WITHOUT_PARQUET=1 && installed install; then
  alone compile-tests run_tests --no-run
  # The longest steps begin first, so that none of them runs alone at the end.
  step loader scripts/test-system.sh loader --skip parquet::
  step unit-tests run_tests --no-fail-fast
  # the short form; the rest has the whole of it
  step index env POINTS=6 KILL_ROUNDS=1 PAUSES=4 ROUNDS=1 TRANSACTIONS=50 \
    scripts/tap.sh chess_recovery chess_crash
  step explorer scripts/test-system.sh explorer --skip consistency
  # one session
  step regression scripts/regress.sh
  step cached-answers scripts/test-system.sh web cache
  step web scripts/test-web.sh walk
  step docs scripts/check-docs.sh
  step upgrade tests/upgrade/run.sh
  step pictures scripts/test-crate.sh chess-core --ignored browser
  step extension scripts/test-system.sh extension rights in_use
  step isolation env SUITE=isolation scripts/regress.sh
  step licences licences
  step compiled-once compiled_once
  step image tests/reliability/image.sh
fi
if [ "$PART" != short ] && unset WITHOUT_PARQUET && installed install-parquet; then
  alone clippy clippy
  # the longest steps begin first, so that none of them runs alone at the end
  step index-recovery index chess_recovery
  # shellcheck disable=SC2046  # one version each
  step other-versions scripts/test-majors.sh $(printf "%s\n" 16 18 | grep -vx "$MAJOR")
  step index-crash index chess_crash chess_replica
  # shellcheck disable=SC2046  # one test each
  step index-others index $(basename -s .pl -a tests/tap/*_chess_*.pl | grep -vE '_(recovery|crash|replica)$')
  step pgrx scripts/test-pgrx.sh
  step web-rest scripts/test-web.sh rest
  step web-api scripts/test-system.sh web
  step names tests/reliability/names.sh
  step doors scripts/test-system.sh doors
  for name in cancel limits; do step "$name" scripts/test-system.sh extension "$name"; done
  for name in replica backup crash pg_upgrade concurrency memory corrupt mutate; do step "$name" scripts/tap.sh "$name"; done
  step explorer-whole scripts/test-system.sh explorer consistency
  step patterns scripts/test-patterns.sh
  step readers scripts/test-readers.sh
  step cluster scripts/test-system.sh cluster
  for name in engine layouts; do step "$name" scripts/test-system.sh "$name"; done
  step endgame-tables tests/reliability/endgame_tables.sh
  step programs-all scripts/test-programs.sh all
  step archive scripts/dist.sh
  step packages scripts/test-deb.sh
  step desk scripts/test-desk.sh
  step deny scripts/deny.sh
  step parquet scripts/test-system.sh loader parquet::
  step parquet-units scripts/test-crate.sh chess-pgn
  step properties properties
  step fuzz env FUZZ_SECONDS="${FUZZ_SECONDS:-15}" scripts/fuzz.sh
fi
alone system-untouched system_untouched

passed=0 failed=0 skipped=0 broken=()
for name in "${names[@]}"; do
  read -r status _ <"$LOGS/$name.result"
  right=$(count passed "$name")
  wrong=$(count failed "$name")
  skipped=$((skipped + $(count skipped "$name")))
  if [ "$status" = 0 ]; then
    passed=$((passed + (right > 0 ? right : 1)))
  else
    broken+=("$name")
    passed=$((passed + right))
    failed=$((failed + (wrong > 0 ? wrong : 1)))
  fi
done
if [ $skipped -gt 0 ]; then
  say "Skipped"
  grep -h 'skipped: ' "$LOGS"/*.log || true
fi
for name in "${broken[@]}"; do
  say "Failed: $name ($LOGS/$name.log)"
  grep -hE -A 3 '^FAILED|^test .* FAILED$|^not ok|panicked at|^error' "$LOGS/$name.log" | head -n 60 || true
done
say "$((SECONDS / 60)) min $((SECONDS % 60)) s"
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ ${#broken[@]} = 0 ]
