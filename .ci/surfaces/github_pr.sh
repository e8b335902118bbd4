#!/usr/bin/env bash
# Repair pull requests against a stand-in for GitHub's API over a real git repository, which checks every call against
# GitHub's own description: opened, run again, updated, superseded, refused, and with the service failing in every way.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/install.sh
if [ ! -d "$shared/tools" ]; then
  note "../shared is absent; no pull request was opened"
  exit 0
fi
python_tools jsonschema==4.26.0 check-jsonschema==0.39.0 PyYAML==6.0.4
cargo build --locked --quiet --features github
sesslint=$(readlink -f "$program")
description=$(node_package @octokit/openapi@20.0.0)/generated/api.github.com.json
work=$(mktemp -d)
stub=
trap '[ -z "$stub" ] || kill "$stub" 2>/dev/null || true; rm -rf "$work"' EXIT
python3 "$shared/tools/openapi_subset.py" "$description" "$work/subset.json" --preset repair-pr >/dev/null

git_at() { git -C "$1" -c user.name=t -c user.email=t@example.invalid -c commit.gpgsign=false "${@:2}"; }
hub() { git --git-dir "$work/hub.git" "$@"; }
fail() {
  echo "github_pr: $name: $*" >&2
  tail -n 20 "$work/said" "$work/hub.log" | cut -c -300 >&2
  exit 1
}

# begin NAME [STUB-ARGUMENT...]: a fresh hub whose main branch holds two torn logs and a healthy one.
begin() {
  name=$1
  shift
  [ -z "$stub" ] || { kill "$stub" && wait "$stub" 2>/dev/null || true; }
  rm -rf "$work/hub.git" "$work/tree" "$work/hub.log"
  git init -q -b main "$work/tree"
  mkdir -p "$work/tree/logs/a b"
  cp fixtures/examples/claude-code-healthy.jsonl "$work/tree/logs/whole.jsonl"
  head -c -25 fixtures/examples/claude-code-healthy.jsonl >"$work/tree/logs/a b/torn \"1\" ü.jsonl"
  head -c -30 fixtures/examples/claude-code-healthy.jsonl >"$work/tree/logs/torn2.jsonl"
  chmod +x "$work/tree/logs/torn2.jsonl"
  echo text >"$work/tree/README.md"
  git_at "$work/tree" add -A
  git_at "$work/tree" commit -qm base
  git clone -q --bare "$work/tree" "$work/hub.git"
  start "$@"
}

start() {
  : >"$work/port"
  python3 "$shared/tools/github_stub.py" --git-dir "$work/hub.git" --token dummy-token-7 --spec "$work/subset.json" \
    --log "$work/hub.log" "$@" >"$work/port" &
  stub=$!
  for _ in $(seq 100); do
    url=$(sed -n 's/^listening //p' "$work/port")
    [ -z "$url" ] || return 0
    sleep 0.1
  done
  fail "the stand-in did not start"
}

# propose WANTED-EXIT-CODE [ARGUMENT...]
propose() {
  local wanted=$1 code=0
  shift
  rm -rf "$work/out"
  : >"$work/outputs"
  (cd "$work/tree" && env -u GITHUB_EVENT_PATH GITHUB_API_URL="$url${prefix:-}" GITHUB_TOKEN=dummy-token-7 \
    GITHUB_REPOSITORY=octo/logs GITHUB_REF_NAME=main GITHUB_OUTPUT="$work/outputs" ${event:+GITHUB_EVENT_PATH="$event"} \
    "$sesslint" propose --out-dir "$work/out" --open-pr "$@" logs) >"$work/said" 2>&1 || code=$?
  [ "$code" = "$wanted" ] || fail "exit code $code, wanted $wanted"
  ! grep -rq dummy-token-7 "$work/said" "$work/out" "$work/outputs" || fail "the token was written somewhere"
  [ "$code" -ne 0 ] || [ -e "$work/out/changes.patch" ] || fail "the proposal is not there"
}

