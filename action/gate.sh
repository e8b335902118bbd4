#!/usr/bin/env bash
# Ends the action as the check ended. An upload that failed is a notice: the findings stand in the log and the summary.
set -euo pipefail

if [ "${GATE_UPLOAD_SARIF:-}" = failure ]; then
  echo "::notice title=sesslint::SARIF was not uploaded. The job needs the permission security-events: write (a pull request from a fork never has it), and code scanning must be on."
fi
if [ "${GATE_UPLOAD_ARTIFACT:-}" = failure ]; then
  echo "::notice title=sesslint::The reports were not uploaded as an artifact; the log of that step says why."
fi
if [ "${GATE_UPLOAD_PROPOSAL:-}" = failure ]; then
  echo "::notice title=sesslint::The proposal was not uploaded as an artifact; the log of that step says why."
fi
[[ "${GATE_EXIT_CODE:-}" =~ ^[0-9]+$ ]] || exit 2
exit "$GATE_EXIT_CODE"
