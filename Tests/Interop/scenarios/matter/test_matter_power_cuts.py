# SPDX-License-Identifier: Apache-2.0
"""The power goes while an emulated Matter device keeps its state: at every operation on its files, and after every
answer. Afterwards it is as delivered, or on its fabrics, never between, and all its reports are true.

`libPowerCut.so` (`lab/Sources/CPowerCut`) kills the device at an operation; what was not synchronised is lost."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from matter.bench import Bench, Device
from matter.client.certificates import Fabric
from matter.client.endpoint import Endpoint
from matter.client.node import STEPS, Commissioning, Node, Place, commission
from matter.client.sessions import Refused, case
from matter.client.wire import NO_SHARED_ROOT
from rig.emulation import LINE_SECONDS
from rig.processes import Gone
from rig.reader import ROOT

LIBRARY = ROOT / ".build/debug/libPowerCut.so"
PASSCODE = 20202021
NODE_LABEL = Place(0, 0x28, 5)
UNLOCKED = 2
FIRST, SECOND, THIRD = "first", "second", "third"
PARTS = 4
"""The cuts are dealt out to so many tests, which can run next to each other."""
LEAST = 50
"""Cuts, in all."""

pytestmark = [
    pytest.mark.seconds(420),
    pytest.mark.thorough("FailSafeTests restart a node with what it has kept"),
]


class Life:
    """A device's life with two fabrics, and the state that its administrator knows."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.fabrics = {name: Fabric(7 + number, 0x1234) for number, name in enumerate((FIRST, SECOND))}
        self.begun: set[str] = set()
        self.told: set[str] = set()

    def steps(self) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        """The steps, in this order."""
        first, second = (Commissioning(self._endpoint, PASSCODE, self.fabrics[name], 0x99) for name in (FIRST, SECOND))

        def each(name: str, commissioning: Commissioning) -> list:
            return [(f"{name} {step}", lambda step=step: commissioning.step(step)) for step in STEPS]

        return [
            *each(FIRST, first),
            ("unlock", lambda: first.node.lock(1)),
            ("label", lambda: first.node.write(NODE_LABEL, "door")),
            ("window", lambda: first.node.open_window()),
            *each(SECOND, second),
            ("second removed", lambda: second.node.remove(2)),
            ("first removed", lambda: first.node.remove(1)),
        ]

    async def run(self, device: Device, stop_after: int | None = None) -> None:
        """All steps, or so many and then a cut."""
        await device.event("ready")
        for number, (name, work) in enumerate(self.steps(), 1):
            self.begun.add(name)
            await work()
            self.told.add(name)
            if number == stop_after:
                os.kill(device.child.pid, signal.SIGKILL)

    def may_be_on(self, name: str) -> set[bool]:
        """Whether the device may be on that fabric after a cut: both, if an answer was still to come."""
        came, gone = f"{name} CommissioningComplete", f"{name} removed"
        if gone in self.told or came not in self.begun:
            return {False}
        return {True} if came in self.told and gone not in self.begun else {False, True}


@contextlib.asynccontextmanager
async def benches(directory: Path):
    async with Bench(directory) as bench:
        (endpoint,) = await bench.endpoints()
        async with endpoint:
            yield bench, endpoint


async def lived(bench: Bench, endpoint: Endpoint, at: int = 0, after: int | None = None) -> tuple[Life, list[str], int]:
    """A life up to a cut at operation `at` on the files, or after so many steps; the operations, and the device's exit
    code. Without a cut, the device is ended with manners."""
    if not LIBRARY.exists():
        raise FileNotFoundError(f"there is no {LIBRARY}: build it as `script/test` does")
    bench.state = bench.directory / f"{at}-{after}"
    log = bench.directory / f"log-{at}-{after}"
    log.touch()
    environment = os.environ | {
        "LD_PRELOAD": str(LIBRARY),
        "READERLAB_CUT_DIRECTORY": str(bench.state),
        "READERLAB_CUT_AT": str(at),
        "READERLAB_CUT_LOG": str(log),
    }
    device = await bench.device_begun(environment=environment)
    life = Life(endpoint)
    living = asyncio.create_task(life.run(device, after))
    end = asyncio.create_task(device.child.ended(LINE_SECONDS + 60))
    await asyncio.wait([living, end], return_when=asyncio.FIRST_COMPLETED)
    if living.done() and not isinstance(living.exception(), Gone):
        living.result()
    if living.done() and not living.exception() and after is None:
        end.cancel()
        return life, log.read_text().splitlines(), await device.child.stop()
    code = await end
    living.cancel()
    await asyncio.gather(living, return_exceptions=True)
    return life, log.read_text().splitlines(), code


async def on_fabric(endpoint: Endpoint, fabric: Fabric) -> Node | None:
    try:
        return Node(endpoint, await case(endpoint, fabric, 0x99))
    except Refused as refused:
        assert refused.report.code == NO_SHARED_ROOT, refused
        return None


async def judge(bench: Bench, endpoint: Endpoint, life: Life) -> None:
    """The device starts, and is what it may be."""
    device = await bench.device()
    nodes = {name: await on_fabric(endpoint, fabric) for name, fabric in life.fabrics.items()}
    for name, node in nodes.items():
        assert (node is not None) in life.may_be_on(name), (name, life.told)
    there = [node for node in nodes.values() if node]
    is_commissionable = any("commissionable: the label" in step["text"] for step in device.steps("device"))
    assert is_commissionable == (not there)
    for node in there:
        assert await node.fabrics() == len(there)
    if there:
        if "unlock" in life.told:
            assert await there[0].lock_state() == UNLOCKED
        if "label" in life.told:
            assert await there[0].value(*vars(NODE_LABEL).values()) == "door"
    else:
        node = await commission(endpoint, PASSCODE, Fabric(9, 0x1234), 0x99)
        assert await node.fabrics() == 1
    # The contents of an app's trust store.
    assert (bench.state / "paa/readerlab-paa.der").stat().st_size > 0


@pytest.mark.parametrize("part", range(PARTS))
async def test_a_power_cut_at_any_operation(directory: Path, part: int) -> None:
    async with benches(directory) as (bench, endpoint):
        count = 0
        for at in itertools.count(part + 1, PARTS):
            life, operations, code = await lived(bench, endpoint, at)
            if len(operations) < at:
                assert code == 0 and life.told == {name for name, _ in life.steps()}
                break
            assert code == -signal.SIGKILL, operations
            try:
                await judge(bench, endpoint, life)
            except BaseException as error:
                error.add_note(f"after a cut at {operations[-1]!r}; told {sorted(life.told)}")
                raise
            count += 1
        assert count * PARTS >= LEAST


@pytest.mark.parametrize("part", range(PARTS))
async def test_a_power_cut_after_any_answer(directory: Path, part: int) -> None:
    async with benches(directory) as (bench, endpoint):
        names = [name for name, _ in Life(endpoint).steps()]
        for after in range(part + 1, len(names) + 1, PARTS):
            life, _, code = await lived(bench, endpoint, after=after)
            assert code == -signal.SIGKILL and names[after - 1] in life.told
            try:
                await judge(bench, endpoint, life)
            except BaseException as error:
                error.add_note(f"after a cut after {names[after - 1]}")
                raise
