# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate thermostat` and an app on Bumble, written from docs/emulators/thermostat.md."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bumble.att import ATT_Error

from rig.association import Side
from rig.emulation import Emulation, binary
from rig.fault_table import accepted
from rig.pairing_bench import controllers
from rig.pairing_phone import PairingLink, PairingPhone
from rig.processes import Child
from rig.radio_process import ROOTCANAL

TEMPERATURE, TARGET = "2A6E", "7E2F5A00-4D1C-4B57-9C39-6F1F6D0C1A01"
STEP_SECONDS = 8.0
OUT_OF_RANGE, INVALID_LENGTH, UNLIKELY = 0xFF, 0x0D, 0x0E


def celsius(octets: bytes) -> float:
    (hundredths,) = struct.unpack("<h", octets)
    return hundredths / 100


class App:
    """A connection to the thermostat, with the notified values."""

    def __init__(self, link: PairingLink, emulation: Emulation) -> None:
        self.link = link
        self.emulation = emulation
        self.values: asyncio.Queue[tuple[str, float]] = asyncio.Queue()

    async def subscribe(self, uuid: str) -> None:
        def notified(value: bytes) -> None:
            self.values.put_nowait((uuid, celsius(bytes(value))))

        await asyncio.wait_for(self.link.peer.subscribe(self.link.characteristic(uuid), notified), STEP_SECONDS)

    async def next(self) -> tuple[str, float]:
        return await asyncio.wait_for(self.values.get(), STEP_SECONDS)

    async def write(self, octets: bytes) -> int | None:
        """Writes a target; returns the ATT error, if any."""
        try:
            write = self.link.characteristic(TARGET).write_value(octets, with_response=True)
            await asyncio.wait_for(write, STEP_SECONDS)
        except ATT_Error as error:
            return int(error.error_code)
        return None


@contextlib.asynccontextmanager
async def thermostat(directory: Path, *options: str) -> AsyncIterator[App]:
    async with controllers(directory, ROOTCANAL) as radio:
        place = f"tcp-client:{await radio.listen_tcp('device')}"
        command = [str(binary()), "emulate", "thermostat", "--hci", place, "--json", *options]
        emulation = Emulation(await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE))
        address = (await emulation.event("emulation"))["address"]
        await emulation.event("ready")
        phone = await PairingPhone.open(f"unix:{await radio.listen_unix('phone')}", Side())
        try:
            link = await phone.connect(str(address))
            await link.find()
            yield App(link, emulation)
        finally:
            await phone.close()
            assert await emulation.stop() == 0, emulation.child.tail()


def test_each_step_has_its_faults() -> None:
    steps = accepted("thermostat")
    assert list(steps) == [
        *("connect", "subscribe", "read-temperature", "read-target", "set-target", "temperature", "target"),
    ]


async def test_an_app_sets_a_target(directory):
    async with thermostat(directory, "--temperature", "20.9", "--target", "20.9") as app:
        assert celsius(await app.link.read(TEMPERATURE)) == 20.9
        await app.subscribe(TEMPERATURE)
        await app.subscribe(TARGET)
        assert await app.write(struct.pack("<h", 2105)) is None
        assert await app.next() == (TARGET, 21.05)
        assert [await app.next(), await app.next()] == [(TEMPERATURE, 21.0), (TEMPERATURE, 21.05)]
        assert celsius(await app.link.read(TARGET)) == 21.05


@pytest.mark.parametrize(
    ("octets", "error"),
    [(b"\xf3\x01", OUT_OF_RANGE), (b"\xb9\x0b", OUT_OF_RANGE), (b"\x64", INVALID_LENGTH), (b"", INVALID_LENGTH)],
)
async def test_an_invalid_target_is_refused_and_found(directory, octets, error):
    async with thermostat(directory) as app:
        assert await app.write(octets) == error
        assert celsius(await app.link.read(TARGET)) == 21
        finding = await app.emulation.event("finding")
        assert finding["rule"] == "invalid-target"


async def test_a_fault_refuses_one_write(directory):
    async with thermostat(directory) as app:
        await app.emulation.child.type("fault error set-target 0x0e")
        await app.emulation.event("answer")
        assert await app.write(struct.pack("<h", 2200)) == UNLIKELY
        assert await app.write(struct.pack("<h", 2200)) is None
        assert celsius(await app.link.read(TARGET)) == 22
