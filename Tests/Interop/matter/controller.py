# SPDX-License-Identifier: Apache-2.0
"""The CHIP controller in the phone's namespace, driven by orders."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from pathlib import Path

from rig.reader import ROOT

PYTHON = ROOT / ".cache/matter/python/bin/python"
PROGRAM = Path(__file__).resolve().parent / "chip_program.py"
READY_SECONDS = 150.0
"""Its start, most of it imports: two or three seconds where nothing else runs."""
ORDER_SECONDS = 120.0
"""For an order: commissioning takes two or three seconds, and the library's own time limits decide."""


class Refused(Exception):
    """An order failed; the text is the library's."""


class Controller:
    """One run of the program. Runs in one directory are the same controller."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self.log = log

    @classmethod
    async def start(
        cls, prefix: tuple[str, ...], directory: Path, trust: Path, bus: Path | None, number: int
    ) -> Controller:
        """`bus`: the socket of the D-Bus, for BLE."""
        if not PYTHON.exists():
            raise FileNotFoundError(f"there is no {PYTHON}: script/bootstrap installs the CHIP controller there")
        store, log = directory / "store", directory / f"controller-{number}.log"
        store.mkdir(exist_ok=True)
        environment = dict(os.environ)
        if bus:
            environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={bus}"
        with log.open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                *(*prefix, str(PYTHON), str(PROGRAM), str(trust), *(["--ble"] if bus else [])),
                cwd=store,
                env=environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                limit=1 << 22,
            )
        controller = cls(process, log)
        try:
            await controller._answer(READY_SECONDS)
        except BaseException:
            await controller.stop()
            raise
        return controller

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    async def _answer(self, seconds: float) -> dict:
        line = await asyncio.wait_for(self._process.stdout.readline(), seconds)
        if not line:
            raise Refused(f"the controller ended:\n{self.tail()}")
        return json.loads(line)

    async def order(self, name: str, **arguments: object):
        """The result of an order. Raises Refused with the library's text."""
        self._process.stdin.write(json.dumps({"order": name, **arguments}).encode() + b"\n")
        await self._process.stdin.drain()
        answer = await self._answer(ORDER_SECONDS)
        if not answer["ok"]:
            raise Refused(answer["error"])
        return answer.get("result")

    @property
    def attestation(self) -> int | None:
        """The result of the device's attestation, an AttestationVerificationResult of the CHIP project: 0 if it is
        valid, None if there was none."""
        text = self.log.read_text(errors="replace")
        found = re.findall(r"Failed in verifying '?Attestation Information'?.*?device: err (\d+)", text)
        if found:
            return int(found[-1])
        return 0 if "Successfully validated 'Attestation Information'" in text else None

    def tail(self, count: int = 30) -> str:
        """The last lines of its log, for a failure's text."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])

    async def stop(self) -> None:
        """Its end."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 5)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
