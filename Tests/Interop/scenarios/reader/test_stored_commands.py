# SPDX-License-Identifier: Apache-2.0
"""Commands that reach the disk: the blacklist, the logs, the clock."""

from datetime import UTC, datetime, timedelta

import pytest

from access.advertising import ACCESS
from access.results import SystemStatus, VersionInfo
from access.status import Status
from access.tokens import Command, Timestamp
from access.wire import delimited, message, read, read_delimited, required
from rig import clock
from rig.bench import Bench
from rig.phone import Refused
from rig.rows import UNGATED, Played, outcomes, play, stored

QUERY_OLDEST = delimited(message((1, 40), (3, 0)))
ENTRY = message((1, message((1, "CRED000002"))), (2, Timestamp(2089).body()))


async def test_a_credential_that_is_called_back_stays_so_until_the_list_is_cleared():
    async with Bench() as bench:
        link = await bench.ready()
        assert VersionInfo.decode(await link.run(Command("PING", credential="CRED000002"))).build_time > 0
        assert await link.run(Command("BL_PUSH", data=delimited(message((1, ENTRY))))) == b""
        with pytest.raises(Refused) as refusal:
            await link.run(Command("PING", credential="CRED000002"))
        assert refusal.value.status == Status.VALIDITY
        assert await link.run("BL_CLEAR") == b""
        assert VersionInfo.decode(await link.run(Command("PING", credential="CRED000002"))).build_time > 0


async def test_what_was_called_back_outlasts_a_restart():
    async with Bench() as bench:
        phone, link = await bench.connected()
        await link.prepare(ACCESS.service)
        assert await link.run(Command("BL_PUSH", data=delimited(message((1, ENTRY))))) == b""
        await bench.restart()
        await link.wait_for_end(10)
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.prepare(ACCESS.service)
        with pytest.raises(Refused) as refusal:
            await link.run(Command("PING", credential="CRED000002"))
        assert refusal.value.status == Status.VALIDITY


async def test_the_event_log_is_read_and_cleared():
    async with Bench() as bench:
        link = await bench.ready()
        await link.run("PING")
        events = read(read_delimited(await link.run(Command("EV_QUERY", data=QUERY_OLDEST))))[1]
        numbers = [read(event)[1][0] for event in events]
        assert numbers == list(range(1, len(numbers) + 1))
        commands = [read(event).get(6) for event in events]
        assert [b"PING"] in commands
        assert await link.run("EV_CLEAR") == b""
        left = read(read_delimited(await link.run(Command("EV_QUERY", data=QUERY_OLDEST))))[1]
        assert read(left[0])[1][0] > numbers[-1], "what was before is hidden"
        assert [b"PING"] not in [read(event).get(6) for event in left]


async def test_the_system_log_is_read_and_cleared():
    async with Bench() as bench:
        link = await bench.ready()
        assert await link.run("SL_CLEAR") == b""
        assert read_delimited(await link.run(Command("SL_QUERY", data=delimited(message((1, 10)))))) == b""


async def test_an_update_answers_with_the_status():
    async with Bench() as bench:
        link = await bench.ready()
        data = delimited(message((2, message((1, 1_900_000_000)))))
        status = SystemStatus.decode(await link.run(Command("UPDATE", data=data)))
        assert status.local_time[1][0] >= 2025


NOON = datetime(2030, 6, 5, 12, tzinfo=UTC)
CAPACITY = 16


def _time(when: datetime) -> Command:
    return Command("time", data=delimited(message((1, int(when.timestamp())))))


def _entry(credential: str, month: int = 1) -> tuple[int, bytes]:
    return 1, message((1, message((1, credential))), (2, Timestamp(2089, month).body()))


def _push(*entries: tuple[int, bytes]) -> Command:
    return Command("BL_PUSH", data=delimited(message(_entry("GOOD000001"), *entries)))


