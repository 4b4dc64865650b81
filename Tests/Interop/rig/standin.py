# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the reader, so that phone and radio can be checked without the firmware.

Bumble's peripheral with the access service and the rig's minimal `Terminal`: one packet, no gate, no limit on links.
"""

from __future__ import annotations

import asyncio

from bumble import hci
from bumble.core import UUID
from bumble.device import AdvertisingEventProperties, AdvertisingParameters, AdvertisingSet, Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.transport import open_transport

from access import identity
from access.advertising import ACCESS, ACCESS_SERVICE, MF, RX, TX, ManufacturerRecord
from access.frames import Assembler, FrameError, cut
from access.terminal import Terminal, version_result

RECORD = ManufacturerRecord(True, identity.WALL_READER, identity.ON_POWER, 1, 0)
ADVERTISING_INTERVAL_MS = 20.0


class StandIn:
    """One stand-in on the air, with one session per link."""

    def __init__(self, device: Device, transport) -> None:
        self._device = device
        self._transport = transport
        self._sessions: dict[int, tuple[Assembler, Terminal]] = {}
        self._advertising: AdvertisingSet | None = None
        self._restart: asyncio.Task | None = None
        self.opened = 0
        self.ended: asyncio.Queue[int] = asyncio.Queue()
        properties = Characteristic.Properties
        permissions = Characteristic.Permissions
        self._tx = Characteristic(TX, properties.NOTIFY, permissions.READABLE)
        rx = Characteristic(
            RX,
            properties.WRITE_WITHOUT_RESPONSE | properties.WRITE,
            permissions.WRITEABLE,
            CharacteristicValue(write=self._on_frame),
        )
        mf = Characteristic(MF, properties.READ, permissions.READABLE, RECORD.octets())
        device.add_service(Service(UUID(ACCESS_SERVICE), [rx, self._tx, mf]))
        device.on("connection", self._on_connection)

    @classmethod
    async def open(cls, transport: str) -> StandIn:
        """Powers up and advertises behind a Bumble transport name."""
        opened = await open_transport(transport)
        own = hci.Address.generate_static_address()
        device = Device.with_hci(identity.DEVICE_ID, own, opened.source, opened.sink)
        device.classic_enabled = False
        standin = cls(device, opened)
        await device.power_on()
        standin._advertising = await device.create_advertising_set(
            advertising_parameters=AdvertisingParameters(
                advertising_event_properties=AdvertisingEventProperties(
                    is_connectable=True, is_scannable=True, is_legacy=True
                ),
                primary_advertising_interval_min=ADVERTISING_INTERVAL_MS,
                primary_advertising_interval_max=ADVERTISING_INTERVAL_MS,
            ),
            advertising_data=ACCESS.packet(),
            scan_response_data=RECORD.scan_response(),
            auto_restart=False,
        )
        return standin

    async def close(self) -> None:
        """Off the air."""
        await self._transport.close()

    def _on_connection(self, connection) -> None:
        commands = {"PING": lambda _: version_result(), "tokn": self._open}
        self._sessions[connection.handle] = Assembler(), Terminal(commands)
        self._restart = asyncio.create_task(self._advertising.start())
        connection.on("disconnection", lambda reason: self.ended.put_nowait(int(reason)))

    async def end_links(self, reason: int) -> None:
        """Disconnects everyone."""
        for connection in list(self._device.connections.values()):
            await connection.disconnect(reason)

    def _open(self, _data: bytes) -> bytes:
        self.opened += 1
        return b""

    async def _on_frame(self, connection, frame: bytes) -> None:
        assembler, terminal = self._sessions[connection.handle]
        try:
            message = assembler.feed(bytes(frame))
        except FrameError:
            return
        if message and (answer := terminal.receive(message)):
            for part in cut(answer.octets(), connection.att_mtu - 3):
                await self._device.notify_subscriber(connection, self._tx, part)
