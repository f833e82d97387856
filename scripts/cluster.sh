# Sourced after env.sh and find_postgres: a private server in a directory DIR that belongs to the server's user. It
# listens only on a Unix socket in DIR. In: DIR. Out: DIR/data, DIR/log, and the functions below. After the start,
# CLIENT is psql on it; it runs as the caller and can read the caller's files.
# shellcheck shell=bash

# timeout for the server to start or stop, in seconds: slow machines need more than pg_ctl's minute
export PGCTLTIMEOUT=600

# server_template: prints the directory of what initdb made once for this installation, for server_init to copy. The
# tests of tests/system make and use the same directory (src/server.rs).
server_template() {
  local name template dir
  name=$("$PG_CONFIG" --version)-$BINDIR
  template=$TARGET/initdb/${name//[^a-zA-Z0-9.]/-}
  if [ ! -d "$template" ]; then
    dir=$(new_server_dir /tmp) && mkdir -p "$TARGET/initdb" &&
      as_server "$BINDIR/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --no-locale --no-sync >/dev/null &&
      cp -a "$dir/data" "$TARGET/initdb/new-$BASHPID" || die "initdb fails"
    # another process may have made one meanwhile
    mv -T "$TARGET/initdb/new-$BASHPID" "$template" 2>/dev/null || rm -rf "$TARGET/initdb/new-$BASHPID"
    rm -rf "$dir"
  fi
  echo "$template"
}

# server_init DIR [SETTING...]: the settings override those below
server_init() {
  local template
  as_server test -x "$BINDIR/initdb" || die "the server's user cannot reach $BINDIR"
  template=$(server_template)
  cp -aT "$template" "$1/data"
  # the data can be recreated: speed matters more than surviving a crash
  as_server tee -a "$1/data/postgresql.conf" >/dev/null <<CONF
listen_addresses = ''
fsync = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 4GB
shared_buffers = 256MB
maintenance_work_mem = 256MB
$(printf '%s\n' "${@:2}")
CONF
}

# server_start DIR [PORT]: the port only names the socket. It is not among the settings, so that a copy of the data (a
# replica's) does not use the first server's socket.
server_start() {
  local port=${2:-5432}
  as_server "$BINDIR/pg_ctl" start -w -s -D "$1/data" -l "$1/log" -o "-p $port -k $1" </dev/null ||
    { as_server tail -n 20 "$1/log" >&2; die "the server in $1 does not start"; }
  CLIENT=("$BINDIR/psql" -X -q -P pager=off -v ON_ERROR_STOP=1 -h "$1" -p "$port" -U postgres)
}

server_stop() {
  if as_server "$BINDIR/pg_ctl" status -D "$1/data" >/dev/null 2>&1; then
    as_server "$BINDIR/pg_ctl" stop -w -s -m fast -D "$1/data"
  fi
}

# Reads PGN on standard input and runs the script $2 in the database $1 with each piece that fits into a text value.
load_pgn() { perl scripts/pgn-pieces.pl 64000000 "${CLIENT[@]}" -d "$1" -f "$2"; }
