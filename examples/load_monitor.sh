#!/bin/sh
# The practical example of Slurm's "Extra Constraints" page, on this machine's real load average.
#
#     sh examples/load_monitor.sh [ROUNDS [SECONDS]]
#
# ROUNDS times (default 1), SECONDS apart (default 5), the one-minute load average is written into the Extra data of
# node01; then a job asks for a node with a load below the number of processors. A cluster of one node is made in a
# temporary directory unless SLIMSCHED_STATE names one that has a node01.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/.venv/bin # where quickstart.sh has installed sim

rounds=${1:-1}
pause=${2:-5}

load_average() {
    if [ -r /proc/loadavg ]; then
        cut -d ' ' -f 1 /proc/loadavg
    else
        sysctl -n vm.loadavg | tr -d '{}' | awk '{ print $1 }' # macOS
    fi
}

if [ -z "${SLIMSCHED_STATE:-}" ]; then
    SLIMSCHED_STATE=$(mktemp -d)/cluster
    export SLIMSCHED_STATE
    trap 'rm -rf "$(dirname "$SLIMSCHED_STATE")"' EXIT
    sim init --nodes node01 --cpus "$(getconf _NPROCESSORS_ONLN)" --memory 4000
fi

i=1
while :; do
    load=$(load_average)
    sim scontrol update nodename=node01 "extra={\"load\": $load}"
    sim scontrol show node node01 | grep Extra=
    [ "$i" -lt "$rounds" ] || break
    i=$((i + 1))
    sleep "$pause"
done

limit=$(getconf _NPROCESSORS_ONLN)
echo "Submitting with --extra 'load<$limit':"
sim sbatch --extra "load<$limit" --wrap 'sleep 30'
sim squeue
