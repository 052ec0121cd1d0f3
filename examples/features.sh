#!/bin/sh
# Slurm's node features (-C) on this cluster: all of them, one of several, the same one on all nodes, counts.
#
#     sh examples/features.sh
#
# Uses a state directory of its own.
set -eu
. "$(dirname "$0")/scratch.sh"

cat >"$SLIMSCHED_STATE/cluster.toml" <<'TOML'
[[nodes]]
NodeName = "n[1-4]"
CPUs = 4
RealMemory = 4000
Features = "rack1,intel"
[[nodes]]
NodeName = "n[5-8]"
CPUs = 4
RealMemory = 4000
Features = "rack2,amd"
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
TOML
run sim constraint match --dialect slurm-features 'rack1&intel'
run sim sbatch --exclusive -C 'rack2&amd' --wrap 'sleep 60'
echo
echo 'Both nodes of one rack, whichever it is; then one node of each.'
run sim sbatch --exclusive -N2 -C '[rack1|rack2]' --wrap 'sleep 60'
run sim sbatch --exclusive -N2 -C '[rack1*1&rack2*1]' --wrap 'sleep 60'
run sim squeue
echo
echo 'A feature that no node has is refused; two that no node has together as well.'
run sim sbatch -C gpu --wrap true || true
run sim sbatch -C 'rack1&amd' --wrap true || true
run sim constraint convert --from slurm-features --to flux-json '(rack1|rack2)&intel'
