# SPDX-License-Identifier: Apache-2.0
"""`readerlab osdp device` as a process, on a pseudo-terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path

from rig.emulation import LINE_SECONDS, binary
from rig.processes import Child


class Device:
    """A peripheral device that readerlab plays."""

    def __init__(self, child: Child, line: Path) -> None:
        self.child = child
        self.line = line

    @property
    def mark(self) -> int:
        """The number of lines so far: later lines come after it."""
        return len(self.child.lines)

    async def event(self, name: str, after: int = 0, holding: str = "") -> dict:
        """The first line of that event that holds a text, from line `after` on."""
        line = await self.child.line(f'"event":"{name}".*{holding}', LINE_SECONDS, after)
        return json.loads(line.text)

    async def type(self, line: str) -> None:
        """An order by hand."""
        await self.child.type(line)

    def has(self, name: str, holding: str = "") -> bool:
        """Whether there was such an event."""
        return bool(self.child.matching(f'"event":"{name}".*{holding}'))


@contextlib.asynccontextmanager
async def device(directory: Path, *options: str):
    """A device that is ready; it has to end in order."""
    line = directory / "line"
    child = await Child.start(
        "readerlab",
        [str(binary()), "osdp", "device", "--line", f"pty:{line}", "--json", *options],
        stdin=asyncio.subprocess.PIPE,
    )
    try:
        running = Device(child, line)
        await running.event("ready")
        yield running
    finally:
        code = await child.stop()
    assert code == 0, child.tail()
