# SPDX-License-Identifier: Apache-2.0
"""Signed orders by way of mosquitto and readerd-link, from a signer that shares no code with the reader."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from fleet.back_end import ACCESS, BackEnd, Signer, provision
from fleet.broker import ACCESS as READERS
from fleet.broker import Broker, until
from fleet.desired import LinkEnd, chunks, order
from fleet.door import Door, program

pytestmark = pytest.mark.seconds(180)
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
        assert b"orders from afar that were signed before now are refused" in begun.stdout
        await door.start_again()
        async with LinkEnd(door, terminal_key) as link:
            await until("the policy", lambda: has_events(door))
            assert outcome(await link.answer(message)) == "policy-begun"
            assert outcome(await link.answer(signed)) == "policy-begun"
            assert await openings(door) == 0
            # The slack of 5 s for clocks that differ.
            await asyncio.sleep(6)
            assert outcome(await link.answer(signer.message(signer.order(1)))) == "done", "the counter begins again"
            assert outcome(await link.answer(message)) == "policy-begun"
            assert await openings(door) == 1


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
