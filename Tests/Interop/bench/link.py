# SPDX-License-Identifier: Apache-2.0
"""Measure readerd-link as it is shipped against its budget: resident memory over TLS, while it delivers.

script/bench --link          builds it, measures, and writes its part of docs/develop/performance.md
script/bench --link --print  to standard output instead
script/bench --link --gate   to standard output, and fails where the budget is missed
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.figures import ROOT, record, thresholds
from bench.firmware import MB, START_SECONDS, mapped, resident, strip
from bench.page import measured_on, options, put, table
from fleet.broker import Broker
from fleet.door import Collector, Door
from rig.waiting import until

EVENTS = 3000
RATE = 300
PAUSE_SECONDS = 0.2
DELIVERED_SECONDS = 120.0
BUDGET, _ = thresholds("link")["memory-mb"]
BUILD = ["script/build", "--configuration", "release", "--product", "readerd-link", "--static-swift-stdlib"]
PEERS = ("readerd", "readerlab")
"""Programs of the test's build, which deliver to it and take from it."""


def build(directory: Path) -> Path:
    """The program as it is shipped: static runtime, stripped."""
    for product in PEERS:
        subprocess.run(["script/build", "--product", product], cwd=ROOT, check=True, stdout=sys.stderr)
    subprocess.run(BUILD, cwd=ROOT, check=True, stdout=sys.stderr)
    shown = subprocess.run([*BUILD, "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return strip(Path(shown.stdout.strip()) / "readerd-link", directory / "readerd-link")


@dataclass(frozen=True)
class Memory:
    """The memory in use while events are delivered."""

    kinds: dict[str, int]
    """Octets by kind, when they were the most."""
    least: int
    owners: list[tuple[str, int]]
    """At the end."""
    samples: int

    @property
    def megabytes(self) -> float:
        return self.kinds["VmRSS"] / MB


async def memory(program: Path) -> Memory:
    """mosquitto with TLS 1.3, a collector that marks, and a reader that opens."""
    os.environ["READERD_LINK"] = str(program)
    with tempfile.TemporaryDirectory(prefix="rd-") as name:
        directory = Path(name)
        async with Broker(directory) as broker, Collector(directory, broker), Door(directory / "d") as door:
            link = await door.join(broker)
            # The pages of the start are given back after 5 s.
            await asyncio.sleep(START_SECONDS)
            await until("the connection", door.delivered)
            opening = asyncio.create_task(door.open(EVENTS, RATE))
            seen = []
            deadline = time.monotonic() + DELIVERED_SECONDS
            while not (opening.done() and await door.delivered()):
                assert time.monotonic() < deadline, f"not delivered in {DELIVERED_SECONDS} s"
                seen.append(resident(link.pid))
                await asyncio.sleep(PAUSE_SECONDS)
            await opening
            most = max(seen, key=lambda kinds: kinds["VmRSS"])
            return Memory(most, min(kinds["VmRSS"] for kinds in seen), mapped(link.pid), len(seen))


def lines(measured: Memory, load: float) -> list[str]:
    kinds = measured.kinds
    held = measured.megabytes <= BUDGET
    row = ["resident memory with TLS", f"≤ {BUDGET:g} MB", f"{measured.megabytes:.2f} MB", "yes" if held else "**no**"]
    return [
        measured_on("--link", load),
        "",
        *table(["budget", "at most", "measured", "held"], [row]),
        "",
        f"The most of {measured.samples} samples while {EVENTS} events were delivered, {RATE} a second; the least was "
        f"{measured.least / MB:.2f} MB. {kinds['RssAnon'] / MB:.2f} MB of it are its own, and "
        f"{(kinds['RssFile'] + kinds['RssShmem']) / MB:.2f} MB pages of files; since its start it never had more than "
        f"{kinds['VmHWM'] / MB:.2f} MB. The largest parts: "
        + ", ".join(f"{owner} {octets / MB:.2f} MB" for owner, octets in measured.owners)
        + ".",
    ]


def main() -> None:
    arguments = options(__doc__)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="rd-") as name:
        measured = asyncio.run(memory(build(Path(name))))
    record("link", {"memory-mb": measured.megabytes})
    put(lines(measured, load), "link", to_page=not (arguments.print or arguments.gate))
    if arguments.gate and measured.megabytes > BUDGET:
        raise SystemExit(
            f"bench: over the budget: readerd-link has {measured.megabytes:.2f} MB of {BUDGET:g} MB resident"
        )


if __name__ == "__main__":
    main()
