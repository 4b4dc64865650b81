# SPDX-License-Identifier: Apache-2.0
"""One door, all kinds of credentials: each opens, and each state of the door and of the policy acts on all alike."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from osdp import Command, Event, LibFlag

from access.advertising import ACCESS
from access.tokens import Command as PhoneCommand
from contactless import aliro_field, desfire, pkoc_link
from contactless.aliro_link import AliroLink
from contactless.aliro_link_door import RESOLVING_KEY
from contactless.aliro_link_phone import AliroLinkPhone
from contactless.aliro_messages import ALIRO
from contactless.aliro_phone import Credential
from contactless.aliro_reader import DOOR, GROUP, reader_point
from contactless.cards import LISTED
from contactless.field import Field
from contactless.phone import DriverFailed, Phone, StatusFailed
from contactless.pkoc_link import PKOCPhone
from panel.panel import KEY, ON, SECONDS, key_file, panel
from panel.wire import wire
from rig.bench import Bench
from rig.operation import Operator
from rig.phone import LinkLost, Refused
from rig.waiting import until

pytestmark = pytest.mark.seconds(180)

CREDENTIAL = "CRED000002"
"""Of the phones."""
ANSWERED = r"card refused|tap \d+: .* credential .*(granted|denied|status)"
"""The lines of the log after a card, opened or not."""
LINK_SCALAR = 11
"""The key of the phone with a PKOC credential."""
LINKED = Credential.of(13)
"""Of the Aliro phone over Bluetooth LE."""
LIST = [
    {"kind": "pkoc", "id": "CARD000001", "key": LISTED.point.hex()},
    {"kind": "desfire", "id": "CARD000002", "number": desfire.LISTED.hex()},
    {"kind": "pkoc", "id": "CARD000003", "key": pkoc_link.point(PKOCPhone(LINK_SCALAR).key).hex()},
    {"kind": "aliro", "id": "PHONE00001", "key": aliro_field.LISTED.key.point.hex()},
    {"kind": "aliro", "id": "PHONE00002", "key": aliro_field.KNOWN.key.point.hex()},
    {"kind": "aliro", "id": "PHONE00003", "key": LINKED.key.point.hex()},
]
UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


class OneDoor:
    """A reader that serves every kind; each method presents one, and returns True if it was granted."""

    def __init__(self, bench: Bench, field: Field) -> None:
        self.bench, self.field, self.operator = bench, field, Operator(bench)
        self.point = b""
        """Of the Aliro reader, which its phones know."""
        self.known = "standard"
        """The phase of a phone that has come before, if it has."""
        self.before = 0
        """The openings of the present process that are not counted."""
        self._visits = 0

    async def openings(self) -> int:
        """The number of openings so far."""
        return (await self.operator.status())["door"]["openings"] - self.before

    async def introduce(self) -> None:
        """The phone of the fast phase comes once, so that it is fast from now on."""
        await self.aliro("known", "standard")
        self.known = "fast"
        self.before = (await self.operator.status())["door"]["openings"]

    async def bluetooth(self) -> bool:
        """A near phone."""
        self._visits += 1
        _, link = await self.bench.connected(f"phone{self._visits}")
        await link.prepare(ACCESS.service)
        try:
            await link.run(PhoneCommand("tokn", credential=CREDENTIAL))
        except Refused:
            return False
        finally:
            await link.disconnect()
        return True

    async def pkoc_link(self) -> bool:
        """A near phone with a PKOC credential."""
        self._visits += 1
        _, link = await self.bench.connected(f"phone{self._visits}", mode=pkoc_link.PKOC)
        try:
            return await PKOCPhone(LINK_SCALAR).normal(link) == pkoc_link.GRANTED
        except (LinkLost, TimeoutError):
            # A reader that cannot decide says nothing.
            return False
        finally:
            await link.disconnect()

    async def aliro_link(self) -> bool:
        """A near Aliro phone, which asks to open."""
        self._visits += 1
        _, link = await self.bench.connected(f"phone{self._visits}", mode=ALIRO)
        visitor = AliroLink(AliroLinkPhone(LINKED, bytes.fromhex(GROUP), self.point), link)
        try:
            return await visitor.visit() is not None
        except (LinkLost, TimeoutError):
            return False
        finally:
            await link.disconnect()
            assert visitor.phone.findings == []

    async def aliro(self, name: str, phase: str) -> bool:
        """An Aliro phone, which has to be served in this phase."""
        granted = await self.card(f"aliro-{name}")
        seen = json.loads(await self.field.ask("aliro_phone", name))
        assert seen["phase"] == phase, seen
        return granted

    async def touch(self) -> bool:
        """A phone that reads the reader's card."""
        phone = await self.field.phone()
        try:
            await self._selected(phone)
            await phone.run("tokn")
        except StatusFailed:
            return False
        finally:
            with contextlib.suppress(DriverFailed):
                await phone.leave()
            await phone.close()
        return True

    async def _selected(self, phone: Phone) -> None:
        """Taps until the application is selected: at the end of the reader's turn the chip ends a touch that began."""

        async def selected() -> bool:
            await phone.tap(SECONDS)
            try:
                await phone.select()
            except DriverFailed:
                with contextlib.suppress(DriverFailed):
                    await phone.leave()
                return False
            return True

        await until("the selected application", selected, SECONDS)

    async def card(self, kind: str) -> bool:
        """A card in the field, until it was answered."""
        before = len(self.bench.reader.child.lines)
        await self.field.ask("put", kind)
        line = await self.bench.reader.child.line(ANSWERED, SECONDS, before)
        # The door opens before a phone's last response; the next round is after it.
        await self._rounds(2)
        await self.field.ask("take", kind)
        # Two rounds without a card, and 400 ms.
        await self._rounds(8)
        return "granted" in line.text or "status 0" in line.text

    async def _rounds(self, count: int) -> None:
        last = (await self.operator.status())["nfc"]["rounds"] + count

        async def have_passed() -> bool:
            return (await self.operator.status())["nfc"]["rounds"] >= last

        await until("rounds", have_passed, SECONDS)


