#!/usr/bin/env bash
# In: a Debian system with Rust, as root or a user who can use sudo; PG or PG_CONFIG; optionally the word "test".
# Out: installs what building needs, and with "test" what the tests need; existing packages stay.
set -euo pipefail
. "$(dirname "$0")/env.sh"

SUDO=()
is_root || SUDO=(sudo)

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Debian would create and start a server with the package; a drop-in file prevents this during the installation.
apt_install() (
  dropin=/etc/postgresql-common/createcluster.d/chess-setup.conf
  command -v apt-get >/dev/null || die "no apt-get here; install these by other means: $*"
  is_root || command -v sudo >/dev/null || die "neither root nor sudo; run as root: apt-get install $*"
  say "Installing packages: $*"
  "${SUDO[@]}" apt-get update
  for package; do
    apt-cache show "$package" >/dev/null 2>&1 || die "$(not_available "$package")"
  done
  "${SUDO[@]}" mkdir -p "${dropin%/*}"
  trap '"${SUDO[@]}" rm -f "$dropin"' EXIT
  echo 'create_main_cluster = false' | "${SUDO[@]}" tee "$dropin" >/dev/null
  "${SUDO[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" </dev/null ||
    die "apt-get could not install: $*"
)

# A distribution usually has one major version.
not_available() {
  echo "this system's package sources have no $1"
  case $1 in postgresql-*) ;; *) return ;; esac
  local majors
  majors=$(apt-cache pkgnames postgresql-server-dev- | sed -n 's/.*-\([0-9][0-9]*\)$/\1/p' | sort -n | paste -sd ' ')
  echo "  They have PostgreSQL ${majors:-in no version}; select it with PG=major. For PostgreSQL $PG, either"
  echo "  - add the source of the PostgreSQL project (PGDG), https://wiki.postgresql.org/wiki/Apt, and run this again, or"
  echo "  - give the pg_config of any installation that has the server's headers: PG_CONFIG=path/to/pg_config"
}

command -v cargo >/dev/null || die "cargo not found: install Rust (with rustup) first"
needed=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
found=$(cargo --version | cut -d ' ' -f 2)
printf '%s\n' "$needed" "$found" | sort -VC || die "Rust $needed or later is needed, this is $found (with rustup: rustup update)"
for tool in fmt clippy; do
  cargo $tool --version >/dev/null 2>&1 || echo "warning: cargo $tool is missing; make test needs it" >&2
done

# env.sh prefers Debian's packages, and finds a server that was fetched before
if [ "$PG_CONFIG" = "$DEBIAN_PG_CONFIG" ] && [ ! -x "$PG_CONFIG" ] && ! apt-cache show "postgresql-server-dev-$PG" >/dev/null 2>&1 &&
  fetched=$(scripts/servers.sh "$PG"); then
  PG_CONFIG=$fetched
fi

# libssl-dev and pkg-config: TLS; clang: bindings to PostgreSQL's headers
want=(gcc libc6-dev make pkg-config libssl-dev clang libclang-dev)
# openssl: certificates for the tests of TLS; libipc-run-perl: PostgreSQL::Test::Cluster needs it
if [ "${1:-}" = test ]; then want+=(openssl procps bzip2 libipc-run-perl); fi
if [ "$PG_CONFIG" = "$DEBIAN_PG_CONFIG" ]; then
  want+=("postgresql-$PG" "postgresql-server-dev-$PG")
else
  [ -x "$PG_CONFIG" ] || die "no pg_config at $PG_CONFIG"
  [ -f "$("$PG_CONFIG" --includedir-server)/postgres.h" ] || die "$PG_CONFIG knows no server headers"
  # pg_regress and PostgreSQL::Test::Cluster, and the user that runs the test servers for root
  compgen -G '/usr/lib/postgresql/*/lib/pgxs/src/test/regress/pg_regress' >/dev/null || want+=(postgresql-client)
  if is_root && ! id postgres >/dev/null 2>&1; then want+=(postgresql-common); fi
fi
# pictures are tested in a browser; CHROMIUM names it where the distribution has another name
if [ "${1:-}" = test ] && [ -z "${CHROMIUM:-}" ] && ! command -v chromium chromium-browser google-chrome >/dev/null; then
  want+=(chromium)
fi
# as root, cargo-pgrx starts its server with sudo
if [ "${1:-}" = test ] && is_root; then want+=(sudo); fi
# the page of chess-web is bundled and tested with node; one test installs a client of lichess's API
if [ "${1:-}" = test ]; then
  command -v npm >/dev/null || want+=(nodejs npm)
  python3 -c 'import ensurepip, venv' 2>/dev/null || want+=(python3-venv)
  command -v curl >/dev/null || want+=(curl)
fi
# the tests of the analysis use a real engine
if [ "${1:-}" = test ] && ! [ -x /usr/games/stockfish ] && ! command -v stockfish >/dev/null; then want+=(stockfish); fi
missing=()
for package in "${want[@]}"; do
  installed "$package" || missing+=("$package")
done
[ ${#missing[@]} = 0 ] || apt_install "${missing[@]}"

find_postgres
