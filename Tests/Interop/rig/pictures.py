# SPDX-License-Identifier: Apache-2.0
"""The pictures of readerlab's pages in docs: `script/pictures`."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from selenium.webdriver.common.by import By

from rig.browser import Browser, browser
from rig.web_page import Page, page

DOCS = Path(__file__).resolve().parents[3] / "docs"
WIDTH = 1280
SETTLE_SECONDS = 0.8
"""For the motion of a door to end."""


async def picture(window: Browser, name: str, height: int) -> None:
    """Writes what the window shows, twice as sharp as a screen of one pixel a point."""
    await asyncio.sleep(SETTLE_SECONDS)
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
    shot = await window.do(lambda driver: driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip}))
    (DOCS / name).write_bytes(base64.b64decode(shot["data"]))
    print(DOCS / name)


async def opened(window: Browser, made: Page, shown: str) -> None:
    metrics = {"width": WIDTH, "height": 900, "deviceScaleFactor": 2, "mobile": False}
    await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics))
    await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True}))
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


PICTURES: dict[str, Callable[[], Awaitable[None]]] = {"site": site}


def main() -> None:
    names = sys.argv[1:] or list(PICTURES)
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        raise SystemExit(f"pictures: there is no {unknown[0]}; there are {', '.join(PICTURES)}")
    for name in names:
        asyncio.run(PICTURES[name]())


if __name__ == "__main__":
    main()