Present = Callable[[OneDoor], Awaitable[bool]]

KINDS: dict[str, Present] = {
    "bluetooth": OneDoor.bluetooth,
    "touch": OneDoor.touch,
    "pkoc": lambda door: door.card("pkoc"),
    "phone-as-card": lambda door: door.card("phone-third"),
    "desfire": lambda door: door.card("desfire"),
    "pkoc-bluetooth": OneDoor.pkoc_link,
    "aliro-step-up": lambda door: door.aliro("document", "step-up"),
    "aliro-standard": lambda door: door.aliro("listed", "standard"),
    "aliro-bluetooth": OneDoor.aliro_link,
    "aliro-fast": lambda door: door.aliro("known", door.known),
}
"""Each kind by how it is presented."""


def keyed(state: Path) -> None:
    """A state directory with the panel's key."""
    state.mkdir(exist_ok=True)
    key_file(state / "osdp.key")


def listed(directory: Path, **members: str) -> Path:
    """Writes the list, each card with these members."""
    cards = directory / "cards.json"
    cards.write_text(json.dumps({"cards": [card | members for card in LIST]}))
    return cards


@contextlib.asynccontextmanager
async def one_door(
    directory: Path, prepare: Callable[[Path], None] | None = None, **tables: dict[str, object]
) -> AsyncIterator[OneDoor]:
    """A reader with every kind, in both roles."""
    cards = listed(directory)
    key = directory / "desfire.key"
    key.write_text(desfire.KEY.hex())
    key.chmod(0o600)
    async with Field() as field:
        settings = {
            "nfc": {"connection": field.connection, "role": "both"},
            "advertising": {"modes": ["access", "pkoc", "aliro"]},
            "credentials": {
                "card-kinds": ["phone", "pkoc", "desfire", "aliro"],
                "cards": str(cards),
                "pkoc-reader": "11" * 16 + "22" * 16,
            },
            "desfire": {"application": "F51BC0", "file": 1, "count": len(desfire.LISTED), "key-file": str(key)},
            "aliro": {
                **{"group": GROUP, "door": DOOR, "resolving-key": RESOLVING_KEY},
                "issuers": [aliro_field.ISSUER.key.point.hex()],
            },
            "door": {"pulse-s": 1},
        }
        merged = {name: settings.get(name, {}) | tables.get(name, {}) for name in settings | tables}
        async with Bench(prepare=prepare, **merged) as bench:
            await bench.reader.child.line(r"nfc: .* is ready", SECONDS)
            door = OneDoor(bench, field)
            point = await reader_point(bench)
            await field.ask("aliro", GROUP, point)
            door.point = bytes.fromhex(point)
            if not tables.get("osdp"):
                await door.introduce()
            yield door


