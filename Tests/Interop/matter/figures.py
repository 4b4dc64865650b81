# SPDX-License-Identifier: Apache-2.0
"""The cost of an emulated Matter device: processor time of PASE and CASE against the CHIP controller's in the same run,
memory with five fabrics and fifteen subscriptions, and the size of its targets in the program.

    script/build --configuration release --product readerlab
    cd Tests/Interop && READERLAB=../../.build/release/readerlab ../../.venv/bin/python -m matter.figures

prints the table of performance-history.md; `--times N` for more of each. Wall times are left out: others at work
do not change the processor time of both processes, and the quotient is of one run."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from matter.bench import Bench, Device
from matter.client.certificates import Fabric
from matter.client.endpoint import Endpoint
from matter.client.node import Node, Place, commission
from matter.controller import Controller
from rig.emulation import binary

PASSCODE = 20202021
LABEL = {"passcode": PASSCODE, "discriminator": 3840}
FABRICS, SUBSCRIPTIONS = 5, 3
CEILING = 3600
"""Seconds: no report comes while memory is read."""
TARGETS = ("MatterTLV", "MatterCredentials", "MatterSession", "MatterInteraction", "MatterNode", "MulticastDNS")


def processor_ms(pid: int) -> float:
    """The processor time of all threads of a process, in milliseconds."""
    spent = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            spent += int((thread / "schedstat").read_text().split()[0])
    return spent / 1e6


def memory(pid: int) -> dict[str, int]:
    """Kilobytes: resident, and of that what is the process's own."""
    text = Path(f"/proc/{pid}/status").read_text()
    return {name: int(re.search(rf"{name}:\s+(\d+)", text)[1]) for name in ("VmRSS", "RssAnon")}


@dataclass(frozen=True)
class Spent:
    """Processor time of one operation."""

    device: float
    controller: float


def row(name: str, spent: list[Spent]) -> str:
    device, controller = (statistics.median(getattr(one, side) for one in spent) for side in ("device", "controller"))
    low, high = (pick(one.device for one in spent) for pick in (min, max))
    quotient = statistics.median(one.device / one.controller for one in spent)
    return f"| {name} | {len(spent)} | {device:.1f} ({low:.1f} to {high:.1f}) | {controller:.1f} | {quotient:.2f} |"


async def spent(device: Device, controller: Controller, work: Callable[[], Awaitable]) -> Spent:
    """The use of both."""
    pids = (device.child.pid, controller.pid)
    before = [processor_ms(pid) for pid in pids]
    await work()
    used = [processor_ms(pid) - was for pid, was in zip(pids, before, strict=True)]
    return Spent(*used)


@contextlib.asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    directory = Path(tempfile.mkdtemp(prefix="rig-"))
    try:
        async with Bench(directory) as made:
            yield made
    finally:
        shutil.rmtree(directory, ignore_errors=True)


async def handshakes(times: int) -> list[str]:
    """PASE, commissioning, both kinds of CASE, and a command on an open session."""
    taken: dict[str, list[Spent]] = {}
    async with bench() as made:
        device = await made.device()
        code = (await device.codes())["manual"]
        controller = await made.controller()

        async def add(name: str, work: Callable[[], Awaitable]) -> None:
            taken.setdefault(name, []).append(await spent(device, controller, work))

        for _ in range(times):
            await add("PASE", lambda: controller.order("pase", code=code))
            mark = device.mark
            await controller.order("arm", seconds=0, breadcrumb=0)
            await device.event("device", mark, containing="PASE session has ended")
            await controller.order("expire_sessions")
        await add("commissioning, all of it", lambda: controller.order("commission", **LABEL))
        for _ in range(times):
            await controller.order("forget_resumption")
            await controller.order("expire_sessions")
            await add("CASE in full, and a command", lambda: controller.order("lock"))
            await controller.order("expire_sessions")
            await add("CASE resumed, and a command", lambda: controller.order("lock"))
            await add("a timed command", lambda: controller.order("lock"))
    head = ["| | times | device, ms | controller, ms | device ÷ controller |", "| --- | --- | --- | --- | --- |"]
    return head + [row(name, of) for name, of in taken.items()]


async def full(endpoint: Endpoint, device: Device) -> tuple[dict[str, int], dict[str, int]]:
    """Memory as delivered, and with all fabrics and subscriptions."""
    first = memory(device.child.pid)
    nodes: list[Node] = []
    for number in range(FABRICS):
        if nodes:
            await nodes[0].open_window()
        nodes.append(await commission(endpoint, PASSCODE, Fabric(7 + number, 0x1234), 0x99))
    for node in nodes:
        for _ in range(SUBSCRIPTIONS):
            await node.subscribe(Place(), ceiling=CEILING)
    assert await nodes[-1].fabrics() == FABRICS
    assert len(device.steps("device")) > FABRICS * SUBSCRIPTIONS
    return first, memory(device.child.pid)


async def sizes_in_memory() -> list[str]:
    async with bench() as made:
        device = await made.device()
        (endpoint,) = await made.endpoints()
        async with endpoint:
            first, last = await full(endpoint, device)
    lines = ["| | resident | of that its own |", "| --- | --- | --- |"]
    names = ("as delivered", f"{FABRICS} fabrics, {FABRICS * SUBSCRIPTIONS} wildcard subscriptions")
    for name, of in zip(names, (first, last), strict=True):
        lines.append(f"| {name} | {of['VmRSS'] / 1000:.2f} MB | {of['RssAnon'] / 1000:.2f} MB |")
    return lines


def sizes_in_program() -> list[str]:
    """Of the functions, tables and constants with a name, by the module in the name."""
    listed = subprocess.run(["nm", "-S", "--defined-only", binary()], capture_output=True, text=True, check=True)
    sizes = dict.fromkeys(TARGETS, 0)
    for line in listed.stdout.splitlines():
        fields = line.split()
        named = re.match(r"\$s(\d+)(\w+)", fields[-1]) if len(fields) == 4 else None
        module = named and named[2][: int(named[1])]
        if module in sizes:
            sizes[module] += int(fields[1], 16)
    lines = ["| target | kB |", "| --- | --- |"]
    lines += [f"| {name} | {size / 1000:.0f} |" for name, size in sizes.items()]
    return lines + [f"| all | {sum(sizes.values()) / 1000:.0f} of {os.path.getsize(binary()) / 1000:.0f} |"]


async def run(times: int) -> None:
    for table in (await handshakes(times), await sizes_in_memory(), sizes_in_program()):
        print("\n".join(table), end="\n\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="matter.figures", description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=30, help="of each handshake: 30")
    asyncio.run(run(parser.parse_args().times))


if __name__ == "__main__":
    main()
