#!/usr/bin/env bash
# In: a checkout with Rust; cargo-deny, which is installed if it is missing.
# Out: an error for a crate with a licence, a source or a version that deny.toml does not allow, or with a known
# vulnerability. If the database of vulnerabilities cannot be fetched, the last line says that it was not checked.
set -euo pipefail
. "$(dirname "$0")/env.sh"

if ! cargo deny --version >/dev/null 2>&1; then
  say "Installing cargo-deny (some minutes)"
  cargo install cargo-deny --locked --debug # without optimization: it compiles in a fraction of the time
fi
say "cargo deny"
cargo deny --log-level error --all-features check licenses bans sources
if cargo deny fetch db >/dev/null 2>&1; then
  cargo deny --log-level error --all-features check --disable-fetch advisories
else
  echo "NOT CHECKED: advisories. Their database, a repository on GitHub, could not be fetched from here."
fi
