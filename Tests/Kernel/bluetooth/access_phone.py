# SPDX-License-Identifier: Apache-2.0
"""A phone on BlueZ that opens the door: the access protocol's other half (Tests/Interop/access) on real GATT."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Interop"))

from bleak import BleakClient
from bleak.backends.characteristic import BleakGATTCharacteristic

from access import advertising, identity
from access.frames import Assembler, Message, cut
from access.results import VersionInfo
from access.session import Transponder
from access.tokens import Command, command_token
from central import check, find, main, note

ANSWER_SECONDS = 10.0
SERVICE = "0000fcba-0000-1000-8000-00805f9b34fb"
COMPANY = 0x0C5E


class Session:
    """The characteristics of one connection."""

    def __init__(self, client: BleakClient) -> None:
        self._client = client
        # The 128-bit services hold characteristics of the same names.
        self._service = client.services.get_service(SERVICE)
        self._assembler = Assembler()
        self._answers: asyncio.Queue[Message] = asyncio.Queue()

    async def subscribe(self) -> None:
        await self._client.start_notify(self._characteristic(advertising.TX), self._notified)

    @property
    def frame_size(self) -> int:
        """The room in one write without response: the MTU less 3 octets."""
        return self._characteristic(advertising.RX).max_write_without_response_size

    async def manufacturer_record(self) -> advertising.ManufacturerRecord:
        octets = await self._client.read_gatt_char(self._characteristic(advertising.MF))
        return advertising.ManufacturerRecord.decode(bytes(octets))

    def _characteristic(self, uuid: str) -> BleakGATTCharacteristic:
        return self._service.get_characteristic(uuid.lower())

    def _notified(self, _, value: bytearray) -> None:
        if message := self._assembler.feed(bytes(value)):
            self._answers.put_nowait(message)

    async def ask(self, payload: bytes) -> bytes:
        for frame in cut(Message(payload).octets(), self.frame_size):
            await self._client.write_gatt_char(self._characteristic(advertising.RX), frame, response=False)
        answer = await asyncio.wait_for(self._answers.get(), ANSWER_SECONDS)
        if answer.status:
            raise RuntimeError(f"the reader answered {answer.status}")
        return answer.payload

    async def run(self, command: str) -> bytes:
        """A whole exchange; what the command has for a result."""
        transponder = Transponder()
        agreed = transponder.accept(await self.ask(transponder.handshake()))
        return agreed.result(await self.ask(agreed.request(command_token(Command(command)))))


async def phone() -> None:
    note("looks for a reader")
    device, data = await find(
        lambda data: SERVICE in data.service_uuids and COMPANY in data.manufacturer_data, [SERVICE]
    )
    check(
        "BlueZ finds the reader by its service, with name and manufacturer data",
        data.local_name == identity.DEVICE_ID,
        data,
    )
    async with BleakClient(device) as client:
        note("connected, services resolved")
        session = Session(client)
        check("BlueZ and the reader agree on a larger MTU", session.frame_size > 20, session.frame_size + 3)
        await session.subscribe()
        record = await session.manufacturer_record()
        check("the manufacturer record can be read", record.hardware_type == identity.WALL_READER, record)
        version = VersionInfo.decode(await session.run("PING"))
        note("PING answered")
        check("a signed PING is answered", version.build_time > 0, version)
        result = await session.run("tokn")
        note("tokn answered")
        check("a signed token opens", True, result.hex())
    note("disconnected")


if __name__ == "__main__":
    main(phone)
