#!/usr/bin/env bash
# In: a build by scripts/install.sh and cargo; PG or PG_CONFIG.
# Out: an error unless the packages of scripts/deb.sh pass lintian, can be installed by apt into a clean Debian
# without Rust, create the extension and load PGN there, and leave nothing behind when removed. Needs root,
# debootstrap and a Debian mirror; the chroot uses the package sources of this machine.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/checks.sh
find_postgres

# lacks WHAT HOW: skips all checks, because a program is missing
lacks() {
  skip "packages: $1" "$2"
  exit 0
}
is_root || lacks "only root can make a chroot" "run the tests as root"
[ -e /etc/debian_version ] || lacks "this is no Debian" "run the tests on Debian"
for tool in debootstrap dh_builddeb lintian; do
  command -v $tool >/dev/null || lacks "no $tool" "apt-get install debootstrap debhelper lintian"
done

say "Packages"
scripts/deb.sh
lintian=$(lintian --fail-on error --suppress-tags bogus-mail-host,initial-upload-closes-no-bugs "$TARGET"/deb/*.deb) || die "lintian: $lintian"
echo "$lintian"

# created once; the test works on a copy
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
base=$TARGET/debian-$suite.tar
if [ ! -e "$base" ]; then
  say "A clean Debian $suite"
  root=$(mktemp -d /var/tmp/chess-debian-XXXXXX)
  at_end 'rm -rf "$root"'
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $suite" | head -n 1)
  debootstrap --variant=minbase "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" >"$TARGET/debootstrap.log" 2>&1 ||
    lacks "debootstrap finds no mirror: $(tail -n 1 "$TARGET/debootstrap.log")" "a way to a Debian mirror"
  tar -C "$root" -cf "$base.new" .
  mv "$base.new" "$base"
  rm -rf "$root"
fi
CHROOT=$(mktemp -d /var/tmp/chess-debian-XXXXXX)
cleanup() {
  chroot "$CHROOT" sh -c 'command -v pg_ctlcluster >/dev/null && pg_ctlcluster '"$MAJOR"' main stop -m immediate' >/dev/null 2>&1 || true
  umount -l "$CHROOT/proc" 2>/dev/null || true
  rm -rf --one-file-system "$CHROOT"
}
at_end cleanup
tar -C "$CHROOT" -xf "$base"
chmod 755 "$CHROOT"
mount -t proc proc "$CHROOT/proc" || lacks "no right to mount /proc" "run the tests where root may mount"
inside() { chroot "$CHROOT" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
cp /etc/resolv.conf "$CHROOT/etc/resolv.conf"
rm -f "$CHROOT"/etc/apt/sources.list
find /etc/apt -maxdepth 2 \( -path '*/sources.list' -o -path '*/sources.list.d/debian*' \) -exec cp --parents {} "$CHROOT" \;
# packages start no services
printf '#!/bin/sh\nexit 101\n' >"$CHROOT/usr/sbin/policy-rc.d"
chmod 755 "$CHROOT/usr/sbin/policy-rc.d"
cp -r "$TARGET/deb" "$CHROOT/packages"
cp demo/famous.pgn "$CHROOT/packages/"

say "Installing"
inside apt-get -qq update >"$TARGET/apt.log" 2>&1 || die "$(tail -n 5 "$TARGET/apt.log")"
inside sh -c 'apt-get -qq install -y --no-install-recommends /packages/*.deb' >"$TARGET/apt.log" 2>&1 || die "$(tail -n 20 "$TARGET/apt.log")"
inside sh -c '! command -v cargo rustc' || die "Rust is in the chroot"
inside chess-pgn --version
inside pg_lsclusters -h | grep -q "^$MAJOR *main" || inside pg_createcluster "$MAJOR" main >/dev/null
inside pg_ctlcluster "$MAJOR" main start
as_postgres() { inside runuser -u postgres -- "$@"; }
as_postgres createdb -E UTF8 -T template0 games
as_postgres psql -X -q -d games -c 'CREATE EXTENSION chess'
as_postgres chess-pgn load -d 'host=/var/run/postgresql dbname=games' --index /packages/famous.pgn
games=$(as_postgres psql -X -At -d games -c "SELECT count(*) FROM chess.games WHERE hasBoard(game, startBoard())")
holds "$games games are found" [ "$games" -gt 5 ]
found=$(as_postgres psql -X -At -d games -c "SELECT extversion FROM pg_extension WHERE extname = 'chess'")
equal "the version" "$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)" "$found"
as_postgres psql -X -q -d games -c 'SET client_min_messages = warning' -c 'DROP SCHEMA chess CASCADE' -c 'DROP EXTENSION chess'

say "Removing"
names=$(inside sh -c 'for p in /packages/*.deb; do dpkg-deb -f "$p" Package; done')
# shellcheck disable=SC2086  # one package each
inside apt-get -qq purge -y $names >"$TARGET/apt.log" 2>&1 || die "$(tail -n 20 "$TARGET/apt.log")"
left=$(inside find /usr /etc /var/lib -xdev -name '*chess*' ! -path '/var/lib/dpkg/*' ! -path '/var/lib/postgresql/*')
equal "left behind" "" "$left"
for name in $names; do equal "$name is still known" 0 "$(inside dpkg-query -W -f '${Package}\n' | grep -cx "$name")"; done
inside pg_ctlcluster "$MAJOR" main stop -m fast
echo "Packages: $(wc -w <<<"$names"), built, installed, used and removed"
