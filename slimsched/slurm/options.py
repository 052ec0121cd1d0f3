"""The options of commands, and the one table of those of ``sbatch``, ``srun`` and ``salloc``.

Each line of the table says which commands have the option (b, s, a), by which name its reader goes
(`cli.options.readers`), which field of the `JobRequest` takes its value ("" where the reader returns several), and
what becomes of it. An option that is recorded goes to ``request.recorded`` under its long name unless it has a field
of its own.

Source: oracle/slurm/options.json for names and letters; the manual pages for what ``--help`` leaves out.
"""

from __future__ import annotations

from slimsched.slurm.getopt import HONOURED, LIVE, OURS, RECORDED, Option


class SubmitOption(Option):
    """An option of a submission: also which commands have it, its reader and its field."""

    __slots__ = ("commands", "field", "reader")

    def __init__(
        self,
        commands: str,
        long: str,
        short: str,
        arg: str,
        reader: str,
        field: str,
        help: str,
        status: str = HONOURED,
        note: str = "",
        alias_of: str = "",
    ) -> None:
        super().__init__(long, short, arg, help, status, note, alias_of)
        self.commands, self.reader, self.field = commands, reader, field


def options_of(letter: str) -> tuple[SubmitOption, ...]:
    """Return the options of the command with this letter."""
    tables = (_JOB, _SIZE, _COMPLEX, _RUN, _STEP, _OWN)
    return tuple(option for table in tables for option in table if letter in option.commands)


def _note(
    commands: str,
    long: str,
    arg: str,
    help: str,
    note: str,
    short: str = "",
    field: str = "",
    reader: str = "recorded",
) -> SubmitOption:
    """Return an option that is accepted and recorded, and changes nothing."""
    return SubmitOption(commands, long, short, arg, reader, field, help, RECORDED, note)


def _shown(
    commands: str, long: str, short: str, arg: str, reader: str, field: str, help: str, note: str
) -> SubmitOption:
    """Return an option that is read and shown, and changes nothing else."""
    return SubmitOption(commands, long, short, arg, reader, field, help, RECORDED, note)


def _live(
    commands: str, long: str, arg: str, help: str, short: str = "", field: str = "", reader: str = "recorded"
) -> SubmitOption:
    """Return an option that a simulated job records, and one that really runs honours."""
    return SubmitOption(commands, long, short, arg, reader, field, help, LIVE)


_O = SubmitOption
_HERE = "all nodes are this machine"
_ONE_MACHINE = "jobs do not run on real nodes"
_NO_REBOOT = "nodes do not reboot"
_NO_FREQUENCY = "nodes have no clock rates"
_NO_BINDING = "tasks are not bound to CPUs, memory or devices"
_NO_CONTAINER = "no container runtime"
_NO_BLOCKS = "blocks of nodes are not modelled"

