#!/usr/bin/env bash
# In: PG or PG_CONFIG of PostgreSQL 18 or later; BUILT=1 if the extension is built.
# Out: the image that CloudNativePG mounts into a server (docs/containers.md): its files in target/image-pgN, which has
# lib/ and share/extension/ and nothing else, and the image itself as an OCI archive, target/chess-VERSION-pgN.oci.tar.
# No container runtime is needed, and the same commit and compiler give the same bytes.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres
[ "$MAJOR" -ge 18 ] || die "PostgreSQL $MAJOR finds extensions only among its own files: give PG=18 or later"
[ -n "${BUILT:-}" ] || scripts/build.sh

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
package=$TARGET/release/chess-package-pg$MAJOR
tree=$TARGET/image-pg$MAJOR
archive=$TARGET/chess-$version-pg$MAJOR.oci.tar
# the date of the commit, so that builds are reproducible
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
case $(uname -m) in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) architecture=$(uname -m) ;;
esac

rm -rf "$tree"
(
  umask 022
  mkdir -p "$tree/lib" "$tree/share/extension"
)
install -m 755 --strip "$package/chess.so" "$tree/lib/"
install -m 644 "$package/chess.control" "$package"/chess--*.sql "$tree/share/extension/"

work=$(mktemp -d "$TARGET/image-XXXXXX")
trap 'rm -rf "$work"' EXIT
blobs=$work/blobs/sha256
mkdir -p "$blobs"
pack() { tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=ustar -C "$@"; }
# blob TYPE: stores standard input under its digest and prints its descriptor
blob() {
  local digest
  cat >"$work/blob"
  digest=$(sha256sum <"$work/blob" | cut -d ' ' -f 1)
  mv "$work/blob" "$blobs/$digest"
  printf '{"mediaType":"%s","digest":"sha256:%s","size":%d' "$1" "$digest" "$(stat -c %s "$blobs/$digest")"
}
pack "$tree" -cf "$work/layer" lib share
files=$(sha256sum <"$work/layer" | cut -d ' ' -f 1)
layer=$(gzip -9n <"$work/layer" | blob application/vnd.oci.image.layer.v1.tar+gzip)
config=$(printf '{"created":"%s","architecture":"%s","os":"linux","config":{"User":"65532:65532"},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
  "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" "$architecture" "$files" | blob application/vnd.oci.image.config.v1+json)
manifest=$(printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s},"layers":[%s}],"annotations":{%s,%s,%s}}' \
  "$config" "$layer" '"org.opencontainers.image.title":"chess"' "\"org.opencontainers.image.version\":\"$version\"" \
  '"org.opencontainers.image.licenses":"GPL-3.0-or-later"' | blob application/vnd.oci.image.manifest.v1+json)
printf '{"schemaVersion":2,"manifests":[%s,"annotations":{"org.opencontainers.image.ref.name":"%s-pg%s"}}]}' "$manifest" "$version" "$MAJOR" >"$work/index.json"
printf '{"imageLayoutVersion":"1.0.0"}' >"$work/oci-layout"
rm "$work/layer"
pack "$work" -cf "$archive" oci-layout index.json blobs
echo "$archive"
