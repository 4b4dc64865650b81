# SPDX-License-Identifier: Apache-2.0
"""A door with an Aliro reader over Bluetooth LE, and phones that come to it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

from contactless.aliro_field import AUTHORITY, ISSUER, LISTED
from contactless.aliro_keys import Key
from contactless.aliro_link import AliroLink, Delivery
from contactless.aliro_link_phone import AliroLinkPhone
from contactless.aliro_messages import ALIRO
from contactless.aliro_phone import Credential
from contactless.aliro_reader import DOOR, GROUP
from rig.bench import NEAR_DBM, Bench
from rig.operation import Operator
from rig.phone import Link
from rig.waiting import until

RESOLVING_KEY = "8c868b8009df06b2d1de795258211eba"
IDENTIFIER = "PHONE00001"
WORD_SECONDS = 10.0
OPENED = bytes.fromhex("0601")
"""Status changed: by this phone over Bluetooth LE, unsecured."""


def listed(directory: Path, **values: object) -> Path:
    """Writes a list with one phone."""
    cards = directory / "cards.json"
    card = {"kind": "aliro", "id": IDENTIFIER, "key": LISTED.key.point.hex()} | values
    cards.write_text(json.dumps({"cards": [card]}) + "\n")
    return cards


def settings(cards: Path, **tables: dict[str, object]) -> dict[str, dict[str, object]]:
    """The tables of a reader that serves Aliro phones over Bluetooth LE."""
    usual = {
        "advertising": {"modes": ["access", "aliro"]},
        "credentials": {"cards": str(cards)},
        "aliro": {
            **{"group": GROUP, "door": DOOR, "resolving-key": RESOLVING_KEY},
            **{"issuers": [ISSUER.key.point.hex()], "issuer-authorities": [AUTHORITY.key.point.hex()]},
        },
        "door": {"pulse-s": 1, "re-arm-ms": 0},
        "reader": {"utc-offset-minutes": 0},
    }
    return {name: usual.get(name, {}) | tables.get(name, {}) for name in usual | tables}


class LinkDoor:
    """A running reader, with phones that know it."""

    def __init__(self, bench: Bench, point: bytes) -> None:
        self.bench, self.operator = bench, Operator(bench)
        self._point = point
        self._visits = self._mark = 0
        self.phones: list[AliroLinkPhone] = []

    @classmethod
    async def of(cls, bench: Bench) -> LinkDoor:
        """The door of a reader, once it has its key."""

        async def point() -> str | None:
            return (await Operator(bench).status()).get("aliro", {}).get("key")

        return cls(bench, bytes.fromhex(await until("the reader's key", point)))

    def phone(
        self, credential: Credential = LISTED, *, group: bytes | None = None, point: bytes | None = None
    ) -> AliroLinkPhone:
        """A phone that knows this reader, or another."""
        own = Credential(credential.key, {}, dict(credential.documents), credential.access_time)
        phone = AliroLinkPhone(own, group or bytes.fromhex(GROUP), point or self._point)
        self.phones.append(phone)
        return phone

    async def link(self, dbm: float = NEAR_DBM) -> Link:
        """The link of another phone at the door."""
        self._visits += 1
        self._mark = len(self.bench.reader.child.lines)
        _, link = await self.bench.connected(f"phone{self._visits}", dbm, ALIRO)
        return link

    async def at(self, phone: AliroLinkPhone | None = None, delivery: Delivery | None = None) -> AliroLink:
        """A phone with an open channel."""
        return await AliroLink(phone or self.phone(), await self.link(), delivery).prepare()

    async def visit(self, phone: AliroLinkPhone | None = None, *, is_for_action: bool = True) -> bytes | None:
        """A whole visit, and the phone leaves: the status, or None if it was refused."""
        visitor = AliroLink(phone or self.phone(), await self.link())
        try:
            return await visitor.visit(is_for_action=is_for_action)
        finally:
            await visitor.link.disconnect()

    async def openings(self) -> int:
        """The number since the start."""
        return (await self.operator.status())["door"]["openings"]

    async def secured(self) -> None:
        """Waits until the door is secured."""

        async def is_secured() -> bool:
            return (await self.operator.status())["door"]["state"] == "secured"

        await until("a secured door", is_secured)

    async def word(self, word: str) -> None:
        """Waits for the line of the log with the word of the last phone's refusal."""
        await self.bench.reader.child.line(rf"aliro card refused, ({word})$", WORD_SECONDS, self._mark)

    @property
    def findings(self) -> list[str]:
        """The rules that the reader has broken."""
        return [finding for phone in self.phones for finding in phone.findings]


@contextlib.asynccontextmanager
async def link_door(
    directory: Path,
    prepare: Callable[[Path], None] | None = None,
    environment: Mapping[str, str] | None = None,
    **tables: dict[str, object],
) -> AsyncIterator[LinkDoor]:
    """A reader whose list has one phone."""
    values = settings(listed(directory), **tables)
    async with Bench(prepare=prepare, environment=environment, **values) as bench:
        yield await LinkDoor.of(bench)


def stranger() -> Credential:
    """A credential of no list."""
    return Credential(Key(), {}, {})
