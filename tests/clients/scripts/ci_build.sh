# A build server submits a script, polls the queue as grep sees it, and reads the result from the job's own file.
cat > build.sh <<'X'
#!/bin/bash
#SBATCH -o rev.jenkins.%j.out
echo "building on $SLURM_JOB_NUM_NODES node"
sleep 1
echo "SUITE: PASSED"
X
user=$(id -un)
id=$(sbatch -N1 --export=ALL build.sh | awk '{print $4}')
left=$(squeue -u "$user" | grep "$id")
while [ -n "$left" ]; do
  sleep 0.2
  left=$(squeue -u "$user" | grep "$id")
done
cat "rev.jenkins.$id.out"
grep -q PASSED "rev.jenkins.$id.out" && echo "job $id is good"
# out: building on 1 node
# out: SUITE: PASSED
# out: job 1 is good
