# SPDX-License-Identifier: Apache-2.0
"""From the desk to the lock: `readerlab fleet command`, mosquitto, readerd-link, and readerd with a lock's line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fleet.back_end import install
from fleet.broker import ACCESS, Broker
from fleet.desk import DESK_ACCESS, Desk
from fleet.door import DEVICE, Door
from rig.lines import Lines
from rig.waiting import until

pytestmark = pytest.mark.seconds(180)
LOCK = 0
HELD_SECONDS = 3.0
"""The time that the link is held, and with it an order that is valid for one second."""


@contextlib.asynccontextmanager
async def site(directory: Path, *may: str) -> AsyncIterator[tuple[Desk, Door, Lines]]:
    """A desk, and a reader that has its key and is linked; the reader may be ordered these."""
    async with Broker(directory, access=ACCESS + DESK_ACCESS) as broker:
        desk = await Desk(directory, broker).open()
        # The folder of the reader is made before it is started.
        (directory / "d").mkdir()
        desk.know(install(directory / "d" / "state", desk.key.with_name("command-key.pub.pem")))
        lines = Lines(directory)
        async with Door(directory / "d", may=may, lines=lines) as door:
            await door.join(broker)
            await until("the link", lambda: connected(door))
            yield desk, door, lines


async def connected(door: Door) -> bool:
    """True while the broker serves the link."""
    return bool((await door.status())["link"].get("connected"))


def releases(lines: Lines) -> int:
    """The number of times that the lock was released."""
    return sum(edge.level for edge in lines.of(LOCK))


def granted(ended: tuple[int, str]) -> bool:
    """True for the end of a command that names the event of the opening."""
    code, output = ended
    return code == 0 and re.fullmatch(r"demo: pulse granted, event \d+\n", output) is not None


async def test_an_order_from_the_desk_moves_the_lock_once(directory: Path) -> None:
    async with site(directory, "pulse") as (desk, door, lines):
        assert granted(await desk.command("--open", "--wait", "30"))
        await lines.until(
            "the lock is secured again", 10, lambda: [edge.level for edge in lines.of(LOCK)][-2:] == [1, 0]
        )
        assert releases(lines) == 1
        events = [event for event in await door.events() if event.get("channel") == "remote"]
        assert [event["kind"] for event in events] == ["unlocked"]
        assert events[0]["command"] == "pulse" and events[0]["actor"].startswith("key ")

        code, output = await desk.command("--open", "--json", "--wait", "30", reader=DEVICE)
        assert code == 0 and json.loads(output)["result"] == "done"
        await lines.until("the lock is released again", 10, lambda: releases(lines) == 2)


async def test_what_link_may_does_not_name_is_refused(directory: Path) -> None:
    async with site(directory, "lockdown-on") as (desk, door, lines):
        code, output = await desk.command("--open", "--wait", "30")
        assert (code, output) == (
            1,
            "demo: pulse refused (forbidden): the setting link.may of the reader does not permit it\n",
        )
        assert await desk.command("--lockdown-on", "--wait", "30") == (0, "demo: lockdown-on granted\n")
        assert releases(lines) == 0
        assert "unlocked" not in [event["kind"] for event in await door.events()]


async def test_an_order_that_comes_too_late_is_refused(directory: Path) -> None:
    async with site(directory, "pulse") as (desk, door, lines):
        os.kill(door.link.pid, signal.SIGSTOP)
        order = asyncio.create_task(desk.command("--open", "--valid", "1", "--wait", "60"))
        try:
            # Sent after the command's start: the second in which it was signed has passed for certain.
            await until("the order is signed", desk.key.with_name("command-key.pem.counter").exists)
            await asyncio.sleep(HELD_SECONDS)
        finally:
            os.kill(door.link.pid, signal.SIGCONT)
        code, output = await order
        assert code == 1, output
        assert output.startswith("demo: pulse refused (expired): its time has ended before it arrived")
        assert releases(lines) == 0
        assert granted(await desk.command("--open", "--wait", "30"))
        assert releases(lines) == 1