_JOB = (
    _O("bsa", "account", "A", "name", "text", "account", "charge the job to this account"),
    _O("b", "array", "a", "indexes", "text", "array", "submit an array, as 0-9:2%3"),
    _O("bsa", "begin", "b", "time", "later", "begin_time", "start no earlier than this"),
    _O("bsa", "clusters", "M", "names", "text", "", "cluster to submit to; only this one exists"),
    _O("bsa", "cluster", "", "names", "text", "", "same as --clusters", alias_of="clusters"),
    _O("bsa", "comment", "", "text", "text", "comment", "comment to keep with the job"),
    _O("bsa", "deadline", "", "time", "later", "deadline", "drop the job if it cannot end by this time"),
    _O("bsa", "dependency", "d", "type:jobid[:time]", "text", "dependency", "wait for other jobs"),
    _O("bsa", "extra", "", "expression", "text", "extra", "constraint over the nodes' Extra data"),
    _O("bsa", "hold", "H", "", "flag", "hold", "submit in held state"),
    _O("bsa", "job-name", "J", "name", "text", "name", "name of the job"),
    _O(
        "bsa",
        "kill-on-invalid-dep",
        "",
        "yes|no",
        "yes_no",
        "kill_on_invalid_dep",
        "end the job if a dependency cannot be met",
    ),
    _O("bsa", "licenses", "L", "names", "text", "licenses", "required licenses, as name:count"),
    _O("bsa", "nice", "", "[value]", "nice", "nice", "lower the priority by this amount"),
    _O("bsa", "partition", "p", "names", "text", "partition", "partition, or several to choose from"),
    _O("bsa", "priority", "", "value", "priority", "priority", "set the priority directly"),
    _O("bsa", "qos", "q", "qos", "text", "qos", "quality of service"),
    _O("bsa", "reservation", "", "name", "text", "reservation", "run inside this reservation"),
    _O("bsa", "test-only", "", "", "flag", "", "print when the job would start and submit nothing"),
    _O("bsa", "time", "t", "minutes", "limit", "time_limit", "time limit"),
    _O("bsa", "time-min", "", "minutes", "limit", "time_min", "shortest acceptable time limit, for an earlier start"),
    _O("bsa", "uid", "", "user", "text", "", "submit as this user, known to the system or not"),
    _O("bsa", "wckey", "", "key", "text", "wckey", "workload characterisation key"),
    _O("b", "requeue", "", "[expedite]", "requeue", "requeue", "requeue after a node failure"),
    _O("b", "no-requeue", "", "", "no", "requeue", "never requeue"),
    _O("b", "wait", "W", "", "flag", "", "return when the job has ended, with its exit code"),
    _O("sa", "immediate", "I", "[secs]", "immediate", "", "fail unless it can start at once"),
    _O("bsa", "quiet", "Q", "", "flag", "", "say less"),
    _O("bsa", "verbose", "v", "", "flag", "", "say more"),
    _O("b", "parsable", "", "", "flag", "", "print only the job id (and the cluster)"),
    _note("s", "parsable", "", "accepted, as by srun", "srun prints no job id"),
    _O("ba", "gid", "", "group", "text", "", "group to run as, instead of the user's own"),
    _O("bsa", "mail-type", "", "types", "mail_type", "mail_type", "events to write mail about"),
    _O("bsa", "mail-user", "", "user", "text", "mail_user", "where to send mail"),
    _note("bsa", "mcs-label", "label", "security label", "shown, not enforced", field="mcs_label"),
    _note("bsa", "bb", "spec", "burst buffer", "no burst buffers"),
    _note("bsa", "bbf", "file", "burst buffer file", "no burst buffers"),
    _live("bsa", "acctg-freq", "spec", "sampling interval", reader="sampling"),
    _note("bsa", "profile", "value", "what to profile", "nothing is sampled", reader="profile"),
    _note("bsa", "delay-boot", "minutes", "delay of a node's reboot", _NO_REBOOT, reader="boot_delay"),
    _note(
        "bsa", "cluster-constraint", "list", "features of a federated cluster", "one cluster", field="cluster_features"
    ),
    _note("b", "batch", "features", "features of the batch host", "any node can be the batch host"),
    _note("bsa", "stepmgr", "", "a step manager for the job", "there are no daemons"),
)

