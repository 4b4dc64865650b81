# SPDX-License-Identifier: Apache-2.0
"""A reader as a Matter lock: readerd with a phone and a door, readerd-matter next to it in the namespace of the device,
and the CHIP controller in the phone's."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

from matter.bench import DEVICE_INTERFACE
from matter.bench import Bench as Network
from matter.controller import Controller
from rig.bench import Bench
from rig.emulation import binary as readerlab
from rig.operation import Done, Operator
from rig.processes import Child
from rig.reader import ROOT

BINARY_VARIABLE = "READERD_MATTER"
SECONDS = 20.0
"""For a line or a state: some milliseconds where nothing else runs."""


def binary() -> Path:
    """The program: $READERD_MATTER, or what `script/test` builds."""
    path = Path(os.environ.get(BINARY_VARIABLE) or ROOT / ".build/debug/readerd-matter")
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}: build it as `script/test` does, or set {BINARY_VARIABLE}")
    return path


async def output(*command: str) -> str:
    """The output of a command; it has to end with 0."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    printed, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return printed.decode()


class NoRadio:
    """The place of a bench's radio whose reader is on another's."""

    def last_words(self) -> str:
        """Nothing."""
        return ""

    async def stop(self) -> None:
        """Nothing ends."""


class OnTheAir(Bench):
    """A bench whose reader has a controller of `readerlab air`, at this socket."""

    def __init__(self, controller: Path, **tables: dict[str, object]) -> None:
        super().__init__(**tables)
        self._socket = controller

    async def switch_on(self) -> NoRadio:
        return NoRadio()

    async def attach(self) -> str:
        return f"unix:{self._socket}"


class Lock:
    """`async with Lock(directory, door={...}) as lock:`; the tables are of the reader's configuration.

    `wifi`: the path of a supplicant's socket; the app then reaches the reader over BLE too.
    """

    def __init__(self, directory: Path, wifi: Path | None = None, **tables: dict[str, object]) -> None:
        self.network = Network(directory, ble=wifi is not None)
        self.socket = directory / "reader.sock"
        matter = {"socket": str(self.socket), "user": str(os.getuid())} | tables.pop("matter", {})
        if wifi:
            tables["provisioning"] = {"wifi": f"wpa-supplicant:{wifi}"}
            self.reader = OnTheAir(directory / "d", matter=matter, **tables)
        else:
            self.reader = Bench(matter=matter, **tables)
        self._attestation, self._state = directory / "attestation", directory / "lock"
        self.codes: dict[str, str] = {}
        self.process: Child | None = None

    async def __aenter__(self) -> Lock:
        await output(str(readerlab()), "credentials", "attestation", str(self._attestation))
        made = await output(
            *(str(binary()), "init", "--attestation", str(self._attestation), "--state", str(self._state), "--json")
        )
        self.codes = json.loads(made)
        await self.network.__aenter__()
        try:
            await self.reader.__aenter__()
            try:
                await self.start()
            except BaseException as error:
                await self.reader.__aexit__(type(error), error, None)
                raise
        except BaseException as error:
            await self.network.__aexit__(type(error), error, None)
            raise
        return self

    async def __aexit__(self, kind, error, traceback) -> None:
        if kind is not None and self.process:
            print(f"readerd-matter's last lines:\n{self.process.tail(40)}")
        try:
            await self.stop()
            await self.reader.__aexit__(kind, error, traceback)
        finally:
            await self.network.__aexit__(kind, error, traceback)

    async def start(self, *options: str) -> None:
        """Starts readerd-matter, and waits until the reader knows its state."""
        command = [
            *(*self.network.device_host, str(binary()), "run", "--reader", str(self.socket)),
            *("--state", str(self._state), "--interface", DEVICE_INTERFACE, "--log-level", "debug", *options),
        ]
        self.process = await Child.start("readerd-matter", command)
        await self.process.line("Matter on UDP port", SECONDS)

    async def stop(self) -> None:
        """Ends readerd-matter."""
        if self.process:
            await self.process.stop()

    async def restart_killed(self) -> None:
        """Kill the process, and start it again once its reader has noticed."""
        os.kill(self.process.pid, signal.SIGKILL)
        await self.status(connected=False)
        await self.stop()
        await self.start()

    async def reset(self, reader: Path) -> Done:
        """`readerd-matter reset`, with the reader at this socket; readerd-matter has ended."""
        process = await asyncio.create_subprocess_exec(
            *(str(binary()), "reset", "--yes", "--state", str(self._state), "--reader", str(reader)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        printed, errors = await process.communicate()
        return Done(process.returncode, printed.decode(), errors.decode())

    @property
    def discriminator(self) -> int:
        """Of the label, as `init` has kept it."""
        return json.loads((self._state / "label.json").read_text())["discriminator"]

    @property
    def passcode(self) -> int:
        """Of the manual code: its low 14 bits, then its high 13 bits (Matter Core 5.1.4)."""
        digits = self.codes["manual"]
        return int(digits[6:10]) << 14 | int(digits[1:6]) & 0x3FFF

    @property
    def operator(self) -> Operator:
        """The reader's operator."""
        return Operator(self.reader)

    async def status(self, seconds: float = SECONDS, **wanted: object) -> dict:
        """The Matter part of the reader's status, once its members are as wanted."""
        async with asyncio.timeout(seconds):
            while True:
                seen = (await self.operator.status())["matter"]
                if all(seen.get(name) == value for name, value in wanted.items()):
                    return seen
                await asyncio.sleep(0.05)

    async def open_window(self, seconds: int = 300) -> None:
        """The operator opens the commissioning window."""
        done = await self.operator.run("matter", "open", str(seconds))
        assert done.code == 0, done.errors
        await self.status(commissionable=True)

    async def controller(self) -> Controller:
        """The app, which trusts the bench's authority."""
        return await self.network.controller(self._attestation / "paa")

    async def commissioned(self) -> Controller:
        """The app after commissioning by the label's code."""
        await self.open_window()
        controller = await self.controller()
        await controller.order("commission_code", code=self.codes["qr"])
        await self.status(fabrics=1, commissionable=False)
        return controller

    async def events(self) -> list[dict]:
        """The reader's event log."""
        done = await self.operator.events("--json")
        return [json.loads(line) for line in done.output.splitlines()]
