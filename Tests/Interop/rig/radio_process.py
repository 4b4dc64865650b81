# SPDX-License-Identifier: Apache-2.0
"""The radio in a separate process, so that a host that triggers RootCanal's assertions fails a test and not the run."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from rig.processes import Child

START_SECONDS = 10.0
ANSWER_SECONDS = 5.0

ROOTCANAL, BUMBLE = "rig.radio", "rig.controllers"
"""The two kinds of controllers."""


class RadioProcess:
    """`python -m rig.radio`, or `rig.controllers`, behind its control port."""

    def __init__(self, child: Child, directory: Path, control) -> None:
        self.child = child
        self.directory = directory
        self._reader, self._writer = control
        self._turn = asyncio.Lock()

    @classmethod
    async def start(cls, directory: Path, kind: str = ROOTCANAL) -> RadioProcess:
        """Starts it with its sockets and its log in `directory`; `kind` is ROOTCANAL or BUMBLE."""
        control = directory / "control"
        child = await Child.start(
            "radio",
            [
                *(sys.executable, "-m", kind),
                *("--control", f"unix:{control}", "--log", str(directory / "controllers.log")),
            ],
            cwd=Path(__file__).parent.parent,
        )
        await child.line("^ready$", START_SECONDS)
        return cls(child, directory, await asyncio.open_unix_connection(str(control)))

    async def ask(self, *words: object) -> str:
        """One command of the control port. Raises RuntimeError with the controllers' last words when they are gone."""
        async with self._turn:
            self._writer.write((" ".join(map(str, words)) + "\n").encode())
            answer = (await asyncio.wait_for(self._reader.readline(), ANSWER_SECONDS)).decode().strip()
        if not answer:
            raise RuntimeError(f"the radio ended:\n{self.last_words()}")
        verdict, _, rest = answer.partition(" ")
        if verdict != "ok":
            raise RuntimeError(f"radio: {rest}")
        return rest

    async def listen_tcp(self, name: str, profile: str = "full") -> str:
        """A place for a host called `name`, with controllers of that profile; HOST:PORT."""
        return (await self.ask("listen", name, "tcp:127.0.0.1:0", profile)).removeprefix("tcp:")

    async def listen_unix(self, name: str) -> str:
        """A place for a host called `name`; the path."""
        return (await self.ask("listen", name, f"unix:{self.directory}/{name}")).removeprefix("unix:")

    async def phone_transport(self, name: str) -> str:
        """The transport of a phone on Bumble at such a place."""
        return "unix:" + await self.listen_unix(name)

    async def level(self, one: str, other: str, dbm: float, noise: float = 0) -> None:
        """The same level in both directions."""
        await self.ask("rssi", one, other, dbm, noise)
        await self.ask("rssi", other, one, dbm, noise)

    async def walk(self, one: str, other: str, start: float, end: float, seconds: float) -> None:
        """The same walk in both directions."""
        await self.ask("walk", one, other, start, end, seconds)
        await self.ask("walk", other, one, start, end, seconds)

    async def drop(self, name: str) -> None:
        """Cuts the host `name` off."""
        await self.ask("drop", name)

    async def restart(self, name: str) -> None:
        """Restarts the controller of the host `name`: its state is lost, and the host is not notified."""
        await self.ask("restart", name)

    async def stations(self) -> dict[str, str]:
        """Public address by name."""
        return dict(entry.split("=") for entry in (await self.ask("list")).split())

    def last_words(self, count: int = 8) -> str:
        """The last output of the controllers: with an assertion of RootCanal, the reason."""
        log = self.directory / "controllers.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        return "\n".join(f"    {line}" for line in lines[-count:]) or "    (nothing)"

    async def stop(self) -> None:
        """Ends it."""
        self._writer.close()
        await self.child.stop()
