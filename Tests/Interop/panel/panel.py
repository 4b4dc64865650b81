# SPDX-License-Identifier: Apache-2.0
"""libosdp's control panel at a terminal, and a line that speaks octets alone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import termios
import time
import tty
from pathlib import Path

from osdp import Channel, ControlPanel, LogLevel, PDInfo

from panel.frames import Frame, split
from rig.waiting import until

SECONDS = 30.0
"""For what has to come: libosdp's slowest way is its time-out of 8 s and a try after it, on a machine that is busy."""

KEY = bytes.fromhex("5a1c96f3024be87d33a9c0175e6d88f1")
OTHER_KEY = bytes.fromhex("c40f7712ab9e3d5680e1f2a3b4c5d6e7")
"""Keys of a device, of which a panel has one."""

ON, OFF = 2, 1
"""Control codes of OUT: permanently on and off."""

REPEAT_SECONDS = 1.0
"""Without a reply a command is repeated; a device has 0.2 s for its answer."""

PAUSE_SECONDS = 0.01
"""Between looks at libosdp, which has no events for its states."""


def key_file(path: Path, key: bytes = KEY) -> Path:
    """Writes the file of a device's key."""
    path.write_text(key.hex() + "\n")
    path.chmod(0o600)
    return path


class Terminal(Channel):
    """The panel's end of a line. Everything on it is kept, in its order."""

    def __init__(self, line: Path | int) -> None:
        super().__init__()
        if isinstance(line, int):
            self._descriptor = os.dup(line)
            os.set_blocking(self._descriptor, False)
        else:
            self._descriptor = os.open(line, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._descriptor)
        self.is_cut = False
        """True while the wire is cut: nothing comes through in either direction."""
        self.traffic = bytearray()
        self.sent: list[bytes] = []

    def read(self, max_bytes: int) -> bytes:
        try:
            octets = os.read(self._descriptor, max_bytes)
        except (BlockingIOError, OSError):
            return b""
        if self.is_cut:
            return b""
        self.traffic += octets
        return octets

    def write(self, buf: bytes) -> int:
        if not self.is_cut:
            try:
                os.write(self._descriptor, buf)
            except OSError:
                # A line that is lost.
                return len(buf)
            self.traffic += buf
            self.sent.append(bytes(buf))
        return len(buf)

    def flush(self) -> None:
        """Discards the octets that wait, as libosdp requests before each command.

        An answer that it has given up, for want of a processor, would be read as that to the next command: libosdp then
        leaves the device alone for 300 s.
        """
        while self.read(4096):
            pass

    @property
    def speed(self) -> int:
        """The constant of the terminal's speed (termios)."""
        return termios.tcgetattr(self._descriptor)[5]

    def close(self) -> None:
        """Hangs up."""
        os.close(self._descriptor)

    async def exchange(self, octets: bytes) -> Frame:
        """Sends octets, and returns the reply. Raises TimeoutError.

        A device that waits for its processor does not answer late: the command is repeated, as by a panel.
        """
        before, sent = len(self.traffic), 0.0

        def reply() -> list[Frame]:
            nonlocal before, sent
            self.read(4096)
            if frames := split(bytes(self.traffic[before:])):
                return frames
            if time.monotonic() > sent + REPEAT_SECONDS:
                self.write(octets)
                before, sent = len(self.traffic), time.monotonic()
            return []

        return (await until("a reply", reply))[0]


class Panel:
    """A panel with one device."""

    def __init__(
        self,
        terminal: Terminal,
        address: int,
        key: bytes | None,
        flags: list[int],
        log_level: int = LogLevel.Warning,
    ) -> None:
        self.terminal = terminal
        self.address = address
        self.events: list[dict] = []
        self.completed: list[tuple[dict, int]] = []
        self._key, self._flags, self._log_level = key, flags, log_level
        self.panel = self._made()

    def _made(self) -> ControlPanel:
        return ControlPanel(
            [PDInfo(self.address, self.terminal, scbk=self._key, flags=self._flags)],
            log_level=self._log_level,
            event_handler=self._hear,
            command_completion_handler=lambda _, command, status: self.completed.append((command, status)),
        )

    async def restart(self) -> None:
        """Replaces libosdp's panel by a new one at the same terminal, and waits for its secure session."""
        await asyncio.to_thread(self.panel.teardown)
        self.panel = self._made()
        self.panel.start()
        await self.secured()

    def _hear(self, _: int, event: dict) -> int:
        self.events.append(event)
        return 0

    async def online(self) -> None:
        """Waits for the device."""
        await until("the device online", lambda: self.panel.is_online(self.address))

    async def secured(self) -> None:
        """Waits for a secure session."""
        await until("a secure session", lambda: self.panel.is_sc_active(self.address))

    async def order(self, command: int, **fields) -> None:
        """Submits a command, and waits for its end. Raises AssertionError if it did not come about."""
        assert await self.ordered(command, **fields) == 0, self.completed[-1]

    async def ordered(self, command: int, **fields) -> int:
        """Submits a command; how it ended, 0 for done."""
        before = len(self.completed)
        await until(
            "the command taken", lambda: self.panel.submit_command(self.address, {"command": command, **fields})
        )
        await until("the command's end", lambda: len(self.completed) > before)
        return self.completed[before][1]

    async def event(self, kind: int, **fields) -> dict:
        """The first event of this kind with these fields."""

        def fitting() -> dict | None:
            for event in self.events:
                if event["event"] == kind and all(event.get(name) == value for name, value in fields.items()):
                    return event
            return None

        try:
            return await until(f"event {kind} {fields}", fitting)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; events: {self.events}") from None


@contextlib.asynccontextmanager
async def panel(
    line: Path | int,
    address: int = 0,
    key: bytes | None = None,
    flags: list[int] | None = None,
    kind: type[Terminal] = Terminal,
):
    """A panel that runs at a terminal, by path or descriptor."""
    terminal = kind(line)
    try:
        running = Panel(terminal, address, key, flags or [])
        running.panel.start()
        try:
            yield running
        finally:
            await asyncio.to_thread(running.panel.teardown)
    finally:
        terminal.close()


@contextlib.contextmanager
def octets(line: Path | int):
    """The line without a panel."""
    terminal = Terminal(line)
    try:
        yield terminal
    finally:
        terminal.close()
