#!/bin/sh
# Grid Engine's complex attributes on this cluster: definitions, requests, bookings, and Grid Engine's own commands.
#
#     sh examples/complex_attributes.sh
#
# Examples E1 and E2 of the specification of 2003 are among them. Uses a state directory of its own.
set -eu
. "$(dirname "$0")/scratch.sh"

cat >"$SLIMSCHED_STATE/cluster.toml" <<'TOML'
[[nodes]]
NodeName = "h1"
CPUs = 5
[[nodes]]
NodeName = "h2"
CPUs = 1
[[nodes]]
NodeName = "h3"
CPUs = 3
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
TOML

echo 'E1: a fixed value is compared for each slot and never counted down.'
run sim scontrol create complex name=t01 type=INT 'relop=<='
run sim scontrol update nodename=h1 complexes=t01=20
run sim sbatch -n4 -l t01=10 --wrap 'sleep 60'
run sim qstat -F t01,slots -q debug@h1
run sim advance --until-idle

echo
echo 'E2: a consumable is taken once for each slot, where the slot is; slots are spread to fit: two, one, one.'
run sim scontrol create complex name=t02 type=INT 'relop=<=' consumable=YES
run sim scontrol update 'nodename=h[1-3]' complexes=t02=40
run sim sbatch -n4 -l t02=20 --wrap 'sleep 60'
run sim qhost -F t02
run sim qsub -w p -l t02=40 -b y sleep 60 || true
run sim advance --until-idle

echo
echo 'A licence for the whole cluster; the third job waits for it.'
run sim scontrol create complex name=lic type=INT 'relop=<=' consumable=JOB
run sim scontrol update cluster complexes=lic=2
for name in one two three; do
    run sim qsub -N "$name" -l lic=1 -b y sleep 60
done
run sim qstat
run sim squeue -o '%i %j %t %R'
