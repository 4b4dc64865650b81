# SPDX-License-Identifier: Apache-2.0
"""The limits of a broker: what fits is delivered, what does not is one fault with the broker's setting."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from fleet.broker import Broker
from fleet.door import Collector, Door
from fleet.hostile import HostileBroker, publish
from rig.waiting import until

FAULT_SECONDS = 60.0
LATER_LOOKS, LOOK_SECONDS = 24, 0.5
"""Over twice the first pause of an attempt, 5 s."""
KEEPALIVE_SECONDS = 10
EVENTS = 300
"""Some 70 KB in batches: several of the full length."""
RATE = 300.0

pytestmark = [
    pytest.mark.seconds(240),
    pytest.mark.thorough("FleetLimitTests keep the limits; test_fleet_session.py connects to every broker"),
]


async def link(door: Door) -> dict:
    """The link's part of the status."""
    return (await door.status())["link"]


async def connected(door: Door) -> bool:
    """True while the status says that the broker serves the link."""
    return (await link(door))["connected"]


@pytest.mark.parametrize("octets", [4096, 8192, 10_240])
async def test_batches_fit_into_a_small_maximum_packet(directory: Path, octets: int) -> None:
    """10,240 is the default of NanoMQ. One connection delivers all."""
    broker = Broker(directory, max_packet_size=octets)
    async with broker, Collector(directory, broker) as collector, Door(directory / "d") as door:
        await door.open(EVENTS, RATE)
        await door.join(broker)
        await until("delivery", door.delivered, FAULT_SECONDS)
        assert [event for _, event in collector.rows()] == await door.events()
        assert await door.faults() == set()
        assert await connected(door)
        assert broker.log.count(" as 7761307931597753 ") == 1, "it never lost the connection"


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"max_packet_size": 2000}, "max_packet_size"),
        ({"max_qos": 0}, "max_qos 1"),
        ({"retain_available": "false"}, "retain_available true"),
    ],
)
async def test_a_limit_below_the_needs_is_one_fault_with_its_setting(
    directory: Path, settings: dict, remedy: str
) -> None:
    async with Broker(directory, **settings) as broker, Door(directory / "d") as door:
        await door.open(EVENTS, RATE)
        await door.join(broker)
        await until("the fault", lambda: door.has("link-broker-limit"), FAULT_SECONDS)
        text = await door.text("link-broker-limit")
        assert remedy in text and "enrol" not in text
        # Also after the next attempts.
        for _ in range(LATER_LOOKS):
            assert await door.faults() == {"link-broker-limit"}
            assert not await connected(door)
            await asyncio.sleep(LOOK_SECONDS)


async def test_other_limits_are_kept(directory: Path) -> None:
    """One message at a time, a short keepalive, and no aliases."""
    settings = {"max_inflight_messages": 1, "max_keepalive": KEEPALIVE_SECONDS, "max_topic_alias": 0}
    broker = Broker(directory, **settings)
    async with broker, Collector(directory, broker) as collector, Door(directory / "d") as door:
        await door.open(EVENTS, RATE)
        await door.join(broker)
        await until("delivery", door.delivered, FAULT_SECONDS)
        assert [event for _, event in collector.rows()] == await door.events()
        # A broker drops a client that is silent for half as long again (MQTT 5, 3.1.2.10).
        await asyncio.sleep(1.5 * KEEPALIVE_SECONDS + 1)
        assert await connected(door) and await door.faults() == set()
        assert broker.log.count(" as 7761307931597753 ") == 1


class UnsaidLimit(HostileBroker):
    """Closes at a packet beyond its limit without a word, as some do; takes the place of the back end as well."""

    LIMIT = 6000

    def __init__(self) -> None:
        super().__init__()
        self.longest = self.closed = 0

    def accepts(self, kind: int, body: bytes) -> bool:
        """False for a packet that is too long."""
        if len(body) + 4 > self.LIMIT:
            self.closed += 1
            return False
        self.longest = max(self.longest, len(body) + 4)
        return True

    def received(self, topic: bytes, payload: bytes) -> None:
        """The mark for a batch."""
        if topic.endswith(b"/up/ev"):
            batch = json.loads(payload)
            mark = {"log": batch["log"], "upto": batch["to"]}
            self.writer.write(publish(json.dumps(mark).encode()))

    def subscribed(self, topic: bytes, writer: asyncio.StreamWriter) -> None:
        """No flood."""
        self.writer = writer


async def test_a_limit_that_the_broker_does_not_state_is_found(directory: Path) -> None:
    async with UnsaidLimit() as broker, Door(directory / "d") as door:
        await door.open(EVENTS, RATE)
        await door.start_plain_link(f"127.0.0.1:{broker.port}")
        await until("the fault", lambda: door.has("link-lost"), FAULT_SECONDS)
        assert "maximum packet size" in await door.text("link-lost")
        await until("delivery", door.delivered, FAULT_SECONDS)
        assert await door.faults() == set()
        assert broker.closed == 1 and broker.longest > 3000
