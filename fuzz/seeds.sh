#!/usr/bin/env bash
# Makes a folder of seeds for a target from the shipped logs: `seeds.sh TARGET FOLDER`.
set -euo pipefail
target=$1 folder=$2
mkdir -p "$folder"
# What stands before the log: format and other choices, each a byte; 8 lets the format be told.
case $target in
  inspect) prefix='\010\001\001' ;;
  repair | lines) prefix='\010\000' ;;
  digest) prefix='\000\000\000\000\000\000\000\000' ;;
  dsh_audit) prefix='\000\000' ;;
  frames) prefix='\001' ;;
  *) prefix='' ;;
esac
for log in "$(dirname "$0")"/../fixtures/*/*.json*; do
  { printf '%b' "$prefix" && cat "$log"; } >"$folder/$(basename "$log")"
done
