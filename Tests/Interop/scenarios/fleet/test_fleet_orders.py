# SPDX-License-Identifier: Apache-2.0
"""Signed orders by way of mosquitto and readerd-link, from a signer that shares no code with the reader."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fleet.back_end import ACCESS, BackEnd, Signer, provision
from fleet.broker import ACCESS as READERS
from fleet.broker import Broker
from fleet.desired import LinkEnd, chunks, order
from fleet.door import Door, program
from rig.clock import UNSET, showing
from rig.waiting import until

pytestmark = pytest.mark.seconds(180)
SLACK_SECONDS = 6.0
"""Longer than the slack of 5 s for clocks that differ."""
MAY = ("pulse", "lockdown-on", "lockdown-off")


async def connected(door: Door) -> bool:
    """True while the broker serves the door's link."""
    return (await door.status())["link"]["connected"]


async def openings(door: Door) -> int:
    """The number of openings since the reader's start."""
    return (await door.status())["door"]["openings"]


async def recorded(door: Door, count: int) -> bool:
    """True if this many events of orders are on the disk."""
    return sum(event.get("channel") == "remote" for event in await door.events()) >= count


def outcome(answer: dict) -> str:
    """`done`, `repeated`, or the reason for a refusal."""
    return answer.get("reason", answer["result"])


async def test_an_order_opens_once_and_whatever_is_wrong_opens_nothing(directory: Path) -> None:
    signer, stranger = Signer(), Signer()
    terminal_key = provision(directory / "d" / "state", signer)
    async with Broker(directory, access=READERS + ACCESS) as broker, Door(directory / "d", may=MAY) as door:
        await door.join(broker)
        await until("the connection", lambda: connected(door))
        async with BackEnd(broker, terminal_key) as back_end:
            order = signer.order(5)
            message = signer.message(order)
            answer = await back_end.ask(message)
            assert outcome(answer) == "done"
            assert (answer["id"], answer["command"], answer["counter"]) == (order["id"].hex(), "pulse", 5)
            assert await openings(door) == 1
            assert await back_end.ask(message) == answer, "replayed"

            altered = bytearray(message)
            altered[message.index(b"pulse")] ^= 1
            assert outcome(await back_end.ask(bytes(altered))) == "signature"
            assert await door.has("link-forged")
            refused = {
                "form": [signer.message(order) + b"\0", b"", signer.message(signer.order(6, args={"a": 1}))],
                "expired": [
                    signer.message(signer.order(6, begin=-40)),
                    signer.message(signer.order(6, life=31)),
                ],
                "early": [signer.message(signer.order(6, begin=20))],
                "reader": [signer.message(signer.order(6, reader="0" * 16))],
                "key": [stranger.message(stranger.order(6))],
                "signature": [stranger.message(signer.order(6))],
                "counter": [signer.message(signer.order(5)), signer.message(signer.order(4))],
                "forbidden": [signer.message(signer.order(6, "extended")), signer.message(signer.order(6, "dance"))],
            }
            for reason, messages in refused.items():
                for each in messages:
                    assert outcome(await back_end.ask(each)) == reason
            assert await openings(door) == 1

            # The door has the last word, as with an operator.
            assert outcome(await back_end.ask(signer.message(signer.order(7, "lockdown-on", life=3600)))) == "done"
            assert outcome(await back_end.ask(signer.message(signer.order(8)))) == "lockdown"
            assert outcome(await back_end.ask(signer.message(signer.order(9, "lockdown-off")))) == "done"
            assert await openings(door) == 1
        # A command that does not open is answered before its record is on the disk.
        await until("the records", lambda: recorded(door, 5))
        events = [event for event in await door.events() if event.get("channel") == "remote"]
        assert [event["kind"] for event in events] == ["unlocked", "command", "unlocked", "withdrawn", "command"]
        assert {event["actor"] for event in events} == {f"key {signer.id[:4].hex()}"}


ORDER_PAUSE = 0.15
"""Eight orders a second are answered."""


