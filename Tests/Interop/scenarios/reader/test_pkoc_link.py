# SPDX-License-Identifier: Apache-2.0
"""Phones with PKOC credentials over Bluetooth LE: a reader that advertises their service beside the access profile."""

import contextlib
import json
import time
from pathlib import Path

import pytest

from access.advertising import ACCESS
from contactless.pkoc_link import CCM, DENIED, GRANTED, PKOC, SECURITY, SIGNATURE, PKOCPhone, field
from contactless.polled import recorded
from rig.bench import FAR_DBM, Bench, packets
from rig.operation import Operator
from rig.phone import WANTED_MTU, LinkLost
from rig.reader import UNLOCKED

LISTED, UNLISTED = 0x1234567890ABCDEF, 0x4444
SILENCE_SECONDS = 3.0
"""`max-connection-ms`, by default."""
BUSY_MACHINE_SECONDS = 3.0
"""The delay of a process or of the simulated radio, at most; at a load of ten it was under 0.1 s."""


@contextlib.asynccontextmanager
async def door(directory: Path, controller: str = "full", **tables):
    """A reader of both services whose list has one phone."""
    key = PKOCPhone(LISTED).proof(b"")[2:67].hex()
    cards = directory / "cards.json"
    cards.write_text(json.dumps({"cards": [{"kind": "pkoc", "id": "CARD000001", "key": key}]}))
    tables = {
        "advertising": {"modes": ["access", "pkoc"]},
        "credentials": {"cards": str(cards), "pkoc-reader": "11" * 16 + "22" * 16},
        "door": {"pulse-s": 1} | tables.pop("door", {}),
        "reader": {"utc-offset-minutes": 0},
    } | tables
    async with Bench(controller, **tables) as bench:
        yield bench


class Visits:
    """Phones that come one after the other."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.operator = bench, Operator(bench)
        self._count = 0

    async def link(self, **options):
        """The link of another near phone."""
        self._count += 1
        _, link = await self.bench.connected(f"phone{self._count}", mode=PKOC, **options)
        return link

    async def normal(self, scalar: int = LISTED) -> bytes:
        """The decision about a phone in the normal flow."""
        link = await self.link()
        try:
            return await PKOCPhone(scalar).normal(link)
        finally:
            await link.disconnect()

    async def site(self) -> bytes:
        """The site's public key."""
        return bytes.fromhex((await self.operator.status())["pkoc"]["site-key"])


async def test_a_listed_phone_opens_in_the_normal_flow(tmp_path):
    async with door(tmp_path) as bench:
        assert await Visits(bench).normal() == GRANTED
        await bench.reader.unlocked()


async def test_a_listed_phone_opens_with_ecdhe_and_knows_the_site(tmp_path):
    async with door(tmp_path) as bench:
        visits = Visits(bench)
        assert await PKOCPhone(LISTED).ecdhe(await visits.link(), await visits.site()) == GRANTED
        await bench.reader.unlocked()
        shown = await visits.operator.status()
        assert (bench.state / "pkoc-site.key").stat().st_mode & 0o777 == 0o600
        assert "PRIVATE" not in json.dumps(shown)


async def test_an_earlier_app_opens_with_ecdhe(tmp_path):
    async with door(tmp_path) as bench:
        visits, phone = Visits(bench), PKOCPhone(LISTED)
        sealed = await phone.sealed(await visits.link(), await visits.site())
        # Its length has one octet, whatever it is.
        assert sealed[1:3] == bytes((0x81, len(sealed) - 3))
        assert await phone.ask(sealed[:1] + sealed[2:]) == GRANTED


@pytest.mark.parametrize("mtu", [WANTED_MTU, 82])
async def test_an_app_of_profile_2_opens_by_fragments(tmp_path, mtu):
    async with door(tmp_path, advertising={"modes": ["access", "pkoc"], "pkoc-fragments": True}) as bench:
        visits = Visits(bench)
        link = await visits.link()
        assert await PKOCPhone(LISTED, has_fragments=True).normal(link, mtu) == GRANTED
        await link.disconnect()
        link = await visits.link()
        assert await PKOCPhone(UNLISTED, has_fragments=True).normal(link, mtu) == DENIED
        await link.disconnect()
        link, site = await visits.link(), await visits.site()
        assert await PKOCPhone(LISTED, has_fragments=True).ecdhe(link, site, mtu) == GRANTED
        await link.disconnect()
        # An app that knows no fragments: the octet before the reader's message is no field.
        with pytest.raises((KeyError, ValueError, IndexError)):
            await PKOCPhone(LISTED).normal(await visits.link())


async def test_its_first_message_has_version_key_location_and_site(tmp_path):
    async with door(tmp_path) as bench:
        visits = Visits(bench)
        first = await PKOCPhone(LISTED).greeted(await visits.link())
        second = await PKOCPhone(LISTED).greeted(await visits.link())
        assert list(first) == [0x0C, 0x02, 0x0D, 0x0E]
        assert (first[0x0C], first[0x0D], first[0x0E]) == (b"\x03\0\0\0\x01", b"\x22" * 16, b"\x11" * 16)
        assert len(first[2]) == 33 and first[2] != second[2]


async def test_an_unlisted_and_a_forged_phone_are_refused_and_recorded(tmp_path):
    async with door(tmp_path) as bench:
        visits = Visits(bench)
        assert await visits.normal(UNLISTED) == DENIED
        thief = PKOCPhone(UNLISTED)
        link = await visits.link()
        await thief.greeted(link)
        forged = PKOCPhone(LISTED).proof(b"")[:67] + thief.credential()[67:]
        assert await thief.ask(forged) == SIGNATURE
        unlisted = await recorded(bench, "unlisted")
        assert (unlisted["channel"], unlisted["mode"]) == ("ble", "pkoc")
        assert "credential" not in await recorded(bench, "unproven")
        assert not bench.reader.child.matching(UNLOCKED)


