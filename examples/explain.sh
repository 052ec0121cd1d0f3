#!/bin/sh
# Why does a job not start? A walk through `sim explain`, `sim constraint check` and `sim events`.
#
#     sh examples/explain.sh
#
# Three nodes: one is too loaded, one is taken, one is drained. Uses a state directory of its own.
set -eu
. "$(dirname "$0")/scratch.sh"

run sim scontrol update nodename=node01 extra='{"load": 0.99}'
run sim scontrol update nodename=node02 extra='{"load": 0.2}'
run sim scontrol update nodename=node03 state=drain reason='bad disk'
run sim sbatch --exclusive -t 30 --extra 'load<0.5' --wrap 'sleep 600'
run sim sbatch -t 10 --extra 'load<0.5' --wrap 'sleep 600'
echo
echo 'Not now: what each node lacks, what would help, and when it will start.'
run sim explain 2
echo
echo 'Never: nothing that may happen to the nodes would help.'
run sim sbatch --hold -c 64 --wrap 'sleep 600'
run sim explain 3
echo
echo 'A constraint that is well-formed, and probably not what was meant.'
run sim constraint check 'load<50%'
run sim advance 2h
echo
echo 'How it went.'
run sim explain 2
run sim events
