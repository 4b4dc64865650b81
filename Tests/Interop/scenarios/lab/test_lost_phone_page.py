# SPDX-License-Identifier: Apache-2.0
"""docs/operate/a-phone-is-lost.md, command by command, on the air of the lab."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rig import backend
from rig.air_process import AirBench
from rig.page_blocks import commands
from rig.phone_program import PhoneProgram
from rig.rows import UNGATED
from rig.terminals import typed

pytestmark = pytest.mark.seconds(120)


def prepare(state: Path) -> None:
    """A reader, and what Alice was given for it."""
    backend.provision(state, "front", "command")
    files = state.parent
    site, token = ["--site", files / "site.json"], files / "alice.token"
    wanted = ["--reader", "front", "--credential", "ALICE04711", "--holder", "Alice Miller", "--out", token]
    dates = ["--from", "2020-01-01", *backend.UNTIL]
    backend.run("readerlab", "credentials", "token", "command", *site, *wanted, *dates)
    bundle = ["--token", token, "--out", files / "alice.json"]
    backend.run("readerlab", "credentials", "phone-bundle", *site, *bundle)


async def test_a_lost_phone() -> None:
    async with AirBench(prepare=prepare, **UNGATED) as bench:
        phone = await PhoneProgram.at(bench)
        files = bench.state.parent

        async def told(block: str) -> str:
            """The output of a block on this bench's reader and air."""
            block = re.sub(r"readerd (un)?revoke", rf"\g<0> --control {bench.control}", block)
            block = block.replace("readerd policy show", f"readerd policy show --state {bench.state}")
            return await typed(block.replace("hci-socket:0", phone.place), files)

        opening = ["open", "--json", "--bundle", files / "alice.json"]
        assert (await phone.run(*opening)).code == 0
        revoke, show, unrevoke = commands("a-phone-is-lost.md", "## At a door")
        shown = commands("a-phone-is-lost.md", "## At a door", "text")
        assert await told(revoke) == shown[0]
        refused = await phone.run(*opening)
        assert refused.code == 1 and "the credential was revoked" in refused.refusal
        policy = (await told(show)).splitlines()
        assert policy[1:4] == shown[1].splitlines()[1:4]
        await told(unrevoke)
        assert (await phone.run(*opening)).code == 0

        (ending,) = commands("credentials.md", "## The register")
        assert "no credential ends within this time" in await told(ending)
        desk, carried, compared = commands("a-phone-is-lost.md", "## At many doors")
        assert "ALICE04711 (Alice Miller): revoked for ever in the register" in await told(desk)
        assert "ALICE04711" in (files / "state.json").read_text()
        await told(carried)
        refused = await phone.run(*opening)
        assert refused.code == 1 and "the credential was revoked" in refused.refusal
        assert "ALICE04711  Alice Miller  for ever" in await told(compared)
