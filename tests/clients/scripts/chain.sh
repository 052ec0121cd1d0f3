# Each job submits the next one.
cat > link.sh <<'X'
#!/bin/bash
#SBATCH --job-name=link --output=links.log --open-mode=append --time=5
n=${1:-1}
echo "link $n"
if [ $n -lt 3 ]; then sbatch --dependency=afterany:$SLURM_JOB_ID link.sh $((n + 1)); fi
X
sbatch link.sh
until grep -q 'link 3' links.log 2> /dev/null; do sleep 0.2; done
cat links.log
# out: Submitted batch job 1
# out: link 1
# out: Submitted batch job 2
# out: link 2
# out: Submitted batch job 3
# out: link 3
