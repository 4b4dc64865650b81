# SPDX-License-Identifier: Apache-2.0
"""A broker in foreign hands between a signer and a reader's link: it has every order, and delivers what it likes."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field

from fleet.back_end import ANSWERS, COMMANDS, Signer
from fleet.hostile import HostileBroker, publish

LIFE_SECONDS = 20
"""The time that an order is valid, slack included: it outlives a restart, and many end within a test."""
LAST_ORDERS = 5
PAUSE_SECONDS = 0.2
"""From a delivery to the next: the link takes eight orders a second."""
FATES = {"deliver": 9, "drop": 1, "delay": 2, "delay-beyond": 1, "swap": 2, "retain": 1, "alter": 1}
"""The treatment of a fresh order, by weight."""
SCHEMES = ("replay", "replay", "retain", "alter", "cut", "forge", "stranger", "misdirect")
"""The messages that it makes of old ones, or of nothing."""


@dataclass
class Sent:
    """An order of the signer, and the times at which its own octets went to the reader, not retained."""

    order: dict
    message: bytes
    delivered: list[float] = field(default_factory=list)


class EvilBroker(HostileBroker):
    """Serves one link. `mischief` counts what it has done."""

    def __init__(self, signer: Signer, seed: int) -> None:
        super().__init__()
        self.sent: list[Sent] = []
        self.answers: list[tuple[float, dict]] = []
        self.mischief: Counter[str] = Counter()
        self._signer, self._stranger = signer, Signer()
        self._random = random.Random(seed)
        self._link: asyncio.StreamWriter | None = None
        self._late: list[tuple[float, str, Sent]] = []
        self._swapped: Sent | None = None
        self._number = 0

    def subscribed(self, topic: bytes, writer: asyncio.StreamWriter) -> None:
        """The link listens to orders from this time."""
        if topic == COMMANDS.encode():
            self._link = writer

    def received(self, topic: bytes, payload: bytes) -> None:
        """Keeps answers; events and states are acknowledged and forgotten."""
        if topic == ANSWERS.encode():
            self.answers.append((time.time(), json.loads(payload)))

    @property
    def is_linked(self) -> bool:
        """True while a link listens."""
        return self._link is not None and not self._link.is_closing()

    async def scheme(self, seconds: float) -> None:
        """Goes on with it for so long."""
        end = time.monotonic() + seconds
        # To a reader that has come back: before any later order moves its counter.
        for old in self.sent[-LAST_ORDERS:]:
            await self._pass(old, "replay")
        while time.monotonic() < end:
            await self._deliver_late()
            await self._handle(self._signed())
            await self._make(self._random.choice(SCHEMES))

    async def deliver(self) -> None:
        """Passes a fresh order on, for once as it should."""
        await self._pass(self._signed(), "deliver")

    def _signed(self, **other: object) -> Sent:
        self._number += 1
        order = self._signer.order(self._number, life=LIFE_SECONDS, **other)
        sent = Sent(order, self._signer.message(order))
        if not other:
            self.sent.append(sent)
        return sent

    async def _handle(self, sent: Sent) -> None:
        fate = self._random.choices(list(FATES), list(FATES.values()))[0]
        if fate == "swap" and self._swapped is None:
            self._swapped = sent
            return
        match fate:
            case "drop":
                self.mischief["drop"] += 1
            case "delay":
                self._late.append((time.time() + self._random.uniform(1, 3), fate, sent))
            case "delay-beyond":
                self._late.append((sent.order["expires"] + self._random.uniform(1, 3), fate, sent))
            case "retain":
                await self._send(sent.message, fate)
            case "alter":
                await self._send(self._altered(sent.message), fate)
            case _:
                await self._pass(sent, "deliver")
        if fate != "swap" and self._swapped:
            swapped, self._swapped = self._swapped, None
            await self._pass(swapped, "swap")

    async def _deliver_late(self) -> None:
        due = [entry for entry in self._late if entry[0] <= time.time()]
        self._late = [entry for entry in self._late if entry not in due]
        for _, fate, sent in due:
            await self._pass(sent, fate)

    async def _make(self, scheme: str) -> None:
        old = self._random.choice(self.sent if self._random.random() < 0.5 else self.sent[-LAST_ORDERS:])
        match scheme:
            case "replay":
                await self._pass(old, scheme)
            case "retain":
                await self._send(old.message, scheme)
            case "alter":
                await self._send(self._altered(old.message), scheme)
            case "cut":
                await self._send(old.message[: self._random.randrange(len(old.message))], scheme)
            case "forge":
                # The right key's name, and another signature; the counter is far ahead.
                order = self._signer.order(self._number + 1_000_000, life=LIFE_SECONDS)
                await self._send(self._stranger.message(order), scheme)
            case "stranger":
                await self._send(self._stranger.message(self._stranger.order(1, life=LIFE_SECONDS)), scheme)
            case "misdirect":
                await self._send(self._signed(reader="0" * 16).message, scheme)

    def _altered(self, message: bytes) -> bytes:
        altered = bytearray(message)
        altered[self._random.randrange(len(message))] ^= 1 << self._random.randrange(8)
        return bytes(altered)

    async def _pass(self, sent: Sent, mischief: str) -> None:
        if await self._send(sent.message, mischief):
            sent.delivered.append(time.time())

    async def _send(self, message: bytes, mischief: str) -> bool:
        await asyncio.sleep(PAUSE_SECONDS)
        if not self.is_linked:
            return False
        self.mischief[mischief] += 1
        self._link.write(publish(message, topic=COMMANDS.encode(), retained=mischief == "retain"))
        return True
