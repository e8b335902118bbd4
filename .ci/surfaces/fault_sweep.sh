#!/usr/bin/env bash
# Kills `repair`, and makes its system calls fail, at every single call in turn. After each run the source must be
# untouched, and there must be nothing, or output and receipt that verify, or something the next run recognises.
# Needs strace and the right to trace; without them it says so and passes.
set -euo pipefail
cd "$(dirname "$0")/../.."

calls=openat,read,pread64,statx,newfstatat,lseek,getdents64,write,fsync,renameat2,linkat,unlink,unlinkat,fchmod,fchown,close,fcntl,exit_group,getrandom
faults=(signal=KILL error=ENOSPC error=EIO error=EINTR)

if ! strace -qq -e trace=none true 2>/dev/null; then
  echo "fault sweep: strace cannot run here; skipped"
  exit 0
fi
cargo build --locked --quiet
program=$PWD/target/debug/sesslint
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A call whose result is torn: the record of the call goes, the torn one goes, two losses and a receipt.
cat > seed.jsonl <<'LOG'
{"parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","content":"go"},"uuid":"u1","timestamp":"2026-03-01T10:00:00.000Z"}
{"parentUuid":"u1","sessionId":"s","type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{}}]},"uuid":"a2","timestamp":"2026-03-01T10:00:01.000Z"}
LOG
printf '{"parentUuid":"a2","sessionId":"s","type":"us' >> seed.jsonl

policy=(--policy salvage --acknowledge-side-effects)
repair=("$program" repair w/s.jsonl -o w/o.jsonl "${policy[@]}")
verify() { "$program" verify w/s.jsonl w/o.jsonl --manifest w/o.jsonl.manifest.json --acknowledge-side-effects > /dev/null; }
prepare() { rm -rf w; mkdir w; cp seed.jsonl w/s.jsonl; }

# Judges what a run left; says what is wrong.
judge() {
  local code=$1 there=""
  cmp -s w/s.jsonl seed.jsonl || { echo "the source changed"; return; }
  [ -e w/o.jsonl ] && there+=o
  [ -e w/o.jsonl.manifest.json ] && there+=m
  if [ "$code" = 0 ] || [ "$there" = om ]; then
    [ "$there" = om ] && verify || echo "exit $code with '$there', which does not verify"
    return
  fi
  local left
  left=$(find w -name '.sesslint-*' | wc -l)
  if [ "$there" = "" ]; then
    "${repair[@]}" > next.txt 2>&1 || { echo "the next run fails: $(cat next.txt)"; return; }
    [ "$left" = 0 ] || grep -q "safe to remove" next.txt || echo "the next run does not tell of $left left file(s)"
  elif [ "$there" = o ]; then
    ! "${repair[@]}" > next.txt 2>&1 && grep -q "remove it and run again" next.txt || echo "an output alone is not recognised"
  else
    echo "a receipt without its output"
  fi
}

prepare
strace -f -qq -o trace -e "trace=$calls" -- "${repair[@]}" > /dev/null
# From the first touch of the source on; loading the program is left alone.
mapfile -t points < <(awk '
  { sub(/^[0-9]+ +/, ""); name = $0; sub(/\(.*/, "", name); count[name]++ }
  /s\.jsonl/ { on = 1 }
  on { print name, count[name] }' trace)
[ "${#points[@]}" -gt 40 ] || { echo "fault sweep: only ${#points[@]} calls seen"; exit 1; }

bad=0
runs=0
for fault in "${faults[@]}"; do
  for point in "${points[@]}"; do
    read -r call nth <<< "$point"
    prepare
    # A subshell swallows what bash says of a killed child.
    code=$( (strace -f -qq -o /dev/null -e "inject=$call:$fault:when=$nth" -- "${repair[@]}" > /dev/null 2>&1; echo $?) 2> /dev/null)
    wrong=$(judge "$code")
    runs=$((runs + 1))
    if [ -n "$wrong" ]; then
      echo "$fault at $call #$nth: $wrong"
      bad=$((bad + 1))
    fi
  done
done
echo "fault sweep: $runs runs, $bad bad"
[ "$bad" = 0 ]
