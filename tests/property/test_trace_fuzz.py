"""Traces with odd and broken lines: a good line gives its job, a bad one a fault with its number, none a traceback."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slimsched.errors import UserError
from slimsched.replay import policies, requests
from slimsched.replay.formats import FORMATS, find
from slimsched.replay.machine import Machine
from slimsched.replay.run import Plan, Run
from slimsched.replay.trace import Choice, Fault, Trace

NAMES = ("JobID", "User", "Submit", "Start", "End", "ElapsedRaw", "ReqCPUS", "Timelimit", "JobName", "State")
GOOD = {"JobID": "7", "User": "u", "Submit": "2024-01-01T00:00:00", "Start": "2024-01-01T00:00:05",
        "End": "2024-01-01T00:01:05", "ElapsedRaw": "60", "ReqCPUS": "4", "Timelimit": "00:10:00",
        "JobName": "a", "State": "COMPLETED"}  # fmt: skip


def sacct(**values: str) -> str:
    return "|".join({**GOOD, **values}.values())


SACCT = {
    "good": [
        sacct(), sacct(State="CANCELLED by 1000"), sacct(Timelimit="UNLIMITED"), sacct(Timelimit="Partition_Limit"),
        sacct(JobID="7+0"), sacct(JobID="7_3"), sacct(JobID="7_[3-5,9]"), sacct(Start="", End=""),
        sacct(Start="Unknown", End="Unknown"), sacct(JobName="a|b"), sacct(JobName="a\n b\n\nc"), sacct(User=""),
        sacct(Timelimit=""), sacct(Timelimit="1-00:00:00"), sacct(JobName="é\u2028\x00"),
    ],
    "nothing": [sacct(JobID="7.batch"), sacct(JobID="7.extern"), sacct(JobID="7+1.0"), sacct(JobID="7_3.12"), "", "  "],
    "bad": [
        sacct(Submit="Unknown"), sacct(Submit=""), sacct(JobID="seven"), sacct(JobID=""), sacct(ElapsedRaw="1m"),
        sacct(ReqCPUS="9" * 40), sacct(Timelimit="soon"), "|".join(NAMES), sacct()[:20], "slurmdbd: error",
    ],
}  # fmt: skip

SWF = {
    "good": [
        "7 10 -1 60 4 -1 -1 4 600 -1 1 3 1 -1 1 1 -1 -1", "7 10 -1 60 4", "\t7 10   0.5 60.0 4 1e1 -1 4",
        "7 10 -1 60 +4",
        "7 10 -1 60 4 -1 -1 4 600 -1 1 3 1 -1 1 1 -1 -1 node1,node2 q_1d 1:ppn=4:x86_64",
        "7 10 -1 60 4 -1 -1 4 600 -1 1 3 1 -1 1 1 -1 -1 n q 1:ppn=2+2:ppn=1#excl",
        "7 10 -1 60 4 -1 -1 4 600 -1 1 3 1 -1 1 1 -1 -1 n",
    ],
    "nothing": ["", " ", "; Note: 7", ";", ";;; x"],
    "bad": ["7", "7 10 -1 60", "7 10 -1 6O 4", "7 nan -1 60 4", "7 inf -1 60 4", "7 -5 -1 60 4", "7 10 -1 60 1_0",
            "7 10 -1 60 4e400", "7 10 -1 60 99999999999999999", "job,submit,run,procs,x", "\x00 \x00 \x00 \x00 \x00"],
}  # fmt: skip

CSV = {
    "good": ["7,u,10,60,4,600", '7,"u, v",10,60,4,600', '"7","u ""x""",10,60,4,600', "7,,10,60,4,",
             "7,u,10, 60 ,4,600,more"],
    "nothing": ["", " "],
    "bad": ["7,u,10,60", "x,u,10,60,4,600", "7,u,,60,4,600", "7,u,-1,60,4,600", '7,"u,10,60,4,600', "7,u,nan,60,4,600",
            '7,"u"x,10,60,4,600', "7,u,99999999999999999,60,4,600", "job,user,submit,run,procs,limit"],
}  # fmt: skip