async def test_an_order_that_ends_a_protection_does_not_come_late(directory: Path) -> None:
    """As an opening it is valid for 30 s, and never retained: a person may have locked down again meanwhile."""
    signer = Signer()
    terminal_key = provision(directory / "d" / "state", signer)
    may = (*MAY, "tamper-reset")
    async with Door(directory / "d", may=may) as door, LinkEnd(door, terminal_key) as link:
        await until("the policy", lambda: has_events(door))
        assert (await door.ask('{"lockdown":"on"}'))["ok"]
        counter = 0
        for command in ("lockdown-off", "tamper-reset"):
            for other in ({"life": 86_400}, {"life": 31}, {"begin": -40}, {"begin": -36_000, "life": 86_400}):
                counter += 1
                message = signer.message(signer.order(counter, command, **other))
                assert outcome(await link.answer(message)) == "expired", (command, other)
                await asyncio.sleep(ORDER_PAUSE)
            for life in (30, 86_400):
                message = signer.message(signer.order(counter, command, life=life))
                assert outcome(await link.answer(message, retained=True)) == "retained"
                await asyncio.sleep(ORDER_PAUSE)
        assert (await door.status())["door"]["state"] == "lockdown"
        # Orders that secure the door may come late.
        counter += 1
        late = signer.message(signer.order(counter, "lockdown-on", begin=-36_000, life=86_400))
        assert outcome(await link.answer(late, retained=True)) == "done"
        counter += 1
        assert outcome(await link.answer(signer.message(signer.order(counter, "lockdown-off")))) == "done"
        assert (await door.status())["door"]["state"] == "secured"


STOPPED_SECONDS = 28
"""The life of an order, less its slack, and three more."""


@pytest.mark.thorough("LinkOrderTests let an order wait beyond its time, before the reader and at its disk")
async def test_what_waited_for_a_stopped_reader_moves_nothing(directory: Path) -> None:
    """A reader that is stopped, or starved, finds orders whose time has ended: in the socket, and at its disk."""
    signer = Signer()
    terminal_key = provision(directory / "d" / "state", signer)
    async with Door(directory / "d", may=MAY) as door:
        async with LinkEnd(door, terminal_key) as link:
            await until("the policy", lambda: has_events(door))
            assert (await door.ask('{"lockdown":"on"}'))["ok"]
            os.kill(door.reader.pid, signal.SIGSTOP)
            orders = [signer.order(5, "lockdown-off"), signer.order(6)]
            waiting = [asyncio.create_task(link.answer(signer.message(order))) for order in orders[:1]]
            await asyncio.sleep(STOPPED_SECONDS)
            assert time.time() > orders[0]["expires"]
            os.kill(door.reader.pid, signal.SIGCONT)
            done, pending = await asyncio.wait(waiting, timeout=10)
            for task in pending:
                task.cancel()
            # It is answered, or was dropped with the waiting orders.
            assert all(task.exception() or outcome(task.result()) == "expired" for task in done)
        assert (await door.status())["door"]["state"] == "lockdown"
        async with LinkEnd(door, terminal_key) as link:
            assert outcome(await link.answer(signer.message(orders[1]))) == "expired"
            assert await openings(door) == 0
            assert outcome(await link.answer(signer.message(signer.order(7, "lockdown-off")))) == "done"


@pytest.mark.thorough("LinkOrderTests repeat an order after a power cut")
async def test_an_order_opens_nothing_after_a_restart(directory: Path) -> None:
    signer = Signer()
    terminal_key = provision(directory / "d" / "state", signer)
    async with Broker(directory, access=READERS + ACCESS) as broker, Door(directory / "d", may=MAY) as door:
        await door.join(broker)
        await until("the connection", lambda: connected(door))
        async with BackEnd(broker, terminal_key) as back_end:
            message = signer.message(signer.order(5))
            answer = await back_end.ask(message)
            assert outcome(answer) == "done"
            await door.restart()
            await until("the connection", lambda: connected(door))
            assert await back_end.ask(message) == answer
            assert outcome(await back_end.ask(signer.message(signer.order(5)))) == "counter"
            assert await openings(door) == 0
            assert outcome(await back_end.ask(signer.message(signer.order(6)))) == "done"


