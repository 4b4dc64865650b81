# SPDX-License-Identifier: Apache-2.0
"""Captures, read with tshark."""

from __future__ import annotations

import subprocess
from pathlib import Path

from rig.pcapng import check_crc

SECONDS = 60
SEPARATOR = "\x1f"
"""No text has it."""
DAMAGED = "_ws.malformed || _ws.expert.severity == error || btle.crc.incorrect"
"""The packets that a capture may not have."""


def tool(name: str, *arguments: str) -> str:
    """The standard output of a program of tshark's, which has to succeed."""
    done = subprocess.run([name, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def packets(capture: Path, *fields: str, where: str = "") -> list[tuple[str, ...]]:
    """These fields of each packet that the display filter takes."""
    options = [word for field in fields for word in ("-e", field)]
    text = tool(
        "tshark", "-n", "-r", str(capture), "-Y", where, "-T", "fields", "-E", f"separator={SEPARATOR}", *options
    )
    return [tuple(line.split(SEPARATOR)) for line in text.splitlines()]


def check(capture: Path) -> None:
    """Every packet is dissected, to its end, and has the right CRC; only its owner can read the file."""
    assert capture.stat().st_mode & 0o777 == 0o600
    assert not packets(capture, "frame.number", "frame.interface_name", "_ws.expert.message", where=DAMAGED)
    check_crc(capture)


def operations(capture: Path, interface: str) -> set[int]:
    """The opcodes of ATT on an interface."""
    found = packets(capture, "btatt.opcode", where=f'frame.interface_name == "{interface}" && btatt')
    return {int(code, 16) for (code,) in found}
