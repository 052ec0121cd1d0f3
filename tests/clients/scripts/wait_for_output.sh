# Wait for the output file of a job, then for its end.
id=$(sbatch --parsable --wrap 'echo started; sleep 1; echo done')
while [ ! -e slurm-$id.out ]; do sleep 0.1; done
until squeue -h -j $id -t all -o %T | grep -q COMPLETED; do sleep 0.2; done
cat slurm-$id.out
sacct -j $id -X -n -P -o State,ExitCode
# out: started
# out: done
# out: COMPLETED|0:0
