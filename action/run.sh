#!/usr/bin/env bash
# Runs `sesslint ci` or `sesslint merge` once. Inputs arrive as SESSLINT_* variables, which the program reads and checks itself; here they are
# only joined with what the action adds. The exit code is an output, so that uploads happen before the job fails.
set -uo pipefail

# What nothing below says, stays at this: a later line of the same name wins.
printf 'exit-code=2\nverdict=error\n' >>"$GITHUB_OUTPUT"
printf '%s=\n' errors warnings new-findings files-checked report-file sarif-file summary-file report-dir >>"$GITHUB_OUTPUT"

could_not_run() {
  printf '::error title=sesslint could not run::%s\n' "$1"
  exit 0
}

[ -n "${RUN_BINARY:-}" ] || exit 0 # The step before said why.
case "${RUN_UPLOAD_SARIF:-}" in
  true | false | "") ;;
  *) could_not_run "the input upload-sarif is true or false" ;;
esac
case "${RUN_REPAIR:-off}" in
  off) ;;
  artifact | pull-request)
    [ -z "${RUN_MERGE:-}" ] || could_not_run "the input merge joins reports; what it would repair is not here"
    ;;
  *) could_not_run "the input repair is off, artifact or pull-request" ;;
esac
case "${RUN_CONFIG:-}${RUN_SARIF_FILE:-}${RUN_UPLOAD_ARTIFACT:-}${RUN_REPAIR_ARTIFACT:-}" in
  *[$'\n\r']*) could_not_run "the inputs config, sarif-file, upload-artifact and repair-artifact have one line each" ;;
esac

# A folder for each use: what an earlier step of the job wrote is still its output.
reports=$(mktemp -d "${RUNNER_TEMP:?}/sesslint-reports.XXXXXX") || could_not_run "no folder can be made in RUNNER_TEMP"
arguments=()
[ -z "${RUN_CONFIG:-}" ] || arguments+=("--config=$RUN_CONFIG")
if [ -n "${RUN_UPLOAD_ARTIFACT:-}" ]; then
  arguments+=("--also=json=$reports/report.json" "--also=html=$reports/report.html" "--also=markdown=$reports/summary.md")
  printf 'report-dir=%s\n' "$reports" >>"$GITHUB_OUTPUT"
fi
if [ -n "${RUN_SARIF_FILE:-}" ]; then
  arguments+=("--also=sarif=$RUN_SARIF_FILE")
elif [ -n "${RUN_UPLOAD_ARTIFACT:-}" ] || [ "${RUN_UPLOAD_SARIF:-}" = true ]; then
  arguments+=("--also=sarif=$reports/report.sarif")
fi
# Notices that later steps may add; the runner shows ten of the whole action.
spare=0
[ "${RUN_UPLOAD_SARIF:-}" != true ] && [ -z "${RUN_UPLOAD_ARTIFACT:-}" ] || spare=2
[ "${RUN_REPAIR:-off}" = off ] || spare=$((spare + 5))
[ "$spare" = 0 ] || arguments+=("--spare-notices=$spare")
# One argument a line; blank lines are none.
each_line() {
  local line
  while IFS= read -r line; do
    line=${line%$'\r'}
    [ -z "$line" ] || arguments+=("$line")
  done <<<"$1"
}
each_line "${RUN_ARGS:-}"
command=ci
if [ -n "${RUN_MERGE:-}" ]; then
  command=merge
  arguments+=(--)
  each_line "$RUN_MERGE"
fi

"$RUN_BINARY" "$command" ${arguments[@]+"${arguments[@]}"}
code=$?
printf 'exit-code=%s\n' "$code" >>"$GITHUB_OUTPUT"
[ "$code" -le 1 ] || printf 'verdict=error\n' >>"$GITHUB_OUTPUT"
