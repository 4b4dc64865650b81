# SPDX-License-Identifier: Apache-2.0
"""docs/fleet.md as it stands: broker, air, two readers, links, collector with its page, and a phone that opens."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fleet.broker import until
from fleet.door import BUILD
from rig.page_blocks import commands
from rig.processes import Child
from softap.network import holder, run

READY = {
    "mosquitto": "running",
    "readerlab air": "phone .*open",
    "readerd run": "advertising",
    "readerd-link run": "connected to",
    "readerlab web": "^page: ",
}
"""The last command of a block that goes on running, and its line from which on the next may be typed."""
SECONDS = 60.0
LONG = 300

pytestmark = pytest.mark.seconds(LONG)


def lasting(block: str) -> str | None:
    """The line of a block that goes on running; None if it ends."""
    last = block.strip().splitlines()[-1]
    return next((pattern for begin, pattern in READY.items() if last.startswith(begin)), None)


@contextlib.asynccontextmanager
async def own_network() -> AsyncIterator[list[str]]:
    """The prefix of commands in a network of their own, as the same user: a broker of root's has to become another."""
    is_root = os.getuid() == 0
    process = await holder("unshare", "--net", *([] if is_root else ["--map-current-user", "--keep-caps"]))
    enter = ["nsenter", "--net", *([] if is_root else ["--user", "--preserve-credentials"])]
    enter.append(f"--target={process.pid}")
    try:
        await run(*enter, "ip", "link", "set", "lo", "up")
        yield enter
    finally:
        process.kill()
        await process.wait()


async def test_an_event_from_a_phone_becomes_a_row(directory: Path) -> None:
    blocks = commands("fleet.md", "## On one machine, without hardware")
    assert sum(lasting(block) is not None for block in blocks) == 7
    # Debian has mosquitto where a user's PATH does not reach. Ports are those of the page: in a network of their own.
    environment = os.environ | {"PATH": f"{BUILD}:{os.environ['PATH']}:/usr/sbin"}
    async with contextlib.AsyncExitStack() as stack:
        host = await stack.enter_async_context(own_network())

        async def type_(block: str, name: str) -> Child:
            child = await Child.start(
                name, [*host, "bash", "-e", "-c", block],
                cwd=directory, env=environment, stdin=asyncio.subprocess.PIPE,
            )  # fmt: skip
            stack.push_async_callback(child.stop)
            return child

        page = ""
        for block in blocks[:-1]:
            child = await type_(block, block.strip().splitlines()[-1])
            pattern = lasting(block)
            if pattern is None:
                assert await child.ended(SECONDS) == 0, child.tail()
                continue
            line = await child.line(pattern, SECONDS)
            page = line.text.partition(" ")[2] if pattern.startswith("^page") else page
        opening, *looking = blocks[-1].strip().splitlines()
        opened = await type_(opening, "phone")
        assert await opened.ended(SECONDS) == 0, opened.tail()

        database = directory / "fleet.db"
        await until("the row", lambda: granted(database), SECONDS)
        status = await type_("\n".join(looking), "status")
        assert await status.ended(SECONDS) == 0
        rows = {line.text.split()[0]: line.text for line in status.lines}
        assert set(rows) == {"reader", "front", "back"}
        assert "there" in rows["front"] and "there" in rows["back"]
        assert rows["front"].split("  ")[-2].endswith("granted ALICE04711"), rows

        shown = await type_(f"curl --silent --fail --location --cookie-jar jar '{page}'", "curl")
        assert await shown.ended(SECONDS) == 0 and "<html" in "\n".join(line.text for line in shown.lines)


def granted(database: Path) -> bool:
    """True once Alice's opening is in the table, from the front door."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        documents = [json.loads(row[0]) for row in connection.execute("SELECT document FROM event")]
    found = [event for event in documents if event["kind"] == "granted"]
    assert all(event["credential"] == "ALICE04711" for event in found)
    return len(found) == 1
