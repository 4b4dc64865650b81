# SPDX-License-Identifier: Apache-2.0
"""docs/operate/osdp.md: what stands behind `$` is typed, and what stands below it is what is printed."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import pytest

from panel.wire import wire
from rig.bench import Bench
from rig.emulation import LINE_SECONDS
from rig.page_blocks import beginning, path
from rig.processes import Child
from rig.terminals import typed

pytestmark = pytest.mark.seconds(120)

LASTING = "readerlab osdp device"
"""It runs until it is ended."""
RUNNING = "readerd osdp install"
"""It asks a running reader, at a socket of the service's."""


def conversations() -> list[tuple[list[str], list[str]]]:
    """The commands of each block, and the lines below them."""
    lines = [block.splitlines() for block in beginning("osdp.md", "$ ")]
    return [
        ([line[2:] for line in each if line.startswith("$ ")], [line for line in each if not line.startswith("$ ")])
        for each in lines
    ]


def test_the_page_has_its_commands() -> None:
    commands = [command for block, _ in conversations() for command in block]
    assert len(commands) == 7
    assert sum(command.startswith((LASTING, RUNNING)) for command in commands) == 2


async def test_what_ends_by_itself_prints_what_the_page_shows(directory: Path) -> None:
    ending = [each for each in conversations() if not any(line.startswith((LASTING, RUNNING)) for line in each[0])]
    assert len(ending) == 4
    for commands, shown in ending:
        printed = [line for command in commands for line in (await typed(command, directory)).splitlines()]
        assert printed == shown, commands


async def test_the_device_for_a_panel(directory: Path) -> None:
    (conversation,) = [each for each in conversations() if any(line.startswith(LASTING) for line in each[0])]
    (key, device), (ready,) = conversation
    # 141: `head` has enough, and what writes into it ends by SIGPIPE.
    assert await typed(key, directory, 0, 141) == ""
    assert re.fullmatch("[0-9a-f]{32}", (directory / "door.key").read_text())
    assert (directory / "door.key").stat().st_mode & 0o777 == 0o600
    # A terminal's name that is this test's own; and the time is another one each time.
    command = device.replace("/tmp/osdp", str(directory / "line"))
    assert command != device
    child = await Child.start(
        "osdp",
        ["bash", "-c", f"exec {command}"],
        stdin=asyncio.subprocess.PIPE,
        cwd=directory,
        env=os.environ | {"PATH": path()},
    )
    try:
        expected = re.sub(r"^ *[0-9.]+ ", "[0-9.]+ ", re.escape(ready).replace(r"\ ", " ").replace(r"\.", "."))
        assert await child.line(rf"^ *{expected}$", LINE_SECONDS)
        assert (directory / "line").exists()
    finally:
        await child.stop()


async def test_the_window_for_the_key(directory: Path) -> None:
    (conversation,) = [each for each in conversations() if each[0][0].startswith(RUNNING)]
    (command,), shown = conversation
    with wire(directory) as line:
        async with Bench(osdp={"line": str(line.path)}) as bench:
            await bench.reader.child.line("controller ready", LINE_SECONDS)
            assert (await typed(f"{command} --control {bench.control}", directory)).splitlines() == shown