EVENTS = {
    "good": ["-dt 10 -e submit_batch_job | -J job_7 -sim-walltime 60 -n 4 -t 10 x.job",
             "-e submit_batch_job -dt 10.9 | -J 'job 7' --uid=u -n 4 -sim-walltime 60 x.job"],
    "nothing": ["", "# -dt 5"],
    "bad": ["-dt 10 -e cancel | 7", "-dt x -e submit_batch_job | -sim-walltime 60 x",
            "-dt 10 -e submit_batch_job | -n 4 x",
            "-dt 10 -e submit_batch_job | -J 'x -sim-walltime 60", "-dt 10 -e",
            "-dt inf -e submit_batch_job | -sim-walltime 1 x",
            "submit_batch_job | -sim-walltime 5", "-dt 10 -e submit_batch_job | -sim-walltime"],
}  # fmt: skip

TRACES = {
    "sacct": ("|".join(NAMES), SACCT),
    "swf": ("; Version: 2", SWF),
    "csv": ("job,user,submit,run,procs,limit", CSV),
    "events": ("# events", EVENTS),
}


@pytest.mark.parametrize("form", TRACES)
@given(data=st.data(), blank=st.booleans())
@settings(max_examples=40, deadline=None)
def test_each_line_is_judged_for_itself(form, data, blank):
    head, kinds = TRACES[form]
    lines = [("nothing", ""), ("head", head)] if blank else [("head", head)]
    picked = st.sampled_from([(kind, line) for kind, told in kinds.items() for line in told])
    lines += data.draw(st.lists(picked, max_size=12))
    bad, jobs, place = [], 0, 0
    for kind, line in lines:
        bad += [place + 1] if kind == "bad" else []
        jobs += kind == "good"
        place += line.count("\n") + 1

    text = [f"{line}\n" for _, told in lines for line in told.split("\n")]
    found = list(FORMATS[form].reader(text, {}))

    faults = [item.line for item in found if isinstance(item, Fault)]
    assert (faults, len(found) - len(faults)) == (bad, jobs), (text, found)
    for job in found:
        if not isinstance(job, Fault):
            assert (job.number, job.run) == (7, 60)
            assert job.words or job.size == 4


@pytest.mark.parametrize("delimiter", ";\t|")
def test_other_delimiters(delimiter, tmp_path):
    path = tmp_path / "t.csv"
    lines = ["Id,Submit_Time,cpus,runtime", "3,10,4,60", '"4","11","2","30"']
    path.write_text("\ufeff" + "\r\n".join(line.replace(",", delimiter) for line in lines), encoding="utf-8")

    trace = Trace(str(path), find(str(path), "csv"), Choice())

    assert [(job.number, job.submit, job.run, job.size) for job in trace] == [(3, 10, 60, 4), (4, 11, 30, 2)]
    assert not trace.survey.skipped


letters = st.text(st.sampled_from(list("0123456789-.:,;|\"' \t\r\n#eEnaifxTK+_[]%=\x00\ufeffé")), max_size=120)
mixed = st.lists(
    st.sampled_from([line for _, kinds in TRACES.values() for told in kinds.values() for line in told]) | letters,
    max_size=8,
).map("\n".join)


@pytest.mark.parametrize("form", TRACES)
@given(text=mixed, headed=st.booleans())
@settings(max_examples=40, deadline=None)
def test_any_text_is_replayed_or_refused(form, text, headed):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        whole = f"{TRACES[form][0]}\n{text}" if headed else text
        path.write_text(whole, encoding="utf-8", newline="")
        try:
            trace = Trace(str(path), FORMATS[form].reader, Choice())
        except UserError:
            return
        lines = whole.count("\n") + whole.count("\r") + 1
        assert all(1 <= fault.line <= lines for fault in trace.survey.faults)
        assert trace.survey.jobs <= lines
        plan = Plan(
            trace, Machine(1, 8, pool=True), policies.find("easy"), requests.estimates("user", kill=False), "fast",
            False, None, None, "", {},
        )  # fmt: skip
        run = Run(plan)
        assert run.go(lambda submitted: True)
        assert run.summary.jobs == trace.survey.jobs
