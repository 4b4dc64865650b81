# SPDX-License-Identifier: Apache-2.0
"""`readerlab scenario --air`: one scenario on the virtual air, on RootCanal, and at controllers behind transports."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from rig.air_process import AirProcess
from rig.emulation import binary
from rig.netsim_stand_in import NetsimStandIn
from rig.radio_process import RadioProcess
from rig.waiting import until

pytestmark = [
    pytest.mark.seconds(150),
    pytest.mark.thorough("ScenarioTests run the same scenarios on the built-in air"),
]

RUN_SECONDS = 90
"""For a scenario of ten seconds in real time, six more for its links to end, and 20 runs on virtual time."""
SEEDS = "20"

DAY = {
    "seconds": 12,
    "reader": {"pulse-s": 1},
    "phones": [
        {"name": "good", "path": [{"at-ms": 200, "dbm": -45}], "expect": "opened", "within-ms": 4000},
        {"name": "stranger", "credential": {"signed-by": "stranger"}, "path": [{"at-ms": 3000, "dbm": -45}],
         "attempts": 1, "expect": "denied"},
        {"name": "across", "level-at-1m": -65, "path": [{"at-ms": 0, "metres": 10}], "attempts": 2,
         "expect": "not-opened"},
        {"name": "next room", "path": [{"at-ms": 0, "dbm": -97}], "expect": "unseen"},
        {"name": "later", "credential": {"id": "CRED000002"}, "path": [{"at-ms": 9000, "dbm": -45}],
         "expect": "opened"},
    ],
    "events": [{"after-ms": 6000, "do": "power off"}, {"after-ms": 8000, "do": "power on"}],
    "expect": {"openings": 2},
}  # fmt: skip
"""Places that differ, a fault, and all results that a phone can get."""

FAR = {
    "seconds": 6,
    "phones": [{"name": "far", "path": [{"at-ms": 500, "dbm": -75}], "attempts": 2, "expect": "refused"}],
    "expect": {"openings": 0},
}
"""A phone that only its level keeps out."""


CREDENTIALS = json.loads((Path(__file__).parent / "credentials.json").read_text())
"""Results that no level decides, so that each air has to give them; `Tests/Kernel` gives them at adapters of Linux."""


async def lab(directory: Path, scenario: dict, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """The exit code, the output and the errors of a scenario on the virtual air and on others."""
    (directory / "mine.json").write_text(json.dumps(scenario))
    airs = ["--air", "virtual"]
    for argument in arguments:
        airs += [argument] if argument.startswith("--") else ["--air", argument]
    process = await asyncio.create_subprocess_exec(
        *(str(binary()), "scenario", "./mine.json", "--seeds", SEEDS, *airs),
        cwd=directory, env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(), RUN_SECONDS)
    return process.returncode or 0, out.decode(), err.decode()


async def test_rootcanal_gives_what_the_virtual_air_gives(directory):
    radio = await RadioProcess.start(directory)
    try:
        code, out, err = await lab(directory, DAY, f"rootcanal:unix:{directory}/control", "--json")
        stations = await radio.stations()
    finally:
        await radio.stop()
    assert code == 0, out + err
    *runs, told = [json.loads(line) for line in out.splitlines()]
    assert [run.get("air") for run in runs] == [None] * 20 + ["rootcanal"]
    results = [[phone["result"] for phone in run["phones"]] for run in runs]
    assert all(result == ["opened", "denied", "refused", "unseen", "opened"] for result in results)
    assert told["as-expected"] and told["airs"] == ["virtual", "rootcanal"]
    assert not [row for row in told["differences"] if row["rootcanal-differs"] in ("RESULT", "YES")]
    lines = next(entry["lines"] for entry in told["not-carried-out"] if entry["air"] == "rootcanal")
    for words in ("no fading", "is only reset", "carried at once"):
        assert any(words in line for line in lines), words
    assert stations == {}, "the controllers were given back"


async def test_adapters_keep_their_own_levels_and_that_is_told(directory):
    """Two controllers behind sockets, as two adapters: the file's level has no effect, and its phone opens."""
    air = await AirProcess.start(*(f"{name}=unix:{directory / name},strict" for name in ("a", "b")))
    names = ",".join(f"unix:{directory / name}" for name in ("a", "b"))
    try:
        code, out, err = await lab(directory, FAR, f"hci:{names}")
        await air.obey("rssi", "a", "b", -75)
        obeyed = await lab(directory, FAR, f"hci:{names}")
        assert air.events("violation") == []
    finally:
        await air.stop()
    assert code == 1, out + err
    rows = {line.split("  ")[0]: line for line in out.splitlines()}
    assert "refused" in rows["far"] and "opened" in rows["far"] and rows["far"].endswith("RESULT")
    assert rows["(lock released)"].endswith("YES") and rows["(not as expected)"].endswith("YES")
    assert "hci: levels and losses are the adapters' own" in out
    assert "FAILED, hci, seed 1: far opened" in out
    assert obeyed[0] == 0 and "RESULT" not in obeyed[1], obeyed


