# SPDX-License-Identifier: Apache-2.0
"""Orders of a back end while the disk of a running reader fails: refused, reported as a fault, and no door moves."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from fleet.back_end import Signer, provision
from fleet.desired import LinkEnd, chunks, environment, order, policy
from fleet.door import Door
from rig.matrix import some_of
from rig.waiting import until

pytestmark = pytest.mark.seconds(120)
MAY = ("pulse", "lockdown-on", "lockdown-off")
ORDER_SECONDS = 0.2
"""Between orders: the reader answers ten of them a second."""
ERRORS = [errno.ENOSPC, errno.EIO]


async def faults(door: Door) -> set[str]:
    """The codes of the reader's faults."""
    return {fault["code"] for fault in (await door.status())["faults"]}


async def has(door: Door, code: str, *, present: bool = True) -> bool:
    """True while the reader reports this fault, or does not."""
    return (code in await faults(door)) == present


async def openings(door: Door) -> int:
    """The openings since the start."""
    return (await door.status())["door"]["openings"]


class Disk:
    """A reader whose disk fails while `fault` exists."""

    def __init__(self, directory: Path) -> None:
        self.signer = Signer()
        self.state = directory / "d" / "state"
        self.terminal_key = provision(self.state, self.signer)
        self._fault = directory / "fault"
        self._counter = 0
        self.door = Door(directory / "d", may=MAY, may_set=("blacklist",))
        self.door.environment = environment(self.state, fault=self._fault)

    def fail(self, error: int, files: str) -> None:
        """Operations on files whose paths contain `files` fail with this error."""
        self._fault.write_text(f"{error} {files}\n")

    def mend(self) -> None:
        """The disk works again."""
        self._fault.unlink()

    async def opens(self, link: LinkEnd) -> bool:
        """True if a new order opens; no more of them than the reader answers."""
        await asyncio.sleep(ORDER_SECONDS)
        return (await link.answer(self.message()))["result"] == "done"

    def message(self, command: str = "pulse") -> bytes:
        """A new order."""
        self._counter += 1
        return self.signer.message(self.signer.order(self._counter, command))


@pytest.mark.parametrize("error", some_of(ERRORS, "LogFaultTests and PolicyFaultTests have each fault of a disk"))
async def test_an_order_that_cannot_be_kept_moves_nothing(directory: Path, error: int) -> None:
    disk = Disk(directory)
    async with disk.door as door, LinkEnd(door, disk.terminal_key) as link:
        await until("the policy", lambda: disk.opens(link))
        before = await openings(door)
        first = disk.message()
        answered = await link.answer(first)
        assert answered["result"] == "done"
        disk.fail(error, "policy")
        lost = disk.message()
        answer = await link.answer(lost)
        assert (answer["result"], answer["reason"]) == ("refused", "not-kept")
        assert (await link.answer(disk.message("lockdown-on")))["reason"] == "not-kept"
        assert await openings(door) == before + 1
        await until("the fault", lambda: has(door, "policy-unwritable"))
        assert await link.answer(first) == answered, "what was taken stays so"
        disk.mend()
        assert (await link.answer(lost))["reason"] == "not-kept", "its identifier is used up"
        assert await openings(door) == before + 1
        # The lockdown was not carried out either.
        assert (await link.answer(disk.message()))["result"] == "done"
        assert await openings(door) == before + 2
        await until("the end of the fault", lambda: has(door, "policy-unwritable", present=False))
        assert (await policy(disk.state))["sound"]


@pytest.mark.parametrize("error", some_of(ERRORS, "LogFaultTests and PolicyFaultTests have each fault of a disk"))
async def test_an_opening_that_cannot_be_recorded_moves_nothing(directory: Path, error: int) -> None:
    disk = Disk(directory)
    async with disk.door as door, LinkEnd(door, disk.terminal_key) as link:
        await until("the policy", lambda: disk.opens(link))
        before = await openings(door)
        disk.fail(error, "events.db")
        answer = await link.answer(disk.message())
        assert (answer["result"], answer["reason"]) == ("refused", "not-recorded")
        assert await openings(door) == before
        await until("the fault", lambda: has(door, "disk-full" if error == errno.ENOSPC else "disk-failing"))
        disk.mend()
        await until("the log", lambda: disk.opens(link))


@pytest.mark.parametrize("error", some_of(ERRORS, "LogFaultTests and PolicyFaultTests have each fault of a disk"))
async def test_a_state_that_cannot_be_kept_leaves_the_former_one(directory: Path, error: int) -> None:
    disk = Disk(directory)
    first, second = chunks(["A", "B"]), chunks(["C"])

    async def offer(link: LinkEnd, version: int, parts: list[bytes]) -> dict:
        signed = order(disk.signer, version, parts)
        await link.answer(signed)
        for index, part in enumerate(parts):
            link.chunk(part, index)
        return await link.settled(signed)

    async with disk.door as door, LinkEnd(door, disk.terminal_key) as link:
        await until("the policy", lambda: (disk.state / "policy.count").exists())
        assert (await offer(link, 1, first))["result"] == "done"
        disk.fail(error, "policy")
        answer = await offer(link, 2, second)
        assert (answer["reason"], answer["counter"]) == ("not-kept", 1)
        await until("the fault", lambda: has(door, "policy-unwritable"))
        assert link.state["desired"]["version"] == 1
        assert link.state["desired"]["refused"] == {"version": 2, "reason": "not-kept"}
        disk.mend()
        # The reader writes its memory again, so that the disk has the previous state for certain.
        await until("the end of the fault", lambda: has(door, "policy-unwritable", present=False))
        assert (await policy(disk.state))["blacklist"] == 2
        assert (await offer(link, 3, second))["result"] == "done"
        assert (await policy(disk.state))["blacklist"] == 1