said() { grep -q -- "$1" "$work/said" || fail "did not say: $1"; }
# writes WANTED: how many calls wrote something since the last time.
writes() {
  local count
  count=$(grep -c '"method": "\(POST\|PATCH\|PUT\|DELETE\)"' "$work/hub.log" || true)
  [ $((count - ${seen:-0})) = "$1" ] || fail "$((count - ${seen:-0})) writing calls, wanted $1"
  seen=$count
}
# state EXPRESSION: a Python expression over the stand-in's state.
state() {
  python3 - "$url" "$1" <<'PYTHON' || fail "state: $1"
import json, sys, urllib.request
request = urllib.request.Request(sys.argv[1] + "/_state", headers={"Authorization": "Bearer dummy-token-7"})
s = json.load(urllib.request.urlopen(request))
sys.exit(0 if eval(sys.argv[2]) else f"{sys.argv[2]}: {json.dumps(s)[:2000]}")
PYTHON
}
clean_calls() {
  python3 - "$work/hub.log" <<'PYTHON' || fail "calls against GitHub's description"
import json, sys
bad = [r for r in map(json.loads, open(sys.argv[1])) if r["violations"]]
sys.exit(f"{bad}" if bad else 0)
PYTHON
}
# The branch holds the proposal, nothing else, and verifies from two checkouts.
branch_holds_proposal() {
  local branch
  branch=$(hub for-each-ref --format='%(refname:short)' 'refs/heads/sesslint/repair/')
  [ "$(wc -l <<<"$branch")" = 1 ] || fail "branches: $branch"
  hub fsck --strict 2>&1 | grep -v '^dangling' | grep . && fail "git fsck"
  rm -rf "$work/head" "$work/base"
  git clone -q -b "$branch" "$work/hub.git" "$work/head"
  git_at "$work/head" worktree add -q --detach "$work/base" HEAD^
  "$sesslint" verify --pull-request "$work/head" --repo "$work/base" >"$work/said" 2>&1 || fail "the branch does not verify"
  (cd "$work/out/files" && find . -type f -print0 | sort -z) | while IFS= read -r -d '' file; do
    cmp "$work/out/files/$file" "$work/head/$file" || fail "$file differs"
  done
  [ -x "$work/head/logs/torn2.jsonl" ] || fail "the mode was lost"
  [ "$(git_at "$work/head" diff --name-only HEAD^ | wc -l)" = "$1" ] || fail "wrong number of files in the commit"
  "$sesslint" verify --proposal "$work/out" --repo "$work/base" >"$work/said" 2>&1 || fail "the proposal does not verify"
}

begin opened --fault 'PATCH /git/refs=dropafter' --fault 'PATCH /pulls=500'
seen=0
propose 0 --label repair --draft
said 'Pull request #.* opened'
grep -q '^pull-request-number=[1-9]' "$work/outputs" || fail "outputs"
state 'len(s["pulls"]) == 1 and s["pulls"][0]["draft"] and s["pulls"][0]["base"]["ref"] == "main"'
state 'list(s["labels"].values()) == [["repair"]] and len(s["comments"]) == 1'
branch_holds_proposal 4
clean_calls
check-jsonschema --schemafile schemas/proposal.v1.schema.json "$work/out/proposal.json" >"$work/said"
echo "opened: passed"

name="run again"
writes 10
propose 0 --label repair --draft
said 'holds this proposal already'
writes 0
git_at "$work/tree" commit -q --allow-empty -m other
git_at "$work/tree" push -q "$work/hub.git" main
propose 0 --label repair --draft
said 'holds this proposal already'
writes 0
echo "run again, base grown elsewhere: passed"

name=updated
head -c -40 fixtures/examples/claude-code-healthy.jsonl >"$work/tree/logs/torn2.jsonl"
git_at "$work/tree" commit -qam grown
git_at "$work/tree" push -q "$work/hub.git" main
propose 0
said 'brought up to date'
state 'len(s["pulls"]) == 1 and len(s["comments"]) == 1 and s["pulls"][0]["body"].split()[2] in s["comments"][0]["body"]'
branch_holds_proposal 4
echo "updated: passed"

name=superseded
cp fixtures/examples/claude-code-healthy.jsonl "$work/tree/logs/torn2.jsonl"
git_at "$work/tree" commit -qam mended
git_at "$work/tree" push -q "$work/hub.git" main
propose 0
said 'Pull request #.* opened'
said 'Open about another set of logs'
state 'len(s["pulls"]) == 2'
clean_calls
echo "superseded: passed"

