# SPDX-License-Identifier: Apache-2.0
"""Missing parts of a board: by its red light and its Bluetooth name (`readerd run --tell-missing`), and on its
console."""

import os
import pty
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from access.advertising import ACCESS
from rig.bench import Bench
from rig.lines import Lines
from rig.reader import ROOT, Reader, Settings

SECONDS = 20.0
LOCK, RED = 0, 2
TELLS = ("--tell-missing",)
GPIO = {"led-denied": f"gpiochip0:{RED}"}
COMPLETE = {"": {"allow-demo-identity": True}, "gpio": {"lock": f"gpiochip0:{LOCK}", **GPIO}}
"""A bench that permits the published keys lacks no others."""
BETWEEN_FLASHES_SECONDS = 1.0
"""The flashes of one number begin 0.5 s apart, and the next number 2.5 s after the last of them."""
DEMO_NAME = "wa0y1YwS"

pytestmark = pytest.mark.seconds(120)


async def flashes(lines: Lines, at_least: int = 2) -> list[int]:
    """The number of flashes in each group that is over, once there are so many groups."""

    def groups() -> list[int]:
        rising = [edge.at / 1e9 for edge in lines.of(RED) if edge.level]
        found = [1] if rising else []
        for before, after in pairwise(rising):
            if after - before > BETWEEN_FLASHES_SECONDS:
                found.append(1)
            else:
                found[-1] += 1
        return found[:-1]

    await lines.until(f"{at_least} groups of flashes", SECONDS, lambda: len(groups()) >= at_least)
    return groups()


async def standing_red(lines: Lines) -> None:
    """The sign of a locked door, and no flashes: the line is opened dark, and set once."""
    await lines.become(SECONDS, {RED: True})
    assert len(lines.of(RED)) <= 2, lines.of(RED)


async def name_of(bench: Bench) -> str:
    """The GAP device name, which is the one in the packets."""
    phone = await bench.phone()
    sighting = await phone.find(ACCESS)
    link = await phone.connect(sighting.address)
    name = await link.device_name()
    assert bytes([len(name) + 1, 0x09]) + name.encode() in sighting.data, sighting.data
    return name


async def test_a_board_without_identity_and_lock_says_so(tmp_path):
    lines = Lines(tmp_path)
    async with Bench(environment=lines.environment, options=TELLS, gpio=GPIO) as bench:
        assert await name_of(bench) == "NEED IL"
        # The identity is the first part.
        assert set(await flashes(lines)) == {1}


async def test_a_complete_board_has_no_sign(tmp_path):
    lines = Lines(tmp_path)
    async with Bench(environment=lines.environment, options=TELLS, **COMPLETE) as bench:
        assert await name_of(bench) == DEMO_NAME
        await standing_red(lines)


async def test_without_the_option_there_is_no_sign(tmp_path):
    lines = Lines(tmp_path)
    async with Bench(environment=lines.environment, gpio=GPIO) as bench:
        assert await name_of(bench) == DEMO_NAME
        await standing_red(lines)


async def test_without_a_controller_the_light_alone_says_so(tmp_path):
    lines = Lines(tmp_path)
    # No one listens there.
    settings = Settings({**COMPLETE, "lights": {"locked": "off", "fault": "off"}})
    reader = await Reader.start("127.0.0.1:1", tmp_path, settings, TELLS, lines.environment)
    assert set(await flashes(lines)) == {3}
    assert await reader.stop() == 0


def shown_by_agetty(issue: Path) -> list[str]:
    """The lines of an issue file as agetty writes them to a terminal."""
    terminal, end = pty.openpty()
    try:
        command = ["/sbin/agetty", "--show-issue", "--issue-file", issue]
        subprocess.run(command, check=True, stdin=end, stdout=end, stderr=end, timeout=SECONDS)
        os.close(end)
        return os.read(terminal, 1 << 16).decode().splitlines()
    finally:
        os.close(terminal)


def test_the_consoles_text_has_no_escapes_of_agettys(tmp_path: Path):
    """agetty takes a backslash in its issue file for its own escape, and a message of readerd's may hold one."""
    message = r"keys  none: \s \4{tty} \\ \e{red} \x"
    program = tmp_path / "readerd"
    program.write_text(f"#!/bin/sh\n[ \"$1\" = self-test ] && cat <<'end'\n{message}\nend\n")
    program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for options, holds in ([], False), (["--issue"], True):
        command = [ROOT / "packaging/console/missing", *options]
        done = subprocess.run(command, check=True, capture_output=True, env=environment, timeout=SECONDS)
        issue = tmp_path / "issue"
        issue.write_bytes(done.stdout)
        assert (message in shown_by_agetty(issue)) == holds
