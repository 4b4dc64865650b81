# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate bandit` as a process."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

from bandit.client import Backchannel, Camera
from rig.emulation import binary
from rig.ports import free_port
from rig.processes import Child

LINE_SECONDS = 10.0


class Device:
    """The camera, and its reports."""

    def __init__(self, child: Child, camera: Camera) -> None:
        self.child = child
        self.camera = camera

    async def line(self, pattern: str, after: int = 0) -> dict:
        """The first line that fits, from line `after` on."""
        return json.loads((await self.child.line(pattern, LINE_SECONDS, after)).text)

    @property
    def mark(self) -> int:
        return len(self.child.lines)

    async def type(self, line: str) -> dict:
        """Types a command; the answer."""
        mark = self.mark
        await self.child.type(line)
        return await self.line('"event":"answer"', mark)

    async def backchannel(self) -> Backchannel:
        """A backchannel that the camera knows: what happens from this time is reported there."""
        mark = self.mark
        made = await asyncio.to_thread(self.camera.backchannel)
        await self.line("backchannel [0-9]+ is open", mark)
        return made

    async def done(self, line: str) -> None:
        answer = await self.type(line)
        assert answer["ok"], answer


@contextlib.asynccontextmanager
async def device(*options: str, address: str = "127.0.0.1", env: dict[str, str] | None = None) -> AsyncIterator[Device]:
    """A camera that listens."""
    port = free_port()
    backchannel = free_port()
    command = [str(binary()), "emulate", "bandit", "--listen", f"{address}:{port}", "--json"]
    child = await Child.start(
        "readerlab",
        [*command, "--backchannel-port", str(backchannel), *options],
        stdin=asyncio.subprocess.PIPE,
        env=env,
    )
    made = None
    try:
        made = Device(child, Camera(address, port))
        await made.line("listening at")
        yield made
    finally:
        await child.stop()
        for opened in made.camera.sockets if made else []:
            opened.close()
