#!/bin/sh
# Check every constraint that your scripts use, for example in CI: no cluster and no state are needed.
#
#     sh examples/constraint-inventory/check.sh [FILE.jsonl]
#
# Each line of FILE is a constraint with some nodes; the answers stand beside it. Exit 1 if one is ill-formed.
set -eu
inventory=${1:-$(dirname "$0")/constraints.jsonl}
answers=$(mktemp)
trap 'rm -f "$answers"' EXIT
sim constraint match --dialect slurm-extra --jsonl <"$inventory" >"$answers"
paste "$answers" "$inventory"
! grep -n '"valid": false' "$answers" >&2
