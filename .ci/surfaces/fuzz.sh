#!/usr/bin/env bash
# The fuzz targets build, and hold on the shipped logs and on some seconds of changes to them. Without coverage they need
# no unstable compiler; CONTRIBUTING.md says how to fuzz in earnest.
set -euo pipefail
cd "$(dirname "$0")/../../fuzz"

# Optimised just enough to be quick to build and to run.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_TARGET_DIR=$PWD/target/surface
export RUSTFLAGS="--cfg fuzzing -A unexpected-cfgs"
cargo build --locked --quiet --release

work=$(mktemp -d)
trap 'rm -rf "$work" /dev/shm/sesslint-fuzz-*' EXIT
for target in targets/*.rs; do
  name=$(basename "$target" .rs)
  ./seeds.sh "$name" "$work/$name"
  echo "$name"
  if ! "$CARGO_TARGET_DIR/release/$name" "$work/$name" -max_total_time=3 -timeout=5 -rss_limit_mb=1024 -max_len=8000 \
    -artifact_prefix="$work/" >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
  fi
done
