"""``scontrol show config``: the whole of a recorded output, and how single values are written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import world

from slimsched.model.cluster import Cluster
from slimsched.model.config import NodeConf
from slimsched.render.config.show import lines

DATA = Path(__file__).parents[2] / "data"
OF_THE_MACHINE = re.compile(r"^(Configuration data as of|BOOT_TIME|NEXT_JOB_ID|PluginDir|SLURM_CONF)\b.*\n", re.M)


def test_all_keys_of_a_recorded_configuration(sim: Any) -> None:
    sim("init", "--force", "--from", str(DATA / "conf" / "recorded.conf"))
    recorded = (DATA / "show_config.txt").read_text()
    assert OF_THE_MACHINE.sub("", sim("scontrol show config")) == OF_THE_MACHINE.sub("", recorded)


def shown(**slurm: str) -> dict[str, str]:
    """Return what is shown of a cluster of two nodes with these keys."""
    config = world.config([NodeConf(node_name="n[1-2]", cpus=4)], {"all": {"default": True}}, **slurm)
    pairs = (line.partition(" = ") for line in lines(Cluster(config)))
    return {key.strip(): value for key, equals, value in pairs if equals}


MULTIFACTOR = {"PriorityType": "priority/multifactor"}


@pytest.mark.parametrize(
    ("key", "given", "written"),
    [
        ("AccountingStorageEnforce", "safe,qos", "associations,limits,qos,safe"),
        ("AccountingStorageEnforce", "nosteps", "nojobs,nosteps"),
        ("AccountingStorageEnforce", "all", "associations,limits,qos,safe,wckeys"),
        ("AccountingStorageTRES", "gres/gpu,cpu", "cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu"),
        ("AccountingStoreFlags", "job_script,Job_Comment", "job_comment,job_script"),
        ("AllowSpecResourcesUsage", "TRUE", "yes"),
        ("AuthType", "auth/slurm", "auth/slurm"),
        ("DebugFlags", "steps,BACKFILL", "Backfill,Steps"),
        ("EnforcePartLimits", "yes", "ANY"),
        ("EnforcePartLimits", "all", "ALL"),
        ("EnforcePartLimits", "never", "NO"),
        ("HealthCheckNodeState", "idle,cycle", "CYCLE,IDLE"),
        ("JobCompType", "jobcomp/none", "(null)"),
        ("JobCompType", "jobcomp/filetxt", "jobcomp/filetxt"),
        ("KillWait", "60", "60 sec"),
        ("MaxMemPerNode", "0", "UNLIMITED"),
        ("MaxMemPerNode", "4000", "4000"),
        ("MpiDefault", "none", "(null)"),
        ("OverTimeLimit", "UNLIMITED", "UNLIMITED"),
        ("OverTimeLimit", "5", "5 min"),
        ("PreemptExemptTime", "-1", "NONE"),
        ("PreemptExemptTime", "1-0", "1-00:00:00"),
        ("PreemptMode", "suspend,gang", "GANG,SUSPEND"),
        ("PriorityCalcPeriod", "10", "00:10:00"),
        ("PriorityDecayHalfLife", "14-0", "14-00:00:00"),
        ("PriorityFavorSmall", "1", "yes"),
        ("PriorityFlags", "no_fair_tree,max_tres", "NO_FAIR_TREE,MAX_TRES"),
        ("PriorityFlags", "no_normal_all", "NO_NORMAL_ASSOC,NO_NORMAL_PART,NO_NORMAL_QOS,NO_NORMAL_TRES"),
        ("PriorityUsageResetPeriod", "monthly", "MONTHLY"),
        ("PrivateData", "Users,jobs", "jobs,users"),
        ("PrivateData", "nothing", "none"),
        ("PrologFlags", "x11", "Alloc,Contain,X11"),
        ("PropagateResourceLimits", "NONE", "NONE"),
        ("ReturnToService", "2", "2"),
        ("SlurmUser", "0", "root(0)"),
        ("SlurmUser", "no-such-user", "no-such-user"),
        ("SlurmctldDebug", "5", "debug"),
        ("SlurmdDebug", "Verbose", "verbose"),
        ("SuspendTime", "-1", "INFINITE"),
        ("SuspendTime", "600", "600 sec"),
        ("SuspendTimeout", "0", "NONE"),
        ("TrackWCKey", "up", "yes"),
        ("VSizeFactor", "110", "110 percent"),
    ],
)  # fmt: skip
def test_values(key: str, given: str, written: str) -> None:
    assert shown(**MULTIFACTOR, **{key: given})[key] == written


def test_what_follows_from_other_keys() -> None:
    found = shown(AuthType="auth/slurm", MaxJobCount="10000", DefMemPerCPU="100")
    assert found["CredType"] == "cred/slurm"
    assert found["MaxDBDMsgs"] == "20008"
    assert found["MaxNodeCount"] == "2"
    assert found["DefMemPerCPU"] == "100"
    assert "DefMemPerNode" not in found


def test_weights_have_no_line_where_priorities_are_not_reckoned() -> None:
    assert "PriorityWeightAge" not in shown()
    assert shown(**MULTIFACTOR)["PriorityWeightAge"] == "0"


def test_several_slurmds_on_one_host_are_said() -> None:
    assert "MULTIPLE_SLURMD" not in shown()


def test_a_partition_shows_how_its_jobs_are_preempted(sim: Any) -> None:
    sim("init", "--force", "--set", "PreemptType=preempt/partition_prio", "--set", "PreemptMode=requeue")
    assert "PreemptMode=REQUEUE" in sim("scontrol show partition")
    assert sim("sinfo -h -O preemptmode").split() == ["REQUEUE"]
