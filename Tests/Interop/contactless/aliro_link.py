# SPDX-License-Identifier: Apache-2.0
"""An Aliro phone on a link of Bumble's: service, version, channel, and a conversation over it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from bumble.core import UUID

from contactless.aliro_link_phone import UNSECURE, VERSION, AliroLinkPhone
from contactless.aliro_messages import ALIRO
from contactless.aliro_wire import WireFault
from rig.phone import ANSWER_SECONDS, Link

READ = "D3B5A130-9E23-4B3A-8BE4-6B1EE5F980A3"
WRITTEN = "BD4B9502-3F54-11EC-B919-0242AC120005"
MTU = 512
DYNAMIC_SPSM = range(0x80, 0x100)

Delivery = Callable[[bytes], list[bytes]]
"""What is sent in place of a unit."""


@dataclass(frozen=True)
class Offer:
    """The value that a phone reads first."""

    spsm: int
    versions: bytes
    features: int

    @classmethod
    def of(cls, value: bytes) -> Offer:
        """Raises `WireFault` for another structure."""
        count = value[2] if len(value) > 2 else 0
        versions, rest = value[3 : 3 + count], value[3 + count :]
        if len(versions) != count or not count or count % 2 or len(rest) != 2 or rest[0] != 1:
            raise WireFault(f"the read characteristic {value.hex()}")
        return cls(int.from_bytes(value[:2], "big"), versions, rest[1])


class AliroLink:
    """A phone on one link."""

    def __init__(self, phone: AliroLinkPhone, link: Link, delivery: Delivery | None = None) -> None:
        self.phone, self.link = phone, link
        self.delivery = delivery or (lambda unit: [unit])
        self.sent: list[bytes] = []
        self.offer: Offer
        self.is_closed = asyncio.Event()
        """Set once the reader has closed the channel."""
        self._received: asyncio.Queue[bytes] = asyncio.Queue()

    async def discover(self) -> None:
        """Finds the service, and reads the reader's offer. Raises LookupError."""
        await self.link.exchange_mtu()
        services = await self.link.until_lost(self.link.peer.discover_service(UUID(ALIRO.service)))
        if not services:
            raise LookupError("there is no Aliro service")
        await self.link.until_lost(services[0].discover_characteristics())
        found = {str(c.uuid.to_hex_str("-")).upper(): c for c in services[0].characteristics}
        self._read, self._written = found[READ], found[WRITTEN]
        self.offer = Offer.of(bytes(await self.link.until_lost(self._read.read_value())))
        self.phone.published = self.offer.versions

    async def choose(self, version: bytes = VERSION) -> None:
        """Writes the version, and no features."""
        await self.link.until_lost(self._written.write_value(version + b"\1\0", with_response=True))

    async def open(self, spsm: int | None = None) -> None:
        """Opens the channel. Raises L2capError."""
        self._channel = await self.link.open_channel(spsm or self.offer.spsm, MTU)
        self._channel.sink = lambda unit: self._received.put_nowait(bytes(unit))
        self._channel.on(self._channel.EVENT_CLOSE, self.is_closed.set)
        if self._channel.state != self._channel.State.CONNECTED:
            # The reader has closed it before this task went on.
            self.is_closed.set()

    async def prepare(self) -> AliroLink:
        """Everything before the first unit."""
        await self.discover()
        await self.choose()
        await self.open()
        return self

    def send(self, unit: bytes) -> None:
        """A unit, as the delivery changes it."""
        for octets in self.delivery(unit):
            self.sent.append(octets)
            self._channel.write(octets)

    async def receive(self, seconds: float = ANSWER_SECONDS) -> bytes:
        """The reader's next unit. Raises LinkLost."""
        return await self.link.until_lost(self._received.get(), seconds)

    @property
    def has_units(self) -> bool:
        """Whether the reader has sent a unit that was not read."""
        return not self._received.empty()

    async def follow(self, is_over: Callable[[], object], seconds: float = ANSWER_SECONDS) -> None:
        """Responds to the reader until `is_over`, or until it fails. Raises LinkLost."""
        while not is_over() and not self.phone.has_failed:
            for answer in self.phone.receive(await self.receive(seconds)):
                self.send(answer)

    async def authenticate(self, *, is_for_action: bool = True) -> None:
        """Until AP completed, or an error."""
        self.send(self.phone.initiation(is_for_action=is_for_action))
        await self.follow(lambda: self.phone.completion)

    async def act(self, action: bytes = UNSECURE) -> bytes | None:
        """Requests an action; the status after it, or None after an error."""
        before = len(self.phone.statuses)
        self.send(self.phone.request(action))
        await self.follow(lambda: len(self.phone.statuses) > before)
        return self.phone.statuses[-1] if len(self.phone.statuses) > before else None

    async def visit(self, *, is_for_action: bool = True) -> bytes | None:
        """A whole visit: the status after opening, or None for a phone that was refused."""
        await self.prepare()
        await self.authenticate(is_for_action=is_for_action)
        return None if self.phone.has_failed else await self.act()
