# SPDX-License-Identifier: Apache-2.0
"""The table of `readerlab bench host` on Bumble, for `script/bench`: python -m bench.peripheral TRANSPORT."""

from __future__ import annotations

import asyncio
import struct
import sys

from bumble import hci
from bumble.device import Connection, Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.transport import open_transport

LONGEST = 244
"""The value that fits an ATT_MTU of 247."""

YIELD_EVERY = 64
"""Notifications sent without letting the loop run: it has to see what the controller has room for."""


def uuid(number: int) -> str:
    return f"6E40{number:04X}-B5A3-F393-E0A9-E50E24DCCA9E"


class Table:
    """The service, and what it does."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.commands = 0
        self.tasks: set[asyncio.Task[None]] = set()
        readable, writable = Characteristic.Permissions.READABLE, Characteristic.Permissions.WRITEABLE
        properties = Characteristic.Properties
        self.notifying = Characteristic(uuid(5), properties.NOTIFY, readable, b"")
        characteristics = [
            Characteristic(uuid(2), properties.READ, readable, bytes(20)),
            Characteristic(uuid(3), properties.WRITE, writable, b""),
            Characteristic(
                uuid(4), properties.WRITE_WITHOUT_RESPONSE, writable, CharacteristicValue(write=self.on_command)
            ),
            self.notifying,
            Characteristic(uuid(6), properties.WRITE, writable, CharacteristicValue(write=self.on_control)),
        ]
        device.add_service(Service(uuid(1), characteristics))

    def on_command(self, _connection: Connection, _value: bytes) -> None:
        self.commands += 1

    def on_control(self, connection: Connection, value: bytes) -> None:
        count, length = struct.unpack("<IH", value)
        self.start(self.notify(connection, count, max(4, min(length, LONGEST))))

    async def notify(self, connection: Connection, count: int, length: int) -> None:
        for index in range(count):
            value = struct.pack("<I", self.commands) + bytes(length - 4)
            await self.device.notify_subscriber(connection, self.notifying, value)
            if index % YIELD_EVERY == YIELD_EVERY - 1:
                await asyncio.sleep(0)

    def start(self, work) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


async def main(name: str) -> None:
    async with await open_transport(name) as transport:
        device = Device.with_hci("bench", hci.Address("C0:11:22:33:44:55"), transport.source, transport.sink)
        table = Table(device)
        await device.power_on()
        device.advertising_interval_min = device.advertising_interval_max = 20
        advertising = asyncio.Event()

        # A set stops with each connection, and Bumble starts it again only when that has ended.
        async def advertise_again() -> None:
            await advertising.wait()
            assert device.legacy_advertising_set is not None
            await device.legacy_advertising_set.start()

        device.on("connection", lambda _connection: table.start(advertise_again()))
        await device.start_advertising()
        advertising.set()
        await transport.source.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
