#!/usr/bin/env bash
# Builds the release archive of one target: pack.sh VERSION TARGET. Leaves it in dist/ with its SHA-256 beside it.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$1 target=$2
stated=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
[ "$version" = "$stated" ] || { echo "Cargo.toml says $stated, not $version" >&2; exit 1; }

rustup target add "$target"
cargo build --release --locked --features github --bin sesslint --target "$target"
extension=
[[ "$target" != *windows* ]] || extension=.exe
program=target/$target/release/sesslint$extension

mkdir -p dist/content
cp "$program" LICENSE-APACHE LICENSE-MIT README.md dist/content/
for shell in bash zsh fish; do "$program" completion "$shell" >"dist/content/sesslint.$shell"; done
"$program" man >dist/content/sesslint.1
(cd dist/content && tar -czf "../sesslint-$target.tar.gz" -- *)
rm -r dist/content
cd dist
if command -v sha256sum >/dev/null; then sum=$(sha256sum <"sesslint-$target.tar.gz"); else sum=$(shasum -a 256 <"sesslint-$target.tar.gz"); fi
printf '%s  %s\n' "${sum%% *}" "sesslint-$target.tar.gz" >"sesslint-$target.tar.gz.sha256"
