#!/bin/sh
# The long form of the checks that keep the program safe under attack; the suite has a short form of each. By hand:
#
#     sh tests/attack.sh            # all of them, an hour or more
#     sh tests/attack.sh fuzz       # one of: crash races live fuzz memory
#
# crash    each command that writes is killed ahead of each call that changes the state directory and in the middle of
#          each write, and each of its calls fails with ENOSPC, EIO, EDQUOT and EMFILE; then it is given again. Among them
#          init --force with other nodes, and doctor --rebuild over six kinds of damage
# races    twenty processes on one state directory, a command in twelve killed: no acknowledged job lost or doubled
# live     two hundred jobs that really run, of twenty processes, in peace and while commands, supervisors, scripts and
#          the waker are killed at random: each job ends once, as it should, and no process is left
# fuzz     SLIMSCHED_FUZZ texts (100,000 unless set) for every parser and every constraint language, half as many
#          command lines; each has one second of CPU time
# memory   10,000 commands in one process, by main([...]) and by Click's CliRunner: resident memory stays flat
set -eu
cd "$(dirname "$0")/.."
python=${SLIMSCHED_VENV:-.venv}/bin/python
export SLIMSCHED_FUZZ="${SLIMSCHED_FUZZ:-100000}"

crash() {
    SLIMSCHED_ATTACK=long "$python" -m pytest -q -n "${SLIMSCHED_TEST_JOBS:-auto}" tests/crash/test_every_call.py
}

races() {
    SLIMSCHED_ATTACK=long "$python" -m pytest -q tests/crash/test_side_by_side.py
}

live() {
    SLIMSCHED_ATTACK=long "$python" -m pytest -q -s tests/crash/test_jobs_that_run.py
}

fuzz() {
    "$python" -m pytest -q tests/property/test_parser_fuzz.py tests/property/test_dialect_fuzz.py
}

memory() {
    "$python" -m pytest -q -s tests/cli/test_memory.py
}

for check in "${@:-crash races live fuzz memory}"; do
    for one in $check; do "$one"; done
done
