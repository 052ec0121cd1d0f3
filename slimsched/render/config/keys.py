"""The keys of ``scontrol show config``, with the value printed for each key that the configuration does not set.

Source: recorded from Slurm 26.11; keys that depend on the configuration, ``slurm_ctl_conf_2_key_pairs`` of src/api.
"""

from __future__ import annotations

KEYS = """
AccountingStorageBackupHost = (null)
AccountingStorageEnforce = none
AccountingStorageHost = localhost
AccountingStorageExternalHost = (null)
AccountingStorageParameters = (null)
AccountingStoragePort = 0
AccountingStorageTRES =
AccountingStorageType
AccountingStoreFlags = (null)
AcctGatherEnergyType = (null)
AcctGatherFilesystemType = (null)
AcctGatherInterconnectType = (null)
AcctGatherNodeFreq = 0 sec
AcctGatherProfileType = (null)
AllowSpecResourcesUsage = no
AuthAltTypes = (null)
AuthAltParameters = (null)
AuthInfo = (null)
AuthType = auth/munge
BatchStartTimeout = 10 sec
BcastExclude = /lib,/usr/lib,/lib64,/usr/lib64
BcastParameters = (null)
BOOT_TIME = (null)
BurstBufferType = (null)
CertgenParameters = (null)
CertgenType = (null)
CertmgrParameters = (null)
CertmgrType = (null)
CliFilterParameters = (null)
CliFilterPlugins = (null)
ClusterName
CommunicationParameters = (null)
CompleteWait = 0 sec
CpuFreqDef = Unknown
CpuFreqGovernors = OnDemand,Performance,UserSpace
CredType = cred/munge
DataParserParameters = (null)
DebugFlags = (null)
DefMemPerNode = UNLIMITED
DefRuntimePlugin = runtime/oci
DependencyParameters = (null)
DisableRootJobs = no
EioTimeout = 60
EnforcePartLimits
Epilog[]
EpilogMsgTime = 2000 usec
EpilogSlurmctld[]
FairShareDampeningFactor
FederationParameters = (null)
FirstJobId
GresTypes = (null)
GpuFreqDef = (null)
GroupUpdateForce = 1
GroupUpdateTime = 600 sec
HASH_VAL = Match
HashPlugin = hash/k12
HealthCheckInterval = 0 sec
HealthCheckNodeState = ANY
HealthCheckProgram = (null)
HealthCheckTimeout = 0 sec
HttpParserType = (null)
InactiveLimit = 0 sec
InteractiveStepOptions = --interactive --preserve-env --pty $SHELL
JobAcctGatherFrequency = 30
JobAcctGatherType = (null)
JobAcctGatherParams = (null)
JobCompHost = localhost
JobCompLoc = (null)
JobCompParams = (null)
JobCompPass = (null)
JobCompPort = 0
JobCompType = (null)
JobCompUser = root
JobDefaults = (null)
JobFileAppend = 0
JobRequeue
JobSubmitPlugins = (null)
KillOnBadExit = 0
KillWait [sec]
LaunchParameters = (null)
LicenseParameters = (null)
Licenses = (null)
LogTimeFormat = iso8601_ms
MailDomain = (null)
MailProg = /bin/mail
MaxArraySize
MaxBatchRequeue = 5
MaxDBDMsgs = 0
MaxJobCount
MaxJobId = 67043328
MaxMemPerNode = UNLIMITED
MaxNodeCount = (null)
MaxStepCount = 40000
MaxTasksPerNode = 512
MCSPlugin = (null)
MCSParameters = (null)
MessageTimeout [sec]
MetricsAuthUsers = (null)
MetricsParameters = (null)
MetricsType = (null)
MinJobAge [sec]
MpiDefault = (null)
MpiParams = (null)
MULTIPLE_SLURMD =
NamespaceType = (null)
NEXT_JOB_ID = (null)
NodeFeaturesPlugins = (null)
OverTimeLimit [min]
PluginDir = /usr/local/lib/slurm
PlugStackConfig = (null)
PreemptMode
PreemptParameters = (null)
PreemptType
PreemptExemptTime
PrEpParameters = (null)
PrEpPlugins = prep/script
PriorityParameters = (null)
PrioritySiteFactorParameters = (null)
PrioritySiteFactorPlugin = (null)
PriorityDecayHalfLife
PriorityCalcPeriod
PriorityFavorSmall = no
PriorityFlags = (null)
PriorityMaxAge
PriorityType
PriorityUsageResetPeriod
PriorityWeightAge = 0
PriorityWeightAssoc = 0
PriorityWeightFairShare = 0
PriorityWeightJobSize = 0
PriorityWeightPartition = 0
PriorityWeightQOS = 0
PriorityWeightTRES = (null)
PrivateData = none
ProctrackType = proctrack/cgroup
Prolog[]
PrologEpilogTimeout = 65534
PrologSlurmctld[]
PrologFlags = (null)
PropagatePrioProcess = 0
PropagateResourceLimits = ALL
PropagateResourceLimitsExcept = (null)
RebootProgram = (null)
ReconfigFlags = (null)
RequeueExit = (null)
RequeueExitHold = (null)
ResumeFailProgram = (null)
ResumeProgram = (null)
ResumeRate [nodes/min]
ResumeTimeout [sec]
ResvEpilog = (null)
ResvOverRun = 0 min
ResvProlog = (null)
ReturnToService
SchedulerParameters
SchedulerTimeSlice [sec]
SchedulerType
ScronParameters = (null)
SelectType
SelectTypeParameters
SerializerParameters = (null)
SerializerPlugins = (null)
SlurmUser = root(0)
SlurmctldAddr = (null)
SlurmctldDebug = info
SlurmctldHost[]
SlurmctldHttpAuthParameters = (null)
SlurmctldLogFile = (null)
SlurmctldPort = 6817
SlurmctldSyslogDebug = (null)
SlurmctldPrimaryOffProg = (null)
SlurmctldPrimaryOnProg = (null)
SlurmctldTimeout = 120 sec
SlurmctldParameters = (null)
SlurmdDebug = info
SlurmdHttpAuthParameters = (null)
SlurmdLogFile = (null)
SlurmdParameters = (null)
SlurmdPidFile = /var/run/slurmd.pid
SlurmdPort
SlurmdSpoolDir = /var/spool/slurmd
SlurmdSyslogDebug = (null)
SlurmdTimeout = 300 sec
SlurmdUser = root(0)
SlurmrestdHttpAuthParameters = (null)
SlurmrestdParameters = (null)
SlurmSchedLogFile = (null)
SlurmSchedLogLevel = 0
SlurmstepdParameters = (null)
SlurmctldPidFile = /var/run/slurmctld.pid
SLURM_CONF = (null)
SLURM_VERSION = (null)
SrunEpilog = (null)
SrunPortRange = 0-0
SrunProlog = (null)
StateSaveLocation = /var/spool
SuspendExcNodes = (null)
SuspendExcParts = (null)
SuspendExcStates = (null)
SuspendProgram = (null)
SuspendRate [nodes/min]
SuspendTime [sec]
SuspendTimeout [sec]
SwitchParameters = (null)
SwitchType = (null)
TaskEpilog = (null)
TaskPlugin = (null)
TaskPluginParam = (null type)
TaskProlog = (null)
TCPTimeout = 2 sec
TLSParameters = (null)
TLSType = tls/none
TmpFS = /tmp
TopologyParam = (null)
TopologyPlugin = topology/flat
TrackWCKey = no
TreeWidth = 16
UsePam = no
UnkillableStepProgram = (null)
UnkillableStepTimeout = 60 sec
UrlParserType = (null)
VSizeFactor = 0 percent
WaitTime = 0 sec
X11Parameters = (null)
"""
"""One key a line, in Slurm's order. A line without a value: that of `slimsched.slurm.conf`, in the unit in brackets."""
