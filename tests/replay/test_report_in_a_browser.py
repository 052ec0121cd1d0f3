"""The page of a report in a real browser: it is drawn, fits a telephone and a desk, and zooms."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess

import pytest

from slimsched.render.replay import report
from slimsched.replay.rows import NodeRow, Row
from slimsched.replay.schedule import Schedule

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

PROBE = """<script>
const inks = id => { const c = $(id), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, s = new Set();
  for (let i = 0; i < d.length; i += 4)
    if (d[i + 3] === 255) s.add((d[i] << 16 | d[i + 1] << 8 | d[i + 2]).toString(16));
  return s; };
const has = (id, ink) => inks(id).has(parseInt(ink.slice(1), 16).toString(16));
const seen = { wide: document.documentElement.scrollWidth, room: innerWidth, load: has("extra", scale[4]),
  wait: inks("queue").size > 1, constraint: inks("constraint0").size > 2 };
how = "wait"; draw(); seen.short = has("gantt", scale[0]); seen.long = has("gantt", scale[2]);
$("in").onclick(); $("in").onclick(); over(); seen.span = (b - a) / (T1 - T0); seen.zoomed = has("gantt", scale[0]);
document.title = JSON.stringify(seen);
</script></body>"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize("width", [375, 1440])
def test_the_page(tmp_path, width):
    rows = [
        Row(1, "ann", 2, 0, 0, 1000, 1000, 1000, "COMPLETED", "Main", -1, "n[1-2]", ""),
        Row(2, "bob", 1, 0, 1000, 9000, 8000, 8000, "COMPLETED", "Main", -1, "n1", "load<0.5"),
        Row(3, "cleo", 2, 0, -1, -1, 0, 50, "PENDING", "", -1, "", "load<0.1"),
    ]
    said = [NodeRow(0, "n1", "IDLE", '{"load": 0.9}'), NodeRow(500, "n1", "IDLE", '{"load": 0.1}')]
    text = report.page("t", Schedule(rows, ["n1", "n2"], 2, said))
    page = tmp_path / "page.html"
    page.write_text(text.replace("</body>", PROBE), encoding="utf-8")

    shown = subprocess.run(
        [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile",
         f"--window-size={max(width, 500)},900", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=60, check=False,
    ).stdout  # fmt: skip

    assert re.search(r'<html[^>]* data-drawn="\d+"', shown)
    seen = json.loads(html.unescape(re.search(r"<title>(.*?)</title>", shown)[1]))
    assert seen.pop("wide") <= seen.pop("room")
    assert seen.pop("span") == pytest.approx(0.49)
    assert seen == {
        "load": True, "wait": True, "constraint": True, "short": True, "long": True, "zoomed": False
    }  # fmt: skip
