#!/usr/bin/env bash
# In: PG or PG_CONFIG; a checkout after scripts/setup.sh; VERBOSE=1 for the compiler's output; WITHOUT_PARQUET=1 for a
# chess-pgn without export --parquet.
# Out: the programs in target/release, and in target/release/chess-package-pgN the extension's files for PostgreSQL N,
# and in debug/ there the library as a file of symbols.
# One cargo command builds all of them, so that shared crates are compiled once. The compiler's output is in
# target/build-pgN.log.
set -euo pipefail
. "$(dirname "$0")/env.sh"
find_postgres

# The SQL files in the order of src/lib.rs. Each requires the one before, the first is "bootstrap", the last "finalize": only
# this order satisfies the declarations, so cargo-pgrx would produce the same order.
sql_files() {
  perl -0777 -ne '
    while (/extension_sql_file!\("\.\.\/(sql\/(\w+)\.sql)", name = "(\w+)"(?:, requires = \["(\w+)"\])?(, bootstrap)?(, finalize)?\);/g) {
      my ($file, $stem, $name, $after, $first, $end) = ($1, $2, $3, $4 // "", $5 // "", $6 // "");
      die "error: src/lib.rs: $file is named $name\n" if $name ne $stem;
      die "error: src/lib.rs: $file comes after the last file\n" if $last;
      die "error: src/lib.rs: $file must require \"$previous\"\n"
        if defined $previous ? !$end && $after ne $previous : !$first;
      ($previous, $last) = ($name, $end);
      $files++;
      print "$file\n";
    }
    die "error: src/lib.rs: no file of SQL is the last\n" if !$last;
    die "error: src/lib.rs: a declaration of a file of SQL is not understood\n" if $files != (() = /extension_sql_file!/g)' src/lib.rs
}
extension_sql() {
  local files file
  files=$(sql_files) || exit 1
  for file in $files; do
    printf -- '-- %s\n' "$file"
    cat "$file"
    echo
  done
}

unset BUILT
mkdir -p "$TARGET"
# The library of another version of PostgreSQL has the same name until it is in its package.
exec 9>"$TARGET/build.lock"
flock 9
log=$TARGET/build-pg$MAJOR.log
say "Building for PostgreSQL $MAJOR (from nothing some minutes; ${log#"$ROOT/"} has the compiler's output)"
if [ -n "${VERBOSE:-}" ]; then
  build_programs 2>&1 | tee "$log"
elif ! build_programs >"$log" 2>&1; then
  tail -n 60 "$log" >&2
  die "the build failed; $log has all of its output"
fi
echo "Built in $((SECONDS / 60)) min $((SECONDS % 60)) s"

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
package=$TARGET/release/chess-package-pg$MAJOR
rm -rf "$package"
mkdir "$package"
cp "$TARGET/release/libchess.so" "$package/chess.so"
# where debuggers look for the symbols of an installed library
build_id=$(readelf -n "$package/chess.so" | sed -n 's/.*Build ID: //p')
mkdir -p "$package/debug/.build-id/${build_id:0:2}"
ln -s "$package/chess.so" "$package/debug/.build-id/${build_id:0:2}/${build_id:2}.debug"
# PostgreSQL 17 and later move an extension that has types of arrays.
relocatable=$([ "$MAJOR" -ge 17 ] && echo true || echo false)
sed "s/@CARGO_VERSION@/$version/; s/^relocatable = .*/relocatable = $relocatable/" chess.control >"$package/chess.control"
extension_sql >"$package/chess--$version.sql"
for script in sql/chess--*--*.sql; do
  cat "$script" sql/guard.sql >"$package/${script#sql/}"
done
