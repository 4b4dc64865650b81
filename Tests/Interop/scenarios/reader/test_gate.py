# SPDX-License-Identifier: Apache-2.0
"""The RSSI gate: near opens, far is put out and never served."""

import asyncio
import time

import pytest

from access.advertising import ACCESS, ON_TOUCH
from access.frames import Message
from access.results import VersionInfo
from access.session import Transponder
from rig.bench import BELOW_DBM, FAR_DBM, NEAR_DBM, READER, Bench
from rig.phone import LinkLost
from rig.reader import SECURED, UNLOCKED

RETRY_SECONDS = 0.5
"""Between attempts of a phone, as an app tries again."""
FRAME_SECONDS = 0.02
"""Between messages of a phone that does not wait for answers: twenty in a window."""
WINDOW_SECONDS = 0.400
"""`window-ms`, by default."""
SAMPLING_SECONDS = 0.025 * 3
"""Three samples, one each 25 ms: what it takes at least to open or to give up."""
LINK_END_SECONDS = 0.150
"""HCI Disconnect, a connection event, the phone's event: and this machine's scheduling on top."""


async def test_near_phone_opens_the_door():
    async with Bench(door={"pulse-s": 1}) as bench:
        link = await bench.ready()
        version = VersionInfo.decode(await link.run("PING"))
        assert version.build_time > 0
        assert await link.run("tokn") == b""
        opening = await bench.reader.unlocked()
        closing = await bench.reader.secured_after(opening, 3)
        # Never early; a busy machine may be late.
        assert 0.95 < closing.time - opening.time < 3
        await link.disconnect()


async def test_near_phone_opens_the_door_behind_the_128_bit_service():
    async with Bench() as bench:
        link = await bench.ready(ON_TOUCH)
        await link.run("tokn")
        await bench.reader.unlocked()


@pytest.mark.parametrize(
    ("dbm", "earliest"),
    [(FAR_DBM, SAMPLING_SECONDS * 0.5), (BELOW_DBM, WINDOW_SECONDS - 0.100)],
    ids=["hopeless", "below the threshold"],
)
async def test_far_phone_is_put_out_by_the_windows_end_and_never_served(dbm, earliest):
    async with Bench() as bench:
        _, link = await bench.connected(dbm=dbm)
        asked = 0
        with pytest.raises(LinkLost):
            await link.prepare()
            while True:
                await link.send(Message(Transponder().handshake()))
                asked += 1
                await asyncio.sleep(FRAME_SECONDS)
        # A hopeless phone may be put out while it still discovers.
        assert asked > 0 or dbm == FAR_DBM, "the link ended before a single frame was sent: nothing was proved"
        assert link.notifications == 0
        assert earliest <= link.closed - link.opened <= WINDOW_SECONDS + LINK_END_SECONDS
        assert not bench.reader.child.matching(UNLOCKED)


async def test_frames_wait_for_the_gate_and_are_then_served():
    """A phone that comes near within the window: its earlier request is answered when the gate opens."""
    async with Bench(proximity={"window-ms": 900}) as bench:
        phone, link = await bench.connected(dbm=BELOW_DBM)
        await link.prepare()
        await link.send(Message(Transponder().handshake()))
        with pytest.raises(TimeoutError):
            await link.answer(seconds=0.2)
        moved = time.monotonic()
        await bench.radio.level(phone.name, READER, NEAR_DBM)
        assert (await link.answer(seconds=0.7)).status == 0
        assert time.monotonic() - moved >= 0.025, "one loud sample is not a median of three"


async def test_a_phone_that_walks_up_is_refused_until_it_is_near():
    """The phone tries again 500 ms after each refusal, as the app does, from -90 to -40 dBm in 3 s."""
    async with Bench() as bench:
        phone = await bench.phone(dbm=-90)
        address = (await phone.find(ACCESS)).address
        await bench.radio.walk(phone.name, READER, -90, -40, 3)
        start, refusals = time.monotonic(), 0
        while True:
            link = await phone.connect(address)
            try:
                await link.prepare()
                await link.run("tokn")
                break
            except LinkLost:
                refusals += 1
                await asyncio.sleep(RETRY_SECONDS)
        # -60 dBm is reached after 1.8 s.
        assert 1.5 <= time.monotonic() - start <= 4.0
        assert refusals >= 2
        await bench.reader.unlocked()
        assert len(bench.reader.child.matching(SECURED)) <= 1


async def test_noise_does_not_open_for_a_far_phone():
    """-75 dBm with 5 dB of noise: one sample in 700 reaches -60, so two of three do once in 200,000."""
    async with Bench() as bench:
        phone = await bench.phone(dbm=-75, noise=5)
        address = (await phone.find(ACCESS)).address
        for _ in range(4):
            link = await phone.connect(address)
            with pytest.raises(LinkLost):
                await link.prepare()
                await link.send(Message(Transponder().handshake()))
                await link.answer()
            assert link.notifications == 0
            await asyncio.sleep(RETRY_SECONDS)
