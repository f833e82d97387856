#!/usr/bin/env bash
# In: a checkout without changes, whose version has a dated heading in CHANGELOG.md, its SQL and its golden file
# in tests/upgrade.
# Out: target/release-VERSION with the archive for PGXN, a source archive, Debian packages for each PostgreSQL whose server
# headers this system has or scripts/servers.sh fetches, images for those that can mount one, the wheel of chess-desk and its
# image, release notes, and checksums.
# The last lines list artifacts that could not be built.
set -euo pipefail
. "$(dirname "$0")/env.sh"

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
[ -z "$(git status --porcelain)" ] || die "the checkout has changes: a release is made of a commit"
grep -qE "^## \[${version//./\\.}\] – [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md || die "CHANGELOG.md has no dated heading for $version"
compgen -G "sql/chess--*--$version.sql" >/dev/null || die "sql/ has no upgrade script to $version"
[ -e "tests/upgrade/$version.tsv" ] || die "tests/upgrade has no golden file of $version (WRITE=1 scripts/private.sh tests/upgrade/run.sh)"

out=$TARGET/release-$version
rm -rf "$out"
mkdir -p "$out"
missing=()

say "Archives of $version"
cp "$(scripts/dist.sh)" "$out/"
# without a time stamp, so that the archive is reproducible
git archive --format=tar --prefix="chess-$version/" HEAD | gzip -9n >"$out/chess-$version.tar.gz"
awk -v version="$version" '/^## / { inside = index($0, "## [" version "]") == 1; next } inside' CHANGELOG.md |
  sed -e '/./,$!d' >"$out/NOTES.md"
[ -s "$out/NOTES.md" ] || die "CHANGELOG.md says nothing of $version"

for major in 15 16 17 18; do
  if ! config=$(server_of "$major"); then
    missing+=("Debian packages for PostgreSQL $major: no postgresql-$major and postgresql-server-dev-$major on this system, and $config")
  elif ! command -v dh_builddeb >/dev/null; then
    missing+=("Debian packages for PostgreSQL $major: no debhelper (apt-get install debhelper)")
  else
    say "Debian packages for PostgreSQL $major"
    PG=$major PG_CONFIG=$config scripts/deb.sh
    cp "$TARGET"/deb/*.deb "$out/"
    if [ "$major" -ge 18 ]; then cp "$(PG=$major PG_CONFIG=$config BUILT=1 scripts/image.sh)" "$out/"; fi
  fi
done

say "The wheel of chess-desk, and its image"
if wheel=$(scripts/wheel.sh); then
  wheel=$(tail -n 1 <<<"$wheel")
  cp "$wheel" "$out/"
  if image=$(scripts/desk-image.sh "$wheel"); then
    cp "$(tail -n 1 <<<"$image")" "$out/"
  else
    missing+=("the image of chess-desk: $(tail -n 1 <<<"$image")")
  fi
else
  missing+=("the wheel of chess-desk: $(tail -n 1 <<<"$wheel")")
fi

(cd "$out" && sha256sum -- * >SHA256SUMS)
say "Release $version in $out"
ls "$out"
[ ${#missing[@]} = 0 ] || printf 'not made: %s\n' "${missing[@]}"
