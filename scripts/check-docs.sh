#!/usr/bin/env bash
# In: the installed extension, README.md, docs/*.md.
# Out: an error unless the snippets print what the documents say (scripts/doc-blocks.pl), every object is documented with
# the arguments and result that it has (scripts/undocumented.sql), every function with an example, links resolve and
# tables of contents are complete (scripts/doc-links.pl), nothing names what an upgrade script has removed, versions
# agree, and chess-core forbids unsafe code.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8 # documents show untranslated messages

# check WHAT MESSAGE: MESSAGE describes the problem; if it is empty, the check passes
check() { if [ -z "$2" ]; then pass; else fail "$1" "$2"; fi; }

say "Versions and crates"
version=$(cargo metadata --no-deps --format-version 1 | perl -ne 'print $1 if /"name":"chess","version":"([^"]*)"/')
[ -n "$version" ] || die "cargo metadata shows no version of chess"
# except the version of META's own specification
check "META.json says another version than Cargo.toml ($version)" "$(VERSION=$version perl -0ne '
  s/"meta-spec"\s*:\s*\{[^}]*\}//;
  my @versions = /"version"\s*:\s*"([^"]*)"/g or print "none";
  print "$_\n" for grep { $_ ne $ENV{VERSION} } @versions' META.json 2>&1)"
check "chess.control says another version than Cargo.toml ($version)" \
  "$(grep -qE "^default_version = '(@CARGO_VERSION@|$version)'" chess.control || grep default_version chess.control || echo 'no default_version')"
tree=$(cargo tree -p chess-core -e normal --prefix none)
check "chess-core depends on pgrx" "$(grep pgrx <<<"$tree")"
check "chess-core may use unsafe code" \
  "$(grep -q '^#!\[forbid(unsafe_code)\]' crates/chess-core/src/lib.rs || echo 'no #![forbid(unsafe_code)]')"
# as a crate of its own it would have these files, and this documentation
packed=$(cargo package --list -p chess-core --allow-dirty 2>/dev/null)
check "chess-core packs other files than its sources" \
  "$(grep -qx src/lib.rs <<<"$packed" || echo 'not src/lib.rs')$(grep -vE '^(\.cargo_vcs_info\.json|Cargo\.(lock|toml|toml\.orig)|src/.*\.rs|data/openings\.tsv)$' <<<"$packed")"
holds "the documentation of chess-core has faults" env RUSTDOCFLAGS="-D warnings" cargo doc -q --release -p chess-core --no-deps

say "Snippets of the documents on PostgreSQL $MAJOR"
dir=$(new_server_dir /tmp)
commands=$(mktemp -d)
at_end 'server_stop "$dir"; rm -rf "$dir" "$commands"'
server_init "$dir"
server_start "$dir"
"${CLIENT[@]}" -d postgres -c 'CREATE DATABASE prepared'
load_pgn prepared tests/docs/setup.sql <demo/famous.pgn >/dev/null
installed=$("${CLIENT[@]}" -d prepared -At -c "SELECT extversion FROM pg_extension WHERE extname = 'chess'")
check "the installed extension has another version than Cargo.toml ($version)" "${installed#"$version"}"

# document FILE DATABASE: its snippets print what the file says
document() {
  local right
  if ! perl scripts/doc-blocks.pl "$1" "${CLIENT[@]}" -v ON_ERROR_STOP=0 -d "$2" >"$dir/report" 2>&1; then
    fail "$1: $(tail -n 1 "$dir/report")"
  fi
  cat "$dir/report"
  right=$(sed -n 's/^.*: \([0-9]*\) right, .*/\1/p' "$dir/report" | tail -n 1)
  pass "${right:-0}"
}

# README.md's own commands create the database for its queries, with the psql and chess-pgn of this checkout.
build_programs -q
ln -s "$BINDIR/psql" "$commands/psql"
ln -s "$TARGET/release/chess-pgn" "$commands/chess-pgn"
# shell PATTERN: the commands in the block of README.md whose first line matches
shell() { awk -v pattern="$1" '/^```/ { inside = 0 } inside == 2 || inside && $0 ~ pattern { print; inside = 2 } /^```sh$/ { inside = 1 }' README.md; }
# readme PATTERN: runs README.md with the extension created by the block that matches PATTERN
readme() {
  "${CLIENT[@]}" -d postgres -c 'SET client_min_messages = warning' -c 'DROP DATABASE IF EXISTS mydb' -c 'CREATE DATABASE mydb'
  (
    export PGHOST=$dir PGPORT=5432 PGUSER=postgres PATH=$commands:$PATH
    { shell "$1" && shell '^chess-pgn load'; } | sed 's/^psql/psql -Xq/' >"$commands/way"
    grep -q '^psql' "$commands/way" && grep -q '^chess-pgn load' "$commands/way" && bash -euo pipefail "$commands/way"
  ) >"$dir/way" 2>&1 || { fail "the commands of README.md do not work ($1)" "$(cat "$dir/way")"; return 0; }
  document README.md mydb
}
readme '^psql .*CREATE EXTENSION chess'"'"'$'
# an analysis of these games was recorded
"${CLIENT[@]}" -d mydb -f tests/docs/analysis.sql
document docs/analysis.md mydb
document docs/endings.md mydb
document docs/explorer.md mydb
document docs/reports.md mydb
(
  export PGHOST=$dir PGPORT=5432 PGUSER=postgres PATH=$commands:$PATH
  chess-pgn book make -d mydb --min-games 1 --max-ply 20 --out "$dir/famous.bin" && chess-pgn book load -d mydb "$dir/famous.bin"
) >"$dir/way" 2>&1 || fail "no book of the famous games" "$(cat "$dir/way")"
document docs/books.md mydb
document docs/training.md mydb
readme '^psql .*CREATE SCHEMA chess_ext'
if command -v python3 >/dev/null; then
  "${CLIENT[@]}" -d postgres -c 'CREATE DATABASE lichess'
  "${CLIENT[@]}" -d lichess -c 'CREATE EXTENSION chess'
  (
    export PGHOST=$dir PGPORT=5432 PGUSER=postgres PATH=$commands:$PATH
    python3 tests/docs/lichess_like.py "$TARGET/release/chess-gamegen" | chess-pgn load -d lichess --index --clocks -
  ) >"$dir/way" 2>&1 || fail "no games of docs/data.md" "$(cat "$dir/way")"
  document docs/data.md lichess
