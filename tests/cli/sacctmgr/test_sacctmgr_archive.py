"""``sacctmgr archive``: what is checked, and what is refused."""

from __future__ import annotations

import pytest

DUMPED = "sacctmgr: accounting_storage/slurmdbd: jobacct_storage_p_archive: SUCCESS\n"


@pytest.mark.parametrize(
    "words", ["", "nosuch", "jobs steps", "jobs purgejobafter=1month dir={tmp}", "where users=bob"]
)
def test_all_that_ended_is_archived(sim, tmp_path, words):
    assert sim.run(f"sacctmgr -i archive dump {words}".format(tmp=tmp_path)) == (0, "", DUMPED)


def test_a_dump_is_asked_about(sim):
    answer = sim.run("sacctmgr archive dump", stdin="n\n")

    assert answer.out.endswith("(N/y): \n Changes Discarded\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("dump nosuch=3", " Unknown condition: nosuch=3\n"),
        (
            "dump directory=/nosuch",
            " dump: Failed to stat /nosuch: No such file or directory\n"
            " Note: For archive dump, the directory must be on the calling host.\n",
        ),
        ("dump directory={tmp}/file", " dump: archive dir {tmp}/file isn't a directory\n"),
        ("dump script={tmp}", " dump: archive script {tmp} isn't a regular file\n"),
        ("dump script={tmp}/file", " dump: archive script {tmp}/file is not executable\n"),
        ("load nosuch=3", " Unknown option: nosuch=3\n"),
        (
            "load /nosuch",
            " load: Failed to stat /nosuch: No such file or directory\n"
            " Note: For archive load, the file must be on the calling host.\n",
        ),
    ],
)
def test_refusals(sim, tmp_path, words, said):
    (tmp_path / "file").write_text("")

    answer = sim.run(f"sacctmgr -i archive {words}".format(tmp=tmp_path))
    assert answer == (1, "", said.format(tmp=tmp_path))


def test_nothing_can_be_loaded_back(sim, tmp_path):
    (tmp_path / "file").write_text("")

    answer = sim.run(f"sacctmgr -i archive load file={tmp_path}/file")
    assert (answer.code, answer.err.splitlines()[0]) == (1, " Problem loading archive file: Unspecified error")