begin "foreign branch"
propose 0
branch=$(hub for-each-ref --format='%(refname:short)' 'refs/heads/sesslint/repair/')
git clone -q -b "$branch" "$work/hub.git" "$work/other"
echo more >>"$work/other/README.md"
for how in commit "commit --amend --no-edit"; do
  # shellcheck disable=SC2086
  git_at "$work/other" $how -qam "mine"
  git_at "$work/other" push -qf origin HEAD
  theirs=$(hub rev-parse "$branch")
  head -c "-$((50 + ${#how}))" fixtures/examples/claude-code-healthy.jsonl >"$work/tree/logs/torn2.jsonl"
  git_at "$work/tree" commit -qam grown
  git_at "$work/tree" push -q "$work/hub.git" main
  propose 1
  said 'not of this program'
  [ "$(hub rev-parse "$branch")" = "$theirs" ] || fail "the branch was moved"
  git_at "$work/other" reset -q --hard HEAD^
  git_at "$work/other" pull -q --rebase origin "$branch" 2>/dev/null || true
done
rm -rf "$work/other"
echo "foreign branch: passed"

begin "moved base"
git clone -q "$work/hub.git" "$work/other"
echo '{}' >>"$work/other/logs/torn2.jsonl"
git_at "$work/other" commit -qam moved
git_at "$work/other" push -q
rm -rf "$work/other"
seen=0
propose 1
said 'the base branch moved: logs/torn2.jsonl'
writes 0
echo "moved base: passed"

begin "closed by a person"
propose 0
curl -sf -X PATCH -H 'Authorization: Bearer dummy-token-7' -H 'User-Agent: t' -d '{"state":"closed"}' "$url/repos/octo/logs/pulls/$(sed -n 's/^pull-request-number=//p' "$work/outputs")" >"$work/said"
propose 0
said 'it is not opened again'
state 'len(s["pulls"]) == 1'
echo "closed by a person: passed"

begin "read-only token" --fault 'POST /git/blobs=403'
propose 0
said 'lacks contents: write'
state 's["pulls"] == []'
[ -z "$(hub for-each-ref 'refs/heads/sesslint/')" ] || fail "a branch was made"
echo "read-only token: passed"

begin "no pull requests allowed" --fault 'POST /pulls=403'
propose 0
said 'lacks pull-requests: write'
propose 0
said 'Pull request #.* opened'
echo "no pull requests allowed: passed"

begin "a fork"
seen=0
printf '{"pull_request": {"head": {"repo": {"full_name": "someone/logs"}}}}' >"$work/event.json"
event=$work/event.json propose 0
said 'from someone/logs'
[ ! -s "$work/hub.log" ] || fail "calls were made"
echo "a fork: passed"

for fault in 'GET /git/ref=500*2' 'POST /git/blobs=500*2' 'POST /git/blobs=secondary*2' 'GET /git/commits=ratelimit' \
  'POST /pulls=500' 'POST /pulls=dropafter' 'POST /pulls=drop' 'POST /git/refs=dropafter' 'POST /git/refs=drop' \
  'POST /issues/\d+/comments=dropafter' 'POST /git/trees=garbage' 'POST /pulls=garbage'; do
  begin "$fault" --fault "$fault"
  propose 0
  said 'Pull request #.* opened'
  state 'len(s["pulls"]) == 1 and len(s["comments"]) == 1'
  branch_holds_proposal 4
  clean_calls
  echo "$fault: passed"
done

begin "a server that keeps failing" --fault 'GET /git/ref=500*99'
propose 2
said 'cannot be reached'
echo "a server that keeps failing: passed"

begin "a path before the API"
prefix=/api/v3 propose 0
said 'Pull request #.* opened'
echo "a path before the API: passed"

begin "too large for the commit"
propose 0 --max-committed-bytes 10
said 'too large for a commit'
state 's["pulls"] == []'
check-jsonschema --schemafile schemas/proposal.v1.schema.json "$work/out/proposal.json" >"$work/said"
echo "too large for the commit: passed"

