# SPDX-License-Identifier: Apache-2.0
"""A reader's status against the observations of a phone, a panel, a broker and the log, while all of them fail.

    python -m rig.attack --honesty --minutes 30 [--seed N] [--only TEXT] [--json]

Controller, panel, broker, disk and the process itself are in trouble independently, each again and again, in an order
that the seed gives. A disagreement of more than 30 s about a fact is a failure, and so are a trouble that is not healed
in time, an opening without a young request, and an acknowledged entrance that the log does not have.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from access.advertising import ACCESS
from fleet.broker import Broker
from fleet.door import DEVICE, program
from fleet.passage import Passage, Subscriber
from fleet.troubles import BrokerTroubles
from panel.panel import key_file
from panel.troubles import PanelTroubles
from panel.wire import wire
from rig.bench import Bench
from rig.comparison import Outcome
from rig.lines import Lines
from rig.observer import FACTS, LOCK, Observer, Pace
from rig.profiles import FULL, LEGACY
from rig.reader_troubles import ControllerTroubles, DiskTroubles, ProcessTroubles

LONGEST_SECONDS = 4 * 3600.0
"""Edges of the lock have room for that."""
START_SECONDS = 60.0
"""Until all is well."""

PACES = {
    "controller": Pace((3, 50), (5, 30)),
    "panel": Pace((3, 50), (5, 30)),
    # A connection of a minute resets the pauses of readerd-link.
    "broker": Pace((3, 50), (65, 80)),
    "disk": Pace((3, 50), (10, 40)),
    "process": Pace((6, 12), (50, 120)),
}
SHORT_PACES = {
    **dict.fromkeys(("controller", "panel", "disk"), Pace((3, 6), (1, 3))),
    "broker": Pace((3, 6), (1, 3)),
    "process": Pace((6, 7), (20, 30)),
}


async def honest(
    seconds: float, seed: int, paces: dict[str, Pace], say: Callable[[str], None] = lambda _: None, only: str = ""
) -> Outcome:
    """A run of this length, of troubles whose names contain `only`.

    Raises TimeoutError if the reader is not well at its start.
    """
    chance = random.Random(seed)
    outcome = Outcome(seed, chance.choice([FULL.name, LEGACY.name]))
    async with contextlib.AsyncExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rig-")))
        lines = Lines(directory)
        disk = DiskTroubles(directory / "fault")
        line = stack.enter_context(wire(directory))
        bench = Bench(
            controller=outcome.profile,
            prepare=_keyed,
            **{"": {"allow-demo-identity": True}},
            advertising={"modes": [ACCESS.name]},
            door={"pulse-s": 1},
            gpio={"lock": f"gpiochip0:{LOCK}"},
            osdp={"line": str(line.path)},
            link={"socket": str(directory / "link"), "user": str(os.getuid()), "name": "Honest door"},
        )
        bench.environment = {
            **lines.environment,
            **disk.environment(bench.state),
            "LD_PRELOAD": f"{lines.environment['LD_PRELOAD']}:{program('libPowerCut.so')}",
        }
        await stack.enter_async_context(bench)
        broker = await stack.enter_async_context(Broker(directory))
        reader = broker.authority.issue(DEVICE)
        passage = await stack.enter_async_context(Passage(broker, reader))
        subscriber = await stack.enter_async_context(Subscriber(broker))
        link = await stack.enter_async_context(BrokerTroubles(broker, passage, reader, directory / "link"))
        panel = await stack.enter_async_context(PanelTroubles(line))
        observer = Observer(outcome, bench, lines, say)
        parts = {
            "controller": ControllerTroubles(bench, outcome.profile),
            "panel": panel,
            "broker": link,
            "disk": disk,
            "process": ProcessTroubles(bench),
        }
        phone = await bench.phone()
        tasks = [
            asyncio.create_task(observer.watch(panel, passage, subscriber)),
            asyncio.create_task(observer.probe(random.Random(f"{seed} probe"))),
            asyncio.create_task(observer.visit(phone)),
        ]
        try:
            if await observer.well(list(FACTS), 0, START_SECONDS + time.monotonic()) is None:
                raise TimeoutError(f"not well at the start: {observer.missing}; {await observer.status()}")
            for part, troubles in parts.items():
                kinds = {name: trouble for name, trouble in troubles.kinds.items() if only in name}
                pick = random.Random(f"{seed} {part}")
                if kinds:
                    tasks.append(asyncio.create_task(observer.trouble(part, kinds, paces[part], pick)))
            done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        observer.finish()
    return outcome


def _keyed(state: Path) -> None:
    state.mkdir(exist_ok=True)
    key_file(state / "osdp.key")
