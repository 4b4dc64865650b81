# SPDX-License-Identifier: Apache-2.0
"""Troubles of a reader's panel and its wire, each with a beginning and an end."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable

from osdp import LibFlag, LogLevel

from panel.frames import BROADCAST, POLL, challenge, command
from panel.panel import KEY, OTHER_KEY, Panel, Terminal, until
from panel.wire import Wire

FRAME_SECONDS = 1.0
"""Between two frames of a stranger."""
KICK_SECONDS = 6.0
"""libosdp leaves a device that does not answer alone for up to 300 s; the panel enables it again after this time."""


class PanelTroubles:
    """A panel with the reader's key, and its wire."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._running: Panel | None = None
        self._is_away = False
        self._keeping: asyncio.Task | None = None
        self.kinds: dict[str, Callable[[], contextlib.AbstractAsyncContextManager[None]]] = {
            "cut line": lambda: self._cut(lambda _: []),
            "cut line, wrong numbers": lambda: self._cut(self._wrong_numbers),
            "cut line, recorded frames": lambda: self._cut(lambda recorded: recorded[-5:]),
            "cut line, frames in clear": lambda: self._cut(lambda _: [command(0, 0, POLL)]),
            "cut line, challenges": lambda: self._cut(lambda _: [challenge(0, 1)]),
            "silent panel": self._silent,
            "another key": self._another_key,
            "unplugged line": self._unplugged,
        }

    async def __aenter__(self) -> PanelTroubles:
        self._open(KEY)
        self._keeping = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._keeping.cancel()
        await asyncio.gather(self._keeping, return_exceptions=True)
        await self._close()

    @property
    def is_secure(self) -> bool:
        """The panel's view of the session."""
        return bool(self._running and not self._is_away and self._running.panel.is_sc_active(0))

    def _open(self, key: bytes) -> None:
        # Its warnings are what is wanted here.
        self._running = Panel(Terminal(self._wire.end), 0, key, [LibFlag.EnforceSecure], LogLevel.Critical)
        self._running.panel.start()

    async def _close(self) -> None:
        if running := self._running:
            self._running = None
            await asyncio.to_thread(running.panel.teardown)
            running.terminal.close()

    async def _keep(self) -> None:
        """Enables the device again and again while it is not in a session, and forgets the traffic."""
        while True:
            await asyncio.sleep(KICK_SECONDS)
            if not (running := self._running):
                continue
            del running.terminal.traffic[:]
            del running.terminal.sent[:-20]
            running.events.clear()
            if not self._is_away and not running.panel.is_sc_active(0):
                await self._enable(running, False)
                await self._enable(running, True)

    async def _enable(self, running: Panel, is_enabled: bool) -> None:
        (running.panel.enable_pd if is_enabled else running.panel.disable_pd)(0)
        with contextlib.suppress(TimeoutError):
            await until("the device's state", lambda: running.panel.is_pd_enabled(0) == is_enabled, 5)

    @staticmethod
    def _wrong_numbers(recorded: list[bytes]) -> list[bytes]:
        last = recorded[-1]
        wrong = ((last[last.index(0x53) + 4] & 3) % 3 + 1) % 3 + 1
        return [command(0, wrong, POLL), command(BROADCAST, wrong, POLL)]

    @contextlib.asynccontextmanager
    async def _cut(self, strangers: Callable[[list[bytes]], list[bytes]]) -> AsyncIterator[None]:
        self._running.terminal.is_cut = self._is_away = True
        recorded = list(self._running.terminal.sent)
        speaking = asyncio.create_task(self._speak(strangers(recorded) if recorded else []))
        try:
            yield
        finally:
            speaking.cancel()
            self._running.terminal.read(4096)
            self._running.terminal.is_cut = self._is_away = False

    async def _speak(self, frames: list[bytes]) -> None:
        turn = 0
        while frames:
            os.write(self._wire.end, frames[turn % len(frames)])
            turn += 1
            await asyncio.sleep(FRAME_SECONDS)
            # Replies to a stranger do not wait for the panel.
            self._running.terminal.read(4096)

    @contextlib.asynccontextmanager
    async def _silent(self) -> AsyncIterator[None]:
        self._is_away = True
        await self._enable(self._running, False)
        try:
            yield
        finally:
            await self._enable(self._running, True)
            self._is_away = False

    @contextlib.asynccontextmanager
    async def _another_key(self) -> AsyncIterator[None]:
        await self._close()
        self._open(OTHER_KEY)
        try:
            yield
        finally:
            await self._close()
            self._open(KEY)

    @contextlib.asynccontextmanager
    async def _unplugged(self) -> AsyncIterator[None]:
        await self._close()
        self._wire.lose()
        try:
            yield
        finally:
            self._wire.lay()
            self._open(KEY)
