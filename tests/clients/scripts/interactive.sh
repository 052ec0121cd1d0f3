# Commands that wait for their allocation.
srun -n2 bash -c 'echo task $SLURM_PROCID' | sort
salloc --quiet -N2 bash -c 'srun -l bash -c "echo \$SLURMD_NODENAME" | sort; exit 5'
echo "salloc: $?"
script -qec "srun --pty bash -c 'tty > /dev/null && echo a terminal'" /dev/null < /dev/null | tr -d '\r'
sacct -X -n -P -o JobName,State,ExitCode
# out: task 0
# out: task 1
# out: 0: n1
# out: 1: n2
# out: salloc: 5
# out: a terminal
# out: bash|COMPLETED|0:0
# out: interactive|FAILED|5:0
# out: bash|COMPLETED|0:0
