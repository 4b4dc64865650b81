# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate gatt` as a process, on a controller of the radio."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from rig.processes import Child, Gone
from rig.reader import ROOT

BINARY_VARIABLE = "READERLAB"
LINE_SECONDS = 20.0
"""For a line that has to come: some milliseconds where nothing else runs. Not a bound of a test."""


def binary() -> Path:
    """The program: $READERLAB, or what `swift build` leaves. Raises FileNotFoundError with the remedy."""
    path = Path(os.environ.get(BINARY_VARIABLE) or ROOT / ".build/debug/readerlab")
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}: build it as `script/test` does, or set {BINARY_VARIABLE}")
    return path


@dataclass(frozen=True)
class Advertised:
    """The device that a phone scans for: a name for the test, and octets that the advertising data contain."""

    name: str
    octets: bytes

    def matches(self, data: bytes) -> bool:
        return self.octets in data


class Emulation:
    """One device that is played from a file."""

    def __init__(self, child: Child) -> None:
        self.child = child

    @classmethod
    async def start(cls, hci: str, table: Path, *options: str) -> Emulation:
        """Plays `table` at the controller HOST:PORT."""
        command = [
            *(str(binary()), "emulate", "gatt", "--table", str(table), "--hci", f"tcp-client:{hci}"),
            *("--json", *options),
        ]
        return cls(await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE))

    async def event(self, name: str, after: int = 0) -> dict[str, object]:
        """The first line of that event, from line `after` on."""
        line = await self.child.line(f'"event":"{name}"', LINE_SECONDS, after)
        return json.loads(line.text)

    @property
    def mark(self) -> int:
        """The number of lines so far: later lines come after it."""
        return len(self.child.lines)

    def last(self, name: str, after: int = 0) -> dict[str, object]:
        """The last line of that event, from line `after` on. Raises LookupError."""
        for line in reversed(self.child.lines[after:]):
            if f'"event":"{name}"' in line.text:
                return json.loads(line.text)
        raise LookupError(f"no {name!r}; the last lines:\n{self.child.tail()}")

    @property
    def events(self) -> list[str]:
        """The names of all events so far."""
        return [json.loads(line.text)["event"] for line in self.child.lines if line.text.startswith("{")]

    async def ended(self) -> int:
        """Its exit code, when it ends. Raises TimeoutError while it runs."""
        with contextlib.suppress(Gone):
            await self.child.line("(?!)", LINE_SECONDS)
        return await self.child.stop()

    async def stop(self) -> int:
        """SIGTERM; its exit code."""
        return await self.child.stop()
