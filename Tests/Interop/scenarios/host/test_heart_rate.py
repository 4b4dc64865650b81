# SPDX-License-Identifier: Apache-2.0
"""The example, `emulators/Examples/HeartRate`, with a phone that pairs, and returns after a restart."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bumble.att import ATT_Error

from rig.association import IO, Side
from rig.matrix import some_of
from rig.pairing_bench import INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION, controllers
from rig.pairing_phone import PairingLink, PairingPhone
from rig.processes import Child
from rig.radio_process import BUMBLE, ROOTCANAL, RadioProcess
from rig.reader import ROOT

MEASUREMENT, LOCATION, CONTROL_POINT = "2A37", "2A38", "2A39"
ADVERTISED = bytes.fromhex("03030d18") + b"\x06\x09heart"
RESET_ENERGY = b"\x01"
SECONDS = 5.0


@contextlib.asynccontextmanager
async def sensor(radio: RadioProcess, place: str, bonds: Path) -> AsyncIterator[Child]:
    """The example, or what $HEART_RATE names, on a controller; it has to end well."""
    binary = Path(os.environ.get("HEART_RATE") or ROOT / ".build/debug/heart-rate")
    if not binary.exists():
        raise FileNotFoundError(f"there is no {binary}: build it as `script/test` does, or set HEART_RATE")
    hci = f"tcp-client:{await radio.listen_tcp(place)}"
    child = await Child.start("heart-rate", [str(binary), "--hci", hci, "--bonds", str(bonds)])
    try:
        await child.line("on the air", SECONDS)
        yield child
    finally:
        code = await child.stop()
    assert code == 0, child.tail()


async def write(link: PairingLink, uuid: str, value: bytes) -> int:
    """The ATT error's code; 0 for none."""
    try:
        await asyncio.wait_for(link.characteristic(uuid).write_value(value, with_response=True), SECONDS)
    except ATT_Error as error:
        return int(error.error_code)
    return 0


async def measurements(link: PairingLink, count: int, subscribes: bool) -> list[bytes]:
    """Checks the measurements; without subscribing, because that was done before."""
    values: asyncio.Queue[bytes] = asyncio.Queue()
    measurement = link.characteristic(MEASUREMENT)
    if subscribes:
        await asyncio.wait_for(measurement.subscribe(values.put_nowait), SECONDS)
    else:
        link.peer.gatt_client.notification_subscribers.setdefault(measurement.handle, set()).add(values.put_nowait)
    return [bytes(await asyncio.wait_for(values.get(), SECONDS)) for _ in range(count)]


@pytest.mark.parametrize(
    "kind",
    some_of([ROOTCANAL, BUMBLE], "test_association_model pairs on both; HeartRateTests have the values"),
    ids=["rootcanal", "bumble"],
)
async def test_a_phone_pairs_and_comes_back(directory, kind):
    bonds = directory / "bonds"
    async with controllers(directory, kind) as radio:
        phone = await PairingPhone.open(f"unix:{await radio.listen_unix('phone')}", Side(IO.NONE))
        try:
            async with sensor(radio, "first", bonds) as child:
                link = await phone.connect(await phone.find(ADVERTISED))
                await link.find()
                assert await link.read(LOCATION) == b"\x01"
                assert await write(link, CONTROL_POINT, RESET_ENERGY) == INSUFFICIENT_AUTHENTICATION
                await link.pair()
                assert await write(link, CONTROL_POINT, RESET_ENERGY) == 0
                assert [value[1] for value in await measurements(link, 2, subscribes=True)] == [61, 62]
                await link.disconnect()
                first = await phone.find(ADVERTISED)
                assert int(first[:2], 16) >> 6 == 0b01, f"{first} is no resolvable private address"
                assert os.stat(bonds).st_mode & 0o777 == 0o600
                assert "failed" not in child.tail()
            async with sensor(radio, "again", bonds):
                link = await phone.connect(await phone.find(ADVERTISED))
                await link.find()
                assert await write(link, CONTROL_POINT, RESET_ENERGY) == INSUFFICIENT_ENCRYPTION
                await link.encrypt()
                assert await write(link, CONTROL_POINT, RESET_ENERGY) == 0
                assert [value[1] for value in await measurements(link, 2, subscribes=False)] == [61, 62]
        finally:
            await phone.close()
