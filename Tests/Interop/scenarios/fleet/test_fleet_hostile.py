# SPDX-License-Identifier: Apache-2.0
"""The link next to a network that fails slowly, lies, or has a full disk: the door does not notice."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

import pytest

from fleet.broker import Broker
from fleet.door import Collector, Door
from fleet.hostile import HostileBroker, slow_resolver
from fleet.malformed import BEARABLE, BEFORE, ENDS, MalformedBroker
from rig.waiting import until

FAULT_SECONDS = 60.0
ROUNDS = 200
SAMPLE_SECONDS = 0.2
"""Between looks at the memory: some hundred until the fault."""
RETRIED_SECONDS = 6.0
"""The link tries again after 5 s at the earliest."""
REFUSAL_SECONDS = 2.0
"""A link that does not permit a packet ends the connection at once."""
SENDING_KILOBYTES = 256
"""Rule 9 of the facts."""

pytestmark = [
    pytest.mark.seconds(240),
    pytest.mark.thorough(
        "MQTTTests and the fuzz target of the broker read the same octets; test_fleet.py loses brokers and links"
    ),
]


async def is_connected(door: Door) -> bool:
    """True while the broker serves the link."""
    return (await door.status())["link"]["connected"]


async def opening_seconds(door: Door) -> float:
    """The time from an operator's request to its answer: recorded, and the lock is released."""
    reader, writer = await asyncio.open_unix_connection(str(door.control))
    began = time.perf_counter()
    writer.write(b'{"unlock":"pulse"}\n')
    answer = await reader.readline()
    taken = time.perf_counter() - began
    writer.close()
    assert b'"ok":true' in answer, answer
    return taken


async def compare(door: Door, alone: Door) -> None:
    """Opens both doors in turns; the reader with a link must not be later."""
    times: dict[str, list[float]] = {"beside": [], "alone": []}
    for _ in range(ROUNDS):
        times["beside"].append(await opening_seconds(door))
        times["alone"].append(await opening_seconds(alone))
    beside, without = (statistics.median(times[name]) for name in ("beside", "alone"))
    print(f"median of {ROUNDS} openings: {beside * 1000:.2f} ms beside it, {without * 1000:.2f} ms alone")
    # One signature of a batch may be under way: less than a millisecond.
    assert beside < 1.5 * without + 0.001, f"{beside * 1000:.2f} ms, and {without * 1000:.2f} ms alone"


async def test_a_hostile_broker_neither_opens_nor_delays(directory: Path) -> None:
    async with HostileBroker() as broker, Door(directory / "d") as door, Door(directory / "alone") as alone:
        await door.start_plain_link(f"127.0.0.1:{broker.port}")
        await until("the flood", lambda: broker.flooded > 1000)
        before = [event["kind"] for event in await door.events()]
        assert "unlocked" not in before

        await compare(door, alone)
        # Acknowledged and forgotten is not delivered, and no forged mark was taken.
        assert not await door.delivered()
        kinds = [event["kind"] for event in await door.events()]
        assert kinds.count("unlocked") == ROUNDS
        assert door.link.returncode is None


MALFORMED_KILOBYTES = 512
"""The memory that an invalid or the longest packet may add to the link's, pages of its program's included."""


@pytest.mark.parametrize("name", ENDS)
async def test_a_packet_that_is_none_ends_the_connection_alone(directory: Path, name: str) -> None:
    """The link lives, says what was wrong, gives the broker its reason, and comes back; the door does not notice."""
    octets, reason = ENDS[name]
    async with MalformedBroker(octets, goes_on="announced" in name) as broker, Door(directory / "d") as door:
        link = await door.start_plain_link(f"127.0.0.1:{broker.port}")
        await until("the packet", lambda: broker.is_sent, FAULT_SECONDS)
        await until("the fault", lambda: door.has("link-broker-protocol"), FAULT_SECONDS)
        assert await door.faults() == {"link-broker-protocol"}
        assert not await is_connected(door)
        if reason:
            await until("the reason", lambda: broker.reasons == [reason], FAULT_SECONDS)
        assert broker.sent < broker.connections * 4 * 1024 * 1024, "more than fits into the sockets of each attempt"
        assert anonymous_kilobytes(link.pid) < await baseline(directory) + MALFORMED_KILOBYTES
        await until("another attempt", lambda: broker.connections > 1, FAULT_SECONDS)
        assert link.returncode is None
        assert (await door.ask('{"unlock":"pulse"}'))["ok"]


async def baseline(directory: Path) -> int:
    """The memory of a link that has a session, in KB."""
    async with MalformedBroker(b"") as broker, Door(directory / "baseline") as door:
        link = await door.start_plain_link(f"127.0.0.1:{broker.port}")
        await until("the session", lambda: is_connected(door), FAULT_SECONDS)
        return anonymous_kilobytes(link.pid)


