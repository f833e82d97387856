#!/usr/bin/env bash
# In: a checkout with Rust; FUZZ_SECONDS=n for each target (default 60; 0: only seeds and earlier inputs); names of targets
# (default: all).
# Out: an error if a target of crates/chess-fuzz panics, needs more than two minutes or two gigabytes for an input of
# up to 4 kB, or was not run; the input is then in fuzz/artifacts. New inputs are kept in fuzz/corpus.
set -euo pipefail
. "$(dirname "$0")/env.sh"

command -v clang++ >/dev/null || die "no clang++, which libFuzzer is built with: run make setup"
if ! cargo fuzz --version >/dev/null 2>&1; then
  say "Installing cargo-fuzz (some minutes)"
  cargo install cargo-fuzz --locked --debug
fi
# no sanitizer: chess-core has no unsafe code, and without one the stable compiler suffices
export CC=clang CXX=clang++
build=(--sanitizer none --fuzz-dir fuzz)

targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo fuzz list --fuzz-dir fuzz)
say "Building ${#targets[@]} fuzz targets"
# the versions of this workspace; only libfuzzer-sys and what it needs are others
[ fuzz/Cargo.lock -nt Cargo.lock ] || cp Cargo.lock fuzz
cargo fuzz build "${build[@]}"
limit=-max_total_time=${FUZZ_SECONDS:-60}
[ "$limit" != -max_total_time=0 ] || limit=-runs=0 # 0 seconds would be no limit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
total=0 broken=()
for target in "${targets[@]}"; do
  mkdir -p "fuzz/corpus/$target"
  cargo fuzz run "${build[@]}" "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
    "$limit" -max_len=4096 -timeout=120 -rss_limit_mb=2048 -dict=fuzz/chess.dict \
    -print_final_stats=1 >"$log" 2>&1 </dev/null || { tail -n 40 "$log"; broken+=("$target"); continue; }
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  [ -n "$runs" ] || { tail -n 20 "$log"; die "target $target did not run"; }
  total=$((total + runs))
  # the first line of coverage is that of the seeds and earlier findings
  awk -v target="$target" -v runs="$runs" '/ cov: / { sub(/.* cov: /, ""); last = $1; if ($0 && !first) first = $1 }
    / INITED / { first = last } END { printf "  %-12s %10d inputs, coverage %d -> %d\n", target, runs, first, last }' "$log"
done
[ ${#broken[@]} = 0 ] || die "these targets failed, see above: ${broken[*]}"
echo "Fuzzing: $total inputs of ${#targets[@]} targets, no crash"
