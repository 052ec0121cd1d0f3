"""Where the cells of a sweep run: in processes here, or on the workers of Dask (the extra ``cluster``)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from typing import Any

from slimsched.errors import UserError

LOCAL = "local"
NEEDED = "needs Dask: pip install 'slimsched[cluster]'; without it cells run in processes here"


@contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Yield a pool of processes."""
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers) as pool:
        yield pool


@contextmanager
def dask(address: str, workers: int) -> Iterator[Executor]:
    """Yield the workers of the scheduler at an address, or of one that is started here (``local``).

    Raises `UserError` where Dask is not installed, or nobody answers.
    """
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        raise UserError(f"--dask {NEEDED}") from None
    with ExitStack() as stack:
        where: Any = address
        if address == LOCAL:
            where = stack.enter_context(LocalCluster(workers, threads_per_worker=1, dashboard_address=None))
        try:
            client = stack.enter_context(Client(where, timeout=30))
        except (OSError, ValueError) as fault:
            raise UserError(f"--dask {address}: {fault}") from None
        yield client.get_executor(pure=False)


@contextmanager
def jobqueue(jobs: int) -> Iterator[Executor]:
    """Yield the workers of so many jobs of a Slurm cluster, which ``jobqueue.slurm`` of Dask's configuration describes.

    What it does not say is one processor and 1 GB for each. Raises `UserError` where dask-jobqueue is not installed.
    """
    try:
        import dask
        from dask.distributed import Client
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise UserError(f"--dask-jobqueue {NEEDED}") from None
    given = {"cores": 1, "memory": "1GB", "processes": 1, "log_directory": os.path.join(os.getcwd(), "dask-logs")}
    missing = {name: value for name, value in given.items() if not dask.config.get(f"jobqueue.slurm.{name}", None)}
    with SLURMCluster(**missing) as cluster, Client(cluster) as client:
        cluster.scale(jobs=jobs)
        yield client.get_executor(pure=False)
