# SPDX-License-Identifier: Apache-2.0
"""A reader that polls: what its status and its events have of cards."""

from __future__ import annotations

import asyncio
import json
import subprocess

from rig.bench import Bench
from rig.operation import Operator
from rig.reader import binary
from rig.waiting import until

FOUND_SECONDS = 5.0
"""Until a card is found: a round takes 100 ms, and a test machine may be busy."""
EMPTY_ROUNDS = 8
"""After which a card that was taken has left for the reader."""


async def chip(bench: Bench) -> dict:
    """The member of the status."""
    done = await asyncio.to_thread(
        subprocess.run,
        [str(binary()), "status", "--control", str(bench.control), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)["nfc"]


async def becomes(bench: Bench, name: str, least: int, seconds: float = FOUND_SECONDS) -> dict:
    """The member of the status once a count is at least so high."""

    async def present() -> dict | None:
        status = await chip(bench)
        return status if status[name] >= least else None

    return await until(f"{name} {least}", present, seconds)


async def emptied(bench: Bench) -> None:
    """The field was empty for so long that the next card is served."""
    await becomes(bench, "rounds", (await chip(bench))["rounds"] + EMPTY_ROUNDS)


async def recorded(bench: Bench, kind: str) -> dict:
    """The first event of this kind."""

    async def present() -> dict | None:
        done = await Operator(bench).events("--json")
        found = [event for line in done.output.splitlines() if (event := json.loads(line))["kind"] == kind]
        return found[0] if found else None

    return await until(kind, present, FOUND_SECONDS)
