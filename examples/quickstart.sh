#!/bin/sh
# From nothing to the load-average example of Slurm's "Extra Constraints" page, in one command:
#
#     sh examples/quickstart.sh
#
# Makes a virtual environment (SLIMSCHED_VENV, default .venv), installs slimsched from this checkout, describes a
# cluster of three nodes, writes each node's load into its Extra data, and submits jobs that ask for a low load.
# The cluster lives in a temporary directory, which is removed at the end.
set -eu
cd "$(dirname "$0")/.."

venv=${SLIMSCHED_VENV:-.venv}
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
[ -x "$venv/bin/sim" ] || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e .
PATH=$PWD/$venv/bin:$PATH
case $venv in /*) PATH=$venv/bin:$PATH ;; esac

. examples/scratch.sh

echo "1. Describe a cluster: three nodes of two sockets with six cores."
run sim init --nodes 'node[01-03]' --cpus 12 --sockets 2 --cores 6 --memory 64000

echo
echo "2. Write each node's load average into its Extra data."
run sim scontrol update nodename=node01 'extra={ "load": 0.99 }'
run sim scontrol update nodename=node02 'extra={ "load": 0.75 }'
run sim scontrol update nodename=node03 'extra={ "load": 0.45 }'
printf '\n%s\n' "$ sim scontrol show nodes 'node[01-03]' | grep -E 'NodeName|Extra'"
sim scontrol show nodes 'node[01-03]' | grep -E 'NodeName|Extra'

echo
echo "3. Ask for a node with less than half a CPU's load: node03."
run sim sbatch -n12 --extra 'load<0.5' --wrap 'srun sleep 10'
run sim squeue

echo
echo "4. Ask for a load between two bounds: node02."
run sim sbatch -n12 --extra '(load<0.9&load>0.5)' --wrap 'srun sleep 10'
run sim squeue

echo
echo "5. No node has a load below 0.1 now: the job waits, and starts when the data change."
run sim sbatch --extra 'load<0.1' --wrap 'sleep 60'
run sim squeue --start
run sim scontrol update nodename=node01 'extra={ "load": 0.05 }'
run sim squeue

echo
echo "6. A wrong expression is refused in Slurm's words, with our diagnosis below them."
run sim sbatch --extra 'load==0.5' --wrap 'sleep 1' || echo "(exit status $?)"

echo
echo "7. Time is virtual: it moves when told to, and the answers are the same on every run."
run sim advance --until-idle
run sim squeue --states=all

echo
echo "This cluster is removed now. For one of your own put $venv/bin on PATH, then:"
echo "  sim init --nodes 'node[01-04]' --cpus 8 && sim sbatch --wrap 'sleep 60' && sim squeue"
