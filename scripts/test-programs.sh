#!/usr/bin/env bash
# In: the installed extension, chess-pgn, docs/programs.md and docs/data.md; the word "all" to include the Rust program, which takes a
# minute to build, and those that read Parquet files, whose packages have some 200 MB.
# Out: an error unless each program of the documents prints the output shown below it. A program whose language or
# driver is missing here is counted as skipped. Drivers are kept in target/programs.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres

HOME_OF_DRIVERS=$TARGET/programs
mkdir -p "$HOME_OF_DRIVERS"
WORK=$(mktemp -d)
DIR=$(new_server_dir /tmp)
at_end 'server_stop "$DIR"; rm -rf "$DIR" "$WORK"'

# JDBC does not support Unix sockets, so the server listens on a local port, with a password.
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
server_init "$DIR" "listen_addresses = '127.0.0.1'"
as_server tee "$DIR/data/pg_hba.conf" >/dev/null <<HBA
local all all trust
host all all 127.0.0.1/32 scram-sha-256
HBA
server_start "$DIR" "$port"
"${CLIENT[@]}" -d postgres -c "ALTER USER postgres PASSWORD '$password'" -c 'CREATE DATABASE prepared'
load_pgn prepared tests/docs/setup.sql <demo/famous.pgn >/dev/null
export PGHOST=127.0.0.1 PGPORT=$port PGUSER=postgres PGPASSWORD=$password PGDATABASE=programs

# tables DOCUMENT: writes the Parquet files of its games into its directory, where its programs run
tables() {
  case $1 in
  programs)
    "${CLIENT[@]}" -d postgres -c 'CREATE DATABASE parquet'
    "$TARGET/release/chess-pgn" load -d parquet demo/famous.pgn
    "$TARGET/release/chess-pgn" export -d parquet --parquet "$WORK/$1/games.parquet" --plies "$WORK/$1/plies.parquet"
    ;;
  data)
    python3 tests/docs/lichess_like.py "$TARGET/release/chess-gamegen" |
      "$TARGET/release/chess-pgn" convert --parquet "$WORK/$1/games.parquet" --plies "$WORK/$1/plies.parquet" -
    ;;
  esac
}

# prepare LANGUAGE KIND: installs the drivers; if it fails, the last line of output says why
prepare() {
  local dir=$HOME_OF_DRIVERS
  case $1 in
  python)
    command -v python3 || { echo "no python3"; return 1; }
    [ -x "$dir/venv/bin/pip" ] || python3 -m venv "$dir/venv" || { echo "no venv for python3"; return 1; }
    if [ "$2" = parquet ]; then
      "$dir/venv/bin/python" -c 'import pandas, pyarrow, polars, duckdb' ||
        "$dir/venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: \
          'pandas>=2,<4' 'pyarrow>=15' 'polars>=1,<3' 'duckdb>=1,<3' ||
        { echo "pandas, pyarrow, polars and duckdb could not be installed"; return 1; }
      return
    fi
    "$dir/venv/bin/python" -c 'import psycopg, asyncpg, sqlalchemy, django' ||
      "$dir/venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: \
        'psycopg[binary]>=3.2,<4' 'asyncpg>=0.29,<1' 'sqlalchemy>=2,<3' 'django>=4.2,<6' ||
      { echo "psycopg, asyncpg, SQLAlchemy and Django could not be installed"; return 1; }
    ;;
  javascript)
    command -v node && command -v npm || { echo "no node or no npm"; return 1; }
    [ -d "$dir/node_modules/pg-copy-streams" ] ||
      npm install --prefix "$dir" --no-audit --no-fund --ignore-scripts pg@8 pg-copy-streams@7 ||
      { echo "pg and pg-copy-streams could not be installed"; return 1; }
    ;;
  rust)
    mkdir -p "$dir/rust/src"
    cp tests/programs/Cargo.toml "$dir/rust"
    # the versions of this workspace, as far as it has the same crates
    [ "$dir/rust/Cargo.lock" -nt Cargo.lock ] || cp Cargo.lock "$dir/rust"
    touch "$dir/rust/src/main.rs" # cargo asks for it
    cargo fetch --manifest-path "$dir/rust/Cargo.toml" || { echo "sqlx could not be fetched"; return 1; }
    ;;
  java)
    command -v java || { echo "no java"; return 1; }
    [ -r "$JDBC" ] || { echo "no $JDBC"; return 1; }
    java -version 2>&1 && java --list-modules | grep -q '^jdk\.compiler' || { echo "java without a compiler"; return 1; }
    ;;
  esac
}

# run LANGUAGE FILE: in the directory of the file
run() {
  local dir=$HOME_OF_DRIVERS
  case $1 in
  python) (cd "${2%/*}" && "$dir/venv/bin/python" "$2") ;;
  javascript) NODE_PATH=$dir/node_modules node "$2" ;;
  rust)
    cp "$2" "$dir/rust/src/main.rs"
    CARGO_TARGET_DIR=$dir/rust/target cargo run -q --locked --manifest-path "$dir/rust/Cargo.toml"
    ;;
  java) java -cp "$JDBC" "$2" "jdbc:postgresql://$PGHOST:$PGPORT/$PGDATABASE?user=$PGUSER&password=$PGPASSWORD" ;;
  esac
}

ALL=${1:-}
JDBC=/usr/share/java/postgresql.jar
while read -r document number language <&3; do
  what="program $number of docs/$document.md ($language)"
  kind=
  if grep -q '\.parquet' "$WORK/$document/$number.$language"; then kind=parquet; fi
  if { [ "$language" = rust ] || [ -n "$kind" ]; } && [ "$ALL" != all ]; then
    echo "$what: left to make test-all"
    continue
  fi
  if [ -n "$kind" ] && [ ! -e "$WORK/$document/plies.parquet" ] && ! tables "$document" >"$WORK/tables" 2>&1; then
    fail "$what" "$(cat "$WORK/tables")"
    continue
  fi
  if ! prepare "$language" "$kind" >"$WORK/prepared" 2>&1; then
    case $language in
    python) how="apt-get install python3-venv, and a way to PyPI" ;;
    javascript) how="apt-get install nodejs npm, and a way to npm's registry" ;;
    java) how="apt-get install default-jdk-headless libpostgresql-jdbc-java" ;;
    *) how="a way to crates.io" ;;
    esac
    skip "$what: $(tail -n 1 "$WORK/prepared")" "$how"
    continue
  fi
  "${CLIENT[@]}" -d postgres -c 'SET client_min_messages = warning' -c 'DROP DATABASE IF EXISTS programs' \
    -c 'CREATE DATABASE programs TEMPLATE prepared'
  if run "$language" "$WORK/$document/$number.$language" >"$WORK/out" 2>"$WORK/errors" && diff -u "$WORK/$document/$number.expected" "$WORK/out"; then
    pass
  else
    fail "$what" "$(cat "$WORK/errors")"
  fi
done 3< <(for document in programs data; do
  mkdir "$WORK/$document" && perl scripts/doc-programs.pl "docs/$document.md" "$WORK/$document" | sed "s/^/$document /"
done)
if [ -e "$WORK/data/hours.svg" ]; then holds "docs/hours.svg is not what docs/data.md draws" cmp docs/hours.svg "$WORK/data/hours.svg"; fi
