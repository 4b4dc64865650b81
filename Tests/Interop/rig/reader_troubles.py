# SPDX-License-Identifier: Apache-2.0
"""Troubles of a reader's controller, disk and process, each with a beginning and an end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from rig.bench import READER, Bench

Trouble = Callable[[], contextlib.AbstractAsyncContextManager[None]]

NOP, INTEL_BOOT, ST_BOOT = "0e03010000", "ff0702000102030405", "ff03010001"
CONNECTION_COMPLETE, DISCONNECTION_COMPLETE = ("3e01", "3e0a"), ("05",)
REFUSALS = {
    "full": ("3620=12", "3720=07", "3920=0c"),
    "legacy": ("0520=01", "0620=12", "0820=12", "0a20=0c", "0a20=1f"),
}
"""Commands that advertising needs, with a status each, by the profile of the controller."""
LONGEST = {
    **dict.fromkeys(("silent restart", "NOP", "boot event (Intel)", "boot event (ST)", "pulled controller"), 0.0),
    **dict.fromkeys(("lost connection event", "lost disconnection event"), 6.0),
}
"""The longest time of a trouble in seconds: a controller has restarted at once, and each lost event is another trouble,
which the reader finds within 30 s."""


class ControllerTroubles:
    """Between the reader and its controller."""

    def __init__(self, bench: Bench, profile: str) -> None:
        self._radio = bench.radio
        names = REFUSALS[profile]
        self.kinds: dict[str, Trouble] = {
            "silent restart": self._restarted,
            "NOP": lambda: self._restarted(NOP),
            "boot event (Intel)": lambda: self._restarted(INTEL_BOOT),
            "boot event (ST)": lambda: self._restarted(ST_BOOT),
            "lost connection event": lambda: self._loses(CONNECTION_COMPLETE),
            "lost disconnection event": lambda: self._loses(DISCONNECTION_COMPLETE),
            "unusable RSSI": self._unusable,
            "hung controller": self._hung,
            "pulled controller": self._pulled,
            **{f"refused {name}": lambda name=name: self._refuses(name) for name in names},
        }

    @contextlib.asynccontextmanager
    async def _restarted(self, event: str = "") -> AsyncIterator[None]:
        await self._restart(event)
        yield

    async def _restart(self, event: str = "") -> None:
        # A reader that has closed its controller opens it again.
        with contextlib.suppress(RuntimeError):
            await self._radio.restart(READER)
            if event:
                await self._radio.ask("event", READER, event)

    @contextlib.asynccontextmanager
    async def _loses(self, events: tuple[str, ...]) -> AsyncIterator[None]:
        await self._radio.ask("lose", READER, *events)
        try:
            yield
        finally:
            await self._radio.ask("lose", READER)

    @contextlib.asynccontextmanager
    async def _unusable(self) -> AsyncIterator[None]:
        await self._radio.ask("reading", READER, 127)
        try:
            yield
        finally:
            await self._radio.ask("reading", READER)

    @contextlib.asynccontextmanager
    async def _hung(self) -> AsyncIterator[None]:
        await self._radio.ask("hang", READER)
        try:
            yield
        finally:
            await self._radio.ask("hang", READER, "no")

    @contextlib.asynccontextmanager
    async def _pulled(self) -> AsyncIterator[None]:
        with contextlib.suppress(RuntimeError):
            await self._radio.drop(READER)
        yield

    @contextlib.asynccontextmanager
    async def _refuses(self, refusal: str) -> AsyncIterator[None]:
        await self._radio.ask("refuse", READER, refusal)
        try:
            # Its commands are needed again.
            await self._restart(NOP)
            yield
        finally:
            await self._radio.ask("refuse", READER)


class DiskTroubles:
    """The disk of the event log, by lab/Sources/CPowerCut."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.kinds: dict[str, Trouble] = {
            "disk full": lambda: self._fails(errno.ENOSPC),
            "disk fails": lambda: self._fails(errno.EIO),
        }

    def environment(self, state: Path) -> dict[str, str]:
        """Variables of the reader's, without the library."""
        return {"READERLAB_CUT_DIRECTORY": str(state), "READERLAB_CUT_FAULT": str(self._file)}

    @contextlib.asynccontextmanager
    async def _fails(self, error: int) -> AsyncIterator[None]:
        draft = self._file.with_suffix(".draft")
        draft.write_text(f"{error} events.db\n")
        draft.rename(self._file)
        try:
            yield
        finally:
            self._file.unlink()


class ProcessTroubles:
    """The process of the reader does not run for a while, and a request waits for it."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.is_stopped = False
        self.stops = 0
        self.kinds: dict[str, Trouble] = {"process stopped": self._stopped}

    @contextlib.asynccontextmanager
    async def _stopped(self) -> AsyncIterator[None]:
        pid = self._bench.reader.child.pid
        self.is_stopped = True
        self.stops += 1
        os.kill(pid, signal.SIGSTOP)
        try:
            _, requests = await asyncio.open_unix_connection(self._bench.control)
            requests.write(json.dumps({"unlock": "pulse", "id": f"late-{self.stops}"}).encode() + b"\n")
            yield
            requests.close()
        finally:
            os.kill(pid, signal.SIGCONT)
            self.is_stopped = False
