# SPDX-License-Identifier: Apache-2.0
"""Reports of `readerlab`: read by Jenkins' schema, junitparser, html5lib and Chromium."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
from pathlib import Path

import html5lib
import pytest
from junitparser import JUnitXml
from lxml import etree

from rig.browser import browser
from rig.emulation import binary
from rig.junit_schema import schema

pytestmark = pytest.mark.seconds(120)

RUN_SECONDS = 60
"""For a command of this file: one to five seconds where nothing else runs."""
RUNS = "40"
"""Of ten the median has an interval that holds three times as much."""
LIMIT = 30_000_000
"""GitLab's, in octets."""


def lab(*arguments: str, directory: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(binary()), *arguments], cwd=directory, capture_output=True, text=True, timeout=RUN_SECONDS, check=False
    )


def failing(directory: Path) -> None:
    """A scenario that is never as expected, with a name that is markup."""
    phone = {"name": "p<&]]>\u0001", "path": [{"at-ms": 0, "dbm": -45}], "expect": "unseen"}
    (directory / "bad.json").write_text(json.dumps({"seconds": 5, "phones": [phone]}))


def validate(path: Path) -> JUnitXml:
    """The report, if Jenkins' schema takes it and GitLab's limit is kept."""
    checked = schema()
    assert checked.validate(etree.parse(path)), checked.error_log
    assert path.stat().st_size < LIMIT
    return JUnitXml.fromfile(str(path))


def test_two_runs_of_one_seed_are_identical(directory):
    """Rule 1: standard output, JSON and all reports, to the octet."""
    runs = []
    for number in range(2):
        place = directory / str(number)
        place.mkdir()
        files = ("--junit", "r.xml", "--report", "r.html", "--save-baseline", "r.json")
        table = lab("scenario", "pocket", "--seeds", "5", *files, directory=place)
        swarm = lab("scenario", "--swarm", "5", "--junit", "swarm.xml", directory=place)
        lines = lab("scenario", "power-cut", "--seeds", "2", "--json", directory=place)
        assert (table.returncode, swarm.returncode, lines.returncode) == (0, 0, 0)
        written = {path.name: path.read_bytes() for path in sorted(place.iterdir())}
        runs.append((table.stdout, swarm.stdout, lines.stdout, written))
    assert runs[0] == runs[1]
    assert len(runs[0][3]) == 4
    named = json.loads(runs[0][2].splitlines()[0])
    assert (named["scenario"], named["seed"]) == ("power-cut", 1)
    assert named["version"] and len(named["faults"]) == 2


def test_junit_is_valid(directory):
    failing(directory)
    good = lab("scenario", "pocket", "--seeds", "3", "--junit", "good.xml", directory=directory)
    bad = lab("scenario", "./bad.json", "--seeds", "3", "--junit", "bad.xml", directory=directory)
    assert (good.returncode, bad.returncode) == (0, 1)
    report = validate(directory / "good.xml")
    assert (report.tests, report.failures, report.errors) == (3, 0, 0)
    report = validate(directory / "bad.xml")
    assert (report.tests, report.failures) == (3, 3)
    root = etree.parse(directory / "bad.xml").getroot()
    cases = list(root.iter("testcase"))
    assert len({(case.get("classname"), case.get("name")) for case in cases}) == 3
    for case in cases:
        assert set(case.attrib) == {"classname", "name", "time"}
        assert re.fullmatch(r"\d+\.\d{3}", case.get("time"))
        failure = case.find("failure")
        assert failure.get("message") and failure.text.startswith(failure.get("message"))
        assert "]]>\ufffd" in failure.text
    assert {one.getparent().tag for one in root.iter("properties")} == {"testsuite"}
    # Virtual time: nothing of this machine.
    assert root[0].get("timestamp") is None and root[0].get("hostname") is None


def test_a_wrong_report_would_be_found(directory):
    """The schema can refuse: pytest's own properties in a case are what it does not take."""
    (directory / "wrong.xml").write_text(
        '<testsuites><testsuite name="a" tests="1" failures="0" errors="0"><testcase name="a"><properties/>'
        "</testcase></testsuite></testsuites>"
    )
    assert not schema().validate(etree.parse(directory / "wrong.xml"))


