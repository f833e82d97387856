#!/usr/bin/env bash
# In: PG or PG_CONFIG; a command; BUILT=1 where the extension is built already.
# Out: the command run on a private copy of that PostgreSQL, into which the extension is installed as it is now. What is
# installed in PostgreSQL itself, and may be in use by a server, stays as it is.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres
copy=$(private_copy)
DESTDIR=$copy scripts/install.sh ${BUILT:+packaged}
exec env SYSTEM_PG_CONFIG="$PG_CONFIG" PG_CONFIG="$copy$BINDIR/pg_config" "$@"
