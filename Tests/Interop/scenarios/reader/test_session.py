# SPDX-License-Identifier: Apache-2.0
"""Exchanges over the air: results, and what keeps a link. test_reactions.py has the faulty requests."""

import asyncio

import pytest

from access.frames import Message
from access.results import SystemStatus, VersionInfo
from access.session import Transponder
from access.status import Status
from rig.bench import Bench
from rig.phone import Refused

TOKEN = "tokn"
OCTET_SECONDS = 0.3
"""Between octets: each comes while the link would live, and the message takes longer."""
EXCHANGE_SECONDS = 0.5
"""Between exchanges: half of the time that ends a link."""


@pytest.mark.parametrize("frame_size", [None, 7, 20, 185])
async def test_every_frame_size_is_served(frame_size):
    async with Bench() as bench:
        link = await bench.ready()
        assert VersionInfo.decode(await link.run("PING", frame_size=frame_size)).build_time > 0


async def test_a_phone_that_never_asks_for_a_larger_mtu():
    async with Bench() as bench:
        _, link = await bench.connected()
        await link.prepare(mtu=None)
        assert VersionInfo.decode(await link.run("PING")).build_time > 0
        assert link.notifications > 5, "20 octets at a time"


async def test_status_says_who_and_when():
    async with Bench() as bench:
        link = await bench.ready()
        status = SystemStatus.decode(await link.run("STATUS"))
        assert status.device_id == "wa0y1YwS"
        assert status.local_time[1][0] >= 2025
        assert status.lock_state in (None, SystemStatus.LOCKED)


async def test_maintenance_tokens_stand_for_their_commands():
    async with Bench() as bench:
        link = await bench.ready()
        assert VersionInfo.decode(await link.run("PING", group="MAINTC")).build_time > 0
        assert SystemStatus.decode(await link.run("STATUS", group="MAINTC")).device_id == "wa0y1YwS"
        with pytest.raises(Refused) as refusal:
            await link.run(TOKEN, group="MAINTC")
        assert refusal.value.status == Status.SIGNATURE


async def test_slow_octets_do_not_keep_a_link():
    """One octet each 300 ms is no completed exchange: the link ends at max-connection."""
    async with Bench(links={"max-connection-ms": 1500}) as bench:
        link = await bench.ready()
        octets = Message(Transponder().handshake()).octets()
        await link.send_frame(octets[:6])
        for octet in octets[6:]:
            if link.lost.done():
                break
            await link.send_frame(bytes((octet,)))
            await asyncio.sleep(OCTET_SECONDS)
        assert link.lost.done()
        assert 1.4 <= link.closed - link.opened <= 1.8
        assert link.notifications == 0


async def test_completed_exchanges_keep_a_link():
    async with Bench(links={"max-connection-ms": 1000}) as bench:
        link = await bench.ready()
        for _ in range(5):
            await link.run("PING")
            await asyncio.sleep(EXCHANGE_SECONDS)
        assert not link.lost.done()
        await link.wait_for_end(1.5)
