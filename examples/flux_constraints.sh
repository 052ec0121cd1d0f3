#!/bin/sh
# Flux's constraint languages on this cluster: RFC 31 objects and RFC 35 queries, as `flux submit --requires` has them.
#
#     sh examples/flux_constraints.sh
#
# Node properties are the nodes' features, ranks their places in the node table. Uses a state directory of its own.
set -eu
. "$(dirname "$0")/scratch.sh"

cat >"$SLIMSCHED_STATE/cluster.toml" <<'TOML'
[[nodes]]
NodeName = "host[0-3]"
Features = "ssd"
[[nodes]]
NodeName = "host[4-7]"
Features = "ssd,huge,slowgpu"
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
TOML
run sim constraint match --dialect flux-json '{"and": [{"hostlist": ["host[2-5]"]}, {"properties": ["ssd", "^slowgpu"]}]}'
run sim constraint match --dialect flux-query 'huge|host:host0'
run sim constraint convert --from flux-query --to flux-json '(ssd|huge) -slowgpu'
run sim constraint convert --from slurm-features --to flux-query '(ssd|huge)&slowgpu'
echo
echo 'Jobs take them too: busy nodes are waited for, a constraint that no node can satisfy is refused.'
run sim sbatch -N2 --exclusive --requires 'huge -host:host[6-7]' --wrap 'sleep 60'
run sim sbatch --flux-constraint '{"and": [{"ranks": ["4-5"]}, {"properties": ["huge"]}]}' --wrap 'sleep 60'
run sim squeue
run sim explain 2
run sim sbatch --requires 'host:elsewhere' --wrap true || true
echo
echo 'A fault is pointed at:'
run sim constraint check --dialect flux-query 'ssd and host:host[0-' || true
