# SPDX-License-Identifier: Apache-2.0
"""Commands of pages in docs/ that end by themselves, unchanged."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from junitparser import JUnitXml

from rig.page_blocks import commands
from rig.reader import ROOT
from rig.reader import binary as reader
from rig.terminals import typed

pytestmark = [
    pytest.mark.seconds(300),
    pytest.mark.thorough("the commands' tests run them with shorter options"),
]


async def test_tokens(directory: Path) -> None:
    (block,) = commands("credentials.md", "## Tokens")
    site = "readerlab credentials site new --site site.json --id 1"
    await typed(f"{site} && readerlab credentials reader add front --site site.json", directory)
    await typed(block, directory)
    token = json.loads(await typed("readerlab credentials show alice.json --json", directory))
    assert (token["credential"], token["from"], token["to"]) == ("ALICE04711", "2026-01-01T00:00", "2026-12-31T23:59")
    (door,), (group,) = token["doors"], token["groups"]
    assert (door["id"], door["opens"], len(door["times"])) == (7, "extended", 2)
    assert group["id"] == 12 and "times" not in group
    assert [each["credential"] for each in token["blacklist"]] == ["MALLORY666", "BOB0000815"]
    assert token["blacklist"][1]["until"].startswith("2027-06-30")


async def test_a_capture(directory: Path) -> None:
    (block,) = commands("air.md", "## Captures")
    assert "ATT" in await typed(block, directory)


async def test_scenarios(directory: Path) -> None:
    (block,) = commands("scenarios.md", "# Scenarios: people, a door and faults")
    listing, once, often = block.splitlines()
    assert {"morning-rush", "pocket"} <= set((await typed(listing, directory)).split())
    assert "1 run(s)" in await typed(once, directory)
    assert "5 of 5" in await typed(often, directory)


async def test_a_scenario_on_another_air(directory: Path) -> None:
    """The radio's socket has a name of this test's own; a row may differ, which is reported and ends with 1."""
    (block,) = commands("scenarios.md", "### On other airs")
    radio, scenario = block.replace("/tmp/radio", str(directory / "radio")).splitlines()
    script = f"({radio}) & trap 'kill $!' EXIT; until [[ -e {directory}/radio ]]; do sleep 0.1; done; {scenario}"
    told = await typed(script, ROOT, 0, 1)
    assert re.search(r"^anna  +opened.* opened", told, re.MULTILINE), told
    assert "two-at-once: runs: 20 on virtual, 1 on rootcanal" in told


async def test_reports(directory: Path) -> None:
    (block,) = commands("reports.md", "# Reports: JUnit, a page, a baseline")
    scenario, baseline, compared = block.splitlines()
    await typed(scenario, directory)
    assert "<html" in (directory / "pocket.html").read_text()
    assert JUnitXml.fromfile(str(directory / "pocket.xml")).failures == 0
    await typed(baseline, directory)
    # On a machine that does other work as well the second run may be the slower one.
    await typed(compared, directory, 0, 1)
    suite = JUnitXml.fromfile(str(directory / "host.xml"))
    assert suite.tests > 0 and suite.errors == 0


async def test_faults_of_a_configuration(directory: Path) -> None:
    checked, *_ = commands("configuration.md", "## Checking a file", "")
    command, *shown = checked.splitlines()
    lines = ["[advertising]", "[door]", "puls-s = 4", "", "", "[gpio]", 'lock = "gpiochip0"', ""]
    (directory / "readerd.toml").write_text("\n".join(lines))
    told = await typed(command.removeprefix("$ "), directory, 1)
    assert len(shown) == len(told.splitlines())
    for line, printed in zip(shown, told.splitlines(), strict=True):
        assert re.fullmatch(re.escape(line).replace(r"\[…\]", ".*"), printed), told


async def test_an_identity_by_hand(directory: Path) -> None:
    (block,) = commands("configuration.md", "## State and identity")
    backend, state = directory / "...", directory / "state"
    backend.mkdir()
    await typed("openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -out backend-public.pem", backend)
    state.mkdir(mode=0o700)
    (state / "...").symlink_to(backend)
    assert "BEGIN PUBLIC KEY" in await typed(block, state)
    (state / "...").unlink()
    told = await typed(f"{reader()} self-test --only keys --state {state}", directory)
    assert re.match("keys +ok +reader Door0001", told), told
