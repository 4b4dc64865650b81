# SPDX-License-Identifier: Apache-2.0
"""The Aliro phone on a link of Bumble's: found by its advertisement, served by the recorded units of a reader."""

import asyncio
import contextlib
import json
from pathlib import Path

import pytest
from bumble.controller import Controller
from bumble.core import UUID
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.l2cap import L2capError, LeCreditBasedChannelSpec
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

from contactless.aliro_keys import Key
from contactless.aliro_link import MTU, READ, WRITTEN, AliroLink, Offer
from contactless.aliro_link_phone import AliroLinkPhone
from contactless.aliro_messages import ALIRO
from contactless.aliro_phone import Credential
from contactless.aliro_wire import WireFault
from rig.phone import Phone

VECTORS = json.loads((Path(__file__).parents[2] / "Vectors" / "aliro-ble.json").read_text())
RKE = VECTORS["rke"]
READER, PHONE = Address("C4:BB:86:C3:27:10"), Address("F0:F1:F2:F3:F4:F5")
SPSM = 0x81


class NoTransport:
    """Of controllers in this process."""

    async def close(self) -> None:
        """Nothing to close."""


class Recording:
    """A reader that has the units of the vector, and expects those of the phone."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._units = [(message["to"], bytes.fromhex(message["wire"])) for message in RKE["messages"]]
        self.written = b""
        self.unexpected: list[bytes] = []

    async def start(self) -> None:
        """Advertises and serves."""
        spec = LeCreditBasedChannelSpec(psm=SPSM, mtu=MTU, mps=64, max_credits=16)
        self._device.create_l2cap_server(spec, self._opened)
        read = Characteristic(
            UUID(READ), Characteristic.Properties.READ, Characteristic.READABLE, bytes.fromhex("00810201000100")
        )
        written = Characteristic(
            UUID(WRITTEN),
            Characteristic.Properties.WRITE,
            Characteristic.WRITEABLE,
            CharacteristicValue(write=self._write),
        )
        self._device.add_service(Service(UUID(ALIRO.service), [read, written]))
        await self._device.power_on()
        data = bytes.fromhex(VECTORS["advertisement"]["data"])
        await self._device.start_advertising(advertising_data=data, auto_restart=True)

    def _write(self, _connection, value: bytes) -> None:
        self.written = bytes(value)

    def _opened(self, channel) -> None:
        channel.sink = lambda unit: self._received(channel, bytes(unit))

    def _received(self, channel, unit: bytes) -> None:
        to, expected = self._units.pop(0)
        if (to, expected) != ("reader", unit):
            self.unexpected.append(unit)
        while self._units and self._units[0][0] == "device":
            channel.write(self._units.pop(0)[1])


def device(name: str, address: Address, air: LocalLink) -> Device:
    """A device with a controller on the air."""
    host = Host()
    host.controller = Controller(name, host_source=host, host_sink=host, link=air)
    host.set_packet_sink(AsyncPipeSink(host.controller))
    return Device(name, address, host=host)


@contextlib.asynccontextmanager
async def visitor():
    """A phone with the vector's keys on a link to the recording."""
    air = LocalLink()
    reader = Recording(device("reader", READER, air))
    await reader.start()
    central = device("phone", PHONE, air)
    await central.power_on()
    phone = Phone("phone", central, NoTransport())
    values = RKE["inputs"]
    card = AliroLinkPhone(
        Credential.of(bytes.fromhex(values["credential_private_key"])),
        bytes.fromhex(values["reader_group_identifier"]),
        bytes.fromhex(values["reader_public_key"]),
    )
    card.ephemeral = Key(bytes.fromhex(values["device_ephemeral_private_key"]))
    async with asyncio.timeout(20):
        link = await phone.connect((await phone.find(ALIRO)).address)
        yield reader, AliroLink(card, link)
        await link.disconnect()


async def test_a_visit_is_that_of_the_vector():
    async with visitor() as (reader, guest):
        assert await guest.visit() == bytes.fromhex("0601")
        assert reader.unexpected == []
        assert reader.written == bytes.fromhex("01000100")
        assert guest.phone.findings == []


async def test_a_delivery_replaces_units():
    async with visitor() as (reader, guest):
        guest.delivery = lambda unit: [unit[:-1]]
        await guest.prepare()
        guest.send(guest.phone.initiation())
        await guest.receive()
        assert reader.unexpected == guest.sent
        assert guest.sent == [bytes.fromhex(RKE["messages"][0]["wire"])[:-1]]


async def test_another_channel_is_refused():
    async with visitor() as (_, guest):
        await guest.discover()
        with pytest.raises(L2capError) as refusal:
            await guest.open(SPSM + 1)
        assert refusal.value.error_code == 2


def test_offers():
    assert Offer.of(bytes.fromhex("00810201000100")) == Offer(0x81, b"\1\0", 0)
    assert Offer.of(bytes.fromhex("008104010000090107")).versions == bytes.fromhex("01000009")
    for text in "", "0081", "008100", "00810201000000", "0081020100", "0081030100000100", "0081020100010000":
        with pytest.raises(WireFault):
            Offer.of(bytes.fromhex(text))
