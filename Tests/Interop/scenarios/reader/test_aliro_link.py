# SPDX-License-Identifier: Apache-2.0
"""Aliro phones over Bluetooth LE at the door: `readerd`, and phones of an independent implementation."""

import asyncio
import contextlib
import json
import os
import resource
import signal
import time

import pytest
from bumble.core import UUID
from bumble.l2cap import L2capError
from osdp import Event, LibFlag

from access.advertising import ACCESS
from contactless.aliro_door import Door
from contactless.aliro_field import BAD_DOCUMENTS, DOCUMENTED, GOOD_DOCUMENTS, ISSUER, LISTED, SIGNED
from contactless.aliro_keys import Key
from contactless.aliro_link import DYNAMIC_SPSM, AliroLink
from contactless.aliro_link_door import (
    IDENTIFIER,
    OPENED,
    RESOLVING_KEY,
    LinkDoor,
    link_door,
    listed,
    settings,
    stranger,
)
from contactless.aliro_link_phone import SECURE, UNSECURE, VERSION
from contactless.aliro_messages import ALIRO, BUSY, GENERAL_ERROR, Advertisement, Kind, Message, attribute
from contactless.aliro_phone import APPLICATION, Credential
from contactless.aliro_reader import DOOR, GROUP
from contactless.aliro_transport import Fault
from contactless.field import Field
from contactless.polled import recorded
from panel.panel import KEY, SECONDS, key_file, panel
from panel.wire import wire
from rig.bench import FAR_DBM, Bench
from rig.clock import UNSET, showing
from rig.matrix import some_of
from rig.memory import found
from rig.phone import LinkLost
from rig.reader import UNLOCKED
from rig.waiting import until

pytestmark = pytest.mark.seconds(60)

PSM_NOT_SUPPORTED = 2
BLUETOOTH_ONLY = 0x40
TAG_SECONDS = 900
UNPROVEN_SECONDS = 6
"""Of a phone from its first message to its proof."""
RESPONSE_SECONDS = 1.5
"""Of a phone for a response."""
BUSY_MACHINE_SECONDS = 3.0
"""The delay of a process or of the simulated radio, at most."""
LOG_SECONDS = 10.0
"""Of a line that is due."""


async def gone(visitor: AliroLink, seconds: float = 10.0) -> None:
    """Waits until the reader ends the link."""
    await visitor.link.wait_for_end(seconds)


async def opened(door: LinkDoor) -> AliroLink:
    """A phone on its link after a visit that opened, once the door is secured again."""
    visitor = await door.at()
    await visitor.authenticate()
    assert await visitor.act() == OPENED
    await door.secured()
    return visitor


async def unserved(visitor: AliroLink) -> None:
    """Opens the channel: the reader closes it while the link is up, and sends nothing. A broken rig raises."""
    await visitor.open()
    visitor.send(visitor.phone.initiation())
    await visitor.link.until_lost(visitor.is_closed.wait())
    assert not visitor.has_units


async def refused(door: LinkDoor, visitor: AliroLink, *, is_for_action: bool = True) -> None:
    """The phone runs its visit from the open channel on, and gets an error or loses its link instead of the door."""
    with contextlib.suppress(LinkLost):
        await visitor.authenticate(is_for_action=is_for_action)
        if not visitor.phone.has_failed:
            assert await visitor.act() is None
    assert visitor.phone.statuses == []
    await visitor.link.disconnect()
    assert await door.openings() == 0
    assert not door.bench.reader.child.matching(UNLOCKED)


# Phones that open


@pytest.mark.parametrize("is_for_action", [True, False], ids=["for an action", "without"])
async def test_a_listed_phone_opens_when_it_asks_to(tmp_path, is_for_action):
    async with link_door(tmp_path) as door:
        visitor = await door.at()
        await visitor.authenticate(is_for_action=is_for_action)
        # Mode 2, secured: nothing has opened because a phone is there.
        assert visitor.phone.completion == bytes.fromhex("4000")
        assert await door.openings() == 0
        assert await visitor.act() == OPENED
        await door.bench.reader.unlocked()
        assert await door.openings() == 1
        event = await recorded(door.bench, "granted")
        assert (event["channel"], event["mode"], event["credential"]) == ("ble", "aliro", IDENTIFIER)
        assert door.findings == []


