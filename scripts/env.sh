# Sourced by every other script. In: PG or PG_CONFIG. Out: the repository as working directory, the paths of
# PostgreSQL and the build (PG_CONFIG, MAJOR, BINDIR, TARGET, …), and the functions below.
# shellcheck shell=bash disable=SC2034  # the variables are for the scripts that source this file

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
ROOT=$PWD
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
USER=${USER:-$(id -un)}
export PATH USER
# libpq's variables could select servers other than the private ones.
for variable in ${!PG*}; do
  case $variable in PG | PG_CONFIG | PGN | PGRX_*) ;; *) unset "$variable" ;; esac
done
# a server with this variable would add stack traces to the DETAIL of errors
unset RUST_BACKTRACE

TARGET=$(realpath -ms "${CARGO_TARGET_DIR:-$ROOT/target}")

DEBIAN_PG_CONFIG=/usr/lib/postgresql/${PG:=15}/bin/pg_config
FETCHED_PG_CONFIG=$TARGET/servers/$PG/bin/pg_config # by scripts/servers.sh
if [ -z "${PG_CONFIG:-}" ]; then
  PG_CONFIG=$DEBIAN_PG_CONFIG
  [ -x "$PG_CONFIG" ] || [ ! -x "$FETCHED_PG_CONFIG" ] || PG_CONFIG=$FETCHED_PG_CONFIG
fi
# a bare name is a command, anything else a path
[[ $PG_CONFIG == */* ]] || PG_CONFIG=$(command -v "$PG_CONFIG") || die "no $PG_CONFIG in PATH"
PG_CONFIG=$(realpath -ms "$PG_CONFIG")
# a short identifier of the installation
key() { printf %s "$PG_CONFIG" | cksum | cut -d " " -f 1; }

# Sets variables that are known only after the installation of PostgreSQL.
find_postgres() {
  [ -x "$PG_CONFIG" ] || die "no pg_config at $PG_CONFIG: run make setup, or give PG_CONFIG=path"
  MAJOR=$("$PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
  BINDIR=$("$PG_CONFIG" --bindir)
  FEATURES=(--no-default-features --features "chess/pg$MAJOR")
  [ -n "${WITHOUT_PARQUET:-}" ] || FEATURES+=(--features chess-pgn/parquet)
}

# server_of MAJOR: prints the pg_config of a server with its headers, of Debian's packages or of scripts/servers.sh; with exit
# code 1 why there is none
server_of() {
  local config=/usr/lib/postgresql/$1/bin/pg_config
  if [ -f "$("$config" --includedir-server 2>/dev/null)/postgres.h" ]; then echo "$config"; else scripts/servers.sh "$1"; fi
}

# cargo_release COMMAND [OPTION...]: runs build, test, check or clippy in release mode, for the whole workspace or, with -p,
# for one crate. The library is always built for the system's PostgreSQL, because a different path of the same files would
# compile it again.
cargo_release() {
  local crates=(--workspace)
  # Cargo compiles shared crates with the features that the named crates want, and these three want all of them.
  [[ " ${*:2} " != *" -p "* ]] || crates=(-p chess -p chess-pgn -p chess-web)
  PGRX_PG_CONFIG_PATH=${SYSTEM_PG_CONFIG:-$PG_CONFIG} cargo "$1" --release "${crates[@]}" "${FEATURES[@]}" "${@:2}" </dev/null
}
# Optimizing the unit tests of programs takes longer than running them does. Neither program has integration tests that run
# by default, because cargo would build the programs for them once more.
cargo_test() {
  cargo_release test --config profile.release.package.chess-pgn.opt-level=0 --config profile.release.package.chess-web.opt-level=0 "$@"
}
cargo_build() { cargo_release build "$@"; }
# Builds what users run, unless BUILT=1 says that it is built. The rest of the workspace is for tests and benchmarks, and takes
# long to compile.
build_programs() { [ -n "${BUILT:-}" ] || cargo_build --exclude chess-fuzz --exclude chess-system --exclude chess-bench-core --exclude chess-bench-instructions "$@"; }

is_root() { [ "$(id -u)" = 0 ]; }

# PostgreSQL refuses to run as root.
as_server() {
  if is_root; then (cd / && exec runuser -u postgres -- "$@"); else (cd / && exec "$@"); fi
}

# new_server_dir PARENT: creates a directory with a short name (a socket's path has at most 107 bytes), accessible
# only by the server's user and root, because its servers trust every connection.
new_server_dir() {
  local dir
  dir=$(mktemp -d "$1/chess-XXXXXX")
  own_by_server "$dir"
  echo "$dir"
}

# copy_postgres DIR: makes DIR a copy of what PG_CONFIG names. PostgreSQL finds its files relative to its programs, so
# that the copy has an extension directory of its own.
copy_postgres() (
  umask 022
  for part in bindir pkglibdir sharedir pkgincludedir; do
    dir=$("$PG_CONFIG" --$part)
    mkdir -p "$1$dir"
    cp -r --preserve=mode "$dir/." "$1$dir"
  done
  # libraries bundled with the programs, as in Python wheels
  dir=$("$PG_CONFIG" --bindir)
  for library in $(ldd "$dir"/* 2>/dev/null | sed -n 's|.* => \(/.*\) (0x.*|\1|p' | xargs -r realpath | sort -u); do
    case $library in /lib/* | /lib64/* | /usr/lib/* | /usr/lib64/* | /usr/local/lib/*) continue ;; esac
    mkdir -p "$1${library%/*}"
    cp --preserve=mode "$library" "$1$library"
  done
  chmod 755 "$1"
)

# from_pgxs FILE: the path of a test program or module in PostgreSQL's development package, below .../pgxs/src/test; that
# of the distribution if PG_CONFIG's installation has none, or one that does not run
from_pgxs() {
  local file
  for file in "$(dirname "$("$PG_CONFIG" --pgxs)")/../test/$1" /usr/lib/postgresql/*/lib/pgxs/src/test/"$1"; do
    [ -f "$file" ] || continue
    if [ ! -x "$file" ] || "$file" --version >/dev/null 2>&1; then realpath "$file" && return; fi
  done
  return 1
}

# private_copy: the copy of PG_CONFIG's PostgreSQL into which tests install; it has no extension chess. It is created
# if it is missing or has another version. It is under target/; if the server's user cannot go there, target/ has a
# link to a directory where it can.
private_copy() {
  local copy new
  copy=$TARGET/postgresql-$MAJOR-$(key)
  if [ "$("$copy$BINDIR/pg_config" --version 2>/dev/null)" != "$("$PG_CONFIG" --version)" ] ||
    ! as_server test -x "$(readlink -f "$copy")$BINDIR/postgres"; then
    say "Copying PostgreSQL to $copy, for the tests" >&2
    [ ! -L "$copy" ] || rm -rf "$(readlink "$copy")"
    rm -rf "$copy" "$copy.new"
    mkdir -p "$TARGET"
    new=$copy.new
    as_server test -x "$TARGET" || new=$(mktemp -d /var/tmp/chess-postgresql-XXXXXX)
    copy_postgres "$new"
    rm -f "$new$("$PG_CONFIG" --pkglibdir)/chess.so" "$new$("$PG_CONFIG" --sharedir)"/extension/chess*
    if [ "$new" = "$copy.new" ]; then mv "$new" "$copy"; else ln -s "$new" "$copy"; fi
  fi
  readlink -f "$copy"
}

own_by_server() { if is_root; then chown -R postgres: "$@"; fi; }
