# SPDX-License-Identifier: Apache-2.0
"""A phone that plays the card: the access session over the role that polls, on a simulated chip."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

import pytest

from access.advertising import ACCESS
from access.tokens import Command
from contactless.field import Field
from rig.bench import Bench
from rig.matrix import some_of
from rig.operation import Operator
from rig.waiting import until

SECONDS = 20.0
STAY_SECONDS = 0.5
"""For which a card stays after it has opened: several rounds."""


class Door:
    """A reader that polls phones, and then PKOC cards."""

    def __init__(self, bench: Bench, field: Field) -> None:
        self.bench, self.field, self.operator = bench, field, Operator(bench)

    async def openings(self) -> int:
        """The number of openings so far."""
        return (await self.operator.status())["door"]["openings"]

    async def put(self, name: str) -> None:
        """A phone enters the field."""
        await self.field.ask("put", f"phone-{name}")

    async def take(self, name: str) -> list[str]:
        """It leaves, and the field is empty for the reader; the commands that it received."""
        seen = json.loads(await self.field.ask("take", f"phone-{name}"))
        rounds = (await self.operator.status())["nfc"]["rounds"]

        async def has_polled() -> bool:
            return (await self.operator.status())["nfc"]["rounds"] >= rounds + 8

        await until("rounds", has_polled, SECONDS)
        return seen

    async def line(self, pattern: str) -> str:
        """A line of the reader's log."""
        return (await self.bench.reader.child.line(pattern, SECONDS)).text

    async def opens(self, name: str) -> list[str]:
        """This phone opens the door, once."""
        before = await self.openings()
        await self.put(name)

        async def has_opened() -> bool:
            return await self.openings() == before + 1

        await until("opening", has_opened, SECONDS)
        # It stays for some rounds: one touch opens once.
        await asyncio.sleep(STAY_SECONDS)
        seen = await self.take(name)
        assert await self.openings() == before + 1
        return seen


@contextlib.asynccontextmanager
async def phones(role: str = "poll", **door) -> AsyncIterator[Door]:
    """A reader for phones as cards, without a list."""
    async with Field() as field:
        tables = {
            "nfc": {"connection": field.connection, "role": role},
            "credentials": {"card-kinds": ["phone", "pkoc"]},
            "door": {"pulse-s": 1, "re-arm-ms": 0} | door,
        }
        async with Bench(**tables) as bench:
            await bench.reader.child.line(r"nfc: .* is ready", SECONDS)
            yield Door(bench, field)
        assert await field.faults() == []


@pytest.mark.seconds(60)
@pytest.mark.parametrize("role", some_of(["both", "poll"], "PollLoopTests have both roles"))
@pytest.mark.parametrize("name", ["good", "parts", "pauses"])
async def test_a_phone_as_card_opens_once_per_touch(name, role):
    async with phones(role) as door:
        seen = await door.opens(name)
        assert sum(command[2:4] == "a4" for command in seen) == 1
        events = (await door.operator.events("--json")).output.splitlines()
        granted = [event for line in events if (event := json.loads(line))["kind"] == "granted"]
        assert [(event["credential"], event["channel"]) for event in granted] == [("CRED000001", "nfc")]


REFUSED = {
    "expired": r"credential CRED000001.*denied|status -|refused",
    "new-version": r"phone card refused, no-common-version",
    "early-request": r"message refused|refused",
    "checksum": r"refused",
    "short": r"phone card refused, malformed-response",
    "long": r"phone card refused, malformed-response",
    "announces-too-much": r"phone card refused, response-too-long",
    "response-too-long": r"phone card refused, response-too-long",
    "stalls": r"refused|transaction-too-long",
    "silent": r"nfc: card lost: card-left",
    "refuses": r"phone card refused, status-word",
    "endless": r"phone card refused, malformed-response",
    "no-data": r"phone card refused, malformed-response",
    "done": r"tap \d+: ended",
    "no-credential": r"card refused, no-known-application",
    "leaves-after-begin": r"nfc: card lost: card-left",
    "leaves-in-request": r"nfc: card lost: card-left",
}
"""The phones that open nothing, and the line of the log."""


@pytest.mark.thorough("PhoneAsCardTests and PhoneCardExchangeTests have the phones")
@pytest.mark.seconds(90)
@pytest.mark.parametrize("name", REFUSED)
async def test_a_phone_that_is_refused_leaves_or_fails_opens_nothing_and_the_next_opens(name):
    async with phones() as door:
        await door.put(name)
        await door.line(REFUSED[name])
        await door.take(name)
        assert await door.openings() == 0
        assert (await door.operator.status())["door"]["state"] == "secured"
        await door.opens("good")


async def test_a_revoked_credential_and_a_lockdown_refuse():
    async with phones() as door:
        assert (await door.operator.run("lockdown", "on")).code == 0
        await door.put("good")
        await door.line(r"tap \d+: ended")
        await door.take("good")
        assert (await door.operator.run("lockdown", "off")).code == 0
        assert (await door.operator.run("revoke", "CRED000001")).code == 0
        await door.put("good")
        await door.line(r"blacklist|revoked")
        await door.take("good")
        assert await door.openings() == 0
        await door.opens("other")


@pytest.mark.seconds(60)
async def test_two_phones_in_turn_open_twice():
    async with phones() as door:
        await door.opens("good")
        await door.opens("other")
        assert await door.openings() == 2


async def test_a_phone_that_stalls_does_not_delay_bluetooth():
    async with phones() as door:
        await door.put("stalls")
        await door.line(r"tap \d+: near")
        _, link = await door.bench.connected("phone1")
        await link.prepare(ACCESS.service)
        assert await link.run(Command("tokn", credential="CRED000002")) == b""
        assert await door.openings() == 1
