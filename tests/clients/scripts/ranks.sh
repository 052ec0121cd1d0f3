# A parallel program: one task for each rank, as MPI starts it.
cat > mpi.sh <<'X'
#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=2 --output=mpi.log
srun -l bash -c 'echo $SLURM_PROCID of $SLURM_NTASKS, $SLURM_LOCALID on $SLURMD_NODENAME' | sort -n
for node in $(scontrol show hostnames); do srun -N1 -n1 -w $node bash -c 'echo alone on $SLURMD_NODENAME'; done
srun -n2 false
echo "srun: $?"
X
sbatch --wait mpi.sh
grep -v 'srun: error' mpi.log
sacct -n -P -j 1 -o JobID,State,ExitCode
# out: Submitted batch job 1
# out: 0: 0 of 4, 0 on n1
# out: 1: 1 of 4, 1 on n1
# out: 2: 2 of 4, 0 on n2
# out: 3: 3 of 4, 1 on n2
# out: alone on n1
# out: alone on n2
# out: srun: 1
# out: 1|COMPLETED|0:0
# out: 1.batch|COMPLETED|0:0
# out: 1.0|COMPLETED|0:0
# out: 1.1|COMPLETED|0:0
# out: 1.2|COMPLETED|0:0
# out: 1.3|FAILED|1:0
