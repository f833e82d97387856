#!/usr/bin/env bash
# In: a build by scripts/install.sh and cargo; PG or PG_CONFIG.
# Out: an error unless the packages of scripts/deb.sh pass lintian, can be installed by apt into a clean Debian
# without Rust, create the extension and load PGN there, serve the page from a service that is shut in, and leave nothing
# behind when removed. Needs root, debootstrap and a Debian mirror; the chroot uses the package sources of this machine. Where these have no server of this
# version, the extension's package is unpacked over a private copy of one (scripts/private.sh), and creates it there.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export DEB=$TARGET/deb-pg$MAJOR

# lacks WHAT HOW: skips all checks, because a program is missing
lacks() {
  skip "packages: $1" "$2"
  exit 0
}
is_root || lacks "only root can make a chroot" "run the tests as root"
[ -e /etc/debian_version ] || lacks "this is no Debian" "run the tests on Debian"
for tool in debootstrap dh_builddeb lintian curl; do
  command -v $tool >/dev/null || lacks "no $tool" "apt-get install debootstrap debhelper lintian curl"
done

# the programs' packages are the same for all versions
only=()
apt-cache show "postgresql-$MAJOR" >/dev/null 2>&1 || only=(extension)

say "Packages"
scripts/deb.sh "${only[@]}"
lintian=$(lintian --fail-on error --suppress-tags bogus-mail-host,initial-upload-closes-no-bugs "$DEB"/*.deb) || die "lintian: $lintian"
echo "$lintian"
for deb in "$DEB"/*.deb; do
  unpacked=$(mktemp -d)
  dpkg-deb -x "$deb" "$unpacked"
  equal "dead links in the documents of ${deb##*/}" "" "$(find "$unpacked" -name '*.md' -exec perl scripts/doc-links.pl {} +)"
  rm -r "$unpacked"
done

if [ ${#only[@]} -gt 0 ]; then
  [ -n "${SYSTEM_PG_CONFIG:-}" ] || die "this needs a private copy of PostgreSQL: scripts/private.sh $0"
  DIR=$(new_server_dir /tmp)
  at_end 'server_stop "$DIR"; rm -rf "$DIR"'
  dpkg-deb -x "$DEB"/postgresql-"$MAJOR"-chess_*.deb "$DIR/package"
  equal "what the package needs" "postgresql-$MAJOR" "$(dpkg-deb -f "$DEB"/postgresql-"$MAJOR"-chess_*.deb Depends | cut -d , -f 1)"
  cp "$DIR/package/usr/lib/postgresql/$MAJOR/lib/chess.so" "$("$PG_CONFIG" --pkglibdir)"
  cp "$DIR/package/usr/share/postgresql/$MAJOR/extension"/chess* "$("$PG_CONFIG" --sharedir)/extension"
  server_init "$DIR"
  server_start "$DIR"
  sql 'CREATE EXTENSION chess'
  equal "the answer of a function" 2 "$(sql "SELECT plyCount('1. e4 e5')")"
  exit
fi

base=$(scripts/debian.sh) || lacks "$base" "a way to a Debian mirror"
CHROOT=$(mktemp -d /var/tmp/chess-debian-XXXXXX)
init=
cleanup() {
  [ -z "$init" ] || kill -KILL "$init"
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
cp -r "$DEB" "$CHROOT/packages"
cp demo/famous.pgn "$CHROOT/packages/"

# booted COMMAND: runs a command beside the systemd of the chroot
booted() { nsenter -t "$init" -a -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }
# Starts the service with its reader and its writer, uploads and an engine: in its cage all of them work.
run_service() {
  local address answer options
  cat >"$CHROOT/usr/games/engine" <<'ENGINE'
#!/bin/sh
while read -r line; do
  case $line in
    uci) echo "id name Small"; echo uciok ;;
    isready) echo readyok ;;
    go*) echo "info depth 1 multipv 1 score cp 20 nodes 20 pv e2e4"; echo "bestmove e2e4" ;;
    quit) exit ;;
  esac
