# SPDX-License-Identifier: Apache-2.0
"""A phone's influence on the reader's clock and configuration, with a second phone that comes after it."""

from datetime import UTC, datetime, timedelta

import pytest

from access.advertising import ACCESS
from access.status import Status
from access.tokens import Command, Timestamp
from access.wire import delimited, message, read, read_delimited, required
from rig import clock
from rig.bench import Bench
from rig.phone import Link, Refused
from rig.rows import UNGATED, stored

NOON = datetime(2030, 6, 5, 12, tzinfo=UTC)
ENDED = {"start": Timestamp(2023), "end": Timestamp(2030, 6, 4)}
"""Until the day before."""

BLE = message((1, 1), (4, 100), (5, 3000), (6, 3), (7, 0), (8, 0))
ONLINE = message((2, ""), (3, ""), (4, 30))
OSS = message((1, b""), (2, 0), (3, 0), (4, 0), (5, 1), (6, 1), (7, b""), (8, 0))
OFFSET = {"phones-may-set": ["reader.utc-offset-minutes", "links.max-connection-ms"]}


def _time(when: datetime) -> bytes:
    return message((1, int(when.timestamp())))


def _config(name: str, door: int = 1, site: int = 1, offset: int = 0) -> bytes:
    base = message((1, ""), (2, ""), (3, offset), (4, 0))
    return message((1, name), (2, base), (3, BLE), (4, ONLINE), (5, message((1, door), (2, site))), (6, OSS))


def _update(**parts: bytes) -> bytes:
    numbers = {"config": 1, "time": 2}
    return delimited(message(*((numbers[name], octets) for name, octets in parts.items())))


async def _refused(link: Link, command: Command) -> int:
    """The status of a refusal, which waits for the disk as `stored` does."""
    with pytest.raises(Refused) as refusal:
        await stored(link, command)
    return refusal.value.status


async def _second(bench: Bench) -> Link:
    _, link = await bench.connected("second")
    return await link.prepare(ACCESS.service)


async def _config_id(link: Link) -> bytes:
    return read(read_delimited(await stored(link, Command("STATUS"))))[1][0]


async def _shown(link: Link) -> datetime:
    return datetime.fromtimestamp(required(read(read_delimited(await link.run("gtim"))), 1, int), UTC)


async def test_an_ended_token_takes_nothing_over_while_the_clock_is_unset():
    async with Bench(environment=clock.showing(clock.UNSET), reader=OFFSET, **UNGATED) as bench:
        link = await bench.ready()
        data = _update(config=_config("taken-1", offset=-840), time=_time(NOON - timedelta(days=2)))
        update = Command("UPDATE", start=Timestamp(2023), end=Timestamp(2028), data=data)
        assert await _refused(link, update) == Status.VALIDITY
        ended = Command("time", start=Timestamp(2023), end=Timestamp(2028), data=delimited(_time(NOON)))
        assert await _refused(link, ended) == Status.VALIDITY
        # The second phone's token is valid at the time that it sends, which is accepted; the configuration is not.
        second = await _second(bench)
        status = await stored(
            second, Command("UPDATE", data=_update(config=_config("new-1", offset=60), time=_time(NOON)))
        )
        assert read(read_delimited(status))[1] == [b""]
        assert timedelta() <= await _shown(second) - NOON < timedelta(minutes=5)
        assert await _refused(second, Command("tokn", **ENDED)) == Status.VALIDITY
        assert await second.run("tokn") == b""


async def test_steps_back_by_a_phone_stay_within_a_day_and_bring_no_ended_token_back():
    async with Bench(environment=clock.showing(NOON), **UNGATED) as bench:
        link = await bench.ready()
        statuses = []
        for days in range(1, 9):
            when = NOON - timedelta(hours=20 * days)
            try:
                await stored(link, Command("time", data=delimited(_time(when))))
                statuses.append(0)
            except Refused as refusal:
                statuses.append(refusal.status)
        assert statuses == [0] + [Status.INVALID_ARGUMENTS] * 7
        assert timedelta(hours=-20) <= await _shown(link) - NOON < timedelta(hours=-19)
        # Half an hour later, for a clock that would start again is not believed.
        await bench.restart(clock.showing(NOON + timedelta(minutes=30)))
        second = await _second(bench)
        assert await _refused(second, Command("time", data=delimited(_time(NOON - timedelta(days=1))))) == (
            Status.INVALID_ARGUMENTS
        ), "a restart gives nothing back"
        # It ended at 10:00; the clock shows 16:00 of the day before.
        ended = Command("tokn", start=Timestamp(2023), end=Timestamp(2030, 6, 5, 10))
        assert await _refused(second, ended) == Status.VALIDITY
        assert await second.run("tokn") == b""


async def test_a_wrong_future_is_limited_and_an_issuer_leads_out_of_it():
    async with Bench(environment=clock.showing(NOON), **UNGATED) as bench:
        link = await bench.ready()
        far = Command("time", data=delimited(_time(datetime(2089, 1, 1, tzinfo=UTC))))
        assert await _refused(link, far) == Status.INVALID_ARGUMENTS
        await stored(link, Command("time", data=delimited(_time(NOON + timedelta(days=300)))))
        until_july = Command("tokn", start=Timestamp(2023), end=Timestamp(2030, 7))
        assert await _refused(link, until_july) == Status.VALIDITY
        second = await _second(bench)
        day = {"start": Timestamp(2030, 6, 5), "end": Timestamp(2030, 6, 6)}
        group = Command("CLK_SET", data=delimited(_time(NOON)), start=Timestamp(2023), end=Timestamp(2090))
        assert await _refused(second, group) == Status.VALIDITY, "signed for longer than a day"
        await stored(second, Command("CLK_SET", data=delimited(_time(NOON)), **day))
        assert await second.run(until_july) == b""


async def test_a_pushed_configuration_is_for_this_door_goes_up_only_and_is_limited():
    async with Bench(reader={**OFFSET, "door-id": 7}, **UNGATED) as bench:
        link = await bench.ready()
        for other in (_config("front-3", door=8), _config("front-3", door=7, site=2)):
            assert await _refused(link, Command("UPDATE", data=_update(config=other))) == Status.SYSTEM_CONFIGURATION
        await stored(link, Command("UPDATE", data=_update(config=_config("front-2", door=7, offset=60))))
        assert await _config_id(link) == b"front-2"
        older = Command("UPDATE", data=_update(config=_config("front-1", door=7)))
        assert await _refused(link, older) == Status.VERSION
        await bench.restart()
        second = await _second(bench)
        assert await _config_id(second) == b"front-2"
        assert await _refused(second, older) == Status.VERSION
        assert await second.run("tokn") == b""


async def test_what_phones_may_not_set_is_ignored_and_reported():
    async with Bench(**UNGATED) as bench:
        link = await bench.ready()
        await stored(link, Command("SL_CLEAR"))
        before = await _shown(link)
        status = read(
            read_delimited(await stored(link, Command("UPDATE", data=_update(config=_config("front-1", offset=-840)))))
        )
        assert status[1] == [b""], "no name of a configuration that is not in force"
        assert timedelta() <= await _shown(link) - before < timedelta(minutes=5)
        lines = read(read_delimited(await stored(link, Command("SL_QUERY", data=delimited(message((1, 10)))))))[1]
        said = b"".join(read(line)[6][0] for line in lines)
        assert b'"front-1": ignored reader.utc-offset-minutes' in said
