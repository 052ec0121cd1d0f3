#!/bin/sh
# Make a virtual environment (SLIMSCHED_VENV, default .venv), install slimsched with its test extra, run the tests.
# Arguments go to pytest: sh tests/run.sh tests/text -k idset
set -eu
cd "$(dirname "$0")/.."
venv=${SLIMSCHED_VENV:-.venv}
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[test]'
exec "$venv/bin/python" -m pytest -n "${SLIMSCHED_TEST_JOBS:-auto}" "$@"