async def test_every_visit_is_the_standard_phase_with_fresh_keys(tmp_path):
    """Also of a phone that has the key of a fast phase (check 63). The phone reports a value that comes again."""
    async with link_door(tmp_path) as door:
        phone = door.phone()
        for count in range(1, 4):
            assert await door.visit(phone, is_for_action=bool(count % 2)) == OPENED
            assert phone.phase == "standard"
            await door.secured()
        assert await door.openings() == 3
        assert door.findings == []


async def test_a_phone_that_asks_to_secure_sees_the_state_and_opens_nothing(tmp_path):
    async with link_door(tmp_path) as door:
        visitor = await door.at()
        await visitor.authenticate()
        status = await visitor.act(SECURE)
        assert status[1:] == b"\0"
        assert await door.openings() == 0
        assert await visitor.act(UNSECURE) == OPENED
        assert door.findings == []


@pytest.mark.parametrize("name", some_of(GOOD_DOCUMENTS, "AliroDocumentTests have each document"))
async def test_a_document_opens(tmp_path, name):
    async with link_door(tmp_path) as door:
        assert await door.visit(documented(door, GOOD_DOCUMENTS[name])) == OPENED
        assert door.phones[0].phase == "step-up"
        assert door.findings == []


def documented(door: LinkDoor, document):
    """A phone with a document."""
    signed = ISSUER.sign(document)
    return door.phone(Credential(DOCUMENTED.key, {}, {"aliro-a": signed}, access_time=SIGNED))


async def test_a_phone_that_needs_time_says_so(tmp_path):
    """Check 61."""
    async with link_door(tmp_path) as door:
        visitor = await door.at()
        visitor.send(BUSY.octets())
        visitor.send(visitor.phone.initiation())
        request = await visitor.receive()
        visitor.send(BUSY.octets())
        for answer in visitor.phone.receive(request):
            visitor.send(answer)
        await visitor.follow(lambda: visitor.phone.completion)
        assert await visitor.act() == OPENED
        assert door.findings == []


# What is on the air


async def test_the_advertisement_is_that_of_the_group_and_its_address(tmp_path):
    """Check 56."""
    async with link_door(tmp_path) as door:
        phone = await door.bench.phone()
        seen = await phone.find(ALIRO)
        shown = Advertisement.of(seen.data)
        assert (shown.flags, shown.group, shown.door) == (
            BLUETOOTH_ONLY,
            bytes.fromhex(GROUP)[:8],
            bytes.fromhex(DOOR)[:2],
        )
        address = bytes(seen.address)[::-1]
        assert shown.is_by(bytes.fromhex(RESOLVING_KEY), address)
        assert not shown.is_by(bytes(16), address)
        assert 0 < shown.expiry - time.time() <= TAG_SECONDS
        # The access profile has another address, and its packet as it was.
        other = await phone.find(ACCESS)
        assert other.data == ACCESS.packet()
        assert other.address != seen.address


async def test_with_another_address_the_tag_is_another(tmp_path):
    """An address is kept in the state directory; without the file the reader makes another one."""
    async with link_door(tmp_path) as door:
        seen = []
        for number in range(2):
            phone = await door.bench.phone(f"watcher{number}")
            sighting = await phone.find(ALIRO)
            seen.append((sighting.address, Advertisement.of(sighting.data)))
            await phone.close()
            if not number:
                (door.bench.state / "addresses").unlink()
                await door.bench.restart()
        assert seen[0][0] != seen[1][0]
        assert seen[0][1].tag != seen[1][1].tag
        for address, shown in seen:
            assert shown.is_by(bytes.fromhex(RESOLVING_KEY), bytes(address)[::-1])


async def test_without_a_clock_the_tag_has_no_end_and_no_phone_opens(tmp_path):
    async with link_door(tmp_path, environment=showing(UNSET)) as door:
        phone = await door.bench.phone()
        seen = await phone.find(ALIRO)
        shown = Advertisement.of(seen.data)
        assert shown.expiry == 0xFFFFFFFF
        assert shown.is_by(bytes.fromhex(RESOLVING_KEY), bytes(seen.address)[::-1])
        await refused(door, await door.at())


