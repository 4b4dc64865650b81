# SPDX-License-Identifier: Apache-2.0
"""A reader that is stopped for a while, as by SIGSTOP or a frozen control group: what piles up opens nothing."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from pathlib import Path

import pytest

from access.frames import Message
from access.tokens import Command, command_token
from contactless.field import Field, touching
from contactless.phone import DriverFailed, StatusFailed
from rig.bench import Bench
from rig.operation import Operator
from rig.phone import LinkLost
from rig.reader import UNLOCKED
from rig.waiting import until

STOPPED_SECONDS = 4.0
"""More than a link's time without an exchange (3 s), and than a request may wait (2.5 s)."""
AFTER_SECONDS = 1.5
"""In which a late request would be carried out."""

pytestmark = pytest.mark.seconds(60)


@contextlib.asynccontextmanager
async def stopped(pid: int, seconds: float = STOPPED_SECONDS):
    """The process does not run while the body is carried out, and so long at least."""
    os.kill(pid, signal.SIGSTOP)
    try:
        end = asyncio.get_running_loop().time() + seconds
        yield
        await asyncio.sleep(max(0, end - asyncio.get_running_loop().time()))
    finally:
        os.kill(pid, signal.SIGCONT)


async def begun(operator: Operator) -> None:
    """Waits until the reader has recorded its start: before, it opens nothing for another reason."""

    async def last() -> int:
        return (await operator.status())["events"].get("last", 0)

    await until("the record of the start", last)


async def opened_nothing(bench: Bench, operator: Operator) -> None:
    """The door has not moved, now and a moment later."""
    await asyncio.sleep(AFTER_SECONDS)
    assert bench.reader.child.matching(UNLOCKED) == []
    assert (await operator.status())["door"]["openings"] == 0


async def test_requests_of_the_control_socket():
    async with Bench() as bench:
        operator = Operator(bench)
        await begun(operator)
        await operator.run("lockdown", "on")
        answers, requests = await asyncio.open_unix_connection(bench.control)
        words = ["lockdown off", "unlock pulse", "unlock office-on"]
        async with stopped(bench.reader.child.pid):
            for word in words:
                verb, value = word.split()
                requests.write(json.dumps({verb: value, "id": word.replace(" ", "-")}).encode() + b"\n")
            # A client that connects meanwhile, and the program.
            late_answers, late_requests = await asyncio.open_unix_connection(bench.control)
            late_requests.write(b'{"unlock":"extended"}\n')
            command = asyncio.create_task(operator.run("unlock"))
        for _ in words:
            answer = json.loads(await answers.readline())
            assert answer["refused"] == "late", answer
        assert json.loads(await late_answers.readline())["refused"] == "late"
        done = await command
        assert done.code == 1 and "it waited too long" in done.errors, done
        assert (await operator.status())["door"]["state"] == "lockdown"
        await opened_nothing(bench, operator)
        # The same request, sent again, is carried out.
        requests.write(b'{"lockdown":"off","id":"lockdown-off"}\n')
        assert json.loads(await answers.readline())["ok"] is True
        assert (await operator.run("unlock")).code == 0
        requests.close()
        late_requests.close()


@pytest.mark.thorough("DoorOrderTests and ControlServerTests have the orders that may be late")
async def test_what_secures_is_carried_out_however_late():
    async with Bench() as bench:
        operator = Operator(bench)
        assert (await operator.run("unlock", "office-on")).code == 0
        answers, requests = await asyncio.open_unix_connection(bench.control)
        async with stopped(bench.reader.child.pid):
            requests.write(b'{"unlock":"office-off"}\n{"lockdown":"on"}\n')
        for _ in range(2):
            assert json.loads(await answers.readline())["ok"] is True
        assert (await operator.status())["door"]["state"] == "lockdown"
        requests.close()


@pytest.mark.thorough("MatterProcessTests let an order of a node wait")
async def test_orders_of_a_matter_node(directory: Path):
    tables = {"matter": {"socket": str(directory / "matter"), "user": str(os.getuid())}}
    async with Bench(**tables) as bench:
        operator = Operator(bench)
        await begun(operator)
        reports, orders = await asyncio.open_unix_connection(directory / "matter")
        await reports.readline()
        line = b'{"order":7,"move":"unlocked","fabric":1,"node":"000000000001B669"}\n'
        async with stopped(bench.reader.child.pid):
            orders.write(line)
        while b"answered" not in (answer := await reports.readline()):
            pass
        assert json.loads(answer) == {"answered": 7, "done": False}
        await opened_nothing(bench, operator)
        orders.write(line.replace(b"7", b"8", 1))
        while b"answered" not in (answer := await reports.readline()):
            pass
        assert json.loads(answer) == {"answered": 8, "done": True}
        orders.close()


async def test_a_token_over_bluetooth():
    async with Bench() as bench:
        operator = Operator(bench)
        link = await bench.ready()
        exchange = await link.handshake()
        async with stopped(bench.reader.child.pid):
            with contextlib.suppress(LinkLost, TimeoutError):
                await link.send(Message(exchange.request(command_token(Command("tokn")))))
        await opened_nothing(bench, operator)
        # A phone that comes after it is let in.
        _, link = await bench.connected("another")
        await link.prepare()
        await link.run("tokn")
        await bench.reader.unlocked()


@pytest.mark.thorough("LateInputTests have a touch whose time is over; test_a_token_over_bluetooth stops the reader")
async def test_a_token_over_nfc():
    async with Field() as field, touching(field) as bench:
        operator = Operator(bench)
        await begun(operator)
        phone = await field.phone()
        await phone.tap()
        await phone.select()
        exchange = await phone.handshake()
        async with stopped(bench.reader.child.pid):
            with contextlib.suppress(DriverFailed, StatusFailed, TimeoutError):
                await asyncio.wait_for(phone.exchange(exchange.request(command_token(Command("tokn")))), 3)
        await opened_nothing(bench, operator)


@pytest.mark.thorough("DoorTests advance late, after the end of a pulse")
async def test_a_pulse_ends_and_nothing_else_happens():
    """The lock has current for as long as the process is stopped, as a relay has; then it is secured at once."""
    async with Bench(door={"pulse-s": 1}) as bench:
        operator = Operator(bench)
        assert (await operator.run("unlock")).code == 0
        async with stopped(bench.reader.child.pid):
            pass
        await bench.reader.child.line("door: secured", AFTER_SECONDS)
        assert (await operator.status())["door"]["state"] == "secured"
        assert len(bench.reader.child.matching(UNLOCKED)) == 1