async def test_a_policy_that_was_begun_revives_no_order(directory: Path) -> None:
    signer = Signer()
    state = directory / "d" / "state"
    terminal_key = provision(state, signer)
    async with Door(directory / "d", may=MAY, may_set=("blacklist",)) as door:
        async with LinkEnd(door, terminal_key) as link:
            message, parts = signer.message(signer.order(5)), chunks(["A"])
            signed = order(signer, 7, parts)
            answer = await link.answer(message)
            assert answer["result"] == "done"
            events = [event for event in await door.events() if event["sequence"] == answer["sequence"]]
            assert events[0]["kind"] == "unlocked" and events[0]["channel"] == "remote"
            await link.answer(signed)
            link.chunk(parts[0], 0)
            assert (await link.settled(signed))["result"] == "done"
        await door.reader.stop()
        begun = subprocess.run(
            [program("readerd"), "policy", "begin", "--yes", "--state", str(state)], check=True, capture_output=True
        )
        assert b"orders and states from afar that were signed before 20" in begun.stdout
        await door.start_again()
        async with LinkEnd(door, terminal_key) as link:
            await until("the policy", lambda: has_events(door))
            assert outcome(await link.answer(message)) == "policy-begun"
            assert outcome(await link.answer(signed)) == "policy-begun"
            assert await openings(door) == 0
            await asyncio.sleep(SLACK_SECONDS)
            assert outcome(await link.answer(signer.message(signer.order(1)))) == "done", "the counter begins again"
            assert outcome(await link.answer(message)) == "policy-begun"
            assert await openings(door) == 1


@pytest.mark.thorough("LinkOrderTests begin a policy without a certain time")
async def test_a_policy_that_was_begun_without_a_clock_refuses_all(directory: Path) -> None:
    """No one knows which orders are from before: all are refused, whatever the clock shows, until it is set."""
    signer = Signer()
    state = directory / "d" / "state"
    terminal_key = provision(state, signer)
    async with Door(directory / "d", may=(*MAY, "office-off"), may_set=("blacklist",)) as door:
        async with LinkEnd(door, terminal_key) as link:
            # An order that lives for a day, and a state for longer.
            used, parts = signer.message(signer.order(5, "office-off", life=86_000)), chunks(["A"])
            signed = order(signer, 7, parts)
            assert (await link.answer(used))["result"] == "done"
            await link.answer(signed)
            link.chunk(parts[0], 0)
            assert (await link.settled(signed))["result"] == "done"
        await door.reader.stop()
        begin = [program("readerd"), "policy", "begin", "--yes", "--state", str(state)]
        environment = os.environ | showing(UNSET)
        begun = subprocess.run(begin, check=True, capture_output=True, env=environment, text=True)
        assert "every order and state from afar is refused" in begun.stdout
        assert "signed before" not in begun.stdout
        # The board's clock is right again, and no one vouches for it.
        door.environment |= showing(datetime.now(UTC))
        await door.start_again()
        async with LinkEnd(door, terminal_key) as link:
            await until("the fault", lambda: door.has("link-clock"))
            fresh = signer.message(signer.order(8))
            for message in (used, signed, fresh):
                assert outcome(await link.answer(message)) == "policy-begun"
            assert (await door.ask(f'{{"set-time":{int(time.time())}}}'))["ok"]
            assert not await door.has("link-clock")
            for message in (used, signed, fresh):
                assert outcome(await link.answer(message)) == "policy-begun"
            assert await openings(door) == 0
        # The clock of the new run must not be behind the last event of this one.
        await door.reader.stop()
        door.environment |= showing(datetime.now(UTC))
        await door.start_again()
        async with LinkEnd(door, terminal_key) as link:
            await until("the policy", lambda: has_events(door))
            assert outcome(await link.answer(used)) == "policy-begun", "also after a restart"
            await asyncio.sleep(SLACK_SECONDS)
            assert outcome(await link.answer(signer.message(signer.order(9)))) == "done"


async def has_events(door: Door) -> bool:
    """True once the reader has opened its log."""
    return (await door.status())["events"].get("last") is not None


async def test_a_retained_order_opens_nothing(directory: Path) -> None:
    signer = Signer()
    terminal_key = provision(directory / "d" / "state", signer)
    async with Broker(directory, access=READERS + ACCESS) as broker, Door(directory / "d", may=MAY) as door:
        async with BackEnd(broker, terminal_key) as back_end:
            back_end.send(signer.message(signer.order(5)), retained=True)
            await door.join(broker)
            assert outcome(await back_end.answer()) == "retained"
        assert await openings(door) == 0


async def test_without_a_permission_an_order_opens_nothing(directory: Path) -> None:
    signer = Signer()
    terminal_key = provision(directory / "d" / "state", signer)
    async with Broker(directory, access=READERS + ACCESS) as broker, Door(directory / "d") as door:
        await door.join(broker)
        await until("the connection", lambda: connected(door))
        async with BackEnd(broker, terminal_key) as back_end:
            for command in ("pulse", "lockdown-on", "lockdown-off", "tamper-reset"):
                assert outcome(await back_end.ask(signer.message(signer.order(1, command)))) == "forbidden"
        assert await openings(door) == 0