async def test_it_is_off_by_default(tmp_path):
    """Neither its packets nor its service nor its channel, also with everything that Aliro needs over NFC."""
    tables = settings(listed(tmp_path), links={"max-connection-ms": 60_000})
    del tables["advertising"]
    async with Bench(**tables) as bench:
        watcher = await bench.phone("watcher")
        seen = await watcher.watch(2)
        assert seen and not any(ALIRO.matches(sighting.data) for sighting in seen)
        _, link = await bench.connected()
        await link.exchange_mtu()
        assert await link.until_lost(link.peer.discover_service(UUID(ALIRO.service))) == []
        for spsm in DYNAMIC_SPSM:
            with pytest.raises(L2capError):
                await link.open_channel(spsm, 512)


async def test_the_offer_has_one_version_and_a_dynamic_channel(tmp_path):
    async with link_door(tmp_path) as door:
        visitor = AliroLink(door.phone(), await door.link())
        await visitor.discover()
        assert visitor.offer.versions == VERSION
        assert visitor.offer.spsm in DYNAMIC_SPSM


async def test_another_version_ends_the_link(tmp_path):
    """Check 57."""
    async with link_door(tmp_path) as door:
        visitor = AliroLink(door.phone(), await door.link())
        await visitor.discover()
        with contextlib.suppress(LinkLost):
            await visitor.choose(b"\1\xff")
        await gone(visitor)
        await door.word("no-common-version")


async def test_another_channel_is_refused(tmp_path):
    """Check 58."""
    async with link_door(tmp_path) as door:
        visitor = AliroLink(door.phone(), await door.link())
        await visitor.discover()
        await visitor.choose()
        with pytest.raises(L2capError) as refusal:
            await visitor.open(DYNAMIC_SPSM[0] if visitor.offer.spsm != DYNAMIC_SPSM[0] else DYNAMIC_SPSM[1])
        assert refusal.value.error_code == PSM_NOT_SUPPORTED
        await visitor.open()
        await visitor.authenticate()
        assert await visitor.act() == OPENED


@pytest.mark.parametrize(("mode", "version"), [(ALIRO, False), (ACCESS, True)], ids=["no-version", "access-profile"])
async def test_a_link_without_a_version_or_of_the_access_profile_has_no_transaction(tmp_path, mode, version):
    async with link_door(tmp_path) as door:
        _, link = await door.bench.connected(mode=mode)
        visitor = AliroLink(door.phone(), link)
        await visitor.discover()
        if version:
            await visitor.choose()
        await unserved(visitor)
        assert await door.openings() == 0
        # The same rig, on a link of the mode and with a version.
        assert await door.visit() == OPENED


async def test_a_phone_in_the_distance_gets_no_message(tmp_path):
    async with link_door(tmp_path) as door:
        visitor = AliroLink(door.phone(), await door.link(FAR_DBM))
        with pytest.raises(LinkLost):
            await visitor.prepare()
            visitor.send(visitor.phone.initiation())
            await visitor.receive()
        await door.bench.reader.child.line(r"refused, (far )?below the threshold", LOG_SECONDS)
        assert not visitor.has_units
        assert not door.bench.reader.child.matching(UNLOCKED)
        # The same rig at the door.
        assert await door.visit() == OPENED


# Phones that are refused


async def test_an_unlisted_phone_is_refused_and_recorded(tmp_path):
    async with link_door(tmp_path) as door:
        await refused(door, await door.at(door.phone(stranger())))
        await door.word("unknown-credential")
        event = await recorded(door.bench, "unlisted")
        assert (event["channel"], event["mode"]) == ("ble", "aliro")
        assert "credential" not in event
        assert event["detail"].startswith("aliro ")
        assert door.findings == []


