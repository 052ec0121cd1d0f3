# What a job sees of the caller's environment.
export FOO=foo BAR=bar
show='echo "${FOO:-none} ${BAR:-none} ${NEW:-none}"; command -v sbatch > /dev/null && echo has sbatch'
for export in ALL FOO NONE ALL,NEW=1 NEW=1; do sbatch --quiet --wait -o job.log --export=$export --wrap "$show"; cat job.log; done
sbatch --quiet --wait <<'X'
#!/bin/bash
#SBATCH --output=stdin.log
echo "$FOO of $SLURM_JOB_NAME in $(basename $SLURM_SUBMIT_DIR)"
X
cat stdin.log
# out: foo bar none
# out: has sbatch
# out: foo none none
# out: has sbatch
# out: none none none
# out: has sbatch
# out: foo bar 1
# out: has sbatch
# out: none none 1
# out: has sbatch
# out: foo of sbatch in cwd
