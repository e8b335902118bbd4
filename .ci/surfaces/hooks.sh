#!/usr/bin/env bash
# The hooks under pre-commit and prek, from a clone of this repository, over good, bad, unrelated and oddly named files.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/install.sh
python_tools pre-commit==4.7.0 prek==0.5.11
program=$(readlink -f "$program")
if ! git rev-parse --verify --quiet HEAD >/dev/null; then
  note "this is no git checkout; hooks are installed from a clone"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Cold: nothing of the user's is used or left behind.
export PRE_COMMIT_HOME=$work/pre-commit PREK_HOME=$work/prek
# Optimisation is not what is tested, and the second runner takes what the first one built.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
PATH=$(dirname "$program"):$PATH
export CARGO_TARGET_DIR=$work/target PATH

git clone --quiet . "$work/clone"
mkdir "$work/user"
cp fixtures/examples/*.jsonl "$work/user/"
cd "$work/user"
git init -q
mv claude-code-healthy.jsonl 'healthy log.jsonl'
printf '{"name": "x", "version": "1"}' >package.json
printf '// comment\n{"compilerOptions": {}}' >tsconfig.json
: >empty.json
cp claude-code-broken.jsonl excluded.jsonl
printf 'exclude = ["excluded.jsonl"]\n' >sesslint.toml
config() {
  printf 'repos:\n  - repo: %s\n    rev: %s\n    hooks:\n      - id: %s\n' \
    "$work/clone" "$(git -C "$work/clone" rev-parse HEAD)" "$1" >.pre-commit-config.yaml
  git add -A
}

for hook in sesslint sesslint-system; do
  config "$hook"
  for runner in pre-commit prek; do
    "$runner" run --files 'healthy log.jsonl' package.json tsconfig.json empty.json excluded.jsonl sesslint.toml \
      >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    if "$runner" run --all-files >"$work/log" 2>&1; then
      echo "$runner $hook: a broken log passed" >&2
      exit 1
    fi
    grep -q 'SL002' "$work/log" || { cat "$work/log"; exit 1; }
    if grep -q 'excluded.jsonl\|package.json\|tsconfig.json' "$work/log"; then cat "$work/log"; exit 1; fi
    git diff --quiet || { echo "$runner $hook: a check changed files" >&2; exit 1; }
    echo "$runner $hook: passed"
  done
done
