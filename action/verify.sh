#!/usr/bin/env bash
# Checks the commit that is checked out, the one commit of a repair pull request, against its parent. Needs a checkout of the
# pull request's head with a depth of at least 2.
set -euo pipefail

end() {
  printf 'exit-code=%s\n' "$1" >>"$GITHUB_OUTPUT"
  exit "$1"
}
could_not_run() {
  printf '::error title=sesslint could not run::%s\n' "$1"
  end 2
}

[ -n "${VERIFY_BINARY:-}" ] || could_not_run "there is no program to run: the step before says why"
arguments=()
case "${VERIFY_ACKNOWLEDGE:-false}" in
  true) arguments+=(--acknowledge-side-effects) ;;
  false) ;;
  *) could_not_run "the input acknowledge-side-effects is true or false" ;;
esac

trees=${RUNNER_TEMP:?}/sesslint-verify
rm -rf "$trees"
mkdir -p "$trees/head" "$trees/base"
[ "$(git rev-list --parents -n 1 HEAD | wc -w)" -eq 2 ] ||
  could_not_run "the commit needs one parent, fetched: check out the head of the pull request with fetch-depth: 2"
# The bytes that the commits hold: attributes would convert line ends or run filters.
export GIT_INDEX_FILE=$trees/index GIT_ATTR_SOURCE GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.autocrlf GIT_CONFIG_VALUE_0=false
GIT_ATTR_SOURCE=$(git hash-object -t tree -w --stdin </dev/null)
git read-tree HEAD
git checkout-index --all --prefix="$trees/head/"
git read-tree HEAD^
git checkout-index --all --prefix="$trees/base/"

token=sesslint_$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n' "$token"
code=0
"$VERIFY_BINARY" verify --pull-request "$trees/head" --repo "$trees/base" ${arguments[@]+"${arguments[@]}"} || code=$?
printf '\n::%s::\n' "$token"
end "$code"
