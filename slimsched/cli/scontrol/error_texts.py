"""The texts of Slurm's error numbers that slimsched itself never gives, for ``scontrol errnumstr``."""

from __future__ import annotations

import os

from slimsched.slurm.errno import CODES

MORE = """
-1 Unspecified error
1001 Communication connection failure
1002 Message send failure
1003 Message receive failure
1004 Communication shutdown failure
1005 Incompatible versions of client and server code
1006 I/O stream version number error
1007 Protocol authentication error
1008 Insane message length
1009 Invalid MPI plugin name
1010 MPI plugin's pre-launch setup failed
1011 Plugin initialization failed
1012 Can't find an address, check slurm.conf
1013 Unexpected missing socket error
1801 Unable to contact slurm controller (send failure)
1802 Unable to contact slurm controller (receive failure)
1803 Unable to contact slurm controller (shutdown failure)
1804 Rate limit exceeded, please retry momentarily
2022 Error configuring interconnect
2027 Slurm backup controller in standby mode
2030 AuthType change requires restart of all Slurm daemons and commands to take effect
2032 SchedulerType change requires restart of the slurmctld daemon to take effect
2033 SelectType change requires restart of the slurmctld daemon to take effect
2034 SwitchType change requires restart of all Slurm daemons and jobs to take effect
2035 Immediate execution impossible, resources too fragmented for allocation
2041 Unable to takeover, heartbeat file is missing
2043 CredType change requires restart of all Slurm daemons to take effect
2046 Invalid parent account specified
2047 Account already child of parent account specified
2059 Required ports are in use
2060 Requires more ports than can be reserved
2061 PrologSlurmctld is still running
2062 Job steps can not be run on this cluster
2063 Job cannot be submitted without the current working directory specified.
2067 QOS Preemption loop detected
2079 Switch resources currently not available
2089 Duplicate event trigger
2090 Slurm internal error, contact system administrator
2091 BurstBufferType change requires restart of slurmctld daemon to take effect
2092 Burst Buffer permission denied
2093 Burst Buffer resource limit exceeded
2094 Burst Buffer request invalid
2097 JobContainerType change requires restart of all Slurm daemons and commands to take effect
2099 Invalid mcs_label specified
2100 Waiting for burst buffer
2102 Duplicate generic resource (gres) specification
2103 Job update not available right now, the DB index is being set, try again in a bit
2106 Job not heterogeneous job
2107 Job not heterogeneous job leader
2108 Operation not permitted on individual component of heterogeneous job
2109 Core-based reservation can not be updated
2110 Duplicate job step id
2111 Core count for reservation node list is not consistent!
2112 X11 forwarding not available
2116 Invalid TRESBillingWeights specification
2120 Reboot already in progress
2121 Multiple KNL NUMA and/or MCDRAM constraints require use of a heterogeneous job
2122 Requested GRES option unsupported by configured SelectType plugin
2125 Immediate execution impossible. Individual job submission scheduling attempts deferred
2126 ConfigLess mode is disabled in slurm configuration.
2127 Environment is missing in job
2129 Reservations can't have users and groups specified, only one or the other
2130 Multiple partition job request not supported when a partition is set in the association
2131 Controller is in standby mode, try a different controller
2135 Invalid container id specified
2137 JobID can not be zero
2138 JobID can not be a negative number
2139 JobID larger than acceptable range
2140 JobID includes unexpected non-numeric characters
3000 Generic error
3001 Bad argument
3002 Not in task context
3003 Environment variable exists
3004 No such environment variable
3005 Buffer too small
3006 Valid only in remote context
3007 Id/PID does not exist on this node
3008 Lookup by PID requested, but no tasks running
3009 Item not available from this callback
3010 Valid only in local or allocator context
7100 Too many clusters in federation
7101 Clusters can only be assigned to one federation
7102 Invalid cluster feature specification
7104 Invalid cluster name
7105 Job locked by another sibling
7106 No eligible clusters for federated job
"""


def text(number: int) -> str:
    """Return the text of an error number."""
    known = {int(code): code.text for code in CODES}
    for line in MORE.strip().splitlines():
        value, _, said = line.partition(" ")
        known[int(value)] = said
    return known.get(number) or os.strerror(number)