# Every real log that can be repaired, and the schema over all that can be said.
begin "real logs"
for log in "$shared"/corpus/*/*.jsonl fixtures/examples/*-broken.*; do
  cp "$log" "$work/tree/logs/$(basename "$(dirname "$log")")-$(basename "$log")"
done
chmod -R u+w "$work/tree/logs"
git_at "$work/tree" add -A
git_at "$work/tree" commit -qm logs
git_at "$work/tree" push -q "$work/hub.git" main
propose 0 --policy salvage --acknowledge-side-effects
said 'Pull request #.* opened'
clean_calls
check-jsonschema --schemafile schemas/proposal.v1.schema.json "$work/out/proposal.json" >"$work/said" || fail "schema"
git_at "$work/tree" apply --binary --index "$work/out/changes.patch"
(cd "$work/out/files" && find . -type f -print0) | while IFS= read -r -d '' file; do
  cmp "$work/out/files/$file" "$work/tree/$file" || fail "$file differs"
done
(cd "$work/out" && sha256sum --quiet --check SHA256SUMS)
echo "real logs: $(find "$work/out/attestations" -type f | wc -l) repaired, passed"

# The action: it checks, proposes, opens the pull request and links it; then the second action verifies the branch.
begin "the action"
mkdir -p "$work/artifact"
cat >"$work/artifact/action.yml" <<'YAML'
name: lists
inputs: { name: { default: "" }, path: { default: "" }, if-no-files-found: { default: "" } }
outputs: { artifact-url: { value: "https://example.invalid/artifacts/1" } }
runs:
  using: composite
  steps:
    - { shell: bash, env: { FOLDER: "${{ inputs.path }}" }, run: 'ls "$FOLDER"' }
YAML
artifact=$(sed -n 's|.*uses: \(actions/upload-artifact@[0-9a-f]*\).*|\1|p' action.yml | head -n 1)
# action FOLDER WORKSPACE WANTED [ARGUMENT...]
action() {
  local folder=$1 tree=$2 wanted=$3
  shift 3
  rm -rf "$work/action"
  python3 "$shared/tools/run_composite.py" "$folder" --workspace "$tree" --out "$work/action" --quiet \
    --token dummy-token-7 --map "$artifact=$work/artifact" --env "GITHUB_API_URL=$url" --env GITHUB_REPOSITORY=octo/logs \
    --env GITHUB_REF_NAME=main --env GITHUB_REF_TYPE=branch --env GITHUB_HEAD_REF= --input "binary=$sesslint" "$@" || true
  cp "$work/action/log.txt" "$work/said"
  python3 - "$work/action/result.json" "$wanted" <<'PYTHON' || fail "the action's result"
import json, sys
result = json.load(open(sys.argv[1]))
code = result["outputs"].get("exit-code")
assert code == sys.argv[2], result
assert not result["warnings"], result["warnings"]
PYTHON
}
result() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["outputs"].get(sys.argv[2], ""))' "$work/action/result.json" "$1"; }
action . "$work/tree" 1 --input paths=logs --input repair=artifact
[ -n "$(result proposal-dir)" ] && [ -z "$(result pull-request-number)" ] || fail "outputs of repair: artifact"
grep -q 'example.invalid/artifacts/1' "$work/action/summary.md" || fail "no link to the artifact"
state 's["pulls"] == []'
action . "$work/tree" 1 --input paths=logs --input repair=pull-request --input repair-args=--label=logs
[ -n "$(result pull-request-number)" ] || fail "outputs of repair: pull-request"
grep -q 'Pull request \[#' "$work/action/summary.md" || fail "no link to the pull request"
state 'len(s["pulls"]) == 1 and list(s["labels"].values()) == [["logs"]]'
action . "$work/tree" 0 --input paths=logs/whole.jsonl --input repair=pull-request
[ -z "$(result proposal-dir)" ] || fail "a proposal without need"
action . "$work/tree" 2 --input paths=none --input repair=artifact
branch=$(hub for-each-ref --format='%(refname:short)' 'refs/heads/sesslint/repair/')
rm -rf "$work/head"
git clone -q -b "$branch" "$work/hub.git" "$work/head"
action verify-proposal "$work/head" 0
for tamper in 'echo >>README.md' 'rm README.md' 'ln -s x new' 'sed -i s/A4/A3/ logs/torn2.jsonl.manifest.json' \
  'sed -i 1d logs/torn2.jsonl' 'chmod -x logs/torn2.jsonl' 'git checkout HEAD^ logs/torn2.jsonl' 'echo {} >logs/new.jsonl.manifest.json'; do
  (cd "$work/head" && eval "$tamper")
  git_at "$work/head" add -A
  git_at "$work/head" commit -q --amend --no-edit
  action verify-proposal "$work/head" 1
  git_at "$work/head" reset -q --hard "origin/$branch"
done
echo "the action: passed"
