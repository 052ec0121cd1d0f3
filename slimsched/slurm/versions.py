"""Versions of Slurm that a cluster can pass for, and what clients notice of them.

Source: answers of Slurm 22.05.8 (Debian 12), 24.11.5 and 26.11.0-0rc1.
"""

from __future__ import annotations

from slimsched import SLURM_VERSION
from slimsched.slurm.rows import Row


class Version(Row):
    """A version. ``release``: its full name; ``prefix``: what begins a message in a job's output, ``at`` its instant.

    ``parsers``: the data parsers that ``--json`` takes, the last one without being asked; none where the OpenAPI plugin
    ``openapi`` writes JSON, with plain numbers and states. ``early_jobs``: `scontrol show job` has one ``TRES``, for
    ``ReqTRES`` and ``AllocTRES``, has ``Power``, and lacks ``SubmitLine``, ``Exclusive`` and ``LicensesAlloc``.
    """

    release: str
    prefix: str
    parsers: tuple[str, ...] = ()
    openapi: str = ""
    early_jobs: bool = False


OWN = "26.11"
VERSIONS = {
    "22.05": Version("22.05.8", "slurmstepd: ", openapi="v0.0.38", early_jobs=True),
    "24.11": Version("24.11.5", "slurmstepd: ", ("v0.0.40", "v0.0.41", "v0.0.42")),
    OWN: Version(SLURM_VERSION, "[{at}] ", ("v0.0.43", "v0.0.44", "v0.0.45", "v0.0.46")),
}