_SIZE = (
    _O("bsa", "nodes", "N", "N", "nodes", "", "number of nodes, as 2, 2-4, 2,4 or 1-9:2"),
    _O("bsa", "ntasks", "n", "count", "positive", "num_tasks", "number of tasks"),
    _O("bsa", "cpus-per-task", "c", "count", "positive", "cpus_per_task", "CPUs for each task"),
    _O("bsa", "ntasks-per-node", "", "n", "positive", "ntasks_per_node", "tasks on each node"),
    _O("bsa", "tasks-per-node", "", "n", "positive", "ntasks_per_node", "same", alias_of="ntasks-per-node"),
    _O("bsa", "ntasks-per-socket", "", "n", "positive", "ntasks_per_socket", "tasks on each socket"),
    _O("bsa", "ntasks-per-core", "", "n", "positive", "ntasks_per_core", "tasks on each core"),
    _O("bsa", "ntasks-per-gpu", "", "n", "positive", "ntasks_per_gpu", "tasks for each GPU"),
    _O("bsa", "sockets-per-node", "", "S", "positive", "sockets_per_node", "minimum number of sockets per node"),
    _O("bsa", "cores-per-socket", "", "C", "positive", "cores_per_socket", "minimum number of cores per socket"),
    _O("bsa", "threads-per-core", "", "T", "positive", "threads_per_core", "threads to use of each core"),
    _O("bsa", "extra-node-info", "B", "S[:C[:T]]", "geometry", "", "sockets, cores and threads together"),
    _O("bsa", "core-spec", "S", "cores", "count", "core_spec", "cores kept for the system"),
    _shown(
        "bsa",
        "thread-spec",
        "",
        "threads",
        "positive",
        "thread_spec",
        "threads kept for the system",
        "none is withheld",
    ),
    _O("bsa", "overcommit", "O", "", "flag", "overcommit", "more than one task on a CPU"),
    _O("bsa", "mincpus", "", "n", "positive", "min_cpus_per_node", "minimum number of CPUs per node"),
    _O("bsa", "mem", "", "MB", "memory", "mem_per_node", "memory on each node; 0 for all of it"),
    _O("bsa", "mem-per-cpu", "", "MB", "memory", "mem_per_cpu", "memory for each CPU"),
    _O("bsa", "mem-per-gpu", "", "MB", "memory", "mem_per_gpu", "memory for each GPU"),
    _O("bsa", "tmp", "", "MB", "memory", "min_tmp_disk", "minimum temporary disk space per node"),
    _O("bsa", "gres", "", "list", "text", "gres", "generic resources on each node"),
    _O("bsa", "gpus", "G", "n", "text", "gpus", "GPUs for the job"),
    _O("bsa", "gpus-per-node", "", "n", "text", "gpus_per_node", "GPUs on each node"),
    _O("bsa", "gpus-per-socket", "", "n", "text", "gpus_per_socket", "GPUs on each socket"),
    _O("bsa", "gpus-per-task", "", "n", "text", "gpus_per_task", "GPUs for each task"),
    _O("bsa", "cpus-per-gpu", "", "n", "positive", "cpus_per_gpu", "CPUs for each GPU"),
    _O("bsa", "tres-per-task", "", "list", "text", "tres_per_task", "trackable resources for each task"),
    _O("bsa", "nodelist", "w", "hosts", "hosts", "nodelist", "nodes the job must have"),
    _O("bsa", "nodefile", "F", "file", "nodefile", "nodelist", "file that lists nodes the job must have"),
    _O("bsa", "exclude", "x", "hosts", "hosts", "exclude", "nodes the job must not have"),
    _O("bsa", "constraint", "C", "list", "text", "features", "features the nodes must have"),
    _O("bsa", "prefer", "", "list", "text", "prefer", "features the nodes should have"),
    _O("bsa", "contiguous", "", "", "flag", "contiguous", "use adjacent nodes"),
    _O("bsa", "exclusive", "", "[user|mcs|topo]", "exclusive", "", "do not share nodes with other jobs"),
    _O("bsa", "oversubscribe", "s", "", "oversubscribe", "", "share CPUs with other jobs"),
    _O("bsa", "share", "", "", "oversubscribe", "", "older name", OURS, alias_of="oversubscribe"),
    _O("bsa", "spread-job", "", "", "flag", "spread_job", "spread the job over as many nodes as possible"),
    _O("bsa", "use-min-nodes", "", "", "flag", "use_min_nodes", "use as few nodes as the range allows"),
    _O(
        "bsa",
        "switches",
        "",
        "count[@time]",
        "switches",
        "",
        "maximum number of leaf switches, and how long to wait for them",
    ),
    _shown("bsa", "reboot", "", "", "flag", "reboot", "reboot the nodes first", _NO_REBOOT),
    _note("bsa", "hint", "type", "kind of application", "it decides which threads of a core are used", reader="hint"),
    _note("ba", "gres-flags", "opts", "how to place generic resources", _NO_BINDING, reader="gres_flags"),
    _note("s", "gres-flags", "opts", "how to place generic resources", _NO_BINDING, reader="step_gres_flags"),
    _note("bsa", "segment", "size", "size of a block of nodes", _NO_BLOCKS, reader="short_count"),
    _note("bsa", "spread-segments", "", "segments on different blocks", _NO_BLOCKS),
    _note("bsa", "consolidate-segments", "", "segments on one block", _NO_BLOCKS),
    _O("bsa", "ntasks-per-tres", "", "n", "positive", "ntasks_per_gpu", "older form of --ntasks-per-gpu"),
)

