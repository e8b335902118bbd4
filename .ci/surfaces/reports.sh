#!/usr/bin/env bash
# Every report format over many trees, as the validators of the services see it: SARIF by its schema, the multitool's
# rules for GitHub and the service's limits; JUnit, GitLab and workflow commands by their shapes.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/install.sh
python_tools check-jsonschema==0.39.0 jsonschema==4.26.0
program=$(readlink -f "$program")
root=$PWD
multitool=$(node_package @microsoft/sarif-multitool-linux@5.7.0)
chmod +x "$multitool/Sarif.Multitool"
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tree() { mkdir -p "$work/$1/logs"; git -C "$work/$1" init -q; }
for name in healthy broken hostile huge nothing unreadable known; do tree "$name"; done
cp fixtures/examples/*-healthy.jsonl "$work/healthy/logs/"
cp fixtures/examples/* "$work/broken/logs/"
cp fixtures/examples/* "$work/known/logs/"
(cd "$work/known" && "$program" baseline write >/dev/null)
cp fixtures/examples/claude-code-broken.jsonl "$work/known/logs/copy.jsonl"
for name in $'x\n::error::y' '##[error]z' 'a,b:c%0A' 'p|q`r' $'\u202etxt' 'ü &<">'"'"; do
  cp fixtures/examples/claude-code-broken.jsonl "$work/hostile/logs/$name.jsonl"
done
for n in 1 2; do
  { head -n 3 fixtures/examples/claude-code-healthy.jsonl; head -n 5001 < <(yes '{"broken":'); } >"$work/huge/logs/$n.jsonl"
done
ln -s nowhere "$work/unreadable/logs/gone.jsonl"
if [ -d "$shared/corpus" ]; then
  tree corpus
  cp -r "$shared/corpus/." "$work/corpus/logs/"
fi

for folder in "$work"/*/; do
  name=$(basename "$folder")
  cd "$folder"
  outputs=()
  for format in json jsonl sarif markdown github gitlab junit html; do outputs+=("--output=$format=$work/$name.$format"); done
  code=0
  "$program" ci logs --allow-empty --follow-symlinks "${outputs[@]}" >/dev/null 2>"$work/err" || code=$?
  [ "$code" -le 1 ] || { cat "$work/err"; exit 1; }
  cd "$root"
  size=$(gzip -c "$work/$name.sarif" | wc -c)
  [ "$size" -lt 10000000 ] || { echo "$name: SARIF is too large" >&2; exit 1; }
  if [ -d "$shared/tools" ]; then
    python3 "$shared/tools/sarif_validate.py" --multitool "$multitool" "$work/$name.sarif"
    python3 "$shared/tools/report_shapes.py" junit "$work/$name.junit"
    python3 "$shared/tools/report_shapes.py" gitlab "$work/$name.gitlab"
    python3 "$shared/tools/report_shapes.py" commands "$work/$name.github"
  else
    note "../shared is absent; only schemas and parsers look at $name"
    check-jsonschema --schemafile "$multitool/sarif-2.1.0.json" "$work/$name.sarif"
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/$name.junit"
  fi
  python3 - "$work/$name" <<'PYTHON'
import json, sys
base = sys.argv[1]
lines = [json.loads(line) for line in open(base + ".jsonl")]
scan = json.load(open(base + ".json"))
assert sum(line["kind"] == "finding" for line in lines) >= sum(len(f.get("findings", [])) for f in scan["files"])
run = json.load(open(base + ".sarif"))["runs"][0]
with_line = [r for r in run["results"] if r["ruleId"] != "SL000"]
# Neither an unreadable file nor a compressed container has lines to hash.
lineless = lambda r: any(name in json.dumps(r) for name in ("gone.jsonl", ".zst"))
assert all("primaryLocationLineHash" in r["partialFingerprints"] or lineless(r) for r in with_line), base
print(f"{base.rsplit('/', 1)[1]}: {len(lines)} lines, {len(run['results'])} results")
PYTHON
done
head -n 1 "$work/known/sesslint-baseline.jsonl" >"$work/header.json"
sed -n 2p "$work/known/sesslint-baseline.jsonl" >"$work/entry.json"
check-jsonschema --schemafile schemas/baseline.v1.schema.json "$work/header.json" "$work/entry.json"
head -n 1 "$work/broken.jsonl" >"$work/line.json"
# Its neighbours are files here, whatever address the schema is published under.
check-jsonschema --base-uri "file://$root/schemas/" --schemafile schemas/report-line.v1.schema.json "$work/line.json"
