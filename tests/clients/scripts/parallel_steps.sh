# Many small steps share the CPUs of one job.
cat > job.sh <<'X'
#!/bin/bash
#SBATCH --ntasks=2 --output=job.log
for part in 1 2 3 4; do
  srun --quiet --ntasks=1 --exact bash -c "sleep 0.2; echo part $part" &
done
wait
echo all
X
sbatch --wait job.sh
grep part job.log | sort
tail -n 1 job.log
# out: Submitted batch job 1
# out: part 1
# out: part 2
# out: part 3
# out: part 4
# out: all