_COMPLEX = (
    _O("ba", "resources", "l", "attr=val,...", "text", "hard_resources", "complex attributes, as in Grid Engine", OURS),
    _O("s", "resources", "", "attr=val,...", "text", "hard_resources", "complex attributes, as in Grid Engine", OURS),
    _O("bsa", "hard", "", "", "flag", "", "the --resources that follow are required (default)", OURS),
    _O("bsa", "soft", "", "", "flag", "", "the --resources that follow are preferred", OURS),
    _O(
        "bsa",
        "flux-constraint",
        "",
        "JSON|@file",
        "from_file",
        "flux_constraint",
        "constraint object (RFC 31)",
        OURS,
    ),
    _O(
        "bsa",
        "requires",
        "",
        "query",
        "text",
        "requires",
        "constraint query (RFC 35); if there are several, all must match",
        OURS,
    ),
)

_RUN = (
    _O("bsa", "chdir", "D", "directory", "path", "work_dir", "working directory of the job"),
    _live("bs", "error", "file", "file for standard error", "e", field="error", reader="filename"),
    _live("bs", "output", "file", "file for standard output", "o", field="output", reader="filename"),
    _live("bs", "input", "file", "file for standard input", "i", field="input", reader="filename"),
    _live("bs", "open-mode", "append|truncate", "how to open the output files", field="open_mode", reader="open_mode"),
    _live("bs", "export", "names", "environment to pass on", field="export", reader="text"),
    _live("b", "signal", "sig[@time]", "signal to send before the job ends", field="signal", reader="batch_signal"),
    _live("sa", "signal", "sig[@time]", "signal to send before the job ends", field="signal", reader="signal"),
    _O("bsa", "wait-all-nodes", "", "0|1", "zero_or_one", "wait_all_nodes", "start when all nodes have powered up"),
    _O("b", "wrap", "", "command", "text", "", "submit this command as the script"),
    _shown("b", "ignore-pbs", "", "", "flag", "", "do not read #PBS lines", "#PBS lines are never read"),
    _O("a", "no-shell", "", "", "flag", "", "exit when the allocation is granted"),
    _live("bsa", "distribution", "type", "how tasks go to nodes", "m", field="distribution", reader="distribution"),
    _live("ba", "get-user-env", "[L|S]", "take the user's login environment", reader="user_env"),
    _live("b", "export-file", "file|fd", "environment from a file"),
    _live("bsa", "no-kill", "[off]", "continue after a node fails", "k", reader="no_kill"),
    _note(
        "bsa",
        "oom-kill-step",
        "[0|1]",
        "end the step when memory runs out",
        "a step that runs out of memory ends as a whole",
        reader="switched",
    ),
    _live("bs", "propagate", "[rlimits]", "resource limits to pass on", reader="propagated"),
    _note("bsa", "network", "type", "network resources", "no networks", field="network"),
    _note("bsa", "cpu-freq", "range", "CPU frequency", _NO_FREQUENCY, reader="cpu_frequency"),
    _note("bsa", "gpu-freq", "spec", "GPU frequency", _NO_FREQUENCY, reader="gpu_frequency"),
    _note("bsa", "tres-freq", "spec", "frequency of devices", _NO_FREQUENCY, field="tres_freq"),
    _note("bsa", "gpu-bind", "spec", "binding of tasks to GPUs", _NO_BINDING, reader="gpu_binding"),
    _note("bsa", "mem-bind", "spec", "binding of tasks to memory", _NO_BINDING, reader="memory_binding"),
    _note("bsa", "tres-bind", "spec", "binding of tasks to devices", _NO_BINDING, field="tres_bind"),
    _note("bsa", "container", "path", "OCI container bundle", _NO_CONTAINER),
    _note("bsa", "container-id", "id", "OCI container", _NO_CONTAINER),
    _note("bsa", "runtime", "name", "container runtime", _NO_CONTAINER),
    _note("bsa", "resv-ports", "[count]", "reserve communication ports", _ONE_MACHINE, reader="reserved_ports"),
    _live("a", "bell", "", "ring when the allocation is granted"),
    _live("a", "no-bell", "", "do not ring"),
    _live("a", "kill-command", "[signal]", "signal to the command when the job ends", "K", reader="kill_command"),
    _note("sa", "x11", "[all]", "X11 forwarding", _ONE_MACHINE),
)

