"""The logs of the daemons: their levels, and the subsystems that say more if asked to, in Slurm's spelling.

Source: slurm.conf(5), "SlurmctldDebug" and "DebugFlags".
"""

from __future__ import annotations

LEVELS = ("quiet", "fatal", "error", "info", "verbose", "debug", "debug2", "debug3", "debug4", "debug5")
"""By number."""

DEBUG_FLAGS = (
    *("Accrue", "Agent", "AuditRPCs", "AuditTLS", "Backfill", "BackfillMap", "BurstBuffer", "Cgroup", "ConMgr"),
    *("CPU_Bind", "CpuFrequency", "Data", "DBD_Agent", "Dependency", "Elasticsearch", "Energy", "ExtSensors"),
    *("Federation", "Gang", "GLOB_SILENCE", "Gres", "Hetjob", "JobAccountGather", "JobAcctGather", "JobComp"),
    *("JobContainer", "License", "Metrics", "MPI", "Network", "NetworkRaw", "NO_CONF_HASH", "NodeFeatures", "Power"),
    *("Priority", "Profile", "Protocol", "Reservation", "Route", "SACK", "Script", "SelectType", "Steps", "Switch"),
    *("TimeCray", "TLS", "TraceJobs", "Triggers"),
)
"""What ``DebugFlags`` may name."""
