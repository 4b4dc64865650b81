# SPDX-License-Identifier: Apache-2.0
"""README, "An air for other programs": its three commands unchanged, in three terminals, and the door opens; and
credentials.md, "From a reader to a phone's bundle": the same door with keys that are not public."""

from __future__ import annotations

import asyncio
import os
import shutil
import time

import pytest

from rig import page_blocks
from rig.page_blocks import README, path
from rig.processes import Child, Gone
from rig.reader import UNLOCKED

pytestmark = pytest.mark.seconds(180)

OPEN_SECONDS = 60.0
"""From the first command to the open door, as the README promises: some seconds where nothing else runs."""
TERMINAL = ["unshare", "--map-root-user", "--net"]
"""A separate network, in which the README's ports are free whatever else runs here."""


def commands() -> list[str]:
    """The plain blocks of the section: the air, then the reader and the phone."""
    return [block.strip() for block in page_blocks.commands(README, "## An air for other programs", "")]


async def terminal(number: int, command: str, network: int | None, **options) -> Child:
    """A shell with the built programs in its path; of the network of another one, if given."""
    enter = ["nsenter", "--target", str(network), "--user", "--net", "--preserve-credentials"] if network else TERMINAL
    lines = "exec " + command if network else "ip link set lo up && exec " + command
    return await Child.start(
        f"terminal {number}", [*enter, "bash", "-c", lines], env=os.environ | {"PATH": path()}, **options
    )


def test_the_section_has_three_commands():
    assert [command.split()[:2] for command in commands()] == [
        ["readerlab", "air"],
        ["readerd", "run"],
        ["readerlab", "phone"],
    ]
    assert shutil.which("unshare") and shutil.which("nsenter"), "apt-get install util-linux"


async def test_a_door_opens_between_three_terminals(directory):
    await a_door_opens(directory)


@pytest.mark.thorough(
    "test_a_door_opens_between_three_terminals has the terminals; test_phone_program.py opens with a bundle"
)
async def test_a_door_with_an_identity_of_its_own_opens(directory):
    (block,) = page_blocks.commands("credentials.md", "## From a reader to a phone's bundle")
    shell = await Child.start("bash", ["bash", "-e", "-c", block], cwd=directory, env=os.environ | {"PATH": path()})
    assert await shell.ended(OPEN_SECONDS) == 0, shell.tail()
    await a_door_opens(directory, "--bundle phone.json")
    # A phone with the published keys does not get in.
    with pytest.raises(Gone):
        await a_door_opens(directory)


async def a_door_opens(directory, *options: str) -> None:
    """The phone's command has these options besides. Raises Gone if the phone ends without it."""
    air_command, reader_command, phone_command = commands()
    phone_command = " ".join([phone_command, *options])
    began = time.monotonic()
    running = []
    try:
        # Without its input the air would end at once: a terminal stays open.
        air = await terminal(1, air_command, None, cwd=directory, stdin=asyncio.subprocess.PIPE)
        running.append(air)
        await air.line("then: readerlab phone open", OPEN_SECONDS)
        door = await terminal(2, reader_command, air.pid, cwd=directory)
        running.append(door)
        await air.line(r"reader +connected", OPEN_SECONDS)
        phone = await terminal(3, phone_command, air.pid, cwd=directory)
        running.append(phone)
        await phone.line(r"answer .*opened|^ *access +granted", OPEN_SECONDS)
        unlocked = await door.line(UNLOCKED, OPEN_SECONDS)
        print(f"three terminals: the door was open after {unlocked.time - began:.1f} s")
        assert unlocked.time - began < OPEN_SECONDS
    finally:
        codes = [await child.stop() for child in reversed(running)]
    assert codes == [0, 0, 0], [child.tail() for child in running]