REFUSED = {
    "time: more than a day back": (_time(NOON - timedelta(days=2)), Status.INVALID_ARGUMENTS),
    "time: no message": (Command("time", data=b"\x05"), Status.DECODE),
    "UPDATE: no message": (Command("UPDATE", data=b"\x02\x0a\x05"), Status.DECODE),
    "BL_PUSH: more than 64 entries": (
        _push(*(_entry(f"{number}") for number in range(64))),
        Status.TOO_MANY_BLACKLIST_ENTRIES,
    ),
    "BL_PUSH: without a name": (_push(_entry("")), Status.CREDENTIAL_ID),
    "BL_PUSH: month 13": (_push(_entry("GOOD000002", month=13)), Status.SO_TIMESTAMP),
    "BL_PUSH: no room": (_push(*(_entry(f"FULL{number:06}") for number in range(CAPACITY))), Status.STORAGE_FULL),
    "BL_PUSH: no message": (Command("BL_PUSH", data=b"\x05"), Status.DECODE),
    "EV_QUERY: no message": (Command("EV_QUERY", data=b"\x05"), Status.DECODE),
    "BOOTLD: no updater": (Command("BOOTLD"), Status.NOT_SUPPORTED),
}


async def _refused() -> Played:
    credentials = {"blacklist-capacity": CAPACITY}
    async with Bench(environment=clock.showing(NOON), credentials=credentials, **UNGATED) as bench:
        link = await bench.ready()

        async def one(row: tuple[Command, Status]) -> tuple[int, str]:
            try:
                await stored(link, row[0])
            except Refused as refusal:
                # A refused list has no effect.
                await link.run(Command("PING", credential="GOOD000001"))
                return refusal.status
            raise AssertionError("it was served")

        return await outcomes(REFUSED.items(), one)


@pytest.fixture(scope="module")
def refused() -> Played:
    return play(_refused)


@pytest.mark.parametrize("row", REFUSED)
def test_a_stored_command_that_is_refused_changes_nothing(row, refused):
    assert refused.of(row) == REFUSED[row][1]


async def test_time_sets_a_clock_that_nothing_synchronises():
    async with Bench(environment=clock.showing(NOON), **UNGATED) as bench:
        link = await bench.ready()
        assert await link.run(_time(NOON + timedelta(days=1))) == b""
        shown = required(read(read_delimited(await link.run("gtim"))), 1, int)
        assert 0 <= shown - (NOON + timedelta(days=1)).timestamp() < 600


async def test_time_leaves_a_synchronised_clock():
    async with Bench(environment=clock.showing(NOON, is_synchronised=True), **UNGATED) as bench:
        link = await bench.ready()
        with pytest.raises(Refused) as refusal:
            await link.run(_time(NOON + timedelta(days=1)))
        assert refusal.value.status == Status.INVALID_STATE
        shown = required(read(read_delimited(await link.run("gtim"))), 1, int)
        assert 0 <= shown - NOON.timestamp() < 600


BASE = message((1, ""), (2, ""), (3, 60), (4, 0))
BLE = message((1, 1), (4, 100), (5, 3000), (6, 3), (7, 0), (8, 0))
ONLINE = message((2, ""), (3, ""), (4, 30))
OSS = message((1, b""), (2, 0), (3, 0), (4, 0), (5, 1), (6, 1), (7, b""), (8, 0))


def _update(door: int) -> Command:
    parts = (1, "config-7"), (2, BASE), (3, BLE), (4, ONLINE), (5, message((1, door), (2, 1))), (6, OSS)
    return Command("UPDATE", data=delimited(message((1, message(*parts)))))


PUSHABLE = {"door-id": 7, "phones-may-set": ["reader.utc-offset-minutes"]}


async def test_a_pushed_configuration_is_told_and_outlasts_a_restart():
    async with Bench(reader=PUSHABLE) as bench:
        phone, link = await bench.connected()
        await link.prepare(ACCESS.service)
        with pytest.raises(Refused) as refusal:
            await link.run(_update(door=0))
        assert refusal.value.status == Status.SYSTEM_CONFIGURATION
        assert read(read_delimited(await link.run("STATUS")))[1] == [b""]
        assert read(read_delimited(await link.run(_update(door=7))))[1] == [b"config-7"]
        await bench.restart()
        await link.wait_for_end(10)
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.prepare(ACCESS.service)
        assert read(read_delimited(await link.run("STATUS")))[1] == [b"config-7"]
