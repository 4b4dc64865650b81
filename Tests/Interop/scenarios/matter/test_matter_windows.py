# SPDX-License-Identifier: Apache-2.0
"""Commissioning windows and fabrics of a lock: who opens them, when they end, and what the reader's event log knows of
it. The CHIP controller is the app; a client of raw UDP does what that controller does not."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from matter.bench import Bench
from matter.client import tlv
from matter.client.certificates import Fabric
from matter.client.endpoint import Endpoint
from matter.client.node import DOOR_LOCK, INVOKE, TIMED, Node, commission, request
from matter.client.sessions import Refused as Report
from matter.client.sessions import case
from matter.client.wire import INTERACTION
from matter.controller import Refused
from matter.lock import SECONDS, Lock
from rig.waiting import until

PASSCODE = 20202021
OPEN, CLOSED = "kEnhancedWindowOpen", "kWindowNotOpen"
"""WindowStatus as the controller's library prints it."""
NO_SHARED_ROOTS = 1
"""The status report of CASE for a fabric that the node is not on (Core 4.11.1.3)."""
STOPPED_SECONDS = 10
AT_ONCE_SECONDS = 2.0
"""A removed fabric used to be served for five seconds."""
TIMEOUT = 0x94
"""A status of the interaction model (Core 8.10)."""
DISCRIMINATOR = 0x123

pytestmark = [
    pytest.mark.seconds(300),
    pytest.mark.thorough("MatterNodeTests open and end the windows; test_matter.py opens both kinds"),
]


async def matter_events(lock: Lock, count: int) -> list[tuple[str, str]]:
    """Kind and actor of the events about windows and fabrics, once there are `count`: they follow the status, which is
    reported before the store is loaded."""

    async def recorded() -> list[tuple[str, str]] | None:
        events = [event for event in await lock.events() if event["kind"].startswith("matter-")]
        return [(event["kind"], event.get("actor", "")) for event in events] if len(events) >= count else None

    return await until(f"{count} events about windows and fabrics", recorded)


ADMINISTRATOR = "fabric 1 node 000000000001B669"
COMMISSIONED = [("matter-window", ""), ("matter-fabric-added", ""), ("matter-window-ended", "")]
"""The reader's records of its operator's window and the app in it."""


async def test_an_app_opens_no_window_without_the_readers_consent(directory: Path) -> None:
    async with Lock(directory) as lock:
        controller = await lock.commissioned()
        for order, arguments in (("open_window", {"discriminator": DISCRIMINATOR}), ("open_basic_window", {})):
            with pytest.raises(Refused):
                await controller.order(order, **arguments)
            assert await controller.order("window") == CLOSED
        assert await controller.order("discover", discriminator=DISCRIMINATOR, seconds=2) is None
        await lock.status(commissionable=False, fabrics=1)
        assert sorted(await matter_events(lock, 3)) == sorted(COMMISSIONED)


async def test_a_window_with_consent_is_on_record_and_ends_with_its_fabric(directory: Path) -> None:
    async with Lock(directory, matter={"may-share": True}) as lock:
        controller = await lock.commissioned()
        await controller.order("share", discriminator=DISCRIMINATOR)
        assert (await controller.order("fabrics"))["count"] == 2
        codes = await controller.order("open_window", discriminator=DISCRIMINATOR)
        assert await controller.order("window") == OPEN
        await lock.status(commissionable=True, fabrics=2)
        await controller.order("remove")
        await lock.status(commissionable=False, fabrics=1)
        # The window ends with the fabric that opened it: its code opens nothing.
        stranger = await lock.controller()
        with pytest.raises(Refused):
            await stranger.order("pase", code=codes["qr"])
        await controller.order("remove", second=True)
        await lock.status(commissionable=False, fabrics=0)
        seen = await matter_events(lock, 10)
        assert sorted(seen[:3]) == sorted(COMMISSIONED)
        assert sorted(seen[3:6]) == sorted([("matter-window", ADMINISTRATOR), *COMMISSIONED[1:]])
        assert seen[6] == ("matter-window", ADMINISTRATOR)
        ends = [("matter-fabric-removed", ADMINISTRATOR), ("matter-window-ended", ADMINISTRATOR)]
        assert sorted(seen[7:9]) == ends
        assert [kind for kind, _ in seen[9:]] == ["matter-fabric-removed"]
        with pytest.raises(Refused):
            await stranger.order("pase", code=lock.codes["qr"])