else
  skip "docs/data.md: no python3" "apt-get install python3"
fi
# these documents say that their queries give the same on the loader's tables
for name in README patterns; do
  sed -E 's/\b(FROM|JOIN) games\b/\1 chess.pgn_view/g' docs/$name.md >"$commands/$name.md"
  document "$commands/$name.md" mydb
done

for file in docs/*.md; do
  case $file in docs/analysis.md | docs/books.md | docs/data.md | docs/endings.md | docs/explorer.md | docs/reports.md | docs/training.md) continue ;; esac
  "${CLIENT[@]}" -d postgres -c 'SET client_min_messages = warning' -c 'DROP DATABASE IF EXISTS snippets'
  # a document that shows CREATE EXTENSION starts in an empty database
  template=prepared
  if grep -qi '^CREATE EXTENSION chess;' "$file"; then template=template1; fi
  "${CLIENT[@]}" -d postgres -c "CREATE DATABASE snippets TEMPLATE $template"
  document "$file" snippets
done

picture=$(sed -n 's/^SELECT length(\(svgBoard(.*)\)) > .*/\1/p' docs/functions-moves.md)
check "docs/board.svg is not what docs/functions-moves.md says" \
  "$("${CLIENT[@]}" -d prepared -At -c "SELECT $picture" 2>&1 | diff docs/board.svg - | cut -c 1-200)"

say "Words that exist no more"
# What the last upgrade script drops, and its line "removed:".
script=$(printf '%s\n' sql/chess--*--"$version".sql)
removed=$(perl -ne '
  push @words, split " ", $1 if /^-- removed: (.*)/;
  $in = 1 if /^DROP (OPERATOR|FUNCTION)/;
  push @words, /[@&<>~|^!=*#%-]*[@&<>][@&<>~|^!=*#%-]*~(?= \()|\bchess\w+_\w+/g if $in;
  $in = 0 if /;$/;
  END { print "$_\n" for sort keys %{{ map { $_ => 1 } @words }} }' "$script")
# upgrades, and the library for those who have not upgraded yet, may name them; code in Rust may use the words for others
mapfile -t texts < <(git ls-files '*.md' '*.rs' '*.sql' '*.sh' '*.pl' '*.toml' |
  grep -vE '^(CHANGELOG\.md|docs/upgrading\.md|sql/chess--|src/removed\.rs|tests/upgrade/|tests/reliability/names\.sh)')
check "words of $script that exist no more" "$(grep -nwF -- "$removed" "${texts[@]}" | grep -vE '^[^:]*\.rs:[0-9]+: *[^/ ]' | cut -c 1-160)"
holds "no words that exist no more in $script" [ "$(wc -l <<<"$removed")" -gt 10 ]

say "Comments, headings and links"
check "links and tables of contents" "$(perl scripts/doc-links.pl ./*.md docs/*.md crates/*/*.md 2>&1)"
headings=$(grep -h '^#' docs/functions*.md)
# a synopsis that goes on in the next line is indented there
synopses=$(perl -0777 -ne 'for (/^```synopsis\n(.*?)^```$/msg) { s/\n +/ /g; print }' docs/functions*.md)
# code spans with the name of something in the extension; chess_web… are roles and metrics, released versions keep their names
named=$(git ls-files '*.md' | grep -vE '^(CHANGELOG|docs/upgrading)\.md$' |
  xargs perl -0777 -ne 's/^```.*?^```$//gms; print "$1 $ARGV\n" while /`(chess_(?!web)\w+)(?:\([^`]*)?`/g')
known=$("${CLIENT[@]}" -d prepared -At -c "SELECT proname FROM pg_proc UNION SELECT relname FROM pg_class UNION SELECT amname FROM pg_am")
check "names of the documents that the extension does not have" "$(awk 'NR == FNR { known[$1]; next } !($1 in known)' <(echo "$known") <(echo "$named"))"
holds "names of the extension in the documents" [ "$(wc -l <<<"$named")" -gt 5 ]
undocumented=$("${CLIENT[@]}" -d prepared -v headings="$headings" -v synopses="$synopses" -f scripts/undocumented.sql)
check "undocumented objects" "$undocumented"
# examples that run; "-- not run" marks the others
examples=$(perl -0777 -ne 'print /^```sql\n(?!-- not run)(.*?)^```$/msg' docs/functions*.md)
check "functions without an example" "$(sed -n 's/^\(\w*\)(.*/\1/p' <<<"$synopses" | sort -u |
  while read -r name; do grep -qiE "\b$name\(" <<<"$examples" || echo "$name"; done)"
