# SPDX-License-Identifier: Apache-2.0
"""The two stock apps, on Bumble: what they do in which order, and what they cannot take."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from bumble import att
from bumble.att import ATT_Error
from bumble.core import UUID

from provisioning import wire
from rig.association import IO, Side
from rig.pairing_phone import PairingLink, PairingPhone

SERVICE = "14387800-130c-49e7-b877-2881c89cb258"
INFORMATION = "14387801-130c-49e7-b877-2881c89cb258"
CONTROL_POINT = "14387802-130c-49e7-b877-2881c89cb258"
DATA_OUT = "14387803-130c-49e7-b877-2881c89cb258"
CONFIGURATION = UUID.from_16_bits(0x2902)

ANSWER_SECONDS = 5.0
INSUFFICIENT_AUTHENTICATION = 0x05


class Crashed(AssertionError):
    """The device's message would have ended this app's process, or an operation of it."""


@dataclass
class Heard:
    """Values that came on one characteristic, oldest first."""

    values: list[bytes] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, value: bytes) -> None:
        self.values.append(bytes(value))
        self.news.set()

    async def after(self, count: int, seconds: float = ANSWER_SECONDS) -> bytes:
        """The value behind the first `count` ones. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while len(self.values) <= count:
                self.news.clear()
                await self.news.wait()
        return self.values[count]


class App:
    """A phone with an app that provisions, while it is connected to a device."""

    def __init__(self, phone: PairingPhone, link: PairingLink) -> None:
        self.phone = phone
        self.link = link
        self.answers = Heard()
        self.data = Heard()
        self.order: list[str] = []
        """ATT opcodes from the device, by name."""

    @property
    def client(self):
        """Bumble's GATT client."""
        return self.link.peer.gatt_client

    @staticmethod
    async def phone_at(transport: str) -> PairingPhone:
        """A phone that pairs as these do: Just Works, and it would like to keep the keys."""
        return await PairingPhone.open(transport, Side(IO.NONE, secure=True, mitm=False))

    @classmethod
    async def connect(cls, phone: PairingPhone, address: str, **options) -> App:
        """Connects, and prepares the device as the app does."""
        app = cls(phone, await phone.connect(address))
        app._listen()
        await app.prepare(**options)
        return app

    def _listen(self) -> None:
        taken = self.client.on_gatt_pdu

        def note(pdu) -> None:
            self.order.append(pdu.name)
            taken(pdu)

        self.client.on_gatt_pdu = note

    async def prepare(self, **options) -> None:
        raise NotImplementedError

    async def _find(self, *, every: bool) -> None:
        """Discovers the service, and what belongs to it."""
        peer = self.link.peer
        if every:
            await peer.discover_services()
        else:
            await peer.discover_service(UUID(SERVICE))
        for service in peer.services:
            if every or service.uuid == UUID(SERVICE):
                await service.discover_characteristics()
                for characteristic in service.characteristics:
                    await characteristic.discover_descriptors()

    async def subscribe(self, uuid: str, *, indications: bool) -> None:
        """Sets a configuration; if the device requires encryption, the phone pairs and tries again, as phones do."""
        characteristic = self.link.characteristic(uuid)
        heard = self.answers if indications else self.data
        kept = self.client.indication_subscribers if indications else self.client.notification_subscribers
        kept.setdefault(characteristic.handle, set()).add(heard.note)
        handle = characteristic.get_descriptor(CONFIGURATION).handle
        await self.secured(lambda: self.client.write_value(handle, b"\x02\x00" if indications else b"\x01\x00", True))

    async def secured(self, work):
        """Performs the operation; pairs first if the device requires it."""
        try:
            return await work()
        except ATT_Error as error:
            if error.error_code != INSUFFICIENT_AUTHENTICATION:
                raise
        await self.link.pair()
        return await work()

    # The protocol

    async def version(self) -> bytes:
        """The value of Information."""
        return bytes(await self.link.read(INFORMATION))

    async def ask(self, message: bytes) -> bytes:
        """Writes a request; what is indicated. Raises TimeoutError when nothing is."""
        count = len(self.answers.values)
        characteristic = self.link.characteristic(CONTROL_POINT)
        await self.secured(lambda: self.client.write_value(characteristic.handle, message, True))
        return await self.answers.after(count)

    async def results(self, count: int, after: int = 0, seconds: float = ANSWER_SECONDS) -> list[bytes]:
        """This many values of Data Out, after the first `after` ones."""
        for number in range(after, after + count):
            await self.data.after(number, seconds)
        return self.data.values[after : after + count]

    async def silence(self, after: int, seconds: float = 0.7) -> None:
        """Checks that no further value is received on Data Out."""
        await asyncio.sleep(seconds)
        assert self.data.values[after:] == [], [value.hex() for value in self.data.values[after:]]

    async def leave(self) -> None:
        """Ends the link."""
        await self.link.disconnect()

    # Limits of the app

    def check_status(self, message: bytes) -> wire.Response:
        """The answer to GET_STATUS, as this app's library reads it. Raises Crashed."""
        raise NotImplementedError

    def check_result(self, message: bytes, *, scanning: bool) -> wire.Result:
        """A Result, as this app's library reads it. Raises Crashed."""
        raise NotImplementedError


