#!/usr/bin/env bash
# The fuzz targets still fit the library. Building and running them takes minutes, so that is left to people:
# CONTRIBUTING.md says how.
set -euo pipefail
cd "$(dirname "$0")/../../fuzz"
cargo fmt --check
cargo check --locked --quiet
