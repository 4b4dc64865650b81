# SPDX-License-Identifier: Apache-2.0
"""The memory of a process that it can read, searched for secrets. It takes CAP_SYS_PTRACE for another process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

CHUNK = 1 << 20


def regions(pid: int) -> Iterator[tuple[str, bytes]]:
    """The readable memory of a process: heap, stacks, data, in pieces that overlap, with the names of their maps."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for start, end, name in re.findall(r"^(\w+)-(\w+) r\S+ \S+ \S+ \S+ *(.*)$", maps, re.MULTILINE):
            if name in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
                continue
            place = int(start, 16)
            while place < int(end, 16):
                memory.seek(place)
                try:
                    piece = memory.read(min(CHUNK + 64, int(end, 16) - place))
                except OSError:
                    # Unmapped since the list was read, so that nothing is left in it.
                    break
                yield f"{name or 'memory'} at {place:#x}", piece
                place += CHUNK


def forms(name: str, secret: bytes) -> dict[str, bytes]:
    """Needles of a secret: its octets, and their hexadecimal digits in either case."""
    digits = secret.hex()
    return {
        name: secret,
        f"{name} in digits": digits.encode(),
        f"{name} in upper case": digits.upper().encode(),
    }


def found(pid: int, needles: dict[str, bytes]) -> set[str]:
    """Which of the needles are in the process's memory, and where."""
    return {
        f"{name}: {place}, octet {piece.index(needle):#x}"
        for place, piece in regions(pid)
        for name, needle in needles.items()
        if needle in piece
    }