async def test_a_revoked_phone_is_refused(tmp_path):
    async with link_door(tmp_path) as door:
        assert (await door.operator.run("revoke", IDENTIFIER)).code == 0
        await refused(door, await door.at())
        assert (await recorded(door.bench, "credential-blacklisted"))["credential"] == IDENTIFIER


async def test_a_phone_that_is_revoked_before_it_asks_is_refused(tmp_path):
    async with link_door(tmp_path) as door:
        visitor = await door.at()
        await visitor.authenticate()
        assert (await door.operator.run("revoke", IDENTIFIER)).code == 0
        assert await visitor.act() is None
        assert await door.openings() == 0
        assert (await recorded(door.bench, "credential-blacklisted"))["credential"] == IDENTIFIER


@pytest.mark.parametrize("times", [{"until": "2026-01-02"}, {"from": "2039-01-01"}], ids=["over", "not yet"])
async def test_a_phone_out_of_its_time_is_refused(tmp_path, times):
    async with link_door(tmp_path) as door:
        listed(tmp_path, **times)
        os.kill(door.bench.reader.child.pid, signal.SIGHUP)
        await door.bench.reader.child.line("reload", 5)
        await refused(door, await door.at())
        event = await recorded(door.bench, "denied")
        assert event["credential"] == IDENTIFIER


@pytest.mark.thorough("AliroDocumentTests have the faults")
async def test_documents_with_faults_open_nothing(tmp_path):
    async with link_door(tmp_path) as door:
        for name in BAD_DOCUMENTS:
            await refused(door, await door.at(documented(door, BAD_DOCUMENTS[name])))
        assert door.findings == []


async def test_a_phone_of_another_group_or_reader_says_nothing_of_itself(tmp_path):
    """The phone refuses the reader: the status word ends the visit, before its key is on the air."""
    async with link_door(tmp_path) as door:
        for phone in door.phone(group=bytes(16)), door.phone(point=Key().point):
            visitor = await door.at(phone)
            await refused(door, visitor)
            assert not any(LISTED.key.point in unit for unit in visitor.sent)
            await door.word("status-word")
        assert door.findings == []


async def test_a_phone_without_the_credentials_key_is_refused(tmp_path):
    async with link_door(tmp_path) as door:
        impostor = door.phone()
        impostor.signer = Key(9)
        await refused(door, await door.at(impostor))
        await door.word("invalid-proof")
        event = await recorded(door.bench, "unproven")
        assert "credential" not in event


def last_changed(data: bytes) -> bytes:
    """One bit of the last octet."""
    return data[:-1] + bytes((data[-1] ^ 1,))


RESPONSES = [
    (Fault("auth0", data=lambda data: data[:40]), "malformed-response"),
    (Fault("auth0", data=last_changed), "invalid-key"),
    (Fault("auth0", word=0x6A80), "status-word"),
    (Fault("auth1", data=last_changed), "invalid-proof"),
    (Fault("auth1", plaintext=lambda data: data[:70]), "malformed-response"),
    (Fault("auth1", is_endless=True), "response-too-long"),
    (Fault("exchange", plaintext=lambda _: bytes.fromhex("0002ffff")), "status-word"),
    (Fault("exchange", data=last_changed), "invalid-proof"),
]


@pytest.mark.thorough("AliroLinkTests have the faults")
async def test_a_response_with_a_fault_is_refused_and_ends_the_link(tmp_path):
    async with link_door(tmp_path) as door:
        for fault, word in RESPONSES:
            phone = door.phone()
            phone.fault = fault
            visitor = await door.at(phone)
            with contextlib.suppress(LinkLost):
                await visitor.authenticate()
            assert phone.completion is None
            assert phone.has_failed
            await door.word(word)
            await gone(visitor)
        assert await door.openings() == 0
        assert await door.visit() == OPENED


def changed(at: int):
    """A delivery that changes one bit."""

    def deliver(unit: bytes) -> list[bytes]:
        octets = bytearray(unit)
        octets[at] ^= 1
        return [bytes(octets)]

    return deliver


