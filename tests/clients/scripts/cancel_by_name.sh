# Cancel jobs by name and by user; one has a trap.
cat > trap.sh <<'X'
#!/bin/bash
#SBATCH --job-name=trapped --output=trapped.log
trap 'echo tidied up; exit 0' TERM
touch ready
sleep 60 &
wait
X
sbatch trap.sh
sbatch --job-name=other --hold --wrap 'sleep 60'
while [ ! -e ready ]; do sleep 0.1; done
scancel --name trapped
while squeue -h -n trapped | grep -q .; do sleep 0.2; done
grep tidied trapped.log
squeue -h -o '%j %T %r'
scancel --user $USER
squeue -h | wc -l
sacct -X -n -P -j 1 -o State
# out: Submitted batch job 1
# out: Submitted batch job 2
# out: tidied up
# out: other PENDING JobHeldUser
# out: 0
# out: CANCELLED by {uid}
