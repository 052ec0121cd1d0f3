# An array writes files, a job after it gathers them.
cat > map.sh <<'X'
#!/bin/bash
#SBATCH --job-name=map --array=1-4%2 --output=map_%A_%a.log
echo "$SLURM_ARRAY_TASK_ID squared is $((SLURM_ARRAY_TASK_ID * SLURM_ARRAY_TASK_ID))" > part.$SLURM_ARRAY_TASK_ID
echo "task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT"
X
id=$(sbatch --parsable map.sh)
sbatch --wait --dependency=afterok:$id --output=all.txt --wrap 'cat part.*'
cat all.txt map_${id}_*.log
# out: Submitted batch job 5
# out: 1 squared is 1
# out: 2 squared is 4
# out: 3 squared is 9
# out: 4 squared is 16
# out: task 1 of 4
# out: task 2 of 4
# out: task 3 of 4
# out: task 4 of 4
