#!/usr/bin/env bash
# In: PG or PG_CONFIG; BUILT=1 if the extension and the programs are built; DEB, a folder (target/deb); the word "extension" to
# leave the programs out.
# Out: *.deb in this folder, by debhelper: the extension for this PostgreSQL, chess-pgn, and chess-web with a service, and for
# each a package -dbgsym with its symbols for debuggers.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres
command -v dh_builddeb >/dev/null || die "no debhelper: apt-get install debhelper"

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
extension=postgresql-$MAJOR-chess
programs=(chess-pgn chess-web)
[ "${1:-}" != extension ] || programs=()
[ -n "${BUILT:-}" ] || scripts/build.sh

DEB=${DEB:-$TARGET/deb}
rm -rf "$DEB"
mkdir -p "$DEB/build/debian"
cp packaging/debian/copyright "$DEB/build/debian/"
{
  # a paragraph for the source, and one for each package
  sed "s/@MAJOR@/$MAJOR/g" packaging/debian/control.in
  for program in "${programs[@]}"; do
    echo
    sed "s/@MAJOR@/$MAJOR/g" "packaging/debian/$program.control"
  done
} >"$DEB/build/debian/control"
# the date of the commit, so that builds are reproducible
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH
cat >"$DEB/build/debian/changelog" <<CHANGELOG
chess ($version-1) unstable; urgency=medium

  * Version $version. What is new is in CHANGELOG.md.

 -- The authors of chess <authors@chess.invalid>  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG
cd "$DEB/build"

# the directories of Debian's PostgreSQL of this version, whatever PG_CONFIG is
package=$TARGET/release/chess-package-pg$MAJOR
to=debian/$extension/usr
mkdir -p "$to/lib/postgresql/$MAJOR/lib" "$to/share/postgresql/$MAJOR/extension"
install -m 644 "$package/chess.so" "$to/lib/postgresql/$MAJOR/lib/"
install -m 644 "$package/chess.control" "$package"/chess--*.sql "$to/share/postgresql/$MAJOR/extension/"
for program in "${programs[@]}"; do
  mkdir -p "debian/$program/usr/bin" "debian/$program/usr/share/man/man1"
  install -m 755 "$TARGET/release/$program" "debian/$program/usr/bin/"
  # manual pages from --help
  "$TARGET/release/$program" --help | perl "$ROOT/scripts/manual.pl" "$program" "$version" >"debian/$program/usr/share/man/man1/$program.1"
  cp "$ROOT/packaging/debian/lintian-overrides" "debian/$program.lintian-overrides"
done
cp "$ROOT/CHANGELOG.md" .
# each package has the documents in their folders, so that links among them work; what is not there is named without a link
mkdir documents
(cd "$ROOT" && cp --parents README.md SECURITY.md docs/* crates/chess-web/API.md demo/famous.pgn "$DEB/build/documents")
find documents -name '*.md' -exec perl -i -MFile::Basename -pe '
  s{\[([^\]]*)\]\(([^)\s#]+)(#[^)]*)?\)}{$2 =~ /^\w+:/ || -e dirname($ARGV) . "/$2" ? $& : $1}ge' {} +
for package in "$extension" "${programs[@]}"; do
  dh_installdocs -p"$package"
  cp -r documents/. "debian/$package/usr/share/doc/$package/"
done
if [ ${#programs[@]} -gt 0 ]; then
  cp "$ROOT"/packaging/debian/chess-web.{service,postrm} debian/
  # off until somebody enables it: it needs a database and roles
  dh_installsystemd -pchess-web --no-enable --no-start
  # it may hold passwords, so that it is not for all
  install -D -m 600 "$ROOT/packaging/debian/chess-web.default" debian/chess-web/etc/default/chess-web
fi
dh_installchangelogs CHANGELOG.md
dh_lintian
dh_compress -X.md -X.pgn
dh_fixperms -Xetc/default
dh_strip
dh_shlibdeps
dh_installdeb
dh_gencontrol
dh_md5sums
dh_builddeb --destdir="$DEB"
rm -rf "$DEB/build"
ls "$DEB"