async def presented(door: OneDoor) -> dict[str, bool]:
    """The kinds one after the other, granted or not."""
    return {kind: await present(door) for kind, present in KINDS.items()}


TOKENS = {CREDENTIAL, "CRED000001", "CRED000003"}
"""Of the phones."""
ALL = dict.fromkeys(KINDS, True)
NONE = dict.fromkeys(KINDS, False)


async def test_each_opens_once(directory):
    async with one_door(directory) as door:
        assert await presented(door) == ALL
        assert await door.openings() == len(KINDS)


@pytest.mark.thorough(
    "PolledCardTests and AliroReaderTests; test_operation.py and the tests of each kind of card have a lockdown"
)
async def test_a_lockdown_refuses_each(directory):
    async with one_door(directory) as door:
        assert (await door.operator.run("lockdown", "on")).code == 0
        assert await presented(door) == NONE
        assert (await door.operator.run("lockdown", "off")).code == 0
        assert await door.openings() == 0
        assert await presented(door) == ALL


@pytest.mark.thorough(
    "PolledCardTests and AliroReaderTests; test_revocation.py and the tests of each kind of card revoke"
)
async def test_a_revocation_refuses_each(directory):
    async with one_door(directory) as door:
        assert await presented(door) == ALL
        # Of the tokens, of the listed cards, and of the phone that is known by its document.
        granted = await recorded_as(door, "granted")
        assert len(granted) == len(KINDS)
        for credential in granted:
            assert (await door.operator.run("revoke", credential)).code == 0
        before = await door.openings()
        # A revoked phone loses its key of the fast phase, and what its document has granted.
        door.known = "standard"
        assert await presented(door) == NONE
        assert await door.openings() == before

        async def has_recorded() -> bool:
            """Each card has its event; that of a phone's command names its token's validity."""
            return await recorded_as(door, "credential-blacklisted") == granted - TOKENS

        await until("the records", has_recorded, SECONDS)


async def recorded_as(door: OneDoor, kind: str) -> set[str]:
    """The credentials of the events of this kind."""
    output = (await door.operator.events("--json")).output
    events = [json.loads(line) for line in output.splitlines()]
    return {event["credential"] for event in events if event["kind"] == kind}


@pytest.mark.thorough("PolledCardTests, AliroReaderTests and LinkExchangeTests have entries that are over")
async def test_an_entry_that_is_over_refuses_each(directory):
    async with one_door(directory) as door:
        listed(directory, until="2026-01-01")
        await reload(door)
        phones = {"bluetooth", "touch", "phone-as-card", "aliro-step-up"}
        assert await presented(door) == {kind: kind in phones for kind in KINDS}
        assert await door.openings() == len(phones)


async def reload(door: OneDoor) -> None:
    """The list is read again."""
    before = len(door.bench.reader.child.lines)
    os.kill(door.bench.reader.child.pid, signal.SIGHUP)
    await door.bench.reader.child.line("reload: ", SECONDS, before)