done
ENGINE
  chmod 755 "$CHROOT/usr/games/engine"
  booted systemctl start "postgresql@$MAJOR-main"
  # the first start makes the directory, and ends because there is no such role yet
  booted systemctl start chess-web 2>/dev/null || true
  wait_for "the directory of the service" test -d "$CHROOT/var/lib/private/chess-web"
  echo secret | booted install -m 600 -o "$(stat -c %u "$CHROOT/var/lib/private/chess-web")" /dev/stdin /var/lib/chess-web/password
  booted runuser -u postgres -- psql -X -q -c 'CREATE ROLE chess_web LOGIN' -c 'CREATE DATABASE web OWNER chess_web ENCODING UTF8 TEMPLATE template0'
  options="-l 127.0.0.1:0 -d web --upload --password-file /var/lib/chess-web/password --engine engine"
  sed -i "s|^OPTIONS=.*|OPTIONS=\"$options\"|" "$CHROOT/etc/default/chess-web"
  booted systemctl stop chess-web
  booted systemctl reset-failed chess-web 2>/dev/null || true
  booted systemctl enable --now -q chess-web || die "the service does not start" "$(booted journalctl -u chess-web -o cat --no-pager | tail -n 20)"
  wait_for "the address of the page" said_address
  address=$(said_address)
  ask() { curl -sS --max-time "$PATIENCE" -u :secret "$@"; }
  equal "it runs as" chess_web "$(booted stat -c %U "/proc/$(booted systemctl show -P MainPID chess-web)")"
  answer=$(printf '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n' |
    ask -H 'Content-Type: application/octet-stream' --data-binary @- "${address}api/uploads?name=ann.pgn")
  holds "an upload is taken: $answer" grep -q '"ann.pgn"' <<<"$answer"
  wait_for "the uploaded game" loaded
  equal "it is healthy" ok "$(ask "${address}healthz")"
  answer=$(ask "${address}api/engine?fen=$(sed 's/ /%20/g' <<<'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1')&depth=1")
  holds "the engine answers: $answer" grep -q '"best":"e2e4"' <<<"$answer"
  equal "what the log complains of" "" "$(booted journalctl -u chess-web -o cat --no-pager | sed -n "\\|^$address|,\$ { /^chess-web: /p }")"
  booted systemctl stop chess-web
}
said_address() { booted journalctl -u chess-web -o cat --no-pager | grep '^http' | tail -n 1 | grep .; }
loaded() { ask "${address}api/games?player=Ann" | grep -q '"Ann"'; }

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
say "The service"
inside pg_ctlcluster "$MAJOR" main stop -m fast
inside sh -c 'apt-get -qq install -y --no-install-recommends systemd systemd-sysv dbus libnss-systemd' >"$TARGET/apt.log" 2>&1 ||
  die "$(tail -n 20 "$TARGET/apt.log")"
inside systemd-analyze verify --man=no chess-web.service 2>"$TARGET/verify.log" || true
# only what it says of this unit: others complain of a chroot
equal "what systemd says of the unit" "" "$(grep chess-web "$TARGET/verify.log" || true)"
exposure=$(inside systemd-analyze security --offline=yes --no-pager chess-web.service | sed -n 's/.*level for chess-web.service: \([0-9]*\).*/\1/p')
holds "the exposure of the service is $exposure of 10" [ "${exposure:-10}" -le 1 ]
holds "its settings are for root alone" [ "$(stat -c %a "$CHROOT/etc/default/chess-web")" = 600 ]
holds "it is off" [ "$(inside systemctl is-enabled chess-web)" = disabled ]
# runs systemd in namespaces of its own, which end with it
boot() {
  mount --make-rprivate /
  umount -l "$CHROOT/proc"
  mount --bind "$CHROOT" "$CHROOT"
  mount -t proc proc "$CHROOT/proc"
  mount -t sysfs -o ro sysfs "$CHROOT/sys"
  if [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ]; then
    mount -t cgroup2 cgroup2 "$CHROOT/sys/fs/cgroup"
  else
    mount -t tmpfs tmpfs "$CHROOT/sys/fs/cgroup"
    mkdir "$CHROOT/sys/fs/cgroup/systemd"
    mount -t cgroup -o none,name=systemd,xattr cgroup "$CHROOT/sys/fs/cgroup/systemd"
  fi
  for place in run tmp dev; do mount -t tmpfs tmpfs "$CHROOT/$place"; done
  chmod 1777 "$CHROOT/tmp"
  # made, not mounted from the machine: what systemd sets on a mounted one would be the machine's
  for device in null zero full random urandom tty; do
    # shellcheck disable=SC2046  # two numbers
    mknod -m 666 "$CHROOT/dev/$device" c $(stat -c '0x%t 0x%T' "/dev/$device")
  done
  ln -s /proc/self/fd "$CHROOT/dev/fd"
  ln -s pts/ptmx "$CHROOT/dev/ptmx"
  mkdir "$CHROOT/dev/shm"
  # a cage inside is made from the root of the mounts, which a chroot is not
  mkdir "$CHROOT/outside"
  pivot_root "$CHROOT" "$CHROOT/outside"
  cd /
  exec env -i PATH=/usr/bin:/bin container=other sh -c 'umount -l /outside && rmdir /outside && exec /lib/systemd/systemd --show-status=no'
}
export CHROOT
export -f boot
unshare --pid --mount --uts --ipc --cgroup --fork bash -ec boot >"$TARGET/boot.log" 2>&1 &
unshared=$!
for _ in {1..600}; do
  init=$(pgrep -P $unshared || true)
  if [ -z "$init" ] && ! kill -0 $unshared 2>/dev/null; then break; fi
  if [ -n "$init" ] && booted systemctl is-active dbus >/dev/null 2>&1; then break; fi
  sleep 0.1
done
if [ -n "$init" ] && booted systemctl is-active dbus >/dev/null 2>&1; then
  run_service
else
  skip "packages: systemd does not run in a chroot here: $(tail -n 1 "$TARGET/boot.log")" "a machine where root may mount cgroups"
fi
[ -z "$init" ] || { kill -KILL "$init"; init=; }
inside pg_ctlcluster "$MAJOR" main start
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