def equal_results(out: str, other: str) -> None:
    """The other air gives the results of all runs on the virtual air."""
    *runs, summary = [json.loads(line) for line in out.splitlines()]
    assert [run.get("air") for run in runs] == [None] * int(SEEDS) + [other]
    assert all([phone["result"] for phone in run["phones"]] == ["opened", "denied"] for run in runs), out
    assert summary["as-expected"] and summary["airs"] == ["virtual", other]
    assert not [row for row in summary["differences"] if row[f"{other}-differs"] in ("RESULT", "YES")]


@pytest.mark.parametrize("names", ["netsim,netsim,netsim", "netsim:1,netsim,netsim:1"])
async def test_netsim_gives_what_the_virtual_air_gives(directory, names):
    """A controller of netsim for each party, as for each device in the Android Emulator's air."""
    netsim = NetsimStandIn(directory)
    await netsim.start()
    try:
        code, out, err = await lab(directory, CREDENTIALS, f"hci:{names}", "--json", **netsim.environment)
    finally:
        await netsim.stop()
    assert code == 0, out + err
    equal_results(out, "hci")


async def test_without_netsim_its_file_is_named(directory):
    netsim = NetsimStandIn(directory)
    code, _, err = await lab(directory, FAR, "hci:netsim,netsim", **netsim.environment)
    assert code == 1 and str(netsim.ini) in err, err


async def test_adapters_give_what_the_virtual_air_gives(directory):
    """Where no level decides, three strict controllers behind sockets give the same results."""
    air = await AirProcess.start(*(f"{name}=unix:{directory / name},strict" for name in ("a", "b", "c")))
    try:
        names = ",".join(f"unix:{directory / name}" for name in ("a", "b", "c"))
        code, out, err = await lab(directory, CREDENTIALS, f"hci:{names}", "--json")
        assert air.events("violation") == []
    finally:
        await air.stop()
    assert code == 0, out + err
    equal_results(out, "hci")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("hci:unix:a,unix:b,unix:c",), 2, "names 3 controllers, and the scenario has 2: reader, far"),
        (("rootcanal:unix:/nowhere",), 1, "start it with python -m rig.radio --control"),
        (("rootcanal:serial:/dev/ttyS0,115200",), 2, "takes the radio's control, as unix:PATH"),
        (("hci:bluetooth",), 2, "write hci-socket:N"),
        (("moon:1",), 2, "write virtual, rootcanal:unix:PATH or hci:NAME,NAME"),
        (("hci:unix:a,unix:b", "hci:unix:c,unix:d"), 2, "each --air once"),
        (("hci:unix:a,unix:b", "--timeline"), 2, "--timeline is of one --air"),
    ],
)
async def test_wrong_use_is_told(directory, arguments, code, words):
    ended, out, err = await lab(directory, FAR, *arguments)
    assert (ended, words in err, out) == (code, True, ""), err


async def test_a_radio_that_ends_is_told(directory):
    radio = await RadioProcess.start(directory)
    run = asyncio.create_task(lab(directory, DAY, f"rootcanal:unix:{directory}/control"))
    await until("the stations", radio.stations)
    await radio.stop()
    code, _, err = await run
    # It may have connected to all controllers, to some, or to none.
    ends = ("the radio has ended", "the controller of", "cannot connect: Connection refused")
    assert code == 1 and any(words in err for words in ends), err
