# SPDX-License-Identifier: Apache-2.0
"""Captures of HCI traffic, read without the project's own reader."""

import struct
from pathlib import Path

SENT, RECEIVED = 0, 1
COMMAND, DATA, EVENT = 1, 2, 4


def check_capture(path: Path) -> None:
    """The capture is private, whole, in order, and has commands and events, and data in both directions."""
    assert path.stat().st_mode & 0o777 == 0o600
    octets = path.read_bytes()
    assert octets[:16] == b"btsnoop\0" + struct.pack(">II", 1, 1002)
    kinds, times, position = set(), [], 16
    while position < len(octets):
        original, included, flags, drops, time = struct.unpack_from(">IIIIQ", octets, position)
        packet = octets[position + 24 : position + 24 + included]
        assert original == included == len(packet) and drops == 0
        assert bool(flags & 2) == (packet[0] in (COMMAND, EVENT))
        kinds.add((packet[0], flags & 1))
        times.append(time)
        position += 24 + included
    assert times == sorted(times)
    assert kinds == {(COMMAND, SENT), (EVENT, RECEIVED), (DATA, SENT), (DATA, RECEIVED)}
