#!/usr/bin/env bash
# In: PG or PG_CONFIG; a command; BUILT=1 if the extension is built.
# Out: the command runs on a private copy of this PostgreSQL, into which the extension of this checkout is installed.
# The system's PostgreSQL, which may be in use by a server, is not changed.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres
copy=$(private_copy)
DESTDIR=$copy scripts/install.sh ${BUILT:+packaged}
exec env SYSTEM_PG_CONFIG="$PG_CONFIG" PG_CONFIG="$copy$BINDIR/pg_config" "$@"
