"""The known names of ``SchedulerParameters``, and the unknown ones of a configuration.

Slurm takes no notice of a name that it does not know; a slip there shows only in what does not happen.
Source: slurm.conf(5) ``SchedulerParameters``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.model.config import Config

_NAMES = """
    allow_zero_lic assoc_limit_stop batch_sched_delay bb_array_stage_cnt
    bf_allow_magnetic_slot bf_busy_nodes bf_continue bf_hetjob_immediate bf_hetjob_prio bf_interval
    bf_job_part_count_reserve bf_licenses bf_max_job_array_resv bf_max_job_assoc bf_max_job_part bf_max_job_start
    bf_max_job_test bf_max_job_user bf_max_job_user_part bf_max_time bf_min_age_reserve bf_min_prio_reserve
    bf_node_space_size bf_one_resv_per_job bf_resolution bf_running_job_reserve bf_topopt_enable
    bf_topopt_iterations bf_window bf_window_linear bf_yield_interval bf_yield_rpc_cnt bf_yield_sleep
    build_queue_timeout correspond_after_task_cnt default_queue_depth defer defer_batch delay_boot
    disable_hetjob_steps disable_job_shrink enable_hetjob_steps enable_job_state_cache enable_stepmgr
    enable_user_top extra_constraints ignore_constraint_validation ignore_numa ignore_prefer_validation
    inventory_interval kill_invalid_depend max_array_tasks max_depend_depth max_rpc_cnt max_sched_time
    max_script_size max_submit_line_size max_switch_wait no_backup_scheduling no_env_cache
    nohold_on_prolog_fail pack_serial_at_end partition_job_depth permit_job_expansion preempt_reorder_count
    preempt_send_user_signal preempt_strict_order preempt_youngest_first reduce_completing_frag
    requeue_on_resume_failure
    requeue_setup_env_fail salloc_wait_nodes sbatch_wait_nodes sched_interval sched_max_job_start
    sched_min_interval spec_cores_first step_retry_count step_retry_time time_min_as_soft_limit whole_hetjob
    bf_exact bf_extra_constraints
"""
KNOWN = frozenset(_NAMES.split())
"""In lower case; the last two are ours."""


REMOVED = {"max_job_bf": "bf_max_job_test"}
"""Names that stop slurmctld, with those that replaced them. Source: sched/backfill, its messages."""


def removed(config: Config) -> str:
    """Return the words with which slurmctld ends because of a name, "" if there is no such name."""
    given = config.parameters.given
    for name, successor in REMOVED.items():
        if name in given and successor not in given:
            return f"Invalid parameter {name}. The option is no longer supported, please use {successor} instead."
    return ""


def unknown(config: Config) -> Iterator[str]:
    """Yield a line for each unknown name, with the known name that is most similar."""
    for name in config.parameters.given:
        if name.lower() not in KNOWN and name not in REMOVED:
            from difflib import get_close_matches

            likely = get_close_matches(name.lower(), sorted(KNOWN), 1)
            hint = f"; did you mean {likely[0]}?" if likely else ""
            yield f"SchedulerParameters: {name!r} is not a known parameter and is ignored{hint}"