async def test_a_revoked_phone_is_refused(tmp_path):
    async with door(tmp_path) as bench:
        visits = Visits(bench)
        await visits.operator.run("revoke", "CARD000001")
        assert await visits.normal() == DENIED
        assert await PKOCPhone(LISTED).ecdhe(await visits.link(), await visits.site()) == DENIED
        assert not bench.reader.child.matching(UNLOCKED)


async def test_a_lockdown_refuses(tmp_path):
    async with door(tmp_path) as bench:
        visits = Visits(bench)
        await visits.operator.run("lockdown", "on")
        assert await visits.normal() == DENIED
        await visits.operator.run("lockdown", "off")
        assert await visits.normal() == GRANTED


async def test_a_lockout_refuses(tmp_path):
    async with door(tmp_path, door={"lockout-attempts": 2}) as bench:
        visits = Visits(bench)
        for _ in range(2):
            assert await visits.normal(UNLISTED) == DENIED
        assert await visits.normal() == DENIED
        assert not bench.reader.child.matching(UNLOCKED)


async def test_a_phone_in_the_distance_gets_no_message(tmp_path):
    async with door(tmp_path) as bench:
        link = await Visits(bench).link(dbm=FAR_DBM)
        phone = PKOCPhone(LISTED)
        with pytest.raises(LinkLost):
            await phone.subscribe(link)
            await phone.answer()
        assert phone.received.empty()
        assert not bench.reader.child.matching(UNLOCKED)


async def test_a_recorded_credential_is_worthless(tmp_path):
    async with door(tmp_path) as bench:
        visits = Visits(bench)
        phone = PKOCPhone(LISTED)
        link = await visits.link()
        await phone.greeted(link)
        recorded = phone.credential()
        await link.disconnect()
        other = PKOCPhone(UNLISTED)
        await other.greeted(await visits.link())
        assert await other.ask(recorded) == SIGNATURE
        sealed = await phone.sealed(await visits.link(), await visits.site())
        third = PKOCPhone(UNLISTED)
        await third.sealed(await visits.link(), await visits.site())
        assert await third.ask(sealed) == CCM
        assert not bench.reader.child.matching(UNLOCKED)


async def test_silence_ends_the_link(tmp_path):
    async with door(tmp_path) as bench:
        link = await Visits(bench).link()
        await PKOCPhone(LISTED).greeted(link)
        began = time.monotonic()
        await link.wait_for_end(SILENCE_SECONDS + 2 * BUSY_MACHINE_SECONDS)
        took = time.monotonic() - began
        print(f"the link has ended after {took:.2f} s")
        assert took <= SILENCE_SECONDS + BUSY_MACHINE_SECONDS


@pytest.mark.parametrize(
    "message",
    [b"\x01", field(0x80, b"\0"), field(9, bytes(4)) * 2, field(7, b"\x04" + bytes(64)), bytes(166), b"\x40\x81\xa2"],
    ids=["cut", "unknown", "twice", "no point", "too long", "no value"],
)
async def test_what_is_no_message_ends_the_conversation(tmp_path, message):
    async with door(tmp_path) as bench:
        phone = PKOCPhone(LISTED)
        await phone.greeted(await Visits(bench).link())
        assert await phone.ask(message) == SECURITY
        # A proof comes too late.
        await phone.write(phone.credential())
        with pytest.raises((TimeoutError, LinkLost)):
            await phone.answer(1.0)
        assert not bench.reader.child.matching(UNLOCKED)


async def test_a_small_mtu_gets_no_message(tmp_path):
    async with door(tmp_path) as bench:
        phone = PKOCPhone(LISTED)
        link = await Visits(bench).link()
        await phone.subscribe(link, mtu=23)
        with pytest.raises(TimeoutError):
            await phone.answer(0.7)
        await link.exchange_mtu()
        assert len(await phone.answer()) == 78


async def test_a_phone_that_leaves_in_the_middle_leaves_the_slot(tmp_path):
    async with door(tmp_path, links={"max": 1}) as bench:
        visits = Visits(bench)
        for _ in range(2):
            link = await visits.link()
            await PKOCPhone(LISTED).greeted(link)
            await link.disconnect()
        assert await visits.normal() == GRANTED


async def test_it_is_not_served_on_a_link_of_another_mode(tmp_path):
    async with door(tmp_path) as bench:
        _, link = await bench.connected(mode=ACCESS)
        phone = PKOCPhone(LISTED)
        await phone.subscribe(link)
        with pytest.raises(TimeoutError):
            await phone.answer(0.7)


@pytest.mark.parametrize("controller", ["full", "legacy"])
async def test_the_packets_of_the_access_profile_stay_as_they_are(tmp_path, controller):
    async with door(tmp_path, controller) as bench:
        phone = await bench.phone("watcher")
        wanted = {ACCESS.packet(), bytes.fromhex("0201060303f0ff0909") + b"wa0y1YwS"}
        seen = await phone.watch(10, lambda seen: wanted <= {sighting.data for sighting in seen})
        assert wanted <= {sighting.data for sighting in seen}
        assert len(packets(seen)) == 2
        # Both at one door.
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.prepare(ACCESS.service)
        await link.run("tokn")
        await link.disconnect()
        assert await Visits(bench).normal() == GRANTED
