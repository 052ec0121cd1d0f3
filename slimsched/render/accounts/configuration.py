"""``sacctmgr show configuration``: what Slurm's commands know, and what a slurmdbd with nothing configured would say.

There is no slurmdbd here; the state directory takes its place. Source: sacctmgr(1); slurmdbd.conf(5), the defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts.enforcement import tracks_wckeys
from slimsched.render.units import stamp

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

COMMANDS = """\
AccountingStorageBackupHost|(null)
AccountingStorageHost|localhost
AccountingStorageParameters|(null)
AccountingStoragePass|(null)
AccountingStoragePort|6819
AccountingStorageType|accounting_storage/slurmdbd
AuthType|auth/munge
MessageTimeout|10| sec
PluginDir|/usr/lib/slurm
PrivateData|none
SlurmUserId|root(0)
SLURM_CONF|/etc/slurm/slurm.conf
SLURM_VERSION|
TCPTimeout|2| sec
TrackWCKey|No"""
"""A key, its default, and the unit behind a value."""
DAEMON = """\
AllowNoDefAcct|no
ArchiveDir|/tmp
ArchiveEvents|no
ArchiveJobs|no
ArchiveJobScript|no
ArchiveJobEnv|no
ArchiveResvs|no
ArchiveScript|(null)
ArchiveSteps|no
ArchiveSuspend|no
ArchiveTXN|no
ArchiveUsage|no
AuthAltTypes|(null)
AuthAltParameters|(null)
AuthInfo|socket=/run/munge/munge.socket.2
AuthType|auth/munge
CommitDelay|0
CommunicationParameters|(null)
DbdAddr|
DbdBackupHost|(null)
DbdHost|localhost
DbdPort|
DebugFlags|(null)
DebugLevel|info
DebugLevelSyslog|(null)
DefaultQOS|(null)
DisableCoordDBD|no
DisableArchiveCommands|no
DisableRollups|no
HashPlugin|hash/k12
LogFile|/var/log/slurm/slurmdbd.log
MaxPurgeLimit|50000
MaxQueryTimeRange|UNLIMITED
MessageTimeout|10 secs
Parameters|(null)
PidFile|/run/slurmdbd.pid
PluginDir|/usr/lib/slurm
PrivateData|none
PurgeEventAfter|NONE
PurgeJobAfter|NONE
PurgeResvAfter|NONE
PurgeStepAfter|NONE
PurgeSuspendAfter|NONE
PurgeTXNAfter|NONE
PurgeUsageAfter|NONE
PurgeJobScriptAfter|NONE
PurgeJobEnvAfter|NONE
SLURMDBD_CONF|/etc/slurm/slurmdbd.conf
SLURMDBD_VERSION|
SerializerParameters|(null)
SerializerPlugins|(null)
SlurmUser|root(0)
StorageBackupHost|(null)
StorageHost|
StorageLoc|
StorageParameters|(null)
StoragePassScript|
StoragePort|
StorageType|accounting_storage/slurmdbd
StorageUser|
TCPTimeout|2 secs
TLSParameters|(null)
TLSType|tls/none
TrackWCKey|no
TrackSlurmctldDown|no"""


def lines(cluster: Cluster) -> list[str]:
    """Return the two lists, each below its heading."""
    given = {key.casefold(): value for key, value in cluster.config.slurm.items()}
    version = cluster.config.version.release
    host = given.get("accountingstoragehost") or "localhost"
    port = given.get("accountingstorageport") or "6819"
    found = [f"Configuration data as of {stamp(cluster.now, cluster.now)}"]
    for line in COMMANDS.split("\n"):
        key, usual, *unit = line.split("|")
        value = (given.get(key.casefold()) or usual) + "".join(unit)
        if key == "TrackWCKey":
            value = "Yes" if tracks_wckeys(cluster.config) else "No"
        found.append(f"{key:<22} = {version if key == 'SLURM_VERSION' else value}")
    own = {"SLURMDBD_VERSION": version, "DbdAddr": host, "StorageHost": host, "DbdPort": port, "StoragePort": port}
    pairs = (line.split("|") for line in DAEMON.split("\n"))
    return [*found, "", "SlurmDBD configuration:", *(f"{key:<22} = {own.get(key, usual)}" for key, usual in pairs)]
