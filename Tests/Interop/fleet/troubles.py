# SPDX-License-Identifier: Apache-2.0
"""Troubles of a reader's broker, of the way to it and of readerd-link, each with a beginning and an end."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from fleet.broker import Broker
from fleet.certificates import Identity
from fleet.door import program
from fleet.passage import Passage
from rig.processes import Child


class BrokerTroubles:
    """The broker, the way to it, and readerd-link."""

    def __init__(self, broker: Broker, passage: Passage, reader: Identity, socket: Path) -> None:
        self._broker = broker
        self._passage = passage
        self._reader = reader
        self._socket = socket
        self.link: Child | None = None
        ways = {
            "no connection": "closed",
            "falls at CONNACK": "connack",
            "falls at SUBACK": "suback",
            "session refused": "refused",
            "broker busy": "busy",
            "subscription refused": "unsubscribed",
        }
        self.kinds: dict[str, Callable[[], contextlib.AbstractAsyncContextManager[None]]] = {
            "broker killed": self._killed,
            "broker stopped": self._held,
            "mute way": lambda: self._way("mute", False),
            **{name: lambda way=way: self._way(way, True) for name, way in ways.items()},
            "readerd-link stopped": self._link_stopped,
            "readerd-link killed": self._link_killed,
        }

    async def __aenter__(self) -> BrokerTroubles:
        await self._start_link()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.link.returncode is None:
            await self.link.stop()

    async def _start_link(self) -> None:
        command = [program("readerd-link"), "run", "--broker", f"localhost:{self._passage.port}"]
        command += ["--reader", str(self._socket), "--ca", str(self._broker.authority.file), "--spread", "1"]
        command += ["--certificate", str(self._reader.certificate), "--key", str(self._reader.key)]
        self.link = await Child.start("readerd-link", command)

    @contextlib.asynccontextmanager
    async def _killed(self) -> AsyncIterator[None]:
        await self._broker.kill()
        try:
            yield
        finally:
            await self._broker.start()

    @contextlib.asynccontextmanager
    async def _held(self) -> AsyncIterator[None]:
        self._broker.hold()
        try:
            yield
        finally:
            self._broker.release()

    @contextlib.asynccontextmanager
    async def _way(self, trouble: str, is_cut: bool) -> AsyncIterator[None]:
        self._passage.trouble = trouble
        if is_cut:
            await self._passage.cut()
        try:
            yield
        finally:
            self._passage.trouble = ""

    @contextlib.asynccontextmanager
    async def _link_stopped(self) -> AsyncIterator[None]:
        os.kill(self.link.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.link.pid, signal.SIGCONT)

    @contextlib.asynccontextmanager
    async def _link_killed(self) -> AsyncIterator[None]:
        os.kill(self.link.pid, signal.SIGKILL)
        await self.link.ended(5)
        try:
            yield
        finally:
            await self._start_link()
