# SPDX-License-Identifier: Apache-2.0
"""A real reader and its link behind a broker in foreign hands that has valid orders: nothing opens but by these."""

from __future__ import annotations

import asyncio
import datetime
import os
import signal
from pathlib import Path

import pytest

from fleet.back_end import Signer, provision
from fleet.door import Door
from fleet.evil import FATES, SCHEMES, EvilBroker, Sent
from rig.waiting import until

SECONDS = float(os.environ.get("READERD_EVIL_SECONDS", "30"))
"""The length of the scenario; CI's slow lane has ten minutes of it."""
LATE_SECONDS = 1.0
"""For an order that would be executed late."""
PART_SECONDS = 15.0
"""The time between two restarts of the reader."""
LINK_SECONDS = 40.0
"""The time for a link to come back after a restart: it tries no sooner than after 5 s."""
LEAST_SHARE = 0.2
"""Of the orders, those that open: a scenario without any would show nothing."""
BEHIND_SECONDS = 1
"""The reader counts whole seconds from its start on: it is less than one behind."""
REASONS = {"signature", "key", "form", "reader", "retained", "expired", "counter"}

pytestmark = [
    pytest.mark.seconds(SECONDS * 5 + 120),
    pytest.mark.thorough("test_fleet_orders.py refuses forged, repeated and late orders"),
]


def second(event: dict) -> float:
    """The time of an event, in whole seconds."""
    return datetime.datetime.fromisoformat(event["time"]).timestamp()


def matched(events: list[dict], sent: list[Sent]) -> list[Sent]:
    """The order of each opening: a reader takes them by rising counters, so that the first that fits is the one.

    Fails for an opening without an order that was delivered before it and ends after it."""
    found = []
    rest = iter(sorted(sent, key=lambda each: each.order["counter"]))
    for event in events:
        at = second(event)
        fitting = (each for each in rest if is_fitting(each, at))
        order = next(fitting, None)
        assert order, f"no valid order for the opening of {event}"
        found.append(order)
    return found


def is_fitting(sent: Sent, at: float) -> bool:
    """True if the order was delivered by this second of the reader's, and holds in it."""
    in_time = any(time < at + 1 + BEHIND_SECONDS for time in sent.delivered)
    return in_time and sent.order["not-before"] <= at <= sent.order["expires"]


async def test_nothing_opens_but_by_a_valid_order_once_and_in_time(directory: Path) -> None:
    signer = Signer()
    provision(directory / "d" / "state", signer)
    restarts = 0
    async with EvilBroker(signer, seed=1) as broker, Door(directory / "d", may=("pulse",)) as door:
        await door.start_plain_link(f"127.0.0.1:{broker.port}")
        left = SECONDS
        while left > 0:
            await until("the link", lambda: broker.is_linked, LINK_SECONDS)
            await broker.scheme(min(left, PART_SECONDS))
            left -= PART_SECONDS
            if left > 0:
                await door.restart()
                restarts += 1
        await asyncio.sleep(LATE_SECONDS)
        events = [event for event in await door.events() if event["kind"] == "unlocked"]

    reasons = {answer["reason"] for _, answer in broker.answers if answer["result"] == "refused"}
    print(f"{sum(broker.mischief.values())} messages {dict(broker.mischief)}, {len(broker.sent)} orders,")
    print(f"{len(events)} openings, {restarts} restarts, {len(broker.answers)} answers, refused for {sorted(reasons)}")
    assert {event["channel"] for event in events} == {"remote"}
    # Each order at most once: the match continues behind the one before.
    orders = matched(events, broker.sent)
    assert len(orders) == len(events) > LEAST_SHARE * len(broker.sent)
    # An order that is answered with done was its own, in time, and is one of those that opened.
    own = {each.order["id"].hex(): each for each in broker.sent}
    done = {answer["id"]: at for at, answer in reversed(broker.answers) if answer["result"] == "done"}
    for identifier, at in done.items():
        assert own[identifier].delivered and own[identifier].delivered[0] <= at
    # An order that opened is answered with done, unless a restart came between: so nothing opened twice.
    told = {answer["id"] for _, answer in broker.answers if answer.get("id") and answer["result"] != "repeated"}
    untold = [each for each in broker.sent if each.delivered and each.order["id"].hex() not in told]
    assert len(done) <= len(events) <= len(done) + len(untold)
    # All of it was tried, and the reader was started again.
    assert set(FATES) | set(SCHEMES) <= set(broker.mischief)
    assert reasons >= REASONS and restarts >= 1
    replayed = [answer for _, answer in broker.answers if answer["result"] == "done"]
    assert len(replayed) > len(done), "no order was sent again and answered as before"


async def test_an_order_to_a_reader_that_has_just_ended_does_not_hold_the_link(directory: Path) -> None:
    """The link finds the reader gone while it takes the order from the broker, and lets go of the broker then."""
    signer = Signer()
    provision(directory / "d" / "state", signer)
    async with EvilBroker(signer, seed=1) as broker, Door(directory / "d", may=("pulse",)) as door:
        await door.start_plain_link(f"127.0.0.1:{broker.port}")
        await until("the link", lambda: broker.is_linked, LINK_SECONDS)
        os.kill(door.link.pid, signal.SIGSTOP)
        # The order is at the link before the reader's end is.
        await broker.deliver()
        os.kill(door.reader.pid, signal.SIGKILL)
        await door.reader.ended(LINK_SECONDS)
        os.kill(door.link.pid, signal.SIGCONT)
        await door.start_again()
        await until("the link again", lambda: broker.connections == 2, LINK_SECONDS)