@pytest.mark.parametrize("name", BEARABLE)
async def test_what_a_broker_may_send_is_borne(directory: Path, name: str) -> None:
    async with MalformedBroker(BEARABLE[name]) as broker, Door(directory / "d") as door:
        link = await door.start_plain_link(f"127.0.0.1:{broker.port}")
        await until("the packet", lambda: broker.is_sent, FAULT_SECONDS)
        await asyncio.sleep(REFUSAL_SECONDS)
        assert await is_connected(door)
        assert broker.connections == 1 and link.returncode is None
        assert "link-broker-protocol" not in await door.faults()


@pytest.mark.parametrize("name", BEFORE)
async def test_a_server_that_answers_otherwise_is_no_broker(directory: Path, name: str) -> None:
    async with MalformedBroker(b"", first=BEFORE[name]) as broker, Door(directory / "d") as door:
        link = await door.start_plain_link(f"127.0.0.1:{broker.port}")
        fault = "link-unreachable" if "cut" in name else "link-old-protocol"
        await until("the fault", lambda: door.has(fault), FAULT_SECONDS)
        assert await door.faults() == {fault}
        assert not await is_connected(door) and link.returncode is None


async def test_a_broker_that_acknowledges_nothing_is_left_and_takes_no_memory(directory: Path) -> None:
    async with HostileBroker(acknowledges=False) as broker, Door(directory / "d") as door:
        await door.open(1000, 1000)
        link = await door.start_plain_link(f"127.0.0.1:{broker.port}")
        await until("the connection", lambda: is_connected(door), FAULT_SECONDS)
        before = most = anonymous_kilobytes(link.pid)
        while not await door.has("link-lost"):
            most = max(most, anonymous_kilobytes(link.pid))
            await asyncio.sleep(SAMPLE_SECONDS)
        grown = most - before
        print(f"{broker.published} octets were sent; at most {grown} KB more were resident")
        assert broker.published > 50_000
        assert grown <= SENDING_KILOBYTES
        await until("another attempt", lambda: broker.connections > 1, FAULT_SECONDS)


def anonymous_kilobytes(pid: int) -> int:
    """The resident memory of a process that is of no file: the pages of programs come and go."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon:"))


async def test_a_slow_resolver_delays_the_link_only(directory: Path) -> None:
    library = slow_resolver(directory, 3)
    async with Broker(directory) as broker, Door(directory / "d") as door, Door(directory / "alone") as alone:
        began = time.monotonic()
        await door.join(broker, preload=library)
        await compare(door, alone)
        await until("the connection", lambda: is_connected(door), FAULT_SECONDS)
        assert time.monotonic() - began >= 3


async def test_a_look_up_that_does_not_end_is_a_fault(directory: Path) -> None:
    library = slow_resolver(directory, 300)
    async with Broker(directory) as broker, Door(directory / "d") as door:
        link = await door.join(broker, preload=library)
        await until("the fault", lambda: door.has("link-unresolved"), FAULT_SECONDS)
        began = time.monotonic()
        await link.stop()
        assert time.monotonic() - began < 5


async def test_one_look_up_is_under_way_at_most(directory: Path) -> None:
    """A look-up cannot be ended: attempts that follow would leave a thread and a client behind, up to TasksMax."""
    library = slow_resolver(directory, 300)
    async with Broker(directory) as broker, Door(directory / "d") as door:
        link = await door.join(broker, preload=library)
        for _ in range(3):
            await until("the look-up", lambda: threads(link.pid) == 2)
            # The reader comes back: the link tries again, no sooner than after 5 s.
            await door.restart()
            await asyncio.sleep(RETRIED_SECONDS)
            assert threads(link.pid) == 2
        await until("the fault", lambda: door.has("link-unresolved"), FAULT_SECONDS)


def threads(pid: int) -> int:
    """The number of threads of a process."""
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


async def test_what_a_broker_with_a_full_disk_acknowledges_is_not_lost(directory: Path) -> None:
    broker = Broker(directory)
    broker.store_on_full_disk(directory / "disk")
    async with broker, Collector(directory, broker) as collector, Door(directory / "d") as door:
        await door.join(broker)
        await until("delivery", door.delivered)
        await collector.kill()
        # Acknowledged by a broker that cannot keep it, while the back end is away.
        await door.open(300, 300)
        assert broker.is_disk_full
        assert "Saving in-memory database" in broker.log
        await broker.kill()
        await broker.start()
        await collector.start()
        await until("delivery of all", door.delivered, FAULT_SECONDS)
        rows = collector.rows()
        assert [event for _, event in rows] == await door.events()
        assert sum(event["kind"] == "unlocked" for _, event in rows) == 300
