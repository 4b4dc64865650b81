# SPDX-License-Identifier: Apache-2.0
"""Terminals in one folder, for the commands of a page: with the page's ports, in a separate network."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

from rig.page_blocks import path
from rig.processes import Child
from rig.reader import ROOT
from softap.network import holder, run

SECONDS = 60.0
"""For a command that ends."""


TYPED_SECONDS = 120.0
"""For a block without a terminal: the longest, twenty runs of a scenario or a load of a host, takes 5 s of a processor
in a debug build."""


async def typed(block: str, directory: Path, *codes: int) -> str:
    """The output of a block on both streams; it has to end with 0, or with any of these."""
    process = await asyncio.create_subprocess_exec(
        *("bash", "-e", "-o", "pipefail", "-c", block), cwd=directory, stdin=asyncio.subprocess.DEVNULL,
        env=os.environ | {"PATH": f"{path()}:{ROOT}/.venv/bin"},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await asyncio.wait_for(process.communicate(), TYPED_SECONDS)
    assert process.returncode in (codes or (0,)), output.decode()
    return output.decode()


class Terminals:
    """Their children end with them."""

    def __init__(self, directory: Path, host: list[str], stack: contextlib.AsyncExitStack) -> None:
        self._directory = directory
        self._host = host
        self._stack = stack
        # Debian has mosquitto where a user's PATH does not reach.
        self.environment = os.environ | {"PATH": f"{path()}:/usr/sbin"}

    async def start(self, block: str) -> Child:
        """Types a block into another terminal; the first command that fails ends it."""
        child = await Child.start(
            block.strip().splitlines()[-1], [*self._host, "bash", "-e", "-o", "pipefail", "-c", block],
            cwd=self._directory, env=self.environment, stdin=asyncio.subprocess.PIPE,
        )  # fmt: skip
        self._stack.push_async_callback(child.stop)
        return child

    async def carry_out(self, block: str, seconds: float = SECONDS) -> list[str]:
        """Types a block that ends, with 0; the lines that it prints."""
        child = await self.start(block)
        assert await child.ended(seconds) == 0, child.tail()
        return [line.text for line in child.lines]


@contextlib.asynccontextmanager
async def terminals(directory: Path) -> AsyncIterator[Terminals]:
    """The terminals. The user is the same: a broker of root's has to become another."""
    is_root = os.getuid() == 0
    process = await holder("unshare", "--net", *([] if is_root else ["--map-current-user", "--keep-caps"]))
    host = ["nsenter", "--net", *([] if is_root else ["--user", "--preserve-credentials"]), f"--target={process.pid}"]
    try:
        await run(*host, "ip", "link", "set", "lo", "up")
        async with contextlib.AsyncExitStack() as stack:
            yield Terminals(directory, host, stack)
    finally:
        process.kill()
        await process.wait()
