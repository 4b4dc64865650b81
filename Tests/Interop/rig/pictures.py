# SPDX-License-Identifier: Apache-2.0
"""The pictures of readerlab's pages in docs: `script/pictures`."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from selenium.webdriver.common.by import By

from access.advertising import ACCESS
from access.frames import Message
from access.session import Transponder
from fleet import page as fleet_page
from fleet.broker import Broker
from fleet.door import Door
from rig.air_process import OTHER, PHONE, AirProcess
from rig.bench import FAR_DBM, READER, Bench
from rig.browser import Browser, browser
from rig.phone import Link, Phone
from rig.rows import LONG_TIMEOUTS
from rig.web_page import Page, page

DOCS = Path(__file__).resolve().parents[3] / "docs"
SCHEME = os.environ.get("READERD_SCHEME", "light")
"""`dark` to look at that one."""
PLACE = Path(os.environ.get("READERD_PICTURES") or DOCS)
WIDTH = 1280
SHARPNESS = 1.5
"""Pixels a point: legible on a fine screen, in half of the octets that two pixels need."""
SETTLE_SECONDS = 0.8
"""For the motion of a door to end."""


async def picture(window: Browser, name: str, height: int) -> None:
    """Writes the upper part of the window's page."""
    await asyncio.sleep(SETTLE_SECONDS)
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
    shot = await window.do(lambda driver: driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip}))
    (PLACE / name).write_bytes(base64.b64decode(shot["data"]))
    print(PLACE / name)


async def opened(window: Browser, made: Page, shown: str) -> None:
    metrics = {"width": WIDTH, "height": 900, "deviceScaleFactor": SHARPNESS, "mobile": False}
    await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics))
    await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True}))
    media = {"features": [{"name": "prefers-color-scheme", "value": SCHEME}]}
    await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media))
    await window.do(lambda driver: driver.get(made.address))
    await window.until(lambda driver: driver.find_elements(By.CSS_SELECTOR, shown))


async def order(made: Page, line: str) -> None:
    status, answer = await made.post(json.dumps({"line": line}))
    if status != 204:
        raise SystemExit(f"{line}: {answer}")


async def site() -> None:
    """The demo: a phone at the door, which has opened; one behind a wall; others are refused."""
    async with page("demo", "--paused") as made, browser(WIDTH) as window:
        await opened(window, made, ".plan .phone")
        # The page receives the events of each step before the next.
        for line in ("step 2s", "move Ben -1.2 -2.3", "step 2s", "move Anna 0.9 -0.9", "step 2400ms"):
            await order(made, line)
        await window.until(lambda driver: driver.find_elements(By.CSS_SELECTOR, ".plan .released"))
        await picture(window, "site.png", 880)


async def emulated_reader(window: Browser, made: Page, air: AirProcess) -> list[Phone]:
    """A phone that opens the door, one that is too far, and one whose app has forgotten to subscribe. Returns them."""
    phones = [await Phone.open(name, air.hci(name)) for name in (PHONE, OTHER, "third")]

    async def link(number: int, dbm: float) -> Link:
        await air.level(phones[number].name, READER, dbm)
        return await phones[number].connect((await phones[number].find(ACCESS)).address)

    forgetful = await link(2, -48)
    await forgetful.exchange_mtu()
    await forgetful.discover()
    await forgetful.send(Message(Transponder().handshake()))
    await window.until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "#findings li"))
    await (await (await link(0, -46)).prepare(ACCESS.service)).run("tokn")
    await link(1, FAR_DBM)
    return phones


async def device() -> None:
    """An emulated reader: what an app got wrong, who is connected, a fault in force."""
    with tempfile.TemporaryDirectory() as place:
        names = [f"{name}=unix:{place}/{name}" for name in (PHONE, OTHER, "third")]
        air = await AirProcess.start(f"{READER}=tcp:127.0.0.1:0", *names)
        try:
            command = ("emulate", "reader", "--hci", air.hci(READER), "--modes", "access", "--links", "4")
            async with page(*command) as made, browser(WIDTH) as window:
                await opened(window, made, "#switches button")
                await order(made, "fault delay answer 400 every")
                phones = await emulated_reader(window, made, air)
                await window.until(lambda driver: len(driver.find_elements(By.CSS_SELECTOR, "#links .strip")) > 1)
                await picture(window, "emulators/device.png", 880)
                for phone in phones:
                    await phone.close()
        finally:
            await air.stop()


async def reader() -> None:
    """A running reader that has opened for a phone; another one is too far."""
    settings = {**LONG_TIMEOUTS, "proximity": {"samples": 3, "window-ms": 1000}}
    async with (
        Bench(**settings, door={"pulse-s": 300}) as bench,
        page("watch", "--control", str(bench.control)) as made,
        browser(WIDTH) as window,
    ):
        await opened(window, made, "#reader .tiles dd")
        await bench.connected("passer", dbm=FAR_DBM)
        await window.until(lambda driver: "below" in driver.find_element(By.ID, "entries").text)
        link = await bench.ready()
        await link.run("tokn")
        await window.until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "#links .strip"))
        await window.until(lambda driver: "Unlocked" in driver.find_element(By.ID, "reader").text)
        await picture(window, "emulators/reader.png", 660)


async def fleet() -> None:
    """A fleet of one reader, which lacks its controller and has opened its door."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        async with Broker(directory) as broker, Door(directory / "d") as door, browser(WIDTH) as window:
            child, made = await fleet_page.page(directory, broker)
            try:
                await opened(window, made, "#readers td")
                await door.join(broker)
                await door.open(2, 1)
                await window.until(lambda driver: "unlocked" in driver.find_element(By.ID, "entries").text)
                await window.until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "#troubles li"))
                last = "td[data-name='Last event']"
                await window.until(lambda driver: "unlocked" in driver.find_element(By.CSS_SELECTOR, last).text)
                await picture(window, "operate/fleet.png", 720)
            finally:
                await child.stop()


PICTURES: dict[str, Callable[[], Awaitable[None]]] = {"site": site, "device": device, "reader": reader, "fleet": fleet}


def main() -> None:
    names = sys.argv[1:] or list(PICTURES)
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        raise SystemExit(f"pictures: there is no {unknown[0]}; there are {', '.join(PICTURES)}")
    for name in names:
        asyncio.run(PICTURES[name]())


if __name__ == "__main__":
    main()
