# SPDX-License-Identifier: Apache-2.0
"""A hostile commissioner on the network of an emulated Matter device: it stops no one else for longer than the
specification's times. The CHIP controller is the honest one; the other speaks raw UDP (`matter/hostile.py`)."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from matter import hostile
from matter.bench import Bench, Device
from matter.client.certificates import Fabric
from matter.client.endpoint import Endpoint, Unanswered
from matter.client.node import READ, SUBSCRIBE, TIMED, Node, Place, commission, request
from matter.client.sessions import Refused, case, pase
from matter.client.wire import BUSY, INTERACTION, INVALID_PARAMETER, Session
from matter.controller import Controller
from matter.hostile import Flood, Recording

PASSCODE = 20202021
LABEL = {"passcode": PASSCODE, "discriminator": 3840}
ATTEMPT_SECONDS = 60
"""The limit of a PASE attempt."""
BUSY_SECONDS = 60
"""The further time of a busy machine."""
GROWTH_KILOBYTES = 16 * 1024
"""More memory than the tables have in all, and what an allocator keeps of a flood; a leak of one datagram in four
would be more."""

pytestmark = [
    pytest.mark.seconds(420),
    pytest.mark.thorough("MatterSessionTests and the fuzz targets of Matter receive the same packets"),
]


@contextlib.asynccontextmanager
async def hosts(bench: Bench, count: int = 1) -> AsyncIterator[list[Endpoint]]:
    """Hostile hosts."""
    async with contextlib.AsyncExitStack() as stack:
        yield [await stack.enter_async_context(endpoint) for endpoint in await bench.endpoints(count)]


@contextlib.asynccontextmanager
async def doing(*works) -> AsyncIterator[None]:
    """Coroutines next to the block; a failing coroutine fails it."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work) for work in works]
        yield
        for task in tasks:
            task.cancel()


async def begun(bench: Bench) -> tuple[Device, Controller]:
    """A lock on the CHIP controller's fabric."""
    device = await bench.device()
    controller = await bench.controller()
    await controller.order("commission", **LABEL)
    return device, controller


