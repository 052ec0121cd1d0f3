"""Slurm's error numbers and texts, for those that the toolkit can give.

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

    INVALID_PARTITION_NAME = 2000, "Invalid partition name specified"
    DEFAULT_PARTITION_NOT_SET = 2001, "No partition specified or system default partition"
    ACCESS_DENIED = 2002, "Access/permission denied"
    INVALID_JOB_ID = 2017, "Invalid job id specified"
