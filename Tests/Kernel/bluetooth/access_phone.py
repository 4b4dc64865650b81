"""A phone on BlueZ that opens the door: the access protocol's other half (Tests/Interop/access) on real GATT."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Interop"))

from bleak import BleakClient

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
        self._assembler = Assembler()
        self._answers: asyncio.Queue[Message] = asyncio.Queue()

    async def subscribe(self) -> None:
        await self._client.start_notify(advertising.TX.lower(), self._notified)

    def _notified(self, _, value: bytearray) -> None:
        if message := self._assembler.feed(bytes(value)):
            self._answers.put_nowait(message)

    async def ask(self, payload: bytes) -> bytes:
        for frame in cut(Message(payload).octets(), self._client.mtu_size - 3):
            await self._client.write_gatt_char(advertising.RX.lower(), frame, response=False)
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
    device, data = await find(lambda data: SERVICE in data.service_uuids and COMPANY in data.manufacturer_data)
    check(
        "BlueZ finds the reader by its service, with name and manufacturer data",
        data.local_name == identity.DEVICE_ID,
        data,
    )
    async with BleakClient(device) as client:
        note("connected, services resolved")
        check("BlueZ and the reader agree on a larger MTU", client.mtu_size > 23, client.mtu_size)
        session = Session(client)
        await session.subscribe()
        record = advertising.ManufacturerRecord.decode(bytes(await client.read_gatt_char(advertising.MF.lower())))
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
