# SPDX-License-Identifier: Apache-2.0
"""A gpiochip that only the reader sees, gpiochip0 with 32 lines, and every edge of its outputs.

libLineClock.so of the lab stands for libgpiod in the reader's process, and notes in a file when which line is set.
"""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rig.reader import ROOT

HEAD_OCTETS, NUMBER_OF_EDGES = 4096, 6
EDGE = struct.Struct("=QQ")
ROOM = 8192
"""The number of edges for which there is room."""
PAUSE_SECONDS = 0.01


@dataclass(frozen=True)
class Edge:
    """A line was set to another level, or for the first time. `at` in nanoseconds on the monotonic clock."""

    at: int
    line: int
    level: bool


def library() -> Path:
    """The library that `script/build` leaves. Raises FileNotFoundError with the remedy."""
    path = ROOT / ".build/debug/libLineClock.so"
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}: run script/build --product LineClock")
    return path


class Lines:
    """The chip of one reader: give it `environment`, and lines as `gpiochip0:N`."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "lines"
        self._path.write_bytes(bytes(HEAD_OCTETS + ROOM * EDGE.size))
        self.environment = {"LD_PRELOAD": str(library()), "READERLAB_LINES": str(self._path)}

    @property
    def edges(self) -> list[Edge]:
        """All edges so far, in their order."""
        octets = self._path.read_bytes()
        count = int.from_bytes(octets[8 * NUMBER_OF_EDGES :][:8], "little")
        assert count <= ROOM, f"{count} edges, room for {ROOM}"
        entries = EDGE.iter_unpack(octets[HEAD_OCTETS:][: count * EDGE.size])
        # One whose time is missing is being written.
        return [Edge(at, what // 2, bool(what % 2)) for at, what in entries if at]

    def of(self, line: int) -> list[Edge]:
        """The edges of one line so far."""
        return [edge for edge in self.edges if edge.line == line]

    def levels(self, *lines: int) -> list[bool]:
        """The present levels; of lines never set, False."""
        levels = {edge.line: edge.level for edge in self.edges}
        return [levels.get(line, False) for line in lines]

    async def until(self, what: str, seconds: float, holds: Callable[[], object]) -> None:
        """Waits until it holds. Raises TimeoutError with the edges."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError(f"not in {seconds} s: {what}; edges: {self.edges[-20:]}")
            await asyncio.sleep(PAUSE_SECONDS)

    async def become(self, seconds: float, levels: dict[int, bool]) -> None:
        """Waits until these lines have these levels."""
        await self.until(f"{levels}", seconds, lambda: self.levels(*levels) == list(levels.values()))