ACTIONS = {
    "changed": (changed(-1), "invalid-proof"),
    "changed in its header": (changed(0), "malformed-response|out-of-order"),
    "twice in one unit": (lambda unit: [unit + unit], "out-of-order"),
    "cut": (lambda unit: [unit[:-1]], "malformed-response"),
    "with more octets": (lambda unit: [unit + b"\0"], "malformed-response"),
    "in the clear": (lambda _: [Message(Kind.ACTION, attribute(0, UNSECURE)).octets()], "invalid-proof"),
    "too long": (lambda unit: [unit + bytes(512)], "malformed-response|response-too-long"),
    "empty": (lambda _: [Message(Kind.ACTION).octets()], "invalid-proof"),
    "another initiation": (
        lambda _: [Message(Kind.INITIATION_FOR_ACTION, attribute(0, b"\xa5\0")).octets()],
        "out-of-order",
    ),
    "a response": (lambda _: [Message(Kind.RESPONSE, b"\x90\0").octets()], "out-of-order"),
}


async def test_a_request_with_a_fault_opens_nothing_and_ends_the_link(tmp_path):
    """Check 64."""
    async with link_door(tmp_path) as door:
        for deliver, word in ACTIONS.values():
            visitor = await door.at()
            await visitor.authenticate()
            visitor.delivery = deliver
            visitor.send(visitor.phone.request())
            visitor.phone.receive(await visitor.receive())
            assert visitor.phone.has_failed
            await door.word(word)
            await gone(visitor)
        assert await door.openings() == 0
        assert not door.bench.reader.child.matching(UNLOCKED)
        assert await door.visit() == OPENED


async def test_an_action_of_no_known_kind_is_refused(tmp_path):
    async with link_door(tmp_path) as door:
        for action in b"\2", b"\1\1", b"":
            visitor = await door.at()
            await visitor.authenticate()
            assert await visitor.act(action) is None
            await door.word("malformed-response")
            await gone(visitor)
        assert await door.openings() == 0


async def test_a_recorded_visit_is_worthless(tmp_path):
    """All units of a visit that opened, sent again by someone else."""
    async with link_door(tmp_path) as door:
        visitor = await opened(door)
        await visitor.link.disconnect()
        thief = await door.at()
        with contextlib.suppress(LinkLost):
            for unit in visitor.sent:
                thief.send(unit)
                await thief.receive(3.0)
        await door.word("invalid-proof")
        await gone(thief)
        assert await door.openings() == 1


async def test_a_request_is_not_repeated(tmp_path):
    """The phone's sealed request again, on its own link: after the opening nothing opens."""
    async with link_door(tmp_path) as door:
        visitor = await opened(door)
        with contextlib.suppress(LinkLost, TimeoutError):
            visitor.send(visitor.sent[-1])
            await visitor.receive(1.0)
        assert await door.openings() == 1


INITIATION = Kind.INITIATION_FOR_ACTION
FIRST = {
    "a request": (Message(Kind.ACTION, attribute(0, UNSECURE)), "out-of-order"),
    "a response": (Message(Kind.RESPONSE, b"\x90\0"), "out-of-order"),
    "a completion": (Message(Kind.COMPLETED, attribute(0, b"\x40\0")), "out-of-order"),
    "no attribute": (Message(INITIATION), "malformed-response"),
    "no versions": (Message(INITIATION, attribute(0, bytes.fromhex("a50480020000"))), "malformed-response"),
    "an old version": (Message(INITIATION, attribute(0, bytes.fromhex("a508800200005c020009"))), "no-common-version"),
    "another type": (Message(INITIATION, attribute(0, bytes.fromhex("a508800200015c020100"))), "malformed-response"),
    "an error": (GENERAL_ERROR, "status-word"),
    "508 octets": (Message(INITIATION, bytes(508)), "malformed-response"),
}
OCTETS = {
    "an unknown message": bytes.fromhex("09000000"),
    "a cut header": b"\2\6",
    "a cut payload": bytes.fromhex("0206000c00"),
    "another message behind": Message(INITIATION, attribute(0, APPLICATION)).octets() + b"\2",
}