REFUSED = {
    "pkoc-unlisted": "denied",
    "pkoc-forged": "invalid-proof",
    "desfire-unlisted": "denied",
    "desfire-other-key": "invalid-proof",
    "aliro-unlisted": "unknown-credential",
    "aliro-wrong-group": "status-word",
    "aliro-impostor": "invalid-proof",
    "aliro-document-expired": "invalid-document",
    "aliro-document-forged": "invalid-document",
    "aliro-document-night": "no-access-right",
    "aliro-document-revoked": "credential-revoked",
    "stranger": "no-known-application",
}
"""Cards that open nothing, and the word of the log."""


@pytest.mark.thorough("PolledCardTests and AliroReaderTests; the tests of each kind of card have theirs")
async def test_others_are_refused_at_the_same_door(directory):
    async with one_door(directory) as door:
        for kind, word in REFUSED.items():
            before = len(door.bench.reader.child.lines)
            assert not await door.card(kind), kind
            assert any(re.search(word, line.text) for line in door.bench.reader.child.lines[before:]), kind
        assert await door.openings() == 0
        assert await door.card("pkoc")


@pytest.mark.thorough("LogFaultTests, PolledCardTests and AliroReaderTests; test_faults.py has a disk that fails")
async def test_a_log_that_cannot_be_written_refuses_each(directory):
    async with one_door(directory) as door:
        pid = door.bench.reader.child.pid
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        assert await presented(door) == NONE
        assert await door.openings() == 0
        resource.prlimit(pid, resource.RLIMIT_FSIZE, UNLIMITED)
        await until("the log", lambda: _is_sound(door), SECONDS)
        assert await presented(door) == ALL


async def _is_sound(door: OneDoor) -> bool:
    return (await door.operator.status())["events"]["state"] == "ok"


@pytest.mark.thorough("PolicyFaultTests, PolledCardTests and AliroReaderTests; test_policy.py loses the policy")
async def test_an_unknown_policy_refuses_each(directory):
    async with one_door(directory) as door:
        assert await door.bench.reader.stop() == 0
        for name in ("policy.a", "policy.b"):
            (door.bench.state / name).write_bytes(os.urandom(100))
        door.bench.reader = await door.bench.start()
        await door.bench.reader.child.line(r"nfc: .* is ready", SECONDS)
        door.before = 0
        assert await presented(door) == NONE
        assert await door.openings() == 0


@pytest.mark.thorough("PolledCardTests begin a lockout by cards; DoorRequestTests and AccessReaderDoorTests have it")
async def test_a_lockout_refuses_each(directory):
    async with one_door(directory, door={"pulse-s": 1, "lockout-attempts": 1, "lockout-s": 600}) as door:
        assert not await door.card("pkoc-forged")
        assert await presented(door) == NONE
        assert await door.openings() == 0


@pytest.mark.thorough("PolledCardTests and AccessReaderPanelTests; test_panel.py has a panel that decides")
async def test_a_panel_that_decides_is_asked_about_each(directory):
    with wire(directory) as line:
        decides = {"line": str(line.path), "mode": "panel"}
        async with one_door(directory, keyed, osdp=decides) as door:
            assert await presented(door) == NONE, "the panel is silent"
            assert await door.openings() == 0
            async with panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running:
                await running.secured()
                await door.introduce()
                cards = []
                for present in KINDS.values():
                    running.events.clear()
                    await present(door)
                    cards.append((await running.event(Event.CardRead))["data"])
                assert cards[:2] == [CREDENTIAL.encode(), b"CRED000001"]
                assert cards[2] not in cards[:2]
                assert len(set(cards)) == len(KINDS)
                assert await door.openings() == 0, "the panel has not moved the lock"
                assert await running.ordered(Command.Output, output_no=0, control_code=ON, timer_count=10) == 0
                await door.bench.reader.unlocked(SECONDS)
