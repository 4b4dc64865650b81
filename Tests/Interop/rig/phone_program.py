# SPDX-License-Identifier: Apache-2.0
"""`readerlab phone` as a process, on a controller of the radio or on an NFC chip."""

from __future__ import annotations

import asyncio
import json
import signal
from dataclasses import dataclass

from rig.bench import NEAR_DBM, READER, Bench
from rig.emulation import binary

RUN_SECONDS = 25.0
"""For one run of the program. Not a bound of a test."""


@dataclass(frozen=True)
class Run:
    """The result of a run."""

    code: int
    output: str
    errors: str

    @property
    def events(self) -> list[dict]:
        """The lines of `--json`. Raises ValueError for another line."""
        return [json.loads(line) for line in self.output.splitlines()]

    def event(self, name: str) -> dict:
        """The first event of that name. Raises LookupError."""
        for event in self.events:
            if event["event"] == name:
                return event
        raise LookupError(f"no {name!r} in:\n{self.output}\n{self.errors}")

    def result(self, request: str) -> dict:
        """The result of the first answer to `request`. Raises LookupError."""
        for event in self.events:
            if event["event"] == "answer" and event["request"] == request:
                return event["result"]
        raise LookupError(f"no answer to {request!r} in:\n{self.output}\n{self.errors}")

    @property
    def refusal(self) -> str:
        """The one line on standard error."""
        lines = [line for line in self.errors.splitlines() if line.startswith("readerlab: ")]
        assert len(lines) == 1, self.errors
        return lines[0]


class PhoneProgram:
    """A place on the bench's air, or a chip, and the program that is run there, one run after another."""

    def __init__(self, name: str, kind: str = "--hci") -> None:
        self._way = (kind, name)
        self._process: asyncio.subprocess.Process | None = None

    @classmethod
    async def at(cls, bench: Bench, name: str = "phone", dbm: float = NEAR_DBM) -> PhoneProgram:
        """A place that the reader hears at that level, and the other way round."""
        await bench.radio.level(name, READER, dbm)
        return cls("unix:" + await bench.radio.listen_unix(name))

    @property
    def place(self) -> str:
        """The name of its controller or chip."""
        return self._way[1]

    async def start(self, *words: object) -> None:
        """Starts `readerlab phone WORDS --hci …`, or `--nfc …`."""
        self._process = await asyncio.create_subprocess_exec(
            *(str(binary()), "phone", *map(str, words), *self._way),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def line(self, words: str) -> str:
        """The next line of its output that contains `words`. Raises LookupError when it ends without."""
        while line := (await asyncio.wait_for(self._process.stdout.readline(), RUN_SECONDS)).decode():
            if words in line:
                return line
        raise LookupError(f"it ended without {words!r}: {(await self._process.stderr.read()).decode()}")

    def interrupt(self) -> None:
        """Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    async def ended(self) -> Run:
        """Waits for its end."""
        try:
            output, errors = await asyncio.wait_for(self._process.communicate(), RUN_SECONDS)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
            raise
        return Run(self._process.returncode, output.decode(), errors.decode())

    async def run(self, *words: object) -> Run:
        """A whole run."""
        await self.start(*words)
        return await self.ended()