@pytest.mark.thorough("AliroLinkTests have the faults")
async def test_a_first_message_with_a_fault_ends_the_link_without_a_command(tmp_path):
    """Checks 59 and 65."""
    units = [(message.octets(), word) for message, word in FIRST.values()]
    async with link_door(tmp_path) as door:
        for unit, word in units + [(octets, "malformed-response") for octets in OCTETS.values()]:
            visitor = await door.at()
            visitor.send(unit)
            visitor.phone.receive(await visitor.receive())
            assert visitor.phone.has_failed and not visitor.phone.responses
            await door.word(word)
            await gone(visitor)
        assert await door.openings() == 0
        assert await door.visit() == OPENED


async def test_silence_is_answered_with_an_error_and_ends_the_link(tmp_path):
    """Check 60."""
    async with link_door(tmp_path) as door:
        visitor = await door.at()
        visitor.send(visitor.phone.initiation())
        assert (await visitor.receive())[:2] == b"\0\0"
        began = time.monotonic()
        visitor.phone.receive(await visitor.receive(2 * BUSY_MACHINE_SECONDS))
        assert visitor.phone.has_failed
        took = time.monotonic() - began
        print(f"an error after {took:.2f} s of silence")
        assert took <= RESPONSE_SECONDS + BUSY_MACHINE_SECONDS
        await door.word("no-response")
        await gone(visitor)


async def test_a_stranger_that_only_asks_for_time_loses_its_link(tmp_path):
    """Busy events restart the time for a response, and not that of a phone that has proven nothing."""
    async with link_door(tmp_path) as door:
        visitor = await door.at()
        began = time.monotonic()
        visitor.send(visitor.phone.initiation())
        while not visitor.link.lost.done() and time.monotonic() - began < UNPROVEN_SECONDS + 2 * BUSY_MACHINE_SECONDS:
            visitor.send(BUSY.octets())
            await asyncio.wait({visitor.link.lost}, timeout=1)
        assert visitor.link.lost.done()
        took = time.monotonic() - began
        print(f"the link has ended after {took:.2f} s")
        assert took <= UNPROVEN_SECONDS + BUSY_MACHINE_SECONDS
        await door.word("no-response")


async def test_phones_that_leave_in_the_middle_leave_the_slot(tmp_path):
    """With the channel, after the first message, after AUTH0, after the completion."""
    async with link_door(tmp_path, links={"max": 1}) as door:
        visitor = await door.at()
        await visitor.link.disconnect()
        visitor = await door.at()
        visitor.send(visitor.phone.initiation())
        await visitor.link.disconnect()
        visitor = await door.at()
        visitor.send(visitor.phone.initiation())
        visitor.phone.receive(await visitor.receive())
        await visitor.link.disconnect()
        visitor = await door.at()
        await visitor.authenticate()
        await visitor.link.disconnect()
        assert await door.openings() == 0
        assert await door.visit() == OPENED


async def test_nothing_of_a_visit_is_left_in_memory(tmp_path):
    """The key of later fast phases is stored, and therefore not looked for."""
    async with link_door(tmp_path) as door:
        visitor = await opened(door)
        await visitor.link.disconnect()
        pid, secrets = door.bench.reader.child.pid, visitor.phone.secrets
        assert len(secrets) == 8
        assert found(pid, {"name": b"wa0y1YwS"})
        assert found(pid, secrets) == set()


async def test_nothing_of_a_phone_that_leaves_before_it_asks_is_left_in_memory(tmp_path):
    async with link_door(tmp_path) as door:
        visitor = await door.at()
        await visitor.authenticate()
        await visitor.link.disconnect()
        persistent = visitor.phone.credential.persistent
        secrets = {"persistent": next(iter(persistent.values())), **visitor.phone.secrets}
        pid = door.bench.reader.child.pid
        await until("a closed link", lambda: door.bench.reader.child.matching("disconnected, reason"))
        assert found(pid, secrets) == set()


async def test_an_error_of_the_phone_ends_the_transaction(tmp_path):
    """Check 65, after the completion."""
    async with link_door(tmp_path) as door:
        visitor = await door.at()
        await visitor.authenticate()
        visitor.send(visitor.phone.seal(GENERAL_ERROR))
        await gone(visitor)
        assert await door.openings() == 0


# The states of the door


