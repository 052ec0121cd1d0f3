# A job saves its state on a signal, and asks to be run again.
cat > job.sh <<'X'
#!/bin/bash
#SBATCH --requeue --open-mode=append --output=run.log
trap 'echo checkpoint; touch saved; scontrol requeue $SLURM_JOB_ID; exit 0' USR1
echo "run $SLURM_RESTART_COUNT"
if [ -e saved ]; then echo resumed; exit 0; fi
touch ready
sleep 60 &
wait
X
id=$(sbatch --parsable job.sh)
while [ ! -e ready ]; do sleep 0.1; done
scancel --batch --signal=USR1 $id
until grep -q resumed run.log; do sleep 0.2; done
grep -v JOB run.log
until squeue -h -j $id -t all -o %T | grep -q COMPLETED; do sleep 0.2; done
sacct -X -D -n -P -j $id -o State,Restarts
# out: run 0
# out: checkpoint
# out: run 1
# out: resumed
# out: REQUEUED|0
# out: COMPLETED|1
