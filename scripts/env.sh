# Sourced by every other script. In: PG or PG_CONFIG. Out: the repository as working directory, where PostgreSQL
# and the build are (PG_CONFIG, MAJOR, BINDIR, TARGET, …), and the functions below.
# shellcheck shell=bash disable=SC2034  # the variables are for the scripts that source this file

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
ROOT=$PWD
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
USER=${USER:-$(id -un)}
export PATH USER
# libpq's variables would lead to servers other than the private ones.
for variable in ${!PG*}; do
  case $variable in PG | PG_CONFIG | PGN | PGRX_*) ;; *) unset "$variable" ;; esac
done
# a server that inherits it adds stack traces to the DETAIL of errors
unset RUST_BACKTRACE

TARGET=$(realpath -ms "${CARGO_TARGET_DIR:-$ROOT/target}")
PGRX_VERSION=$(sed -n 's/^pgrx *=.*"=\([0-9.]*\)".*/\1/p' Cargo.toml)
[ -n "$PGRX_VERSION" ] || die "Cargo.toml has no exact version of pgrx"

DEBIAN_PG_CONFIG=/usr/lib/postgresql/${PG:=15}/bin/pg_config
PG_CONFIG=${PG_CONFIG:-$DEBIAN_PG_CONFIG}
# a bare name is a command, anything else a path
[[ $PG_CONFIG == */* ]] || PG_CONFIG=$(command -v "$PG_CONFIG") || die "no $PG_CONFIG in PATH"
PG_CONFIG=$(realpath -ms "$PG_CONFIG")
# one directory per pg_config: whenever cargo-pgrx writes its configuration, everything is compiled again
PGRX_HOME=$TARGET/pgrx-$(printf %s "$PG_CONFIG" | cksum | cut -d " " -f 1)
export PGRX_HOME

# What is known only once PostgreSQL is there.
find_postgres() {
  [ -x "$PG_CONFIG" ] || die "no pg_config at $PG_CONFIG: run make setup, or give PG_CONFIG=path"
  MAJOR=$("$PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
  BINDIR=$("$PG_CONFIG" --bindir)
  FEATURES=(--no-default-features --features "pg$MAJOR")
}

is_root() { [ "$(id -u)" = 0 ]; }

# PostgreSQL refuses to run as root.
as_server() {
  if is_root; then (cd / && exec runuser -u postgres -- "$@"); else (cd / && exec "$@"); fi
}

# A new directory in the given one, with a short name (a socket's path has at most 107 bytes), for the server's user alone:
# the servers in it trust every connection. Root can enter too.
new_server_dir() {
  local dir
  dir=$(mktemp -d "$1/chess-XXXXXX")
  own_by_server "$dir"
  echo "$dir"
}

own_by_server() { if is_root; then chown -R postgres: "$@"; fi; }
