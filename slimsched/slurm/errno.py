"""Slurm's error numbers and texts, for those that the toolkit can give or explain.

Source: slurm/slurm_errno.h by behaviour (``scontrol errnumstr N``). A member's value is the number,
its ``text`` what ``slurm_strerror`` says.
"""

from __future__ import annotations

from enum import IntEnum


class Errno(IntEnum):
    """One refusal of the controller: number and text."""

    text: str

    def __new__(cls, value: int, text: str) -> Errno:
        """Keep the text beside the number."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.text = text
        return member

    SUCCESS = 0, "No error"
    UNEXPECTED_MSG = 1000, "Unexpected message received"
    CONNECTION = 1800, "Unable to contact slurm controller (connect failure)"
    NO_CHANGE_IN_DATA = 1900, "Data has not changed since time specified"
    INVALID_PARTITION_NAME = 2000, "Invalid partition name specified"
    DEFAULT_PARTITION_NOT_SET = 2001, "No partition specified or system default partition"
    ACCESS_DENIED = 2002, "Access/permission denied"
    JOB_MISSING_REQUIRED_PARTITION_GROUP = 2003, "User's group not permitted to use this partition"
    REQUESTED_NODES_NOT_IN_PARTITION = 2004, "Requested nodes not in this partition"
    TOO_MANY_REQUESTED_CPUS = 2005, "More processors requested than permitted"
    INVALID_NODE_COUNT = 2006, "Node count specification invalid"
    MAX_JOB_COUNT = 2007, "Maximum job count reached (see MaxJobCount in slurm.conf)"
    JOB_MISSING_SIZE_SPECIFICATION = 2008, "Job size specification needs to be provided"
    JOB_SCRIPT_MISSING = 2009, "Job script not specified"
    USER_ID_MISSING = 2010, "Invalid user id"
    DUPLICATE_JOB_ID = 2011, "Duplicate job id"
    PATHNAME_TOO_LONG = 2012, "Pathname of a file, directory or other parameter too long"
    NOT_TOP_PRIORITY = 2013, "Immediate execution impossible, insufficient priority"
    REQUESTED_NODE_CONFIG_UNAVAILABLE = 2014, "Requested node configuration is not available"
    REQUESTED_PART_CONFIG_UNAVAILABLE = 2015, "Requested partition configuration not available now"
    NODES_BUSY = 2016, "Requested nodes are busy"
    INVALID_JOB_ID = 2017, "Invalid job id specified"
    INVALID_NODE_NAME = 2018, "Invalid node name specified"
    WRITING_TO_FILE = 2019, "I/O error writing script/environment to file"
    TRANSITION_STATE_NO_UPDATE = 2020, "Job can not be altered now, try again later"
    ALREADY_DONE = 2021, "Job/step already completing or completed"
    BAD_DIST = 2023, "Task distribution specification invalid"
    JOB_PENDING = 2024, "Job is pending execution"
    BAD_TASK_COUNT = 2025, "Task count specification invalid"
    INVALID_JOB_CREDENTIAL = 2026, "Error generating job credential"
    INVALID_NODE_STATE = 2028, "Invalid node state specified"
    INVALID_FEATURE = 2029, "Invalid feature specification"
    ACTIVE_FEATURE_NOT_SUBSET = 2031, "Active features not subset of available features"
    NOT_SUPPORTED = 2036, "Requested operation not supported on this system"
    DISABLED = 2037, "Requested operation is presently disabled"
    DEPENDENCY = 2038, "Job dependency problem"
    BATCH_ONLY = 2039, "Only batch jobs are accepted or processed"
    LICENSES_UNAVAILABLE = 2040, "Licenses currently unavailable"
    JOB_HELD = 2042, "Job is in held state, pending scheduler release"
    INVALID_TASK_MEMORY = 2044, "Memory required by task is not available"
    INVALID_ACCOUNT = 2045, "Invalid account or account/partition combination specified"
    INVALID_LICENSES = 2048, "Invalid license specification"
    NEED_RESTART = (
        2049,
        ("The node configuration changes that were made require restart of the slurmctld daemon to take effect"),
    )
    ACCOUNTING_POLICY = (
        2050,
        "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
    )
    INVALID_TIME_LIMIT = 2051, "Requested time limit is invalid (missing or exceeds some limit)"
    RESERVATION_ACCESS = 2052, "Access denied to requested reservation"
    RESERVATION_INVALID = 2053, "Requested reservation is invalid"
    INVALID_TIME_VALUE = 2054, "Invalid time specified"
    RESERVATION_BUSY = 2055, "Requested reservation is in use"
    RESERVATION_NOT_USABLE = 2056, "Requested reservation not usable now"
    INVALID_WCKEY = 2057, "Invalid wckey specification"
    RESERVATION_OVERLAP = 2058, "Requested reservation overlaps with another reservation"
    INVALID_QOS = 2066, "Invalid qos specification"
    NODE_NOT_AVAIL = 2068, "Required node not available (down, drained or reserved)"
    INVALID_CPU_COUNT = 2069, "CPU count specification invalid"
    PARTITION_NOT_AVAIL = 2070, "Required partition not available (inactive or drain)"
    CIRCULAR_DEPENDENCY = 2071, "Circular job dependency"
    INVALID_GRES = 2072, "Invalid generic resource (gres) specification"
    JOB_NOT_PENDING = 2073, "Job is no longer pending execution"
    QOS_THRES = 2074, "Requested account has breached requested QOS usage threshold"
    PARTITION_IN_USE = 2075, "Partition is in use"
    STEP_LIMIT = 2076, "Step limit reached for this job"
    JOB_SUSPENDED = 2077, "Job is current suspended, requested operation disabled"
    CAN_NOT_START_IMMEDIATELY = 2078, "Job can not start immediately"
    RESERVATION_EMPTY = 2080, "Reservation request lacks users, groups or accounts"
    INVALID_ARRAY = 2081, "Invalid job array specification"
    RESERVATION_NAME_DUP = 2082, "Duplicate reservation name"
    JOB_STARTED = 2083, "Job has already started"
    JOB_FINISHED = 2084, "Job has already finished"
    JOB_NOT_RUNNING = 2085, "Job is not running"
    JOB_NOT_PENDING_NOR_RUNNING = 2086, "Job is not pending nor running"
    JOB_NOT_SUSPENDED = 2087, "Job is not suspended"
    JOB_NOT_FINISHED = 2088, "Job is not finished"
    PRIO_RESET_FAIL = 2095, "Changes to job priority are not persistent, change nice instead"
    PARTITION_DOWN = 2101, "Partition in DOWN state"
    RSV_ALREADY_STARTED = 2104, "Reservation already started"
    SUBMISSIONS_DISABLED = 2105, "System submissions disabled"
    GROUP_ID_MISSING = 2113, "Invalid group id"
    BATCH_CONSTRAINT = 2114, "Job --batch option is invalid or not a subset of --constraints"
    RESERVATION_MAINT = 2118, "Job can not start due to maintenance reservation."
    INVALID_TRES = 2115, "Invalid Trackable RESource (TRES) specification"
    INVALID_GRES_TYPE = 2119, "Invalid GRES specification (with and without type identification)"
    INVALID_NICE = 2123, "Invalid --nice value"
    INVALID_TIME_MIN_LIMIT = 2124, "Invalid time-min specification (exceeds job's time or other limits)"
    RESERVATION_NO_SKIP = 2128, "Reservation given is not skipable, try deleting instead"
    BAD_THREAD_PER_CORE = 2132, "Cannot request more threads per core than the job allocation"
    INVALID_PREFER = 2133, "Invalid preferred feature specification"
    INSUFFICIENT_GRES = 2134, "Insufficient GRES available in allocation"
    EMPTY_JOB_ID = 2136, "JobID must not be an empty string"
    USER_ID_INVALID = 2165, "Invalid user ID"
    USER_ID_UNKNOWN = 2166, "Unable to resolve user ID to user name"
    INVALID_ASSOC = 2167, "Invalid or unknown association"
    NODE_ALREADY_EXISTS = 2168, "Node already exists in the node table"
    INVALID_EXTRA = 2171, "Invalid extra constraints specification"
    INVALID_NODE_STATE_TRANSITION = 2180, "Invalid node state transition"
    EXTERN_ONLY = 2186, "Requested operation requires extern step"
    JOB_NOT_FEDERATED = 7103, "Not a valid federated job"
