# SPDX-License-Identifier: Apache-2.0
"""`connected` is what the broker has confirmed: a session with its subscriptions. Such brokers are hard to find:
each is a stand-in that breaks off at one point."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from fleet.door import Door
from fleet.hostile import CONNACK, HostileBroker
from rig.waiting import POLL_SECONDS, until

FAULT_SECONDS = 60.0
WATCH_SECONDS = 14.0
"""Two attempts at least, which are 5 to 15 s apart at first."""

pytestmark = pytest.mark.seconds(240)


class Broken(HostileBroker):
    """Serves up to one point, and floods no one."""

    def subscribed(self, topic: bytes, writer: asyncio.StreamWriter) -> None:
        """No flood."""


class FallsAtConnack(Broken):
    async def greet(self, writer: asyncio.StreamWriter) -> None:
        writer.write(CONNACK)
        writer.close()


class FallsBeforeSuback(Broken):
    def accepts(self, kind: int, body: bytes) -> bool:
        return kind >> 4 != 8


class FallsAfterTheFirstSuback(Broken):
    def __init__(self) -> None:
        super().__init__()
        self._subscriptions = 0

    def accepts(self, kind: int, body: bytes) -> bool:
        if kind >> 4 == 1:
            self._subscriptions = 0
        if kind >> 4 == 8:
            self._subscriptions += 1
        return self._subscriptions < 2


class EndsWithReason(Broken):
    async def greet(self, writer: asyncio.StreamWriter) -> None:
        writer.write(CONNACK + bytes([0xE0, 1, 0x98]))
        writer.close()


class Refuses(Broken):
    granted = 0x87


class AnswersNoSubscription(Broken):
    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                kind, _ = await self._packet(reader)
                if kind >> 4 == 1:
                    self.connections += 1
                    writer.write(CONNACK)
                elif kind >> 4 == 12:
                    writer.write(bytes([0xD0, 0]))


async def watch(door: Door, seconds: float) -> set[bool]:
    """Every value of `connected` within this time."""
    seen = set()
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        seen.add((await door.status())["link"]["connected"])
        await asyncio.sleep(POLL_SECONDS)
    return seen


@pytest.mark.thorough("MQTTClientTests receive the same packets")
@pytest.mark.parametrize(
    ("kind", "fault", "word"),
    [
        (FallsAtConnack, "link-lost", "without a reason"),
        (FallsBeforeSuback, "link-lost", "without a reason"),
        (FallsAfterTheFirstSuback, "link-lost", "without a reason"),
        (EndsWithReason, "link-lost", "administrative action"),
        (Refuses, "link-refused", "down/mark (reason 135, not authorized)"),
        (AnswersNoSubscription, "link-lost", "acknowledged nothing"),
    ],
)
async def test_without_a_session_the_status_says_so(directory: Path, kind: type[Broken], fault: str, word: str) -> None:
    async with kind() as broker, Door(directory / "d") as door:
        await door.start_plain_link(f"127.0.0.1:{broker.port}")
        assert await watch(door, WATCH_SECONDS) == {False}
        await until("the fault", lambda: door.has(fault), FAULT_SECONDS)
        assert word in await door.text(fault)
        assert await door.faults() == {fault}, "and no other claim"
        assert broker.connections >= 1


REFUSALS = {
    0x87: ("link-refused", "enrol"),
    0x89: ("link-unreachable", "busy"),
    0x95: ("link-broker-limit", "max_packet_size"),
    0x9A: ("link-broker-limit", "retain_available"),
    0x9B: ("link-broker-limit", "max_qos"),
    0x9D: ("link-unreachable", "--broker"),
    0x9F: ("link-broker-limit", "--spread"),
    0x84: ("link-old-protocol", "MQTT 5"),
}


@pytest.mark.parametrize("reason", REFUSALS)
async def test_each_reason_has_its_advice(directory: Path, reason: int) -> None:
    class Refusing(Broken):
        async def greet(self, writer: asyncio.StreamWriter) -> None:
            writer.write(bytes([0x20, 3, 0, reason, 0]))
            writer.close()

    fault, word = REFUSALS[reason]
    async with Refusing() as broker, Door(directory / "d") as door:
        await door.start_plain_link(f"127.0.0.1:{broker.port}")
        await until("the fault", lambda: door.has(fault), FAULT_SECONDS)
        text = await door.text(fault)
        assert word in text
        assert ("enrol" in text) == (reason == 0x87)
        assert await door.faults() == {fault}


async def test_a_session_that_another_has_taken_is_the_fault_of_two(directory: Path) -> None:
    """MQTT 5, 3.14.2.1: the broker says so, and the fault exists at once."""

    class TakenOver(Broken):
        def received(self, topic: bytes, payload: bytes) -> None:
            self.writer.write(bytes([0xE0, 1, 0x8E]))
            self.writer.close()

        def subscribed(self, topic: bytes, writer: asyncio.StreamWriter) -> None:
            self.writer = writer

    async with TakenOver() as broker, Door(directory / "d") as door:
        await door.start_plain_link(f"127.0.0.1:{broker.port}")
        await until("the fault", lambda: door.has("link-identity-twice"), FAULT_SECONDS)
        assert broker.connections == 1
        assert await door.faults() == {"link-identity-twice"}


@pytest.mark.thorough("LinkProcessTests disconnect a silent process")
async def test_a_link_that_is_stopped_is_not_connected(directory: Path) -> None:
    """Its last report says nothing of the present: within 30 s the reader does not believe it."""
    async with Broken() as broker, Door(directory / "d") as door:
        link = await door.start_plain_link(f"127.0.0.1:{broker.port}")

        async def connected() -> bool:
            return (await door.status())["link"]["connected"]

        async def disconnected() -> bool:
            return not await connected()

        await until("the connection", connected, FAULT_SECONDS)
        os.kill(link.pid, signal.SIGSTOP)
        try:
            await until("the truth", disconnected, 30)
            assert await door.has("link-absent")
        finally:
            os.kill(link.pid, signal.SIGCONT)
        await until("the connection", connected, FAULT_SECONDS)
        assert not await door.has("link-absent")
