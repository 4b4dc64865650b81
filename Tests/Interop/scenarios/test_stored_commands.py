"""Commands that reach the disk: the blacklist, the logs, the clock."""

import pytest

from access.advertising import ACCESS
from access.results import SystemStatus, VersionInfo
from access.status import Status
from access.tokens import Command, Timestamp
from access.wire import delimited, message, read, read_delimited
from rig.bench import Bench
from rig.phone import Refused

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
        with pytest.raises(Refused) as refusal:
            await link.run(Command("time", data=delimited(message((1, 5)))))
        # Whether the machine that tests run on is synchronised is not ours to say.
        assert refusal.value.status in (Status.INVALID_ARGUMENTS, Status.INVALID_STATE)


BASE = message((1, ""), (2, ""), (3, 60), (4, 0))
BLE = message((1, 1), (4, 100), (5, 3000), (6, 3), (7, 0), (8, 0))
ONLINE = message((2, ""), (3, ""), (4, 30))
OSS = message((1, b""), (2, 0), (3, 0), (4, 0), (5, 1), (6, 1), (7, b""), (8, 0))


def _update(door: int) -> Command:
    parts = (1, "config-7"), (2, BASE), (3, BLE), (4, ONLINE), (5, message((1, door), (2, 1))), (6, OSS)
    return Command("UPDATE", data=delimited(message((1, message(*parts)))))


async def test_a_pushed_configuration_is_told_and_outlasts_a_restart():
    async with Bench() as bench:
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