def test_an_interrupted_run_writes_what_was_done(directory):
    command = [str(binary()), "scenario", "pocket", "--seeds", "1000000", "--json"]
    child = subprocess.Popen(
        [*command, "--junit", "r.xml", "--save-baseline", "r.json"],
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    for _ in range(2):
        assert child.stdout.readline()
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=RUN_SECONDS)
    assert child.returncode == 1
    report = validate(directory / "r.xml")
    assert report.tests >= 2
    properties = {one.get("name"): one.get("value") for one in etree.parse(directory / "r.xml").iter("property")}
    assert properties["interrupted"] == "true"
    assert json.loads((directory / "r.json").read_text())["suite"] == "scenario pocket"


@pytest.mark.thorough("BaselineTests judge figures; test_bench_page.py fails for a worse gate")
def test_a_worse_figure_fails(directory):
    first = lab("scenario", "pocket", "--seeds", RUNS, "--save-baseline", "a.json", directory=directory)
    same = lab("scenario", "pocket", "--seeds", RUNS, "--baseline", "a.json", directory=directory)
    assert (first.returncode, same.returncode) == (0, 0)
    former = json.loads((directory / "a.json").read_text())
    former["version"] = "0.0.0"
    for figure in former["figures"]:
        if figure["name"].startswith("hand"):
            for key in ("value", "low", "high"):
                figure[key] /= 3
    (directory / "b.json").write_text(json.dumps(former))
    worse = lab("scenario", "pocket", "--seeds", RUNS, "--baseline", "b.json", "--junit", "r.xml", directory=directory)
    assert worse.returncode == 1
    assert "another version: 0.0.0" in worse.stderr
    assert re.search(r"^worse +hand, after p50 .* ms ", worse.stderr, re.MULTILINE)
    assert re.search(r"against the baseline: 2 worse, \d+ within noise", worse.stderr), worse.stderr
    assert re.search(r"against the baseline: \d+ within noise$", same.stderr, re.MULTILINE), same.stderr
    assert validate(directory / "r.xml").failures == 2, "the median and p90"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--junit", "no/such/r.xml"), "--junit no/such/r.xml: cannot write in no/such"),
        (("--junit", "r", "--report", "r"), "two reports cannot be one file"),
        (("--baseline", "none.json"), "none.json: cannot open it"),
    ],
)
def test_wrong_use_is_told(directory, options, words):
    done = lab("scenario", "pocket", *options, directory=directory)
    assert done.returncode == 2 and words in done.stderr


async def test_the_page_stands_alone(directory):
    failing(directory)
    await asyncio.to_thread(lab, "scenario", "./bad.json", "--seeds", "40", "--report", "r.html", directory=directory)
    text = (directory / "r.html").read_text()
    parser = html5lib.HTMLParser(strict=False)
    parser.parse(text)
    assert parser.errors == []
    assert "https:" not in text and text.count("http:") == text.count("http://www.w3.org/2000/svg")
    assert "\u0001" not in text
    async with browser(width=500) as window:
        await window.do(lambda driver: driver.get((directory / "r.html").as_uri()))
        # A window has at least 500 pixels; a telephone has fewer.
        for scheme, dark in (("light", False), ("dark", True)):
            await window.do(
                lambda driver, scheme=scheme: (
                    driver.execute_cdp_cmd(
                        "Emulation.setDeviceMetricsOverride",
                        {"width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": True},
                    ),
                    driver.execute_cdp_cmd(
                        "Emulation.setEmulatedMedia",
                        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
                    ),
                )
            )
            assert await window.script("return innerWidth") == 320
            assert await window.script("return document.documentElement.scrollWidth") <= 320
            ground = await window.script("return getComputedStyle(document.body).backgroundColor")
            channels = [int(number) for number in re.findall(r"\d+", ground)[:3]]
            assert (max(channels) < 64) == dark and (min(channels) > 192) != dark
        first = await window.script("return document.querySelector('h2').textContent")
        assert first == "Failures"
        # 40 failures fold: with the output of each unfolded the page is many times as high.
        height = "return document.documentElement.scrollHeight"
        folded = await window.script(height)
        await window.script("for (const one of document.querySelectorAll('details.failure')) one.open = true")
        assert folded < 40 * 200 and await window.script(height) > 4 * folded
        assert await window.complaints() == []
