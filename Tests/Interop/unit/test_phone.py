# SPDX-License-Identifier: Apache-2.0
"""Phone, radio and air against the stand-in: results that do not depend on the firmware."""

import asyncio
import time
from contextlib import asynccontextmanager

import pytest
from bumble import hci

from access import identity
from access.advertising import ACCESS, ON_TOUCH
from access.frames import Message
from access.results import VersionInfo
from access.session import Transponder
from access.status import Status
from access.tokens import Command, Timestamp
from rig.phone import SUPERVISION_MS, LinkLost, NotReached, Phone, Refused
from rig.radio_process import RadioProcess
from rig.standin import RECORD, StandIn


@asynccontextmanager
async def near_standin(directory):
    """A radio, a stand-in and one phone beside it."""
    radio = await RadioProcess.start(directory)
    standin = await StandIn.open("tcp-client:" + await radio.listen_tcp("reader"))
    await radio.level("phone", "reader", -45)
    phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
    try:
        yield radio, standin, phone
    finally:
        await phone.close()
        await standin.close()
        await radio.stop()


async def test_scan_hears_packet_scan_response_and_level(directory):
    async with near_standin(directory) as (radio, _, phone):
        seen = await phone.watch(2, lambda seen: any(s.scan_response for s in seen))
        assert {s.data for s in seen if not s.scan_response} == {ACCESS.packet()}
        assert {s.data for s in seen if s.scan_response} == {RECORD.scan_response()}
        assert {s.rssi for s in seen} == {-45}
        await radio.level("phone", "reader", -71)
        assert (await phone.find(ACCESS)).rssi == -71
        with pytest.raises(NotReached):
            await phone.find(ON_TOUCH, seconds=0.3)


async def test_whole_sessions_with_every_frame_size(directory):
    async with near_standin(directory) as (_, standin, phone):
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.prepare()
        assert link.mtu == 247
        assert await link.manufacturer_record() == RECORD.octets()
        assert await link.device_name() == identity.DEVICE_ID
        for size in None, 7, 20, 64, 182:
            assert VersionInfo.decode(await link.run("PING", frame_size=size)).version == 1
        assert await link.run("tokn") == b""
        assert standin.opened == 1
        await link.disconnect()


async def test_statuses_reach_the_caller(directory):
    async with near_standin(directory) as (_, standin, phone):
        link = await (await phone.connect((await phone.find(ACCESS)).address)).prepare()
        for command, status in (
            (Command("FLY"), Status.NOT_SUPPORTED),
            (Command("tokn", end=Timestamp(2024)), Status.VALIDITY),
        ):
            with pytest.raises(Refused) as refusal:
                await link.run(command)
            assert refusal.value.status == status
        with pytest.raises(Refused) as refusal:
            await link.handshake(salt=bytes(16))
        assert refusal.value.status == Status.SALT
        with pytest.raises(TimeoutError):
            await link.send(Message(b"garbage"))
            await link.answer(seconds=0.2)
        await link.send(Message(Transponder().handshake()))
        assert (await link.answer()).status == Status.OK
        assert standin.opened == 0


@pytest.mark.parametrize("gone", ["reader", "phone"])
async def test_whoever_vanishes_the_other_notices_at_the_supervision_timeout(directory, gone):
    async with near_standin(directory) as (radio, standin, phone):
        link = await phone.connect((await phone.find(ACCESS)).address)
        with pytest.raises(TimeoutError):
            await link.wait_for_end(0.2)
        start = time.monotonic()
        await radio.drop(gone)
        assert gone not in await radio.stations()
        if gone == "reader":
            assert await link.wait_for_end(SUPERVISION_MS / 1000 + 0.5) == hci.HCI_CONNECTION_TIMEOUT_ERROR
        else:
            assert await asyncio.wait_for(standin.ended.get(), 2) == hci.HCI_CONNECTION_TIMEOUT_ERROR
        assert time.monotonic() - start == pytest.approx(SUPERVISION_MS / 1000, abs=0.1)


async def test_a_reader_that_ends_a_link_is_believed_at_once(directory):
    async with near_standin(directory) as (_, standin, phone):
        link = await phone.connect((await phone.find(ACCESS)).address)
        await standin.end_links(hci.HCI_REMOTE_DEVICE_TERMINATED_CONNECTION_DUE_TO_LOW_RESOURCES_ERROR)
        assert await link.wait_for_end(0.5) == 0x14
        with pytest.raises(LinkLost):
            await link.prepare()


async def test_nobody_answers_an_unknown_address(directory):
    async with near_standin(directory) as (_, _, phone):
        with pytest.raises(NotReached):
            await phone.connect(hci.Address("C0:00:00:00:00:01"), seconds=0.3)
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.disconnect()
        assert link.lost.done()