async def test_what_either_process_misses_is_on_record(directory: Path) -> None:
    """A killed process loses its window; a fabric that is removed while the reader is off is missed at its start."""
    async with Lock(directory, matter={"may-share": True}) as lock:
        controller = await lock.commissioned()
        await controller.order("share", discriminator=DISCRIMINATOR)
        await controller.order("open_window", discriminator=DISCRIMINATOR)
        await lock.status(commissionable=True)
        await lock.restart_killed()
        await lock.status(connected=True, fabrics=2, commissionable=False)
        assert [kind for kind, _ in await matter_events(lock, 8)][6:] == ["matter-window", "matter-window-ended"]
        assert await lock.reader.reader.stop() == 0
        await controller.order("expire_sessions")
        await controller.order("remove", second=True)
        await lock.reader.restart()
        await lock.status(connected=True, fabrics=1)
        kinds = [kind for kind, _ in await matter_events(lock, 9)]
        assert kinds.count("matter-fabric-removed") == 1
        assert kinds.count("matter-fabric-added") == 2


@contextlib.asynccontextmanager
async def clients(bench: Bench, count: int) -> AsyncIterator[list[Endpoint]]:
    """Clients of the wire."""
    async with contextlib.AsyncExitStack() as stack:
        yield [await stack.enter_async_context(endpoint) for endpoint in await bench.endpoints(count)]


async def test_the_last_removal_ends_an_apps_window(directory: Path) -> None:
    """An emulated lock: the window of the app that leaves is gone, and the label's own is open."""
    async with Bench(directory) as bench:
        device = await bench.device()
        controller = await bench.controller()
        await controller.order("commission", passcode=PASSCODE, discriminator=3840)
        codes = await controller.order("open_window", discriminator=DISCRIMINATOR)
        await controller.order("remove")
        await device.event("device", containing="no longer commissionable: the fabric is removed")
        assert await controller.order("discover", discriminator=DISCRIMINATOR, seconds=2) is None
        stranger = await bench.controller()
        with pytest.raises(Refused):
            await stranger.order("pase", code=codes["qr"])
        await stranger.order("commission", passcode=PASSCODE, discriminator=3840)


async def test_a_removed_fabric_is_gone_at_once(directory: Path) -> None:
    """By itself, and by another one: the answer comes, and CASE fails afterwards."""
    async with Bench(directory) as bench:
        device = await bench.device()
        async with clients(bench, 2) as (one, two):
            first, second = Fabric(7, 0x1234), Fabric(8, 0x5678)
            node = await commission(one, PASSCODE, first, 0x99)
            await device.type("button")
            other = await commission(two, PASSCODE, second, 0x77)
            for fabric, endpoint, number, by, index in ((second, two, 0x77, node, 2), (first, one, 0x99, node, 1)):
                await by.remove(index)
                began = time.monotonic()
                with pytest.raises(Report) as refusal:
                    await case(endpoint, fabric, number)
                assert refusal.value.report.code == NO_SHARED_ROOTS
                assert time.monotonic() - began < AT_ONCE_SECONDS
            assert other.session is not None


async def unlock_in_one_go(node: Node, milliseconds: int) -> int:
    """UnlockDoor, timed, without waiting for an answer in between; the status of the first answer."""
    path = tlv.Pairs([(0, 1), (1, DOOR_LOCK), (2, 1)])
    async with node.endpoint.exchange(node.session) as exchange:
        exchange.send(TIMED, request({0: milliseconds}), INTERACTION, reliable=False)
        exchange.send(INVOKE, request({0: False, 1: True, 2: [{0: path, 1: {}}]}), INTERACTION, reliable=False)
        return tlv.decode((await exchange.receive()).payload)[0]


async def test_an_order_that_waited_in_a_stopped_process_moves_nothing(directory: Path) -> None:
    async with Lock(directory) as lock:
        await lock.open_window()
        async with clients(lock.network, 1) as (endpoint,):
            node = await commission(endpoint, lock.passcode, Fabric(7, 0x1234), 0x99)
            await lock.status(fabrics=1)
            os.kill(lock.process.pid, signal.SIGSTOP)
            try:
                order = asyncio.create_task(unlock_in_one_go(node, milliseconds=5000))
                await asyncio.sleep(STOPPED_SECONDS)
            finally:
                os.kill(lock.process.pid, signal.SIGCONT)
            assert await order == TIMEOUT
            assert (await lock.operator.status())["door"]["openings"] == 0
            # The same order in time opens.
            assert await unlock_in_one_go(node, milliseconds=60_000) == 0
            await lock.reader.reader.unlocked(SECONDS)
