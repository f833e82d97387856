#!/usr/bin/env bash
# In: the installed extension; tests of tests/tap by name, with or without their number (default: all), and what they
# take, such as GAMES=n; for pg_upgrade OLD_PG_CONFIG, the pg_config of an older major version.
# Out: the tests' TAP, as prove prints it. The tests run as the server's user, on copies of the files that they read. The
# logs of a run that fails are in target/tap-logs, by the version and the first test.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/checks.sh
find_postgres

files=()
for name in "${@:-*}"; do
  found=$(compgen -G "tests/tap/[0-9][0-9][0-9]_${name#[0-9][0-9][0-9]_}.pl") || die "no test tests/tap/NNN_$name.pl"
  mapfile -t -O ${#files[@]} files <<<"$found"
done

modules=$(from_pgxs perl/PostgreSQL/Test/Cluster.pm) && regress=$(from_pgxs regress/pg_regress) ||
  missing=("no PostgreSQL::Test::Cluster" "postgresql-client-$PG")
perl -MIPC::Run -e 1 2>/dev/null || missing=("no IPC::Run" libipc-run-perl)
if [ -n "${missing:-}" ]; then
  for file in "${files[@]}"; do skip "${file##*/}: ${missing[0]} here" "apt-get install ${missing[1]}"; done
  exit 0
fi

dir=$(new_server_dir /var/tmp)
at_end 'rm -rf "$dir"'
cargo_build -q --bin chess-gamegen --bin chess-pgn --bin answers
cp -r --parents tests/tap tests/upgrade/catalog.sql scripts/games_table.sql scripts/games_load.sql \
  scripts/pgn-pieces.pl demo/famous.pgn benches/server/verify.sql crates/chess-web/src/saved/sessions.sql "$dir"
mkdir "$dir/bin"
cp "$TARGET"/release/{chess-gamegen,chess-pgn,answers} "$dir/bin"
own_by_server "$dir"

# PostgreSQL::Test::Cluster finds the server's programs in PATH, and since 16 its directories in two variables of their own
export PATH=$BINDIR:$dir/bin:$PATH TESTDIR=$dir TESTDATADIR=$dir/tmp_check TESTLOGDIR=$dir/tmp_check/log PG_REGRESS=$regress PG_TEST_TIMEOUT_DEFAULT=$PATIENCE PGCTLTIMEOUT=$PATIENCE

# What pg_upgrade begins with: a private copy of the older PostgreSQL, with the extension.
older_postgres() (
  PG_CONFIG=$(realpath -ms "$OLD_PG_CONFIG")
  export PG_CONFIG
  find_postgres
  scripts/setup.sh
  copy=$(private_copy)
  SYSTEM_PG_CONFIG=$PG_CONFIG DESTDIR=$copy scripts/install.sh ${BUILT:+packaged}
  echo "${copy}${BINDIR%/bin}"
)
if [ -n "${OLD_PG_CONFIG:-}" ] && [[ ${files[*]} == *pg_upgrade* ]]; then
  oldinstall=$(older_postgres | tee >(cat >&2) | tail -n 1)
  export oldinstall
fi

say "TAP tests on PostgreSQL $MAJOR"
status=0
# without the caller's options for prove
as_server env -C "$dir" -u PERL5OPT prove --norc --verbose -I "${modules%/PostgreSQL/*}" -I tests/tap "${files[@]}" 2>&1 </dev/null |
  tee "$dir/output" || status=$?
while IFS= read -r line; do
  case $line in
    # prove shows no plan of a test that skips all
    tests/tap/*' ..'*' skipped: '*) file=${line%% *} && skip "${file##*/}: ${line#* skipped: }" ;;
    tests/tap/*' ..'*) file=${line%% *} file=${file##*/} ;;
    'ok '*' # skip '*) skip "$file: ${line#* # skip }" ;;
    'ok '*) pass ;;
    'not ok '*) fail "$file: ${line#not ok * - }" >/dev/null ;;
  esac
done <"$dir/output"
if [ $status != 0 ]; then
  logs=$TARGET/tap-logs/$MAJOR-$(basename "${files[0]}" .pl)
  rm -rf "$logs"
  mkdir -p "$TARGET/tap-logs"
  cp -r "$dir/tmp_check/log" "$logs"
  [ $failed != 0 ] || fail "prove ends with exit code $status: a test ended early" "$(tail -n 12 "$logs"/regress_log_*)"
  echo "The logs are in $logs"
fi
