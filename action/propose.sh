#!/usr/bin/env bash
# Runs `sesslint propose` once, after the check, where that is asked for. What it cannot do is told, and never changes the verdict of the check. The token is in GITHUB_TOKEN when, and only when, a pull request is asked for.
set -uo pipefail

printf '%s=\n' proposal-dir pull-request-number pull-request-url >>"$GITHUB_OUTPUT"
[ "${PROPOSE_CHECKED:-2}" != 2 ] || exit 0
case "${PROPOSE_REPAIR:-off}" in
  artifact | pull-request) ;;
  *) exit 0 ;;
esac
folder=$(mktemp -d "${RUNNER_TEMP:?}/sesslint-proposal.XXXXXX") || exit 0

arguments=("--out-dir=$folder")
[ -z "${PROPOSE_CONFIG:-}" ] || arguments+=("--config=$PROPOSE_CONFIG")
[ "$PROPOSE_REPAIR" != pull-request ] || arguments+=(--open-pr)
while IFS= read -r line; do
  line=${line%$'\r'}
  [ -z "$line" ] || arguments+=("$line")
done <<<"${PROPOSE_ARGS:-}"

"$PROPOSE_BINARY" propose "${arguments[@]}"
[ "$?" -le 1 ] ||
  echo "::notice title=sesslint::Repairs were not proposed, or not published; the log of this step says why."
