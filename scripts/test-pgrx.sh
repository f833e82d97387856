#!/usr/bin/env bash
# In: what scripts/build.sh has built; PG or PG_CONFIG; a package index if target/pgrx has no cargo-pgrx yet.
# Out: an error unless the tests of src/tests.rs pass by `cargo pgrx test`, `cargo pgrx run` installs an extension that can
# be created, and `cargo pgrx package` and `schema` write the files that scripts/build.sh writes. They work on a copy of
# PostgreSQL of their own, because they install into it.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
# the system's, also where another copy is tested
PG_CONFIG=${SYSTEM_PG_CONFIG:-$PG_CONFIG}
find_postgres
package=$TARGET/release/chess-package-pg$MAJOR
lock=$TARGET/build.lock
TARGET=$TARGET/pgrx

version=$(sed -n 's/^pgrx = .*"=\([0-9.]*\)".*/\1/p' Cargo.toml)
PATH=$TARGET/bin:$PATH
if [ "$(cargo pgrx --version 2>/dev/null)" != "cargo-pgrx $version" ]; then
  say "Installing cargo-pgrx $version"
  # to optimize it takes longer than what it does
  CARGO_PROFILE_DEV_DEBUG=0 cargo install -q --locked --debug --root "$TARGET" cargo-pgrx --version "=$version" </dev/null ||
    die "cargo-pgrx $version cannot be installed"
fi

copy=$(private_copy)
export PGRX_HOME=$TARGET/home-pg$MAJOR
# whenever this configuration is written, the bindings to PostgreSQL are made and compiled again
if ! grep -qF "\"$copy$BINDIR/pg_config\"" "$PGRX_HOME/config.toml" 2>/dev/null; then
  mkdir -p "$PGRX_HOME"
  cargo pgrx init --no-run "--pg$MAJOR=$copy$BINDIR/pg_config"
fi
# cargo-pgrx would build the library with another flag for the linker than its tests, and so all crates twice
export CARGO_PGRX_DISABLE_GC_SECTIONS_WORKAROUND=1
dir=$(new_server_dir /tmp)
WORK=$(mktemp -d)
at_end 'server_stop "$dir"; rm -rf "$dir" "$WORK"'
# pgrx NAME OPTION...: runs a subcommand of cargo-pgrx
pgrx() { holds "cargo pgrx $1" cargo pgrx "$@" </dev/null; }

say "cargo pgrx test"
runas=()
if is_root; then runas=(--runas postgres); fi
pgrx test "pg$MAJOR" --no-default-features "${runas[@]}" --pgdata "$dir/tests"

# Its server would not run as root: the server is one of these tests, and its client a stand-in. With the feature of the tests
# nothing is compiled again.
say "cargo pgrx run"
ln -s "$(type -P true)" "$WORK/pgcli"
rm -f "$("$copy$BINDIR/pg_config" --pkglibdir)/chess.so"
PATH=$WORK:$PATH pgrx run "pg$MAJOR" --features pg_test --install-only --pgcli
BINDIR=$copy$BINDIR
server_init "$dir"
server_start "$dir"
sql 'CREATE EXTENSION chess'
equal "the answer of a function" 2 "$(sql "SELECT plyCount('1. e4 e5')")"

# With the features of all programs nothing is compiled again. The variable must not be there for commands that install.
# scripts/build.sh may not put this library into the package of another version.
say "cargo pgrx package and schema"
exec 9>"$lock"
flock 9
export PGRX_PG_CONFIG_PATH=$PG_CONFIG PGRX_BUILD_FLAGS="--workspace ${FEATURES[*]:3}"
pgrx package --pg-config "$BINDIR/pg_config" --out-dir "$WORK"
extension=$WORK$("$BINDIR/pg_config" --sharedir)/extension
# statements FILE: without comments outside of statements, which name the places that the statements come from
statements() { perl -0777 -pe 's{^/\* </?(begin|end) connected objects> \*/\n}{}gm; s{^/\*\nThis file is auto generated.*?\*/\n}{}s; s/^-- .*\n//gm; s/^\s*\n//gm' "$1"; }
same() { if diff "$2" "$3" >"$WORK/difference"; then pass; else fail "$1" "$(head -n 20 "$WORK/difference")"; fi; }
for file in "$package"/chess*; do
  name=${file##*/}
  case $name in
    chess.so) continue ;;
    # cargo-pgrx does not know the guard, with which scripts/build.sh ends it
    chess--*--*) same "$name of cargo pgrx package" "$file" <(cat "$extension/$name" sql/guard.sql) ;;
    chess--*) same "$name of cargo pgrx package" <(statements "$file") <(statements "$extension/$name") ;;
    # cargo-pgrx has one for all versions of PostgreSQL
    chess.control) same "$name of cargo pgrx package" <(grep -v ^relocatable "$file") <(grep -v ^relocatable "$extension/$name") ;;
  esac
done
pgrx schema "pg$MAJOR" --release --skip-build --out "$WORK/schema.sql"
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$package/chess.control")
same "cargo pgrx schema" "$extension/chess--$version.sql" "$WORK/schema.sql"
