#!/usr/bin/env bash
# Finds or gets the program and names it as the step's output `binary`: an installed one, else the release archive that
# this commit of the action knows the SHA-256 of, else a build of this very checkout. Where none of them works out the
# output stays empty, and the next step ends the action with its outputs set.
set -euo pipefail

fail() {
  # One line whatever the values hold, so that none of them can speak to the runner.
  local text=${*//[$'\n\r']/ }
  printf '::error title=sesslint could not run::%s\n' "${text//%/%25}"
  printf 'binary=\n' >>"$GITHUB_OUTPUT"
  exit 0
}

found() {
  printf 'binary=%s\n' "$1" >>"$GITHUB_OUTPUT"
  exit 0
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
temp=${RUNNER_TEMP:?}/sesslint-action
case "${INSTALL_BINARY:-}${INSTALL_VERSION:-}${INSTALL_SHA256:-}" in
  *[$'\n\r']*) fail "the inputs binary, version and sha256 have one line each" ;;
esac

if [ -n "${INSTALL_BINARY:-}" ]; then
  [ -z "${INSTALL_VERSION:-}${INSTALL_SHA256:-}" ] || fail "give either binary, or version and sha256"
  path=$(command -v -- "$INSTALL_BINARY") || fail "the program named by the input binary is not installed"
  found "$path"
fi

case "${RUNNER_OS:-}/${RUNNER_ARCH:-}" in
  Linux/X64) target=x86_64-unknown-linux-musl ;;
  Linux/ARM64) target=aarch64-unknown-linux-musl ;;
  macOS/X64) target=x86_64-apple-darwin ;;
  macOS/ARM64) target=aarch64-apple-darwin ;;
  Windows/X64) target=x86_64-pc-windows-msvc ;;
  *) target= ;;
esac
extension=
[ "${RUNNER_OS:-}" != Windows ] || extension=.exe

# Lines of the table: `version X.Y.Z`, then `SHA256 TARGET`.
table() { sed -n "$1" "$here/release.txt"; }
baked=$(table 's/^version \([0-9A-Za-z.+-]*\)$/\1/p')
version=${INSTALL_VERSION:-$baked}
version=${version#v}
sha256=${INSTALL_SHA256:-}

if [ -n "$version" ]; then
  [[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+([.+-][0-9A-Za-z.+-]*)?$ ]] || fail "the input version is no version"
  if [ -z "$sha256" ]; then
    [ "$version" = "$baked" ] ||
      fail "this commit of the action knows version ${baked:-none} only: give the input sha256 of the archive of $version"
    sha256=$(table "s/^\([0-9a-f]\{64\}\) $target\$/\1/p")
  fi
fi

if [ -n "$version" ] && [ -n "$target" ] && [ -n "$sha256" ]; then
  [[ "$sha256" =~ ^[0-9a-f]{64}$ ]] || fail "the input sha256 has 64 hexadecimal digits in lower case"
  base=${SESSLINT_RELEASES_URL:-https://github.com/sesslint/sesslint/releases/download}
  url=$base/v$version/sesslint-$target.tar.gz
  rm -rf "$temp"
  mkdir -p "$temp"
  cd "$temp"
  curl --fail --silent --show-error --location --retry 3 --output archive.tar.gz -- "$url" ||
    fail "cannot download $url"
  if command -v sha256sum >/dev/null; then sum=$(sha256sum <archive.tar.gz); else sum=$(shasum -a 256 <archive.tar.gz); fi
  sum=${sum%% *}
  [ "$sum" = "$sha256" ] || fail "wrong bytes: expected SHA-256 $sha256, got $sum from $url"
  tar -xzf archive.tar.gz "sesslint$extension"
  said=$("./sesslint$extension" --version) || fail "the downloaded program does not run here"
  [ "$said" = "sesslint $version" ] || fail "the archive of $version holds another version"
  found "$temp/sesslint$extension"
fi
[ -z "${INSTALL_VERSION:-}${INSTALL_SHA256:-}" ] || fail "there is no archive of this version for ${RUNNER_OS:-} ${RUNNER_ARCH:-}"

command -v cargo >/dev/null ||
  fail "this commit of the action has no release for ${RUNNER_OS:-} ${RUNNER_ARCH:-}, and there is no cargo to build it: use a released tag, or the input binary"
cargo build --release --locked --features github --manifest-path "$here/../Cargo.toml" --bin sesslint --target-dir "$temp/target" >&2 ||
  fail "the program could not be built"
found "$temp/target/release/sesslint$extension"
