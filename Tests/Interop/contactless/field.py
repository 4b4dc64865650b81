# SPDX-License-Identifier: Apache-2.0
"""The two chips as a process, for tests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from contactless.phone import Phone
from rig.bench import Bench
from rig.processes import Child

START_SECONDS = 10.0
READY = r"nfc: .* is ready$"
OPEN_SECONDS = 10.0
"""From the reader's start to a chip that listens: libnfc asks it a few things."""
FRAME_WAIT_SECONDS = 1.0
"""The frame waiting time of the phone's chip. A real chip waits for 155 ms, which a test machine under load may not
keep; the test of the reader's own time asks for it."""


class Field:
    """`async with Field() as field:` has a chip for the reader at `connection`, and phones."""

    def __init__(self, wait: float = FRAME_WAIT_SECONDS) -> None:
        self._wait = wait
        self._directory = Path(tempfile.mkdtemp(prefix="nfc-"))
        self._phones: list[Phone] = []

    async def __aenter__(self) -> Field:
        self._child = await Child.start(
            "chips",
            [*(sys.executable, "-m", "contactless.chips"), str(self._directory), str(self._wait)],
            cwd=Path(__file__).parent.parent,
        )
        await self._child.line("^ready$", START_SECONDS)
        self._reader, self._writer = await asyncio.open_unix_connection(str(self._directory / "control"))
        return self

    async def __aexit__(self, kind, _error, _traceback) -> None:
        if kind is not None:
            print(f"the chips' last lines:\n{self._child.tail()}", file=sys.stderr)
        for phone in self._phones:
            await phone.close()
        self._writer.close()
        await self._child.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    @property
    def connection(self) -> str:
        """For `nfc.connection`."""
        return f"pn532_uart:{self._directory}/reader"

    @property
    def phone_connection(self) -> str:
        """libnfc's name of the phone's chip, for a program that is the phone."""
        return f"pn532_uart:{self._directory}/phone"

    async def ask(self, *words: str) -> str:
        """One command of the control port."""
        self._writer.write((" ".join(words) + "\n").encode())
        verdict, _, rest = (await self._reader.readline()).decode().strip().partition(" ")
        assert verdict == "ok", rest
        return rest

    async def faults(self, name: str = "reader") -> list[str]:
        """The violations by a chip's host."""
        return json.loads(await self.ask("faults", name))

    async def stall(self, seconds: float) -> None:
        """The chips are late by this time, as on a busy machine."""
        os.kill(self._child.pid, signal.SIGSTOP)
        await asyncio.sleep(seconds)
        os.kill(self._child.pid, signal.SIGCONT)

    async def phone(self, driver: str = "libnfc") -> Phone:
        """A phone, away from the reader so far."""
        phone = await Phone.open(driver, self._directory / "phone")
        self._phones.append(phone)
        return phone


@contextlib.asynccontextmanager
async def touching(field: Field, **nfc):
    """A reader on the field's chip, which listens."""
    async with Bench(nfc={"connection": field.connection, **nfc}) as bench:
        await bench.reader.child.line(READY, OPEN_SECONDS)
        yield bench
