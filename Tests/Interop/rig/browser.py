# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium without a window, driven by its own driver."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

BROWSER = Path("/usr/bin/chromium")
DRIVER = Path("/usr/bin/chromedriver")
PAGE_SECONDS = 30.0
"""For what a page comes to show: tenths of a second where nothing else runs."""

T = TypeVar("T")


class Browser:
    """One window. Its calls wait, so each runs on its own thread."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver

    async def do(self, work: Callable[[Chrome], T]) -> T:
        """The result of `work`."""
        return await asyncio.to_thread(work, self.driver)

    async def until(self, holds: Callable[[Chrome], T]) -> T:
        """The first result of `holds` that is true. Raises TimeoutException."""
        return await self.do(lambda driver: WebDriverWait(driver, PAGE_SECONDS, 0.1).until(holds))

    async def script(self, text: str, *arguments: object) -> object:
        """The result of a script."""
        return await self.do(lambda driver: driver.execute_script(text, *arguments))

    async def complaints(self) -> list[str]:
        """The console's messages: errors of scripts, and what the content security policy has refused."""
        return await self.do(lambda driver: [entry["message"] for entry in driver.get_log("browser")])


@contextlib.asynccontextmanager
async def browser(width: int = 1100, height: int = 900) -> AsyncIterator[Browser]:
    """A window of this size."""
    options = ChromeOptions()
    options.binary_location = str(BROWSER)
    # No sandbox: tests run as root in containers, and open nothing but pages of ours.
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(option)
    options.add_argument(f"--window-size={width},{height}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = await asyncio.to_thread(Chrome, options=options, service=Service(str(DRIVER)))
    try:
        yield Browser(driver)
    finally:
        await asyncio.to_thread(driver.quit)
