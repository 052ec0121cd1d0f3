"""``scontrol show config --json``: the configuration under the keys of Slurm's OpenAPI, from what the text shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slimsched.model.request import INFINITE
from slimsched.render.config.show import pairs
from slimsched.render.json.partitions import PREEMPTION
from slimsched.render.json.table import Table, constant
from slimsched.render.json.types import number, text, whole, words
from slimsched.slurm import kinds

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

Texts = dict[str, str]
EMPTY = frozenset({"(null)", "(null type)", "N/A"})
NEVER = 0xFFFE  # what stands for "no time limit" in the text

KEYS = """
list AccountingStorageTRES
text AccountingStorageBackupHost
list AccountingStorageEnforce
text AccountingStorageExternalHost
text AccountingStorageHost
list AccountingStorageParameters
int AccountingStoragePort
text AccountingStorageType
list AcctGatherEnergyType
text AcctGatherProfileType AcctGatherInterconnectType AcctGatherFilesystemType
int AcctGatherNodeFreq
list ConfFlags AuthAltTypes
text AuthInfo AuthAltParameters AuthType
int BatchStartTimeout
text BurstBufferType
list BcastExclude BcastParameters CertgenParameters
text CertgenType CertmgrParameters CertmgrType
list CliFilterParameters CliFilterPlugins
text ClusterName
list CommunicationParameters
int CompleteWait
list CommunicationParametersFlags AccountingStoreFlags SlurmdParametersFlags
hosts controllers
text CpuFreqDef
list CpuFreqGovernors
text CredType DataParserParameters
list DebugFlags
limit DefMemPerCPU
list DependencyParameters
int EioTimeout
word EnforcePartLimits
list Epilog
int EpilogMsgTime
list EpilogSlurmctld
limit EpilogTimeout
list FederationParameters
int FirstJobId FairShareDampeningFactor GetNameInfoCacheTimeout
list GresTypes
int GroupUpdateTime
bool GroupUpdateForce
text GpuFreqDef HashPlugin
int HealthCheckInterval
list HealthCheckNodeState
text HealthCheckProgram
int HealthCheckTimeout
text HttpParserType
int HostUnreachRetryCount InactiveLimit
text InteractiveStepOptions
list JobAcctGatherFrequency
text JobAcctGatherType
list JobAcctGatherParams
bool JobAcctOomKill
text JobCompHost JobCompLoc JobCompParams
int JobCompPort
text JobCompType JobCompUser
list JobDefaults
bool JobFileAppend JobRequeue
list JobSubmitPlugins
int KeepaliveInterval KeepaliveProbes KeepaliveTime
bool KillOnBadExit
int KillWait
list LaunchParameters Licenses LicenseParameters
word LogTimeFormat
text MailDomain MailProg
int MaxArraySize MaxBatchRequeue MaxDBDMsgs MaxJobCount MaxJobId
limit MaxMemPerCPU
int MaxNodeCount MaxStepCount MaxTasksPerNode
text MCSPlugin
list MCSParameters MetricsAuthUsers MetricsParameters
text MetricsType
int MinJobAge
text MpiDefault
list MpiParams
int MessageTimeout
text NamespaceType
list NodeFeaturesPlugins
int OverTimeLimit
text PluginDir PlugStackConfig
limit PreemptExemptTime
modes PreemptMode
list PreemptParameters
text PreemptType PrEpParameters
list PrEpPlugins
text PriorityDecayHalfLife PriorityCalcPeriod
bool PriorityFavorSmall
list PriorityFlags
text PriorityMaxAge PriorityParameters
word PriorityUsageResetPeriod
text PriorityType
int PriorityWeightAge PriorityWeightAssoc PriorityWeightFairshare PriorityWeightJobSize PriorityWeightPartition
int PriorityWeightQOS
text PriorityWeightTRES
list PrivateData
text ProctrackType
list Prolog PrologSlurmctld
limit PrologTimeout
word PropagatePrioProcess
list PrologFlags PropagateResourceLimits PropagateResourceLimitsExcept
text RebootProgram
list ReconfigFlags RequeueExit RequeueExitHold
text ResumeFailProgram ResumeProgram
int ResumeRate ResumeTimeout
text ResvEpilog
int ResvOverRun
text ResvProlog
word ReturnToService
text SlurmSchedLogFile
int SlurmSchedLogLevel
list SchedulerParameters
int SchedulerTimeSlice
text SchedulerType
list ScronParameters
text SelectType
list SelectTypeParameters
text PrioritySiteFactorPlugin PrioritySiteFactorParameters
id SlurmUserId
user SlurmUser
id SlurmdUserId
user SlurmdUser
text SlurmctldAddr
list SlurmctldDebug SlurmctldHttpAuthParams
text SlurmctldLogFile SlurmctldPidFile
int SlurmctldPort SlurmctldPortCount
text SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg
list SlurmctldSyslogDebug
int SlurmctldTimeout
list SlurmctldParameters SlurmdDebug SlurmdHttpAuthParams
text SlurmdLogFile
list SlurmdParameters
text SlurmdPidFile
int SlurmdPort
text SlurmdSpoolDir
list SlurmdSyslogDebug
int SlurmdTimeout
text SrunEpilog
ports SrunPortRange
text SrunProlog StateSaveLocation
list SuspendExcNodes SuspendExcParts SuspendExcStates
text SuspendProgram
int SuspendRate
limit SuspendTime
int SuspendTimeout
text SwitchType
list SwitchParameters
text TaskEpilog
list TaskPlugin TaskPluginParam
text TaskProlog
list TLSParameters
text TLSType
int TCPTimeout
text TmpFS
list TopologyParam
text TopologyPlugin
int TreeWidth
text UnkillableStepProgram
int UnkillableStepTimeout
text UrlParserType
int VSizeFactor WaitTime
list X11Parameters
"""
"""A type, and the keys that have it; in the order of Slurm's document."""
ONE_WORD = {
    "PropagatePrioProcess": {"0": "off", "1": "on", "2": "nicer"},
    "ReturnToService": {"0": "none", "1": "non_responsive_only", "2": "all"},
}
"""Flags that the text shows as numbers or other words."""
FLAGS = {"DisableRootJobs": "DisableRootJobs", "AllowSpecResourcesUsage": "AllowSpecResourcesUsage",
         "UsePam": "UsePam", "TrackWCKey": "TrackWCKey"}  # fmt: skip
