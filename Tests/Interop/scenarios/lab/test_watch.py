# SPDX-License-Identifier: Apache-2.0
"""`readerlab watch`: a running reader's links, readings and door as they happen, in a terminal and on a page."""

from __future__ import annotations

import asyncio
import json

import pytest
from selenium.webdriver.common.by import By

from rig.bench import FAR_DBM, Bench
from rig.browser import browser
from rig.emulation import LINE_SECONDS, binary
from rig.operation import Operator
from rig.processes import Child
from rig.rows import LONG_TIMEOUTS
from rig.web_page import Page, judge, relay

pytestmark = pytest.mark.seconds(120)
DOOR = {"re-arm-ms": 0, "pulse-s": 300}
READINGS = {**LONG_TIMEOUTS, "proximity": {"samples": 1, "window-ms": 1000}}
"""The default gate, but with a single reading: a busy machine may not manage three in time."""


def shows(element: str, *words: str):
    """A question to the page: True if the element of this id shows these words."""
    return lambda driver: all(word in driver.find_element(By.ID, element).text for word in words)


async def stands(bench: Bench) -> None:
    """Waits until the reader has its control socket, which is made before the door is secured."""
    await bench.reader.child.line("door: secured", LINE_SECONDS)


async def test_links_readings_and_the_door_are_told_as_they_happen() -> None:
    async with Bench(**READINGS, door=DOOR) as bench:
        await stands(bench)
        command = [str(binary()), "watch", "--control", str(bench.control), "--json"]
        watching = await Child.start("watch", command)
        first = json.loads((await watching.line(r"emulation", LINE_SECONDS)).text)
        assert first["name"] == "wa0y1YwS" and first["address"].endswith("door secured")
        link = await bench.ready()
        told = json.loads((await watching.line(r'"event":"connected"', LINE_SECONDS)).text)
        number = told["link"]
        measured = json.loads((await watching.line(r'"event":"measured"', LINE_SECONDS)).text)
        assert measured["link"] == number and measured["rssi-dbm"] < 0
        assert json.loads((await watching.line(r'"event":"near"', LINE_SECONDS)).text)["link"] == number
        assert await link.run("tokn") == b""
        await watching.line(r'"event":"stored".*granted', LINE_SECONDS)
        await link.disconnect()
        await watching.line(rf'"event":"disconnected","link":{number}', LINE_SECONDS)
        await bench.connected("passer", dbm=FAR_DBM)
        assert json.loads((await watching.line(r'"event":"refused"', LINE_SECONDS)).text)["rssi-dbm"] < -60
        assert await watching.stop() == 0


async def test_a_reader_that_ends_ends_it() -> None:
    async with Bench() as bench:
        await stands(bench)
        watching = await Child.start("watch", [str(binary()), "watch", "--control", str(bench.control)])
        await watching.line(r"reader wa0y1YwS, controller .*, door secured", LINE_SECONDS)
        await bench.restart()
        assert await watching.ended(LINE_SECONDS) == 1
        assert "the reader has ended" in watching.tail()
        await stands(bench)


async def test_a_page_shows_it_and_orders_nothing() -> None:
    async with Bench(**READINGS, door=DOOR) as bench, browser() as window:
        await stands(bench)
        command = [str(binary()), "web", "--listen", "127.0.0.1:0", "watch", "--control", str(bench.control)]
        child = await Child.start("web", command, stdin=asyncio.subprocess.PIPE)
        try:
            page = Page(child, (await child.line("^page: ", LINE_SECONDS)).text.partition(" ")[2])
            await window.do(lambda driver: driver.get(page.address))
            await window.until(shows("title", "wa0y1YwS"))
            link = await bench.ready()
            await window.until(shows("links", "dBm"))
            await window.until(shows("entries", "near", "dBm"))
            assert await link.run("tokn") == b""
            await window.until(shows("entries", "granted", "unlocked"))
            assert not await window.do(lambda driver: driver.find_element(By.ID, "control").is_displayed())
            assert (await page.post('{"line": "quit"}'))[0] == 503
            await judge(window, screenshots="watch")
            await link.disconnect()
            await window.until(shows("entries", "disconnected"))
        finally:
            code = await child.stop()
        assert code == 0


@pytest.mark.thorough("WebConversationTests resume a page; test_web.py brings a page back")
async def test_a_page_is_true_when_it_is_loaded_and_when_it_comes_back() -> None:
    async with Bench(**READINGS, door=DOOR) as bench, browser() as window:
        await stands(bench)
        operator = Operator(bench)
        command = [str(binary()), "web", "--listen", "127.0.0.1:0", "watch", "--control", str(bench.control)]
        child = await Child.start("web", command, stdin=asyncio.subprocess.PIPE)
        try:
            page = Page(child, (await child.line("^page: ", LINE_SECONDS)).text.partition(" ")[2])
            await child.line("door secured", LINE_SECONDS)
            assert (await operator.run("lockdown", "on")).code == 0
            # Loaded in the middle of it.
            async with relay(page) as relayed:
                await window.do(lambda driver: driver.get(relayed.address))
                await window.until(shows("reader", "Lockdown", "nobody is let in", "-60 dBm"))
                assert "secured" not in await window.do(lambda driver: driver.find_element(By.TAG_NAME, "header").text)
                # The stream breaks, the lockdown ends, and the page comes back.
                await relayed.cut()
                await window.until(shows("state", "no connection"))
                await window.until(shows("reader", "last known state"))
                assert (await operator.run("lockdown", "off")).code == 0
                await relayed.listen()
                await window.until(shows("reader", "Locked", "the door is closed"))
                await window.until(lambda driver: "last known" not in driver.find_element(By.ID, "reader").text)
        finally:
            await child.stop()
