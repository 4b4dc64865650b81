# SPDX-License-Identifier: Apache-2.0
"""`readerlab bench gate` and `site`: what `site` prints is in docs/develop/performance.md; their reports are read."""

import json
import re
import subprocess

import pytest
from junitparser import JUnitXml
from lxml import etree

from rig.bench_page import ATTACKS, blocks, output
from rig.emulation import binary
from rig.junit_schema import schema
from rig.reader import ROOT

pytestmark = pytest.mark.seconds(300)

SITE = "readerlab bench site"
FAST = ("--part", "edge", "--phone", "old-android")
"""A part of `bench site` that takes seconds: the rest of the page is of the same seeds, and takes minutes."""
RUN_SECONDS = 240
"""For such a part in a debug build: half a minute where nothing else runs."""


def lab(*arguments, cwd=ROOT):
    return subprocess.run(
        [str(binary()), "bench", *arguments], cwd=cwd, capture_output=True, text=True, timeout=RUN_SECONDS, check=False
    )


def rows(text):
    """The cells of each line, without the spaces that align them."""
    return [tuple(line.split()) for line in text.splitlines() if line]


def test_the_page_has_its_commands():
    assert set(blocks()) == {SITE, ATTACKS}


def test_the_gates_figures_are_those_of_readerlab_gate():
    """One row of many: windows and openings of the same recordings by both commands."""
    traces = "lab/Traces/ng-two-people-carried.csv"
    shown = json.loads(lab("gate", traces, "--json").stdout)["files"][0]["rows"]
    run = subprocess.run([str(binary()), "gate", traces, "--json"], cwd=ROOT, capture_output=True, check=True)
    rates = [row["rate"] for row in json.loads(run.stdout)["rows"]]
    assert [(row["windows"], row["opened"]) for row in shown] == [(row["windows"], row["opened"]) for row in rates]
    assert len(shown) == 8


@pytest.mark.thorough("SiteBenchTests have the figures of equal seeds")
def test_the_sites_figures_are_those_of_the_page():
    shown, printed = rows(blocks()[SITE]), rows(output(SITE, *FAST))
    assert len(printed) == 4
    assert not [row for row in printed if row not in shown], "write the page anew: python -m rig.bench_page"
    kinds = {row[0] for row in shown}
    assert {"iphone-foreground", "iphone-locked", "android-screen-off", "old-android"} <= kinds


@pytest.mark.thorough("SiteBenchTests repeat a seed; test_reports.py compares the reports of two runs")
def test_reports_are_read_and_two_runs_are_identical(tmp_path):
    written = []
    for number in range(2):
        place = tmp_path / str(number)
        place.mkdir()
        options = ("--part", "edge", "--phone", "android-foreground", "--runs", "6")
        files = ("--junit", "r.xml", "--report", "r.html", "--save-baseline", "r.json")
        site = lab("site", *options, *files, cwd=place)
        traces = str(ROOT / "lab/Traces/herald-centimetre-steps.csv")
        gate = lab("gate", traces, "--junit", "g.xml", "--report", "g.html", cwd=place)
        assert (site.returncode, gate.returncode) == (0, 0), site.stderr + gate.stderr
        # The command of a report names the file as it was typed.
        written.append({path.name: path.read_bytes() for path in sorted(place.iterdir())} | {"site": site.stdout})
    assert written[0] == written[1] and len(written[0]) == 6
    for name, count in (("r.xml", 3), ("g.xml", 1)):
        path = tmp_path / "0" / name
        checked = schema()
        assert checked.validate(etree.parse(path)), checked.error_log
        report = JUnitXml.fromfile(str(path))
        assert (report.tests, report.failures, report.errors) == (count, 0, 0)
    assert "<svg" in (tmp_path / "0/g.html").read_text()


def test_percentiles_need_their_number():
    few = lab("site", "--part", "edge", "--phone", "android-foreground", "--runs", "3", "--json")
    row = json.loads(few.stdout)["edge"][0]
    assert row["opened"] == 3 and "ms-p50" in row and "ms-p90" not in row and "ms-p99" not in row


def test_a_worse_gate_fails(tmp_path):
    """A baseline in which near phones were served more often."""
    traces = str(ROOT / "lab/Traces/mitll-static-nrf52.csv")
    assert lab("gate", traces, "--save-baseline", "a.json", cwd=tmp_path).returncode == 0
    former = json.loads((tmp_path / "a.json").read_text())
    for figure in former["figures"]:
        if figure["name"].endswith("opens"):
            for key in ("value", "low", "high"):
                figure[key] *= 1.5
    (tmp_path / "b.json").write_text(json.dumps(former))
    worse = lab("gate", traces, "--baseline", "b.json", cwd=tmp_path)
    assert worse.returncode == 1 and re.search("^worse +.* opens ", worse.stderr, re.MULTILINE), worse.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gate", "none.csv"), "none.csv: cannot open it"),
        (("gate",), "Missing expected argument"),
        (("site", "--phone", "nokia-3310"), "nokia-3310"),
        (("site", "--runs", "0"), "--runs is 1 to 10000"),
        (("site", "--part", "all"), "all"),
    ],
)
def test_wrong_use_is_told(arguments, words):
    done = lab(*arguments)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""