_STEP = (
    _live("s", "label", "", "begin each line with the task's number", "l", reader="flag"),
    _O("s", "jobid", "", "id", "text", "", "create the step in this allocation"),
    _live("s", "async", "", "do not wait for the step"),
    _live("s", "bcast", "[path]", "copy the program to the nodes"),
    _note("s", "bcast-exclude", "[paths]", "libraries not to copy", _HERE),
    _note("s", "compress", "[library]", "compress what is copied", _HERE),
    _note("s", "cpu-bind", "type", "binding of tasks to CPUs", _NO_BINDING, reader="cpu_binding"),
    _live("s", "disable-status", "", "no status on Ctrl-C", "X"),
    _live("s", "epilog", "program", "program to run after the step"),
    _live("s", "exact", "", "only the resources asked for"),
    _live("s", "external-launcher", "", "leave the launch to another program"),
    _O("s", "het-group", "", "groups", "text", "", "components of a heterogeneous job that run the command, as 0,2-3"),
    _live("s", "ignore-signals", "signals", "signals that srun ignores", reader="signal_list"),
    _note("s", "interactive", "", "an interactive step", "there is no such kind of step"),
    _live("s", "kill-on-bad-exit", "[0|1]", "end the step if a task fails", "K", reader="switched"),
    _note("s", "mpi", "type", "kind of MPI", "nothing is loaded for any kind"),
    _live("s", "multi-prog", "", "several programs"),
    _note("s", "no-allocate", "", "no allocation", "an allocation is always made", "Z"),
    _live("s", "overlap", "", "share resources with other steps"),
    _live("s", "preserve-env", "", "keep the environment's node counts", "E"),
    _live("s", "prolog", "program", "program to run before the step"),
    _live("s", "pty", "[fd]", "run in a pseudo terminal"),
    _live("s", "quit-on-interrupt", "", "quit at the first Ctrl-C"),
    _live("s", "relative", "n", "first node of the step", "r", reader="count"),
    _note("s", "send-libs", "[yes|no]", "copy libraries too", _HERE, reader="libraries"),
    _note("s", "slurmd-debug", "level", "log level of slurmd", _ONE_MACHINE),
    _live("s", "task-epilog", "program", "program to run after each task"),
    _live("s", "task-prolog", "program", "program to run before each task"),
    _note("s", "threads", "count", "threads of srun", _HERE, "T", reader="positive"),
    _note("s", "treewidth", "count", "fan-out of srun", _HERE, reader="fan_out"),
    _live("s", "unbuffered", "", "no buffering of output", "u"),
    _live("s", "wait", "secs", "how long to wait after the first task ends", "W", reader="count"),
    _live("s", "wait-for-children", "", "wait for the tasks' children"),
)

_OWN = (
    _O(
        "bsa",
        "sim-runtime",
        "",
        "time",
        "run_time",
        "sim_runtime",
        "how long the job will run: seconds, 10m, 1-0; -1: forever",
        OURS,
    ),
    _O("bsa", "sim-exit", "", "code", "exit_code", "sim_exit", "the exit code the job will have", OURS),
    _O("bsa", "sim-state", "", "state", "end_state", "sim_state", "the state the job will end in: OUT_OF_MEMORY", OURS),
)
