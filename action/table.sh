#!/usr/bin/env bash
# Prints action/release.txt for a folder of archives: table.sh VERSION FOLDER. Sums are worked out anew.
set -euo pipefail

sed -n '/^#/p' "$(dirname "$0")/release.txt"
printf 'version %s\n' "$1"
for archive in "$2"/sesslint-*.tar.gz; do
  name=$(basename "$archive" .tar.gz)
  sum=$(sha256sum <"$archive")
  [ "${sum%% *}  $name.tar.gz" = "$(cat "$archive.sha256")" ] || { echo "$archive is not what was packed" >&2; exit 1; }
  printf '%s %s\n' "${sum%% *}" "${name#sesslint-}"
done
