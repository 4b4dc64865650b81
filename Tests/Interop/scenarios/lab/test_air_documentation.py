# SPDX-License-Identifier: Apache-2.0
"""docs/emulators/air.md, docs/emulators/web.md and the README's air, unchanged: each command in its own terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rig.emulation import LINE_SECONDS
from rig.page_blocks import README, commands
from rig.reader import UNLOCKED
from rig.terminals import terminals

pytestmark = pytest.mark.seconds(120)

WAYS = {
    "air.md": commands("air.md", "## A reader and a phone", ""),
    "README.md": commands(README, "## An air for other programs", ""),
}


def pattern(line: str) -> str:
    """A line that a page shows, at another time and on another day."""
    words = re.sub(r"^ *[0-9.]+ +", "", line)
    return re.escape(words).replace("…", "[0-9a-f]+")


@pytest.mark.parametrize("page", WAYS)
async def test_a_reader_and_a_phone(directory: Path, page: str) -> None:
    air, reader, phone = WAYS[page]
    command, *shown = air.splitlines()
    async with terminals(directory) as here:
        child = await here.start(command.removeprefix("$ "))
        for line in shown or ["help lists"]:
            await child.line(pattern(line), LINE_SECONDS)
        opened = await here.start(reader)
        await opened.line("advertising on", LINE_SECONDS)
        await here.carry_out(phone)
        await opened.line(UNLOCKED, LINE_SECONDS)


async def test_the_airs_control_socket(directory: Path) -> None:
    (block,) = commands("air.md", "## The control socket", "")
    # The socket's name is this test's own.
    air, order, answer = block.replace("/tmp/", f"{directory}/").splitlines()
    async with terminals(directory) as here:
        child = await here.start(air.removeprefix("$ ").removesuffix(" &"))
        await child.line('"event":"next"', LINE_SECONDS)
        (line,) = await here.carry_out(order.removeprefix("$ "))
        assert re.sub('"at-ms":[0-9]+', '"at-ms":5213', line) == answer


async def test_a_page_of_a_device(directory: Path) -> None:
    device, printed, together = commands("web.md", "# A page of a running device", "")
    async with terminals(directory) as here:
        alone = await here.start(device)
        await alone.line(f"^{pattern(printed.strip())}$", LINE_SECONDS)
        await alone.stop()

        air, reader, phone = together.splitlines()
        await (await here.start(air)).line("help lists", LINE_SECONDS)
        emulated = await here.start(reader)
        await emulated.line("advertising on", LINE_SECONDS)
        await here.carry_out(phone)
        await emulated.line("unlocked", LINE_SECONDS)
