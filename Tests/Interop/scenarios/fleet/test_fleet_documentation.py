# SPDX-License-Identifier: Apache-2.0
"""docs/operate/fleet.md unchanged: broker, air, two readers, links, collector and page, a phone that opens, a look."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from rig.page_blocks import commands
from rig.terminals import Terminals, terminals
from rig.waiting import until

READY = {
    "mosquitto": "running",
    "readerlab air": "phone .*open",
    "readerd run": "advertising",
    "readerd-link run": "connected to",
    "readerlab web": "^page: ",
}
"""The last command of a block that continues running, and its line from which on the next may be typed."""
SECONDS = 60.0
LONG = 300

pytestmark = pytest.mark.seconds(LONG)


def lasting(block: str) -> str | None:
    """The line of a block that continues running; None if it ends."""
    last = block.strip().splitlines()[-1]
    return next((pattern for begin, pattern in READY.items() if last.startswith(begin)), None)


async def test_an_event_from_a_phone_becomes_a_row(directory: Path) -> None:
    blocks = commands("fleet.md", "## On one machine, without hardware")
    assert sum(lasting(block) is not None for block in blocks) == 7
    async with terminals(directory) as here:
        page = ""
        for block in blocks[:-1]:
            pattern = lasting(block)
            if pattern is None:
                await here.carry_out(block)
                continue
            line = await (await here.start(block)).line(pattern, SECONDS)
            page = line.text.partition(" ")[2] if pattern.startswith("^page") else page
        opening, *looking = blocks[-1].strip().splitlines()
        await here.carry_out(opening)

        await until("the row", lambda: granted(directory / "fleet.db"), SECONDS)
        rows = {line.split()[0]: line for line in await here.carry_out("\n".join(looking))}
        assert set(rows) == {"reader", "front", "back"}
        assert "there" in rows["front"] and "there" in rows["back"]
        assert rows["front"].split("  ")[-2].endswith("granted ALICE04711"), rows

        shown = await here.carry_out(f"curl --silent --fail '{page}'")
        assert "<html" in "\n".join(shown)
        await the_database(here, directory)


async def the_database(here: Terminals, directory: Path) -> None:
    """The commands for the collector's database, but for the folder of the node exporter."""
    query, metrics = commands("fleet.md", "## The collector's database")
    (row,) = await here.carry_out(query)
    assert row.endswith("|ALICE04711")
    exporter = "/var/lib/prometheus/node-exporter"
    assert exporter in metrics
    (directory / "exporter").mkdir()
    await here.carry_out(metrics.replace(exporter, str(directory / "exporter")))
    families = text_string_to_metric_families((directory / "exporter/fleet.prom").read_text())
    present = {sample.labels["reader"]: sample.value for family in families for sample in family.samples
               if sample.name == "readerd_fleet_link_up"}  # fmt: skip
    assert present == {"front": 1, "back": 1}


def granted(database: Path) -> bool:
    """True once Alice's opening is in the table, from the front door."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        documents = [json.loads(row[0]) for row in connection.execute("SELECT document FROM event")]
    found = [event for event in documents if event["kind"] == "granted"]
    assert all(event["credential"] == "ALICE04711" for event in found)
    return len(found) == 1
