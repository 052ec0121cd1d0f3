# A script that waits until any output file is there, looking at the queue meanwhile, then follows it to its last line.
cat > train.sh <<'X'
#!/bin/bash
#SBATCH -J cnn -n 1
sleep 1
for epoch in 1 2; do echo "epoch $epoch"; done
echo done
X
sbatch train.sh
while [ ! -e slurm-* ]; do sleep 0.2; squeue > /dev/null; done
timeout 60 tail -n +1 -f slurm-*.out | sed '/^done$/q'
# out: Submitted batch job 1
# out: epoch 1
# out: epoch 2
# out: done
