#!/usr/bin/env bash
# In: a checkout; Rust 1.96 or later as the default or among rustup's toolchains; a package index.
# Out: target/newer-pgrx, a copy of the checkout for PostgreSQL 19. Its pgrx is newer, has a feature for 19, and needs this
# newer Rust; nothing else differs but what the tests of the extension do without. Standard output is the path of the copy,
# or, with exit code 1, why there is none.
set -euo pipefail
. "$(dirname "$0")/env.sh"

needed=1.96
is_new() { printf '%s\n' "$needed" "$("$@" --version 2>/dev/null | cut -d ' ' -f 2)" | sort -VC; }
toolchain=
if ! is_new rustc; then
  for name in $(rustup toolchain list 2>/dev/null | cut -d ' ' -f 1); do
    is_new rustup run "$name" rustc && toolchain=$name
  done
  [ "$toolchain" ] || { echo "no Rust $needed or later"; exit 1; }
fi

copy=$TARGET/newer-pgrx
mkdir -p "$copy"
find "$copy" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} +
# times stay, so that only what has changed is compiled again
git ls-files -z | tar --null --files-from=- -cf - | tar -C "$copy" -xf -
[ -z "$toolchain" ] || printf '[toolchain]\nchannel = "%s"\n' "$toolchain" >"$copy/rust-toolchain.toml"
edit() {
  sed -i "$1" "$copy/Cargo.toml"
  grep -q "$2" "$copy/Cargo.toml" || { echo "Cargo.toml has no line for: $2"; exit 1; }
}
for crate in pgrx pgrx-tests; do
  edit "s/^$crate = { version = \"=[0-9.]*\"/$crate = { version = \"=0.19.3\"/" "^$crate = { version = \"=0.19.3\""
done
edit 's|^pg18 = .*|&\npg19 = ["pgrx/pg19"]|' '^pg19 = '
# without the programs, which know no pgrx
edit 's|^members = .*|members = ["crates/chess-core", "crates/chess-gamegen", "benches/core"]|' '^members = .*gamegen'
echo "$copy"
