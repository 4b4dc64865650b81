# SPDX-License-Identifier: Apache-2.0
"""One door, all kinds of credentials: each opens, and each state of the door and of the policy acts on all alike."""

from __future__ import annotations

import contextlib
import json
import os
import resource
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from osdp import Command, Event, LibFlag

from access.advertising import ACCESS
from access.tokens import Command as PhoneCommand
from contactless import aliro_field, desfire
from contactless.aliro_reader import DOOR, GROUP, reader_point
from contactless.cards import LISTED
from contactless.field import Field
from contactless.phone import DriverFailed, Phone, StatusFailed
from panel.panel import KEY, ON, SECONDS, key_file, panel
from panel.wire import wire
from rig.bench import Bench
from rig.operation import Operator
from rig.phone import Refused
from rig.waiting import until

pytestmark = pytest.mark.seconds(180)

CREDENTIAL = "CRED000002"
"""Of the phones."""
ANSWERED = r"card refused|tap \d+: .* credential .*(granted|denied|status)"
"""The lines of the log after a card, opened or not."""
LIST = [
    {"kind": "pkoc", "id": "CARD000001", "key": LISTED.point.hex()},
    {"kind": "desfire", "id": "CARD000002", "number": desfire.LISTED.hex()},
    {"kind": "aliro", "id": "PHONE00001", "key": aliro_field.LISTED.key.point.hex()},
]
UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


class OneDoor:
    """A reader that serves every kind; each method presents one, and returns True if it was granted."""

    def __init__(self, bench: Bench, field: Field) -> None:
        self.bench, self.field, self.operator = bench, field, Operator(bench)
        self._visits = 0

    async def openings(self) -> int:
        """The number of openings so far."""
        return (await self.operator.status())["door"]["openings"]

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
        status = await self.operator.status()
        before = len(self.bench.reader.child.lines)
        await self.field.ask("put", kind)
        line = await self.bench.reader.child.line(ANSWERED, SECONDS, before)
        await self.field.ask("take", kind)
        # Two rounds without a card, and 400 ms.
        await until("rounds", lambda: self._has_polled(status["nfc"]["rounds"] + 12), SECONDS)
        return "granted" in line.text or "status 0" in line.text

    async def _has_polled(self, rounds: int) -> bool:
        return (await self.operator.status())["nfc"]["rounds"] >= rounds


Present = Callable[[OneDoor], Awaitable[bool]]

KINDS: dict[str, Present] = {
    "bluetooth": OneDoor.bluetooth,
    "touch": OneDoor.touch,
    "pkoc": lambda door: door.card("pkoc"),
    "phone-as-card": lambda door: door.card("phone-third"),
    "desfire": lambda door: door.card("desfire"),
    "aliro": lambda door: door.card("aliro-listed"),
}
"""Each kind by how it is presented."""


def keyed(state: Path) -> None:
    """A state directory with the panel's key."""
    state.mkdir(exist_ok=True)
    key_file(state / "osdp.key")


@contextlib.asynccontextmanager
async def one_door(
    directory: Path, prepare: Callable[[Path], None] | None = None, **tables: dict[str, object]
) -> AsyncIterator[OneDoor]:
    """A reader with every kind, in both roles."""
    cards = directory / "cards.json"
    cards.write_text(json.dumps({"cards": LIST}))
    key = directory / "desfire.key"
    key.write_text(desfire.KEY.hex())
    key.chmod(0o600)
    async with Field() as field:
        settings = {
            "nfc": {"connection": field.connection, "role": "both"},
            "credentials": {"card-kinds": ["phone", "pkoc", "desfire", "aliro"], "cards": str(cards)},
            "desfire": {"application": "F51BC0", "file": 1, "count": len(desfire.LISTED), "key-file": str(key)},
            "aliro": {"group": GROUP, "door": DOOR},
            "door": {"pulse-s": 1},
        }
        merged = {name: settings.get(name, {}) | tables.get(name, {}) for name in settings | tables}
        async with Bench(prepare=prepare, **merged) as bench:
            await bench.reader.child.line(r"nfc: .* is ready", SECONDS)
            await field.ask("aliro", GROUP, await reader_point(bench))
            yield OneDoor(bench, field)


async def presented(door: OneDoor) -> dict[str, bool]:
    """The kinds one after the other, granted or not."""
    return {kind: await present(door) for kind, present in KINDS.items()}


ALL = dict.fromkeys(KINDS, True)
NONE = dict.fromkeys(KINDS, False)

IDENTIFIERS = (CREDENTIAL, "CRED000001", "CRED000003", "CARD000001", "CARD000002", "PHONE00001")
"""Of the tokens of the phones, and of the listed cards."""


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
        for credential in IDENTIFIERS:
            assert (await door.operator.run("revoke", credential)).code == 0
        assert await presented(door) == NONE
        assert await door.openings() == 0
        await until("the records", lambda: _has_recorded_cards(door, "credential-blacklisted"), SECONDS)


async def _has_recorded_cards(door: OneDoor, kind: str) -> bool:
    """True once each listed card has an event of this kind; that of a phone's command names its token's validity."""
    output = (await door.operator.events("--json")).output
    events = [json.loads(line) for line in output.splitlines()]
    return {event["credential"] for event in events if event["kind"] == kind} == {card["id"] for card in LIST}


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
        door.bench.reader = await door.bench._start()
        await door.bench.reader.child.line(r"nfc: .* is ready", SECONDS)
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