class IOSApp(App):
    """IOS-nRF-Wi-Fi-Provisioner."""

    START_SCAN = bytes.fromhex("080252020800")

    async def prepare(self, mtu: int = 185) -> None:
        if mtu > att.ATT_DEFAULT_MTU:
            await self.link.peer.request_mtu(mtu)
        await self._find(every=False)
        await self.subscribe(DATA_OUT, indications=False)
        await self.subscribe(CONTROL_POINT, indications=True)

    def set_config(self, wifi: bytes, passphrase: bytes, volatile: bool = False) -> bytes:
        """Always with a passphrase, of no octets for an open network, and with the flag."""
        return wire.set_config(wifi, passphrase, volatile)

    def check_status(self, message: bytes) -> wire.Response:
        response = wire.Response.decode(message)
        if response.operation is None:
            raise Crashed("without an operation the app waits for ever")
        if response.status == wire.SUCCESS and response.device is None:
            raise Crashed("emptyResponse")
        if response.provisioned is not None:
            self._check_wifi(response.provisioned, stored=True)
        return response

    def check_result(self, message: bytes, *, scanning: bool) -> wire.Result:
        result = wire.Result.decode(message)
        if result.wifi is not None:
            self._check_wifi(result.wifi, stored=False)
        return result

    @staticmethod
    def _check_wifi(wifi: dict, *, stored: bool) -> None:
        if not {1, 2, 4} <= wifi.keys():
            raise Crashed("a required field is missing")
        if wifi.get(3) == 0:
            raise Crashed("band 0")
        if 1 <= len(wifi[2]) <= 5 or (stored and not wifi[2]):
            raise Crashed("BSSID")
        try:
            wifi[1].decode()
        except UnicodeDecodeError as error:
            raise Crashed("SSID") from error


class AndroidApp(App):
    """Android-nRF-Wi-Fi-Provisioner."""

    START_SCAN = bytes.fromhex("0802")

    async def prepare(self, mtu: int = 512) -> None:
        await self._find(every=True)
        if mtu > att.ATT_DEFAULT_MTU:
            await self.link.peer.request_mtu(mtu)
        await self.subscribe(CONTROL_POINT, indications=True)
        await self.subscribe(DATA_OUT, indications=False)
        # The bond is asked for whether the link is encrypted already or not.
        await self.link.pair()

    def set_config(self, wifi: bytes, passphrase: bytes | None, volatile: bool = False) -> bytes:
        """Always with both flags."""
        return wire.set_config(wifi, passphrase, volatile, any_channel=True)

    def check_status(self, message: bytes) -> wire.Response:
        response = wire.Response.decode(message)
        if response.status is None:
            raise Crashed("without a status")
        if response.status == wire.SUCCESS and response.device is None:
            raise Crashed("null device status")
        if response.scan is not None and not {1, 2, 3, 4} <= response.scan.keys():
            raise Crashed("scan_info with a field missing")
        if response.device and 11 in response.device and not wire.fields(response.device[11]):
            raise Crashed("connection_info without an address")
        return response

    def check_result(self, message: bytes, *, scanning: bool) -> wire.Result:
        result = wire.Result.decode(message)
        if scanning and result.wifi is None:
            raise Crashed("a state during a scan")
        return result
