"""The options of the real commands, as their help texts list them (Slurm 26.11; oracle/slurm/options.json)."""

from __future__ import annotations

REAL = {
    "sbatch": """
        --account --array --bb --bbf --begin --chdir --cluster-constraint --clusters --comment --constraint
        --container --container-id --contiguous --core-spec --cores-per-socket --cpu-freq --cpus-per-gpu
        --cpus-per-task --deadline --delay-boot --dependency --distribution --error --exclude --exclusive
        --export --export-file --extra-node-info --get-user-env --gid --gpu-bind --gpu-freq --gpus
        --gpus-per-node --gpus-per-socket --gpus-per-task --gres --gres-flags --help --hold --ignore-pbs
        --input --job-name --licenses --mail-type --mail-user --mcs-label --mem --mem-per-cpu --mem-per-gpu
        --mincpus --nice --no-kill --no-requeue --nodefile --nodelist --nodes --ntasks --ntasks-per-core
        --ntasks-per-node --ntasks-per-socket --oom-kill-step --output --overcommit --oversubscribe
        --parsable --partition --power --priority --profile --propagate --qos --quiet --reboot --requeue
        --reservation --resv-ports --runtime --signal --sockets-per-node --spread-job --spread-segments
        --switches --thread-spec --threads-per-core --time --time-min --tmp --tres-bind --tres-per-task
        --uid --usage --use-min-nodes --verbose --version --wait --wckey --wrap -A -B -C -D -F -G -H -J -L
        -M -N -O -Q -S -V -W -a -b -c -d -e -h -i -k -m -n -o -p -q -s -t -v -w -x
    """,
    "srun": """
        --account --acctg-freq --async --bb --bbf --bcast --bcast-exclude --begin --chdir
        --cluster-constraint --clusters --comment --compress --constraint --container --container-id
        --contiguous --core-spec --cores-per-socket --cpu-freq --cpus-per-gpu --cpus-per-task --deadline
        --delay-boot --dependency --disable-status --distribution --epilog --error --exact --exclude
        --exclusive --export --extra-node-info --gpu-bind --gpu-freq --gpus --gpus-per-node
        --gpus-per-socket --gpus-per-task --gres --gres-flags --help --het-group --hold --ignore-signals
        --immediate --input --job-name --jobid --kill-on-bad-exit --label --licenses --mail-type --mail-user
        --mcs-label --mem --mem-per-cpu --mem-per-gpu --mincpus --mpi --multi-prog --nice --no-allocate
        --no-kill --nodelist --nodes --ntasks --ntasks-per-core --ntasks-per-node --ntasks-per-socket
        --oom-kill-step --output --overcommit --overlap --oversubscribe --parsable --partition --power
        --preserve-env --priority --profile --prolog --propagate --pty --qos --quiet --quit-on-interrupt
        --reboot --relative --reservation --resv-ports --runtime --send-libs --signal --slurmd-debug
        --sockets-per-node --spread-job --spread-segments --switches --task-epilog --task-prolog
        --thread-spec --threads --threads-per-core --time --time-min --tmp --tres-bind --tres-per-task
        --unbuffered --usage --use-min-nodes --verbose --version --wait --wait-for-children --wckey -A -B -C
        -D -E -G -H -I -J -K -L -M -N -O -Q -S -T -V -W -X -Z -b -c -d -e -h -i -k -l -m -n -o -p -q -r -s
        -t -u -v -w -x
    """,
    "salloc": """
        --account --bb --bbf --begin --bell --chdir --cluster-constraint --clusters --comment --constraint
        --container --container-id --contiguous --core-spec --cores-per-socket --cpu-freq --cpus-per-gpu
        --cpus-per-task --deadline --delay-boot --dependency --distribution --exclude --exclusive
        --extra-node-info --get-user-env --gpu-bind --gpu-freq --gpus --gpus-per-node --gpus-per-socket
        --gpus-per-task --gres --gres-flags --help --hold --immediate --job-name --kill-command --licenses
        --mail-type --mail-user --mcs-label --mem --mem-per-cpu --mem-per-gpu --mincpus --nice --no-bell
        --no-kill --nodefile --nodelist --nodes --ntasks --ntasks-per-core --ntasks-per-node
        --ntasks-per-socket --oom-kill-step --overcommit --oversubscribe --partition --power --priority
        --profile --qos --quiet --reboot --reservation --resv-ports --runtime --signal --sockets-per-node
        --spread-job --spread-segments --switches --thread-spec --threads-per-core --time --time-min --tmp
        --tres-bind --tres-per-task --usage --use-min-nodes --verbose --version --wckey -A -B -C -D -F -G -H
        -I -J -K -L -M -N -O -Q -S -V -b -c -d -h -k -m -n -p -q -s -t -v -w -x
    """,
    "squeue": """
        --Format --account --all --array --clusters --federation --format --help --helpFormat --helpformat
        --helpstate --hide --iterate --job --json --licenses --local --long --name --noconvert --nodelist
        --noheader --only-job-state --partition --qos --reservation --running-over --running-under --sibling
        --sort --start --states --step --usage --user --verbose --version --yaml -A -L -M -O -R -S -V -a -h
        -i -j -l -n -o -p -q -r -s -t -u -v -w
    """,
    "sinfo": """
        --Format --Node --all --clusters --dead --exact --federation --format --future --help --helpFormat
        --helpformat --helpstate --hide --iterate --json --list-reasons --local --long --noconvert --nodes
        --noheader --partition --reservation --responding --sort --states --summarize --usage --verbose
        --version --yaml -F -M -N -O -R -S -T -V -a -d -e -h -i -l -n -o -p -r -s -t -v
    """,
    "scontrol": """
        --all --cluster --details --federation --future --help --hide --json --local --oneliner --quiet
        --sibling --uid --verbose --version --yaml -F -M -Q -V -a -d -h -o -u -v
    """,
    "scancel": """
        --account --admin-comment --batch --clusters --cron --ctld --full --help --hurry --interactive
        --name --nodelist --partition --qos --quiet --reservation --sibling --signal --state --usage --user
        --verbose --version --wckey -A -H -M -Q -R -V -b -c -f -i -n -p -q -s -t -u -v -w
    """,
    "sacct": """
        --accounts --allclusters --allocations --allusers --array --associations --batch-script --brief
        --clusters --completion --duplicates --endtime --expand-pattern --file --format --gid --help
        --helpformat --jobs --json --long --name --ncpus --nnodes --noconvert --nodelist --noheader
        --parsable --parsable2 --partition --qos --reason --starttime --state --timelimit-max
        --timelimit-min --truncate --uid --units --usage --verbose --version --wckeys --whole-hetjob --yaml
        -A -B -D -E -I -K -L -M -N -P -R -S -T -V -W -X -a -b -c -e -f -g -h -i -j -k -l -n -o -p -q -r -s
        -u -v -x
    """,
    "sprio": """
        --cluster --federation --format --help --helpformat --jobs --local --long --noheader --norm
        --partition --sibling --usage --user --verbose --version --weights -M -V -h -j -l -n -o -p -u -v -w
    """,
    "sdiag": """
        --all --cluster --help --json --no-trunc --reset --sort-by-id --sort-by-time --sort-by-time2 --usage
        --version --yaml -M -T -V -a -i -r -t
    """,
    "sstat": """
        --allsteps --format --help --helpformat --jobs --noconvert --noheader --parsable --parsable2
        --pidformat --usage --verbose --version -P -V -a -e -h -i -j -n -o -p -v
    """,
    "sattach": """
        --error-filter --help --input-filter --label --layout --output-filter --quiet --usage --verbose
        --version -Q -V -h -l -u -v
    """,
}
"""Command -> its options."""

LEFT_OUT = {
    **{name: {"--power"} for name in ("sbatch", "srun", "salloc")},  # in the real help, and unknown to its parser
    "sacct": {"--expand-pattern"},  # an abbreviation of --expand-patterns
}
"""Command -> options that the code does not have, with the reason."""