"""Keys of the text that are flags in ``ConfFlags``."""


def _shown(shown: str) -> str:
    return "" if shown in EMPTY else shown


def _count(shown: str) -> int:
    digits = shown.partition(" ")[0]
    return int(digits) if digits.isdigit() else 0


def _list(shown: str) -> list[str]:
    return words("" if shown == "none" else _shown(shown))


def _limit(shown: str) -> dict[str, Any]:
    """Return a number that may be without end, or not set; a time is given in seconds."""
    if shown.upper() in {"UNLIMITED", "INFINITE"}:
        return number(INFINITE)
    if ":" in shown:
        days, _, clock = shown.rpartition("-")
        hours, minutes, seconds = (int(part) for part in clock.split(":"))
        return number(int(days or 0) * 86400 + hours * 3600 + minutes * 60 + seconds)
    return number(_count(shown) if shown[:1].isdigit() and _count(shown) != NEVER else None)


def _ports(shown: str) -> dict[str, Any]:
    low, _, high = shown.partition("-")
    known = low.isdigit() and high.isdigit() and int(low) > 0
    return {"minimum": int(low) if known else 0, "maximum": int(high) if known else 0, "set": known}


TYPES: dict[str, Callable[[str], Any]] = {
    "text": _shown,
    "int": _count,
    "list": _list,
    "word": lambda shown: [shown],
    "modes": lambda shown: ["DISABLED"] if shown == "OFF" else PREEMPTION(words(shown)),
    "bool": lambda shown: kinds.boolean(shown) is True,
    "limit": _limit,
    "id": lambda shown: _count(shown.partition("(")[2].rstrip(")")),
    "user": lambda shown: shown.partition("(")[0],
    "ports": _ports,
    "hosts": lambda shown: [_host(each) for each in shown.split(",")],
}
SOURCES = {"controllers": "SlurmctldHost", "SlurmUserId": "SlurmUser", "SlurmdUserId": "SlurmdUser",
           "PriorityWeightFairshare": "PriorityWeightFairShare", "MaxMemPerCPU": "MaxMemPerNode",
           "EpilogTimeout": "PrologEpilogTimeout", "PrologTimeout": "PrologEpilogTimeout"}  # fmt: skip
"""Keys whose value the text shows under another key."""


def _getter(name: str) -> Callable[[Texts], str]:
    source = SOURCES.get(name, name).casefold()
    if name == "ConfFlags":
        return lambda texts: ",".join(flag for key, flag in FLAGS.items() if texts.get(key.casefold()) == "yes")
    known = ONE_WORD.get(name, {})
    return lambda texts: known.get(texts.get(source, ""), texts.get(source) or _numbered(texts, source) or "(null)")


def _numbered(texts: Texts, source: str) -> str:
    """Return the values of a key that has a line for each of them, "" if there is none."""
    return ",".join(value for key, value in texts.items() if key.startswith(f"{source}["))


def _host(shown: str) -> dict[str, str]:
    """Return a controller's host: ``head(10.0.0.1)``, or its name alone."""
    machine, _, address = shown.removesuffix(")").partition("(")
    return {"address": address or machine, "machine": machine}


CONFIG: Table[Texts] = Table(
    *((name, TYPES[kind], _getter(name)) for kind, *names in map(str.split, KEYS.strip().split("\n")) for name in names)
)
META: Table[Cluster] = Table(
    ("LastUpdate", whole, lambda cluster: cluster.now),
    ("BOOT_TIME", whole, lambda cluster: cluster.boot_time),
    ("ClusterId", number, constant(None)),
    ("HashValue", whole, constant(0)),
    ("NEXT_JOB_ID", number, lambda cluster: cluster.next_job_id),
    ("SLURM_CONF", text, constant("")),
    ("SLURM_VERSION", text, lambda cluster: cluster.config.version.release),
)


def body(cluster: Cluster) -> dict[str, Any]:
    """Return the configuration, and what is known of it."""
    texts = {key.casefold(): value for key, value in pairs(cluster)}
    return {"slurm_conf": CONFIG.of(texts), "slurm_conf_meta": META.of(cluster)}
