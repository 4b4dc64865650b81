# SPDX-License-Identifier: Apache-2.0
"""Child processes of the rig: their lines with times, and their end by pid, never by name."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

STOP_SECONDS = 5.0
"""From SIGTERM to SIGKILL."""


@dataclass(frozen=True)
class Line:
    """One line of output, with the monotonic time it was read at."""

    time: float
    text: str


ACCEPTING = 1 << 16
"""The flag of a socket that listens (Linux, __SO_ACCEPTCON)."""


def listens(path: Path) -> bool:
    """True once a Unix socket accepts connections there: its file exists a moment earlier, and refuses them."""
    sockets = (line.split(maxsplit=7) for line in Path("/proc/net/unix").read_text().splitlines()[1:])
    return any(int(fields[3], 16) & ACCEPTING and fields[7:] == [str(path)] for fields in sockets)


class Gone(Exception):
    """The process ended while something was expected of it."""


class Child:
    """A process whose output is kept."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name = name
        self.lines: list[Line] = []
        self._process = process
        self._news = asyncio.Condition()
        self._is_over = False
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, name: str, command: Sequence[str], **options) -> Child:
        """Starts `command`; both output streams are read as one. `stdin=asyncio.subprocess.PIPE` is for `type`."""
        options.setdefault("stdin", asyncio.subprocess.DEVNULL)
        process = await asyncio.create_subprocess_exec(
            *command,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            **options,
        )
        return cls(name, process)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """None while it runs."""
        return self._process.returncode

    async def type(self, line: str) -> None:
        """A line on its standard input."""
        self._process.stdin.write(line.encode() + b"\n")
        await self._process.stdin.drain()

    async def _read(self) -> None:
        async for line in self._process.stdout:
            async with self._news:
                self.lines.append(Line(time.monotonic(), line.decode(errors="replace").rstrip()))
                self._news.notify_all()
        await self._process.wait()
        async with self._news:
            self._is_over = True
            self._news.notify_all()

    async def line(self, pattern: str, seconds: float, after: int = 0) -> Line:
        """The first line from number `after` on that holds `pattern` (regular expression).

        Raises Gone when the process ends without it, TimeoutError when it takes longer; both show the last lines.
        """
        expression = re.compile(pattern)
        deadline = time.monotonic() + seconds
        seen = after
        while True:
            async with self._news:
                while seen < len(self.lines):
                    if expression.search(self.lines[seen].text):
                        return self.lines[seen]
                    seen += 1
                # Not by its exit code: its last lines may not have been read yet.
                if self._is_over:
                    raise Gone(f"{self.name} ended with {self._process.returncode} before {pattern!r}\n{self.tail()}")
                try:
                    await asyncio.wait_for(self._news.wait(), deadline - time.monotonic())
                except TimeoutError:
                    raise TimeoutError(
                        f"{self.name} printed no {pattern!r} in {seconds} s; its last lines:\n{self.tail()}"
                    ) from None

    def matching(self, pattern: str) -> list[Line]:
        """Every line so far that holds `pattern`."""
        expression = re.compile(pattern)
        return [line for line in self.lines if expression.search(line.text)]

    def tail(self, count: int = 15) -> str:
        """The last lines, for a failure's text."""
        return "\n".join(f"    {line.text}" for line in self.lines[-count:]) or "    (nothing)"

    async def ended(self, seconds: float) -> int:
        """Its exit code, once it has ended. Raises TimeoutError."""
        await asyncio.wait_for(asyncio.shield(self._reading), seconds)
        return self._process.returncode

    async def stop(self) -> int:
        """SIGTERM, and SIGKILL when it does not listen. Returns its exit code (negative: the signal)."""
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(self._process.wait(), STOP_SECONDS)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        await self._reading
        return self._process.returncode


NOBODY = 65534


async def by_another_user(body: Callable[[], bytes]) -> bytes:
    """The result of a function in a process of the user NOBODY. Raises PermissionError for anyone but root."""
    if os.getuid() != 0:
        raise PermissionError("needs root, to be another user")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(write, b"\0" + body())
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    result = await asyncio.to_thread(os.read, read, 64)
    os.close(read)
    assert os.waitpid(child, 0)[1] == 0
    return result[1:]