def memory(device: Device) -> int:
    """The memory of the device, in kilobytes."""
    status = Path(f"/proc/{device.child.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


async def works(controller: Controller, times: int = 3) -> None:
    """The honest controller moves the lock, on the session that it has and on new ones."""
    for _ in range(times):
        await controller.order("lock", command="UnlockDoor")
        assert await controller.order("lock_state") == "kUnlocked"
        await controller.order("expire_sessions")
        await controller.order("lock")
        assert await controller.order("lock_state") == "kLocked"


# PASE


async def test_twenty_wrong_codes_end_the_window(directory: Path) -> None:
    async with Bench(directory) as bench:
        device, controller = await begun(bench)
        await device.type("button")
        async with hosts(bench, 2) as (guesser, other):
            for _ in range(20):
                assert (await hostile.wrong_code(guesser)).code == INVALID_PARAMETER
                await controller.order("lock")
            await device.event("device", containing="no longer commissionable: twenty wrong passcodes")
            assert await hostile.is_silent(guesser) and await hostile.is_silent(other)
            assert await controller.order("discover", discriminator=3840, seconds=2) is None
            await works(controller, 1)
            mark = device.mark
            await device.type("button")
            await device.event("device", mark, containing="commissionable: the label")
            node = await commission(other, PASSCODE, Fabric(7, 0x1234), 0x99)
            assert await node.fabrics() == 2
        assert "too-many-passcodes" in await device.findings()


async def test_answers_to_guesses_count_however_they_end(directory: Path) -> None:
    """Pake2 verifies a guess: whoever leaves with it has had one of the twenty."""
    async with Bench(directory) as bench:
        device = await bench.device()
        async with hosts(bench) as (guesser,):
            # The peer that begins again gives up the attempt before.
            for _ in range(20):
                await hostile.half_open(guesser, to_pake2=True)
            assert await hostile.is_silent(guesser)
        await device.event("device", containing="twenty wrong passcodes")


async def honest_pase(endpoint: Endpoint) -> Session:
    """As an app: it waits for the given time, and tries again."""
    while True:
        try:
            return await pase(endpoint, PASSCODE)
        except Refused as refused:
            assert refused.report.code == BUSY, refused
            await asyncio.sleep(refused.report.wait)


ATTEMPT_SECONDS = 0.02
"""Between attempts: sooner than any answer allows."""


async def always_half_open(endpoint: Endpoint) -> None:
    """Begins again and again, before it is permitted to, and never continues."""
    while True:
        with contextlib.suppress(Refused, Unanswered):
            await hostile.half_open(endpoint)
        await asyncio.sleep(ATTEMPT_SECONDS)


@pytest.mark.parametrize("count", [1, 4])
async def test_half_open_commissionings_leave_a_turn(directory: Path, count: int) -> None:
    """A host that never continues, and one with several addresses."""
    async with Bench(directory) as bench:
        device = await bench.device()
        async with hosts(bench, count + 1) as (honest, *rude), doing(*map(always_half_open, rude)):
            await device.event("device", containing="PASE begins")
            async with asyncio.timeout(ATTEMPT_SECONDS + BUSY_SECONDS):
                session = await honest_pase(honest)
            # And now it is its own: no one takes it away.
            assert await Node(honest, session).fabrics() == 0


async def test_a_commissioner_at_work_is_not_disturbed(directory: Path) -> None:
    """No other is answered meanwhile."""
    async with Bench(directory) as bench:
        await bench.device()
        async with hosts(bench, 4) as (honest, *rude), doing(*map(always_half_open, rude[1:])):
            node = Node(honest, await honest_pase(honest))
            for breadcrumb in range(5):
                await node.arm(60, breadcrumb)
            assert await hostile.is_silent(rude[0])
            await node.arm(60, 5)


# Sigma1


@pytest.mark.alone
async def test_floods_of_sigma1_leave_room(directory: Path) -> None:
    async with Bench(directory) as bench:
        device, controller = await begun(bench)
        async with hosts(bench, 20) as rude:
            before = memory(device)
            for makers in ([hostile.garbage], [hostile.foreign_sigma1], [hostile.nonsense, hostile.foreign_sigma1]):
                async with Flood(device.child.pid, rude, makers) as flood:
                    await flood.sent(500)
                    await works(controller)
                    await flood.sent(500)
            assert memory(device) < before + GROWTH_KILOBYTES
        # Faults that anyone can cause are not reported each time.
        assert len([step for step in device.steps("device") if "refused" in step["text"]]) < 100
        assert await device.findings() == []


@pytest.mark.alone
async def test_a_new_commissioner_in_a_flood(directory: Path) -> None:
    async with Bench(directory) as bench:
        device, controller = await begun(bench)
        await device.type("button")
        async with hosts(bench, 9) as (honest, *rude):
            async with Flood(
                device.child.pid, rude, [hostile.garbage, hostile.foreign_sigma1, hostile.nonsense]
            ) as flood:
                await flood.sent(500)
                node = await commission(honest, PASSCODE, Fabric(7, 0x1234), 0x99)
                await node.lock(1)
            assert await controller.order("lock_state") == "kUnlocked"


# Replays


async def test_recordings_are_worth_nothing(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device()
        controller = await bench.controller()
        async with Recording(device.child.pid, await bench.packets()) as recording:
            await controller.order("commission", **LABEL)
            await works(controller, 8)
            first, opened = recording.sigma1(), len(device.steps("requested"))
            assert len(first) >= 9
            await device.type("button")
            async with hosts(bench, 8) as rude:
                frames = list(recording.frames)
                # As they were, and from elsewhere.
                for _ in range(3):
                    await recording.replay(frames)
                for datagram in recording.datagrams:
                    rude[0].send(datagram)
                await works(controller)
                # Once their senders are forgotten, they would be new.
                again = itertools.cycle(first)
                async with Flood(device.child.pid, rude, [hostile.foreign_sigma1, lambda: next(again)]) as flood:
                    await flood.sent(500)
                    async with doing(recording.replay_always([f for f in frames if f[62:] in first])):
                        await works(controller)
        assert await controller.order("lock_state") == "kLocked"
        assert (await controller.order("fabrics"))["count"] == 1
        unlocked = [step for step in device.steps("requested")[opened:] if step["step"] == "UnlockDoor"]
        assert len(unlocked) == 6
        assert await device.findings() == []


# Tables


async def greedy(endpoint: Endpoint, fabric: Fabric, sessions: int) -> None:
    """Sessions whose exchanges are all left open: reads that are not taken, timed requests without anything after
    them, subscriptions that are not answered."""
    for _ in range(sessions):
        session = await case(endpoint, fabric, 0x99)
        for number in range(10):
            exchange = endpoint.opened(session)
            if number % 3 == 0:
                exchange.send(TIMED, request({0: 60000}), INTERACTION)
            elif number % 3 == 1:
                exchange.send(READ, request({0: [Place().path], 3: False}), INTERACTION)
            else:
                wanted = {0: True, 1: 0, 2: 60, 3: [Place().path], 7: False}
                exchange.send(SUBSCRIBE, request(wanted), INTERACTION)
            exchange.cancel()


async def test_full_tables_are_not_those_of_others(directory: Path) -> None:
    """A member of another fabric takes all sessions, exchanges and subscriptions that it can get."""
    async with Bench(directory) as bench:
        device, controller = await begun(bench)
        await controller.order("subscribe", ceiling=30)
        await device.type("button")
        fabric = Fabric(7, 0x1234)
        async with hosts(bench) as (member,):
            await commission(member, PASSCODE, fabric, 0x99)
            mark = device.mark
            before = memory(device)
            for _ in range(2):
                await greedy(member, fabric, 24)
                # Orders go over the session of the subscription.
                await controller.order("lock", command="UnlockDoor")
                await controller.order("lock")
            ended = [step["text"] for step in device.steps("device", mark) if "session ended" in step["text"]]
            assert ended and all("fabric 2" in text for text in ended), ended
            assert (await controller.order("reports"))["ends"] == []
            assert memory(device) < before + GROWTH_KILOBYTES
            await works(controller)