async def test_a_lockdown_refuses(tmp_path):
    async with link_door(tmp_path) as door:
        assert (await door.operator.run("lockdown", "on")).code == 0
        await refused(door, await door.at())
        assert (await door.operator.run("lockdown", "off")).code == 0
        assert await door.visit() == OPENED
        assert door.findings == []


async def test_a_lockout_refuses(tmp_path):
    async with link_door(tmp_path, door={"lockout-attempts": 2, "lockout-s": 600}) as door:
        for _ in range(2):
            assert await door.visit(door.phone(stranger())) is None
        await refused(door, await door.at())


async def test_a_log_that_cannot_be_written_refuses(tmp_path):
    async with link_door(tmp_path) as door:
        pid = door.bench.reader.child.pid
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        await refused(door, await door.at())
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

        async def is_sound() -> bool:
            return (await door.operator.status())["events"]["state"] == "ok"

        await until("the log", is_sound)
        assert await door.visit() == OPENED


async def test_an_unknown_policy_refuses(tmp_path):
    async with link_door(tmp_path) as door:
        assert await door.visit() == OPENED
        assert await door.bench.reader.stop() == 0
        for name in ("policy.a", "policy.b"):
            (door.bench.state / name).write_bytes(os.urandom(100))
        door.bench.reader = await door.bench.start()
        await refused(door, await door.at())


async def test_a_panel_that_decides_is_asked(tmp_path):
    def keyed(state):
        state.mkdir(exist_ok=True)
        key_file(state / "osdp.key")

    with wire(tmp_path) as line:
        decides = {"line": str(line.path), "mode": "panel"}
        async with (
            link_door(tmp_path, keyed, osdp=decides) as door,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            running.events.clear()
            visitor = await door.at()
            await visitor.authenticate()
            # The panel has the door: its state is unknown here.
            assert visitor.phone.completion == bytes.fromhex("4082")
            assert await visitor.act() == bytes.fromhex("0682")
            assert (await running.event(Event.CardRead))["data"]
            assert await door.openings() == 0, "the panel has not moved the lock"


async def test_a_list_that_is_gone_refuses(tmp_path):
    async with link_door(tmp_path) as door:
        (tmp_path / "cards.json").write_text("{")
        os.kill(door.bench.reader.child.pid, signal.SIGHUP)
        await until("the fault", lambda: door.bench.reader.child.matching("cards.json"), SECONDS)
        await refused(door, await door.at())


async def test_a_visit_over_bluetooth_ends_the_fast_phase_of_another_device(directory):
    """One credential on two devices: the reader has one key of it, of the last standard phase over either radio. The
    other device falls back to the standard phase, and opens."""
    async with Field() as field:
        nfc = {"connection": field.connection, "role": "poll"}
        cards = {"card-kinds": ["aliro"], "cards": str(listed(directory))}
        async with Bench(**settings(directory / "cards.json", nfc=nfc, credentials=cards)) as bench:
            await bench.reader.child.line(r"nfc: .* is ready", SECONDS)
            field_door = Door(field, bench)
            await field_door.enrol()
            for phase in "standard", "fast":
                assert (await field_door.opens("listed"))["phase"] == phase
            door = await LinkDoor.of(bench)
            assert await door.visit() == OPENED
            await door.secured()
            for phase in "standard", "fast":
                assert (await field_door.opens("listed"))["phase"] == phase
            await field_door.is_sound()
            assert door.findings == []


async def test_both_profiles_are_served_at_one_door(tmp_path):
    async with link_door(tmp_path) as door:
        phone, link = await door.bench.connected("other", mode=ACCESS)
        await link.prepare(ACCESS.service)
        await link.run("tokn")
        await link.disconnect()
        await phone.close()
        await door.secured()
        assert await door.visit() == OPENED
        assert json.loads((await door.operator.run("status", "--json")).output)["door"]["openings"] == 2


async def test_a_controller_with_one_advertiser_serves_both(tmp_path):
    async with Bench("legacy", **settings(listed(tmp_path))) as bench:
        door = await LinkDoor.of(bench)
        assert await door.visit() == OPENED
