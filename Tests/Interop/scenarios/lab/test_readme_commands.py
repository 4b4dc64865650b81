# SPDX-License-Identifier: Apache-2.0
"""README and credentials.md: what they say to type that ends, unchanged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rig.page_blocks import README, commands
from rig.reader import ROOT
from rig.terminals import typed

pytestmark = pytest.mark.seconds(150)


async def test_a_morning_at_the_door(directory: Path) -> None:
    block, _ = commands(README, "## People, a door and faults", "")
    listing, once, often = [await typed(line, directory) for line in block.splitlines()]
    assert {"morning-rush", "pocket"} <= set(listing.split())
    assert "1 run(s)" in once
    assert "20 of 20" in often


async def test_how_near_is_near() -> None:
    _, command = commands(README, "## People, a door and faults", "")
    # The page's recordings are the project's own.
    assert "dBm" in await typed(command, ROOT)


async def test_an_identity_of_its_own(directory: Path) -> None:
    (block,) = commands("credentials.md", "## From a reader to a phone's bundle")
    await typed(block, directory)
    bundle = json.loads((directory / "phone.json").read_text())
    (entry,) = bundle["readers"]
    assert entry["device-id"] == json.loads((directory / "front.json").read_text())["device-id"]
    assert [token["kind"] for token in entry["tokens"]] == ["oss-so"]
