# What a caller learns of a job that fails.
sbatch --wait -o /dev/null --wrap 'exit 3'
echo "waited: $?"
sbatch --quiet --wait -o /dev/null --wrap 'kill -9 $$'
echo "killed: $?"
id=$(sbatch --parsable -o /dev/null --wrap 'exit 4')
until squeue -h -j $id -t all -o %T | grep -q FAILED; do sleep 0.2; done
scontrol show job -o $id | tr ' ' '\n' | grep -E '^(JobState|Reason|ExitCode)='
sacct -j $id --json | python3 -c '
import json, sys
job = json.load(sys.stdin)["jobs"][0]
print(job["state"]["current"], job["exit_code"]["return_code"]["number"])'
sbatch -p nosuch --wrap true
echo "refused: $?"
# out: Submitted batch job 1
# out: waited: 3
# out: killed: 1
# out: JobState=FAILED
# out: Reason=NonZeroExitCode
# out: ExitCode=4:0
# out: ['FAILED'] 4
# out: refused: 1
