# SPDX-License-Identifier: Apache-2.0
"""`readerlab web fleet collect`: the readers of a fleet in Debian's Chromium."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from prometheus_client.parser import text_string_to_metric_families
from selenium.webdriver.common.by import By

from fleet.broker import Broker
from fleet.desk import run
from fleet.door import Collector, Door, program
from fleet.page import page
from rig.browser import Browser, browser
from rig.matrix import some_of
from rig.waiting import until
from rig.web_page import CONTRAST

pytestmark = pytest.mark.seconds(180)
SECONDS = 30.0
DASHBOARD = Path(__file__).parents[4] / "docs/operate/fleet-dashboard.json"


def shows(element: str, words: str):
    """A question to the page: True if the element of this id shows these words."""
    return lambda driver: words in driver.find_element(By.ID, element).text


async def is_hidden(window: Browser, element: str) -> bool:
    """True if the element of this id is not shown."""
    return not await window.do(lambda driver: driver.find_element(By.ID, element).is_displayed())


@pytest.mark.parametrize("scheme", some_of(["light", "dark"], "the light case is the same page"))
async def test_readers_and_their_events_are_seen_as_they_happen(directory: Path, scheme: str) -> None:
    async with Broker(directory) as broker, Door(directory / "d") as door, browser() as window:
        child, made = await page(directory, broker)
        try:
            feature = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setEmulatedMedia", feature))
            await window.do(lambda driver: driver.get(made.address))
            await window.until(shows("readers", "never seen"))
            await door.join(broker)
            await window.until(shows("readers", "there"))
            await window.until(shows("readers", "controller-absent"))
            await window.until(shows("troubles", "demo: No controller at the end of the transport"))
            await window.until(shows("troubles", "Plug it in, correct hci"))
            await door.open(2, 10)
            await window.until(shows("entries", "unlocked"))
            await window.until(shows("readers", "unlocked"))
            assert await is_hidden(window, "control") and await is_hidden(window, "device")
            assert not await is_hidden(window, "no-findings")
            place = os.environ.get("READERD_SCREENSHOTS")
            if place:
                await window.do(lambda driver: driver.save_screenshot(f"{place}/fleet-{scheme}.png"))
            metrics = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
            await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics))
            assert await window.script("return document.documentElement.scrollWidth") <= 360
            assert await window.script(CONTRAST) >= 4.5
            if place:
                await window.do(lambda driver: driver.save_screenshot(f"{place}/fleet-{scheme}-narrow.png"))
            assert await window.complaints() == []
            # A page that is opened later has the readers too.
            await window.do(lambda driver: driver.refresh())
            await window.until(shows("readers", "unlocked"))
        finally:
            code = await child.stop()
        assert code == 0


@pytest.mark.thorough("FleetCollectorTests refuse what a reader has not signed")
async def test_what_the_collector_refuses_is_a_finding(directory: Path) -> None:
    async with Broker(directory) as broker, Door(directory / "d") as door, browser() as window:
        child, made = await page(directory, broker, ec.generate_private_key(ec.SECP256R1()).public_key())
        try:
            await window.do(lambda driver: driver.get(made.address))
            await door.join(broker)
            await window.until(shows("findings", "Refused: demo: the signature of events"))
        finally:
            await child.stop()


async def test_it_is_only_looked_at(directory: Path) -> None:
    async with Broker(directory) as broker:
        child, made = await page(directory, broker)
        try:
            assert (await made.get("/"))[0] == 200
            assert (await made.get("/events", token=""))[0] == 403
            assert (await made.get("/", host=f"evil.example:{made.port}"))[0] == 421
            assert (await made.post('{"line": "quit"}'))[0] == 503
            assert (await made.post('{"line": "quit"}', origin="http://evil.example"))[0] == 403
        finally:
            await child.stop()
        code = await asyncio.create_subprocess_exec(
            program("readerlab"), "web", "fleet", "status", stderr=asyncio.subprocess.DEVNULL
        )
        assert await code.wait() != 0


async def test_the_dashboard_asks_for_metrics_that_there_are(directory: Path) -> None:
    """Its expressions, and Prometheus' own parser on the metrics of a collector's database."""
    async with Broker(directory) as broker, Collector(directory, broker):
        database = directory / "fleet.db"

        async def metrics() -> str | None:
            code, output = await run("fleet", "metrics", "--database", str(database))
            return output if code == 0 else None

        # The collector may not have made its tables yet.
        output = await until("the metrics", metrics)
        families = list(text_string_to_metric_families(output))
        # A counter's family is without its suffix, and its samples have it.
        known = {name for family in families for name in (family.name, f"{family.name}_total")}
        panels = json.loads(DASHBOARD.read_text())["panels"]
        asked = {name for panel in panels for name in re.findall(r"readerd_\w+", panel["targets"][0]["expr"])}
        assert len(families) == 11 and asked <= known
        # Each of them is on it.
        counted = {f"{family.name}_total" if family.type == "counter" else family.name for family in families}
        assert asked == counted
        assert len({panel["id"] for panel in panels}) == len(panels)
