"""The page of a report in a real browser: it is drawn, fits a telephone, a desk and paper, and zooms."""

from __future__ import annotations

import pytest
from browser import CHROMIUM, Browser

from slimsched.render.replay import report
from slimsched.replay.rows import NodeRow, Row
from slimsched.replay.schedule import Schedule

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")

LOOK = """
const inks = id => { const c = $(id), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, s = new Set();
  for (let i = 0; i < d.length; i += 4)
    if (d[i + 3] === 255) s.add((d[i] << 16 | d[i + 1] << 8 | d[i + 2]).toString(16));
  return s; };
const has = (id, ink) => inks(id).has(parseInt(ink.slice(1), 16).toString(16));
0
"""

SEEN = """(() => {
const seen = { load: has("extra", scale[4]), wait: inks("queue").size > 1, constraint: inks("constraint0").size > 2 };
how = "wait"; draw(); seen.short = has("gantt", scale[0]); seen.long = has("gantt", scale[2]);
$("in").onclick(); $("in").onclick(); over(); seen.span = (b - a) / (T1 - T0); seen.zoomed = has("gantt", scale[0]);
return seen; })()"""

WIDE = """[document.documentElement.scrollWidth, ...[...document.querySelectorAll("body *")]
  .map(e => Math.round(e.getBoundingClientRect().right))].reduce((m, v) => Math.max(m, v))"""


@pytest.fixture
def page(tmp_path):
    rows = [
        Row(1, "ann", 2, 0, 0, 1000, 1000, 1000, "COMPLETED", "Main", -1, "n[1-2]", ""),
        Row(2, "bob", 1, 0, 1000, 9000, 8000, 8000, "COMPLETED", "Main", -1, "n1", "load<0.5"),
        Row(3, "cleo", 2, 0, -1, -1, 0, 50, "PENDING", "", -1, "", "load<0.1"),
        Row(4, "cleo", 9, 0, -1, -1, 0, 50, "REFUSED", "", -1, "", ""),
    ]
    said = [NodeRow(0, "n1", "IDLE", '{"load": 0.9}'), NodeRow(500, "n1", "IDLE", '{"load": 0.1}')]
    path = tmp_path / "page.html"
    path.write_text(report.page("t" * 200, Schedule(rows, ["n1", "n2"], 2, said)), encoding="utf-8")
    return path


@pytest.fixture
def browser(tmp_path):
    with Browser(tmp_path / "profile") as made:
        yield made


@pytest.mark.parametrize("width", [375, 1440])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page(page, browser, width, dark):
    browser.show(page, width, dark=dark)
    browser.ask(LOOK)

    assert browser.ask("innerWidth") == width
    assert browser.ask(WIDE) <= width
    assert browser.ask("getComputedStyle(document.body).backgroundColor") == (
        "rgb(21, 25, 29)" if dark else "rgb(255, 255, 255)"
    )
    assert browser.ask("peak") == 2  # bob, and cleo, who waits to the end; what was refused does not wait
    seen = browser.ask(SEEN)
    assert seen.pop("span") == pytest.approx(0.49)
    assert seen == {
        "load": True, "wait": True, "constraint": True, "short": True, "long": True, "zoomed": False
    }  # fmt: skip


def test_paper_is_narrow_and_white_whatever_the_screen_is(page, browser):
    browser.show(page, 1440, dark=True)
    browser.ask(LOOK)
    browser.ask("inked = () => [$('use').clientWidth, has('use', '#2563a8'), has('use', '#6aa9ee')]; 0")
    assert browser.ask("inked()") == [1406, False, True]

    browser.ask("dispatchEvent(new Event('beforeprint')); 0")
    width, light, dark = browser.ask("inked()")
    assert (width < 704, light, dark) == (True, True, False)

    browser.ask("dispatchEvent(new Event('afterprint')); 0")
    assert browser.ask("inked()") == [1406, False, True]
    assert browser.pdf().startswith(b"%PDF")
