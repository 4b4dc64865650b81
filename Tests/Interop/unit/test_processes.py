# SPDX-License-Identifier: Apache-2.0
"""The output of child processes, which may end before it is read."""

from __future__ import annotations

import asyncio
import time

import pytest

from rig.processes import Child, Gone

LAST_LINES = ["sh", "-c", "echo first; echo last"]
SECONDS = 10.0


async def exited() -> Child:
    """A process that has ended, of whose lines none has been read."""
    child = await Child.start("sh", LAST_LINES)
    # The event loop stands still meanwhile.
    time.sleep(0.3)
    while child.returncode is None:
        await asyncio.sleep(0)
    return child


async def test_the_last_line_of_a_process_that_has_ended_is_found():
    for _ in range(5):
        child = await exited()
        assert (await child.line("^last$", SECONDS)).text == "last"
        assert await child.ended(SECONDS) == 0


async def test_a_line_that_an_ended_process_did_not_print_is_missed():
    child = await exited()
    with pytest.raises(Gone, match="last"):
        await child.line("another", SECONDS)
    assert await child.ended(SECONDS) == 0
