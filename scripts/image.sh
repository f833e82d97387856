#!/usr/bin/env bash
# In: PG or PG_CONFIG of PostgreSQL 18 or later; BUILT=1 if the extension is built.
# Out: the image that CloudNativePG mounts into a server (docs/containers.md): its files in target/image-pgN, which has
# lib/ and share/extension/ and nothing else, and the image itself as an OCI archive, target/chess-VERSION-pgN.oci.tar.
# No container runtime is needed, and the same commit and compiler give the same bytes.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/oci.sh
find_postgres
[ "$MAJOR" -ge 18 ] || die "PostgreSQL $MAJOR finds extensions only among its own files: give PG=18 or later"
[ -n "${BUILT:-}" ] || scripts/build.sh

package=$TARGET/release/chess-package-pg$MAJOR
tree=$TARGET/image-pg$MAJOR
archive=$TARGET/chess-$version-pg$MAJOR.oci.tar

rm -rf "$tree"
(
  umask 022
  mkdir -p "$tree/lib" "$tree/share/extension"
)
install -m 755 --strip "$package/chess.so" "$tree/lib/"
install -m 644 "$package/chess.control" "$package"/chess--*.sql "$tree/share/extension/"

oci_archive "$tree" "$archive" "chess:$version-pg$MAJOR" '{"User":"65532:65532"}'
echo "$archive"
