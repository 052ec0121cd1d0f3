"""Slurm's error numbers and texts, for those that the toolkit can give or explain.

Source: slurm/slurm_errno.h by behaviour (``scontrol errnumstr N``).
"""

from __future__ import annotations


class ErrorCode(int):
    """An error number, with the ``text`` that ``slurm_strerror`` says for it."""

    text: str

    def __new__(cls, number: int, text: str) -> ErrorCode:
        """Keep the text beside the number."""
        code = int.__new__(cls, number)
        code.text = text
        return code


class Errno:
    """The codes by name. (No ``enum``: to define one of a hundred members takes a millisecond of every command.)"""

    SUCCESS = ErrorCode(0, "No error")
    UNEXPECTED_MSG = ErrorCode(1000, "Unexpected message received")
    CONNECTION = ErrorCode(1800, "Unable to contact slurm controller (connect failure)")
    NO_CHANGE_IN_DATA = ErrorCode(1900, "Data has not changed since time specified")
    INVALID_PARTITION_NAME = ErrorCode(2000, "Invalid partition name specified")
    DEFAULT_PARTITION_NOT_SET = ErrorCode(2001, "No partition specified or system default partition")
    ACCESS_DENIED = ErrorCode(2002, "Access/permission denied")
    JOB_MISSING_REQUIRED_PARTITION_GROUP = ErrorCode(2003, "User's group not permitted to use this partition")
    REQUESTED_NODES_NOT_IN_PARTITION = ErrorCode(2004, "Requested nodes not in this partition")
    TOO_MANY_REQUESTED_CPUS = ErrorCode(2005, "More processors requested than permitted")
    INVALID_NODE_COUNT = ErrorCode(2006, "Node count specification invalid")
    MAX_JOB_COUNT = ErrorCode(2007, "Maximum job count reached (see MaxJobCount in slurm.conf)")
    JOB_MISSING_SIZE_SPECIFICATION = ErrorCode(2008, "Job size specification needs to be provided")
    JOB_SCRIPT_MISSING = ErrorCode(2009, "Job script not specified")
    USER_ID_MISSING = ErrorCode(2010, "Invalid user id")
    DUPLICATE_JOB_ID = ErrorCode(2011, "Duplicate job id")
    PATHNAME_TOO_LONG = ErrorCode(2012, "Pathname of a file, directory or other parameter too long")
    NOT_TOP_PRIORITY = ErrorCode(2013, "Immediate execution impossible, insufficient priority")
    REQUESTED_NODE_CONFIG_UNAVAILABLE = ErrorCode(2014, "Requested node configuration is not available")
    REQUESTED_PART_CONFIG_UNAVAILABLE = ErrorCode(2015, "Requested partition configuration not available now")
    NODES_BUSY = ErrorCode(2016, "Requested nodes are busy")
    INVALID_JOB_ID = ErrorCode(2017, "Invalid job id specified")
    INVALID_NODE_NAME = ErrorCode(2018, "Invalid node name specified")
    WRITING_TO_FILE = ErrorCode(2019, "I/O error writing script/environment to file")
    TRANSITION_STATE_NO_UPDATE = ErrorCode(2020, "Job can not be altered now, try again later")
    ALREADY_DONE = ErrorCode(2021, "Job/step already completing or completed")
    BAD_DIST = ErrorCode(2023, "Task distribution specification invalid")
    JOB_PENDING = ErrorCode(2024, "Job is pending execution")
    BAD_TASK_COUNT = ErrorCode(2025, "Task count specification invalid")
    INVALID_JOB_CREDENTIAL = ErrorCode(2026, "Error generating job credential")
    INVALID_NODE_STATE = ErrorCode(2028, "Invalid node state specified")
    INVALID_FEATURE = ErrorCode(2029, "Invalid feature specification")
    ACTIVE_FEATURE_NOT_SUBSET = ErrorCode(2031, "Active features not subset of available features")
    NOT_SUPPORTED = ErrorCode(2036, "Requested operation not supported on this system")
    DISABLED = ErrorCode(2037, "Requested operation is presently disabled")
    DEPENDENCY = ErrorCode(2038, "Job dependency problem")
    BATCH_ONLY = ErrorCode(2039, "Only batch jobs are accepted or processed")
    LICENSES_UNAVAILABLE = ErrorCode(2040, "Licenses currently unavailable")
    JOB_HELD = ErrorCode(2042, "Job is in held state, pending scheduler release")
    INVALID_TASK_MEMORY = ErrorCode(2044, "Memory required by task is not available")
    INVALID_ACCOUNT = ErrorCode(2045, "Invalid account or account/partition combination specified")
    INVALID_LICENSES = ErrorCode(2048, "Invalid license specification")
    NEED_RESTART = ErrorCode(
        2049, "The node configuration changes that were made require restart of the slurmctld daemon to take effect"
    )
    ACCOUNTING_POLICY = ErrorCode(
        2050, "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
    )
    INVALID_TIME_LIMIT = ErrorCode(2051, "Requested time limit is invalid (missing or exceeds some limit)")
    RESERVATION_ACCESS = ErrorCode(2052, "Access denied to requested reservation")
    RESERVATION_INVALID = ErrorCode(2053, "Requested reservation is invalid")
    INVALID_TIME_VALUE = ErrorCode(2054, "Invalid time specified")
    RESERVATION_BUSY = ErrorCode(2055, "Requested reservation is in use")
    RESERVATION_NOT_USABLE = ErrorCode(2056, "Requested reservation not usable now")
    INVALID_WCKEY = ErrorCode(2057, "Invalid wckey specification")
    RESERVATION_OVERLAP = ErrorCode(2058, "Requested reservation overlaps with another reservation")
    INVALID_QOS = ErrorCode(2066, "Invalid qos specification")
    NODE_NOT_AVAIL = ErrorCode(2068, "Required node not available (down, drained or reserved)")
    INVALID_CPU_COUNT = ErrorCode(2069, "CPU count specification invalid")
    PARTITION_NOT_AVAIL = ErrorCode(2070, "Required partition not available (inactive or drain)")
    CIRCULAR_DEPENDENCY = ErrorCode(2071, "Circular job dependency")
    INVALID_GRES = ErrorCode(2072, "Invalid generic resource (gres) specification")
    JOB_NOT_PENDING = ErrorCode(2073, "Job is no longer pending execution")
    QOS_THRES = ErrorCode(2074, "Requested account has breached requested QOS usage threshold")
    PARTITION_IN_USE = ErrorCode(2075, "Partition is in use")
    STEP_LIMIT = ErrorCode(2076, "Step limit reached for this job")
    JOB_SUSPENDED = ErrorCode(2077, "Job is current suspended, requested operation disabled")
    CAN_NOT_START_IMMEDIATELY = ErrorCode(2078, "Job can not start immediately")
    RESERVATION_EMPTY = ErrorCode(2080, "Reservation request lacks users, groups or accounts")
    INVALID_ARRAY = ErrorCode(2081, "Invalid job array specification")
    RESERVATION_NAME_DUP = ErrorCode(2082, "Duplicate reservation name")
    JOB_STARTED = ErrorCode(2083, "Job has already started")
    JOB_FINISHED = ErrorCode(2084, "Job has already finished")
    JOB_NOT_RUNNING = ErrorCode(2085, "Job is not running")
    JOB_NOT_PENDING_NOR_RUNNING = ErrorCode(2086, "Job is not pending nor running")
    JOB_NOT_SUSPENDED = ErrorCode(2087, "Job is not suspended")
    JOB_NOT_FINISHED = ErrorCode(2088, "Job is not finished")
    CANNOT_MODIFY_CRON_JOB = ErrorCode(2096, "Cannot modify scrontab jobs through scontrol")
    CANNOT_CANCEL_CRON_JOB = ErrorCode(2098, "Cannot cancel scrontab jobs without --cron flag.")
    PRIO_RESET_FAIL = ErrorCode(2095, "Changes to job priority are not persistent, change nice instead")
    PARTITION_DOWN = ErrorCode(2101, "Partition in DOWN state")
    RSV_ALREADY_STARTED = ErrorCode(2104, "Reservation already started")
    SUBMISSIONS_DISABLED = ErrorCode(2105, "System submissions disabled")
    NOT_WHOLE_HET_JOB = ErrorCode(2108, "Operation not permitted on individual component of heterogeneous job")
    GROUP_ID_MISSING = ErrorCode(2113, "Invalid group id")
    BATCH_CONSTRAINT = ErrorCode(2114, "Job --batch option is invalid or not a subset of --constraints")
    RESERVATION_MAINT = ErrorCode(2118, "Job can not start due to maintenance reservation.")
    TRIGGER_DUP = ErrorCode(2089, "Duplicate event trigger")
    INVALID_TRES = ErrorCode(2115, "Invalid Trackable RESource (TRES) specification")
    INVALID_JOB_DEFAULTS = ErrorCode(2117, "Invalid JobDefaults specification")
    INVALID_GRES_TYPE = ErrorCode(2119, "Invalid GRES specification (with and without type identification)")
    INVALID_NICE = ErrorCode(2123, "Invalid --nice value")
    INVALID_TIME_MIN_LIMIT = ErrorCode(2124, "Invalid time-min specification (exceeds job's time or other limits)")
    RESERVATION_NO_SKIP = ErrorCode(2128, "Reservation given is not skipable, try deleting instead")
    BAD_THREAD_PER_CORE = ErrorCode(2132, "Cannot request more threads per core than the job allocation")
    INVALID_PREFER = ErrorCode(2133, "Invalid preferred feature specification")
    INSUFFICIENT_GRES = ErrorCode(2134, "Insufficient GRES available in allocation")
    EMPTY_JOB_ID = ErrorCode(2136, "JobID must not be an empty string")
    USER_ID_INVALID = ErrorCode(2165, "Invalid user ID")
    USER_ID_UNKNOWN = ErrorCode(2166, "Unable to resolve user ID to user name")
    INVALID_ASSOC = ErrorCode(2167, "Invalid or unknown association")
    NODE_ALREADY_EXISTS = ErrorCode(2168, "Node already exists in the node table")
    NODE_TABLE_FULL = ErrorCode(2169, "Unable to add node, node table is full")
    INVALID_EXTRA = ErrorCode(2171, "Invalid extra constraints specification")
    INVALID_NODE_STATE_TRANSITION = ErrorCode(2180, "Invalid node state transition")
    EXTERN_ONLY = ErrorCode(2186, "Requested operation requires extern step")
    JOB_NOT_FEDERATED = ErrorCode(7103, "Not a valid federated job")


CODES = tuple(code for code in vars(Errno).values() if isinstance(code, ErrorCode))
