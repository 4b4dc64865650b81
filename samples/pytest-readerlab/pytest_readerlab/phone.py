# SPDX-License-Identifier: Apache-2.0
"""A phone: Bumble's host on a place of the air, driven by plain functions. Its event loop runs on a thread."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from bumble.core import UUID, AdvertisingData
from bumble.device import Connection, Peer
from bumble.device import Device as BumbleDevice
from bumble.hci import Address
from bumble.transport import open_transport

from pytest_readerlab import access

T = TypeVar("T")
SECONDS = 15.0
"""The limit for an answer."""
MTU = 247


class LinkEnded(Exception):
    """The device has ended the link."""

    def __init__(self, reason: int) -> None:
        super().__init__(f"the link has ended, reason {reason:#04x}")
        self.reason = reason


class Phone:
    """A phone on the air."""

    def __init__(self, place: str, hci: str) -> None:
        self.place = place
        self.hci = hci
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.device: BumbleDevice = self.run(self._power_on())
        """Bumble's device, for coroutines of `run`."""

    async def _power_on(self) -> BumbleDevice:
        self._transport = await open_transport(self.hci)
        address = Address.generate_static_address()
        device = BumbleDevice.with_hci(self.place, address, self._transport.source, self._transport.sink)
        device.classic_enabled = False
        await device.power_on()
        return device

    def run(self, app: Coroutine[Any, Any, T], seconds: float = SECONDS) -> T:
        """The result of a coroutine on the phone's event loop, such as a whole app on `device`."""
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(app, seconds), self._loop).result()

    def find(self, name: str | None = None, service: str | None = None, seconds: float = SECONDS) -> Address:
        """The address of the first connectable device that advertises this name or service. Raises TimeoutError."""
        return self.run(self._find(name, service and UUID(service)), seconds)

    async def _find(self, name: str | None, service: UUID | None) -> Address:
        found = asyncio.get_running_loop().create_future()

        def receive(advertisement) -> None:
            data = advertisement.data
            names = [data.get(AdvertisingData.COMPLETE_LOCAL_NAME), data.get(AdvertisingData.SHORTENED_LOCAL_NAME)]
            if ((name and name in names) or (service and service in services(data))) and not found.done():
                found.set_result(advertisement.address)

        self.device.on("advertisement", receive)
        await self.device.start_scanning(filter_duplicates=False)
        try:
            return await found
        finally:
            self.device.remove_listener("advertisement", receive)
            await self.device.stop_scanning()

    def connect(self, device: Any, mtu: int | None = MTU, seconds: float = SECONDS) -> Link:
        """Connects to a device, or to an address, agrees on an ATT_MTU, and discovers. Raises TimeoutError."""
        address = device if isinstance(device, Address | str) else device.address
        return Link(self, *self.run(self._connect(address, mtu), seconds))

    async def _connect(self, address: Address | str, mtu: int | None) -> tuple[Peer, asyncio.Future[int]]:
        own = address if isinstance(address, Address) else Address(address, Address.RANDOM_DEVICE_ADDRESS)
        connection: Connection = await self.device.connect(own)
        ended = asyncio.get_running_loop().create_future()
        connection.on("disconnection", lambda reason: ended.done() or ended.set_result(reason))
        peer = Peer(connection)
        if mtu:
            await peer.request_mtu(mtu)
        await peer.discover_services()
        for service in peer.services:
            await service.discover_characteristics()
        return peer, ended

    def open_door(self, bundle: Path, credential: str | None = None) -> str:
        """A visit of docs/protocol/access-profile.md with the bundle of `reader.bundle`. Raises access.Refusal."""
        readers = json.loads(bundle.read_text())["readers"]
        return self.run(access.open_door(self.device, readers, credential), 2 * SECONDS)

    def close(self) -> None:
        """Switches the phone off."""
        try:
            self.run(self._transport.close())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


class Link:
    """A connection to a device."""

    def __init__(self, phone: Phone, peer: Peer, ended: asyncio.Future[int]) -> None:
        self.phone = phone
        self.peer = peer
        """Bumble's client, for coroutines of `phone.run`."""
        self._ended = ended

    async def _answer(self, request: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(request)
        await asyncio.wait({task, self._ended}, return_when=asyncio.FIRST_COMPLETED)
        # Bumble cancels a request whose link ends.
        if task.done() and not task.cancelled():
            return task.result()
        task.cancel()
        raise LinkEnded(await wait(self._ended))

    def run(self, request: Coroutine[Any, Any, T], seconds: float = SECONDS) -> T:
        """The result of a coroutine on the phone's loop. Raises LinkEnded if the link ends first."""
        return self.phone.run(self._answer(request), seconds)

    def characteristic(self, uuid: str):
        """Bumble's proxy of the characteristic with this UUID. Raises LookupError."""
        for service in self.peer.services:
            for characteristic in service.characteristics:
                if characteristic.uuid == UUID(uuid):
                    return characteristic
        raise LookupError(f"the device has no characteristic {uuid}")

    def read(self, uuid: str) -> bytes:
        """The value. Raises bumble.att.ATT_Error."""
        return bytes(self.run(self.characteristic(uuid).read_value()))

    def write(self, uuid: str, value: bytes, response: bool = True) -> None:
        """Writes a value, with or without response. Raises bumble.att.ATT_Error."""
        self.run(self.characteristic(uuid).write_value(value, with_response=response))

    def subscribe(self, uuid: str) -> Values:
        """Subscribes to notifications, or to indications where there are no others."""
        values = Values(self)
        self.run(self.peer.subscribe(self.characteristic(uuid), lambda value: values.queue.put_nowait(bytes(value))))
        return values

    def pair(self) -> None:
        """Pairs, and encrypts the link."""
        self.run(self.peer.connection.pair())

    def wait_for_end(self, seconds: float = SECONDS) -> int:
        """The reason for which the device ends the link. Raises TimeoutError."""
        return self.phone.run(wait(self._ended), seconds)

    def disconnect(self) -> None:
        """Ends the link, if it is open."""
        if not self._ended.done():
            self.phone.run(self.peer.connection.disconnect())


class Values:
    """The values of a subscription, in their order."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.queue: asyncio.Queue[bytes] = asyncio.Queue()

    def next(self, seconds: float = SECONDS) -> bytes:
        """The next value. Raises TimeoutError, or LinkEnded if the link ends without one."""
        return self._link.run(self.queue.get(), seconds)


async def wait(ended: asyncio.Future[int]) -> int:
    """The result of a future that others wait for, too."""
    return await asyncio.shield(ended)


def services(data: AdvertisingData) -> list[UUID]:
    """The advertised services, of the list and of service data."""
    kinds = (
        AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
        AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
        AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
        AdvertisingData.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
    )
    listed = [uuid for kind in kinds for uuid in data.get(kind) or []]
    return listed + [uuid for uuid, _ in data.get_all(AdvertisingData.SERVICE_DATA_16_BIT_UUID)]
