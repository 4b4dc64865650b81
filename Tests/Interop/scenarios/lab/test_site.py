# SPDX-License-Identifier: Apache-2.0
"""The floor plan of `readerlab web demo`, `web scenario` and `web air`, in Debian's Chromium."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from rig.browser import Browser, browser
from rig.emulation import binary
from rig.matrix import some_of
from rig.phone_program import PhoneProgram
from rig.reader import Reader, Settings
from rig.web_page import CONTRAST, Page, page

pytestmark = pytest.mark.seconds(90)

LOOK_SECONDS = 0.1
"""Between two looks at a file that the browser downloads."""


def phone(name: str):
    return lambda driver: driver.find_element(By.CSS_SELECTOR, f'.plan [data-phone="{name}"]')


def press(words: str):
    return lambda driver: driver.find_element(By.XPATH, f'//button[text()="{words}"]').click()


def has(selector: str):
    return lambda driver: driver.find_elements(By.CSS_SELECTOR, selector)


def says(selector: str, words: str):
    return lambda driver: words in driver.find_element(By.CSS_SELECTOR, selector).text


async def opened(window: Browser, made: Page, *phones: str) -> None:
    await window.do(lambda driver: driver.get(made.address))
    for name in phones:
        await window.until(phone(name))


POINT = """
    const box = new DOMPoint(arguments[0] * 100, -arguments[1] * 100)
      .matrixTransform(document.querySelector(".plan").getScreenCTM());
    return [box.x, box.y];"""
"""The pixel of a point of the floor plan."""


DECISIONS = """
    window.decisions = [];
    const decision = document.querySelector(".decision-text");
    new MutationObserver(() => window.decisions.push(decision.textContent))
      .observe(decision, {childList: true, characterData: true, subtree: true});"""
"""Keeps all decisions: the next replaces a text before a slow driver has read it."""


def decided(words: str):
    script = "return window.decisions.some(text => text.startsWith(arguments[0]))"
    return lambda driver: driver.execute_script(script, words)


async def drag(window: Browser, begin, x: float, y: float) -> None:
    """Drags what `begin` finds, an element or a point, to a point in metres: in steps, as a finger."""
    await window.script("document.querySelector('.plan').scrollIntoView({block: 'center'})")
    a, b = begin if isinstance(begin, tuple) else (None, None)
    start = await (window.script(POINT, a, b) if a is not None else window.do(lambda driver: middle(begin(driver))))
    end = await window.script(POINT, x, y)

    def move(driver) -> None:
        chain = ActionChains(driver, duration=60)
        chain.w3c_actions.pointer_action.move_to_location(round(start[0]), round(start[1]))
        chain.w3c_actions.pointer_action.pointer_down()
        for share in (0.25, 0.5, 0.75, 1):
            chain.w3c_actions.pointer_action.move_to_location(
                *(round(one + share * (other - one)) for one, other in zip(start, end, strict=True))
            )
        chain.w3c_actions.pointer_action.pointer_up()
        chain.perform()

    await window.do(move)


def middle(element) -> list[float]:
    target = element.find_element(By.CSS_SELECTOR, ".target").rect
    return [
        target["x"] + target["width"] / 2 - scrolled(element)[0],
        target["y"] + target["height"] / 2 - scrolled(element)[1],
    ]


def scrolled(element) -> list[float]:
    return element.parent.execute_script("return [window.scrollX, window.scrollY]")


async def level(window: Browser, name: str) -> int:
    label = await window.do(lambda driver: phone(name)(driver).get_attribute("aria-label"))
    return int(re.search(r"(-?\d+) dBm", label)[1])


@pytest.mark.thorough("SitePlayTests move phones; the site is drawn and edited by keyboard without --all")
async def test_a_phone_is_dragged_to_the_door_and_away_from_it(directory):
    async with page("demo") as made, browser() as window:
        await opened(window, made, "Anna")
        assert not await window.do(has(".plan .released"))
        await window.script(DECISIONS)
        await drag(window, phone("Anna"), 0.4, -0.5)
        # The door is the lock's line, and the gate has accepted a reading.
        await window.until(has(".plan .reader.released.open"))
        await window.until(says(".door-state", "Released"))
        assert await window.do(has(".strip .decision.near"))
        await window.until(decided("Anna: accepted"))
        await drag(window, phone("Anna"), 1, -6.5)
        await window.script("window.decisions = []")
        await window.until(decided("Anna: refused"))
        await window.until(lambda driver: not has(".plan .released")(driver))
        assert await window.do(has(".strip .decision.far"))
        # A stranger's phone is near, and nothing opens.
        await drag(window, phone("Guest"), 0.3, -0.5)
        await window.until(has('.plan .denied[data-phone="Guest"]'))
        assert not await window.do(has(".plan .released"))
        assert await window.complaints() == []


async def test_a_wall_is_drawn_between_and_taken_down(directory):
    async with page("demo", "--paused") as made, browser() as window:
        await made.child.type("step 2s")
        await opened(window, made, "Anna")
        await drag(window, phone("Anna"), 2, -2)
        await window.until(says(".people", "-66 dBm, 2.8 m"))
        await window.do(press("Add a wall"))
        await drag(window, (0.2, -1.6), 1.8, -0.4)
        await window.until(says(".people", "-86 dBm"))
        assert await level(window, "Anna") == -86
        walls = await window.do(has(".plan .walls .wall"))
        await window.do(lambda driver: walls[-1].send_keys(Keys.DELETE))
        await window.until(says(".people", "-66 dBm"))


async def test_by_keyboard_alone(directory):
    async with page("demo", "--paused") as made, browser() as window:
        await made.child.type("step 2s")
        await opened(window, made, "Anna")
        for _ in range(40):
            await window.do(lambda driver: driver.switch_to.active_element.send_keys(Keys.TAB))
            if await window.script("return document.activeElement.dataset.phone") == "Anna":
                break
        before = await level(window, "Anna")
        for _ in range(4):
            await window.do(lambda driver: driver.switch_to.active_element.send_keys(Keys.SHIFT, Keys.ARROW_UP))
        await window.until(says(".people", "3.2 m"))
        assert await level(window, "Anna") > before
        nameless = """
            return [...document.querySelectorAll("input, select, button, [tabindex], [role=button]")].filter(control =>
              !(control.labels && control.labels.length) && !control.textContent.trim()
              && !control.getAttribute("aria-label")).length"""
        assert await window.script(nameless) == 0


async def test_a_scenario_is_played_paused_changed_saved_and_runs_again(directory):
    async with page("scenario", "next-room", "--seed", "7") as made, browser() as window:
        await opened(window, made)
        await window.until(says(".time", "0.0 s"))
        folder = {"behavior": "allow", "downloadPath": str(directory)}
        await window.do(lambda driver: driver.execute_cdp_cmd("Browser.setDownloadBehavior", folder))
        await window.do(
            lambda driver: Select(driver.find_element(By.CSS_SELECTOR, ".time-controls select")).select_by_value("5")
        )
        await window.do(press("Play"))
        await window.until(has('[data-reader="office"].released'))
        await window.do(press("Pause"))
        await window.until(has(".play[aria-pressed=false]"))
        time = await window.do(lambda driver: driver.find_element(By.CSS_SELECTOR, ".time").text)
        # The clerk goes to the other room.
        await drag(window, phone("clerk"), 3.8, -0.5)
        await window.do(press("Save scenario"))
        await window.until(says(".notice", "expects"))
        file = directory / "next-room-played.json"
        for _ in range(50):
            if file.exists() and file.read_text().endswith("}\n"):
                break
            await asyncio.sleep(LOOK_SECONDS)
        saved = json.loads(file.read_text())
        assert saved["phones"][0]["path"][-1]["at"][0] == pytest.approx(3.8, abs=0.05)
        assert saved["phones"][0]["path"][-1]["at-ms"] / 1000 == pytest.approx(float(time[:-2]), abs=0.2)
        run = await asyncio.create_subprocess_exec(str(binary()), "scenario", str(file), "--seed", "7")
        assert await run.wait() == 0
        await window.do(press("Start again"))
        await window.until(says(".time", "0.0 s"))
        assert not await window.do(has(".plan .released"))


@pytest.mark.parametrize("scheme", some_of(["light", "dark"], "the light case is the same page"))
async def test_on_a_telephones_width_in_both_schemes(directory, scheme):
    async with page("demo") as made, browser(width=500) as window:
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features}))
        metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
        await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics))
        await opened(window, made, "Anna", "Cleo")
        await window.until(says(".people", "dBm"))
        assert await window.script("return document.documentElement.scrollWidth") <= 390
        assert await window.script(CONTRAST) >= 4.5
        motion = "return getComputedStyle(document.querySelector('.leaf')).transitionDuration"
        assert await window.script(motion) == "0s"
        # A finger finds a phone: 24 px by 24 px at least (WCAG 2.2, 2.5.8).
        box = await window.do(lambda driver: phone("Anna")(driver).find_element(By.CSS_SELECTOR, ".target").rect)
        assert box["width"] >= 24 and box["height"] >= 24


async def test_a_place_of_the_air_is_dragged(directory):
    places = ("--listen", "reader=tcp:127.0.0.1:0", "--listen", "phone=tcp:127.0.0.1:0")
    async with page("air", *places) as made, browser() as window:
        await opened(window, made, "phone")
        await window.until(says(".people", "-50 dBm, set"))
        await drag(window, phone("phone"), 0, -3)
        await window.until(says(".people", "-60 dBm, 3.0 m"))
        await window.do(
            lambda driver: Select(driver.find_element(By.CSS_SELECTOR, ".people select")).select_by_visible_text(
                "pocket"
            )
        )
        await window.until(says(".people", "-67 dBm, 3.0 m"))
        # A level in dBm is an override, until the phone is moved.
        await window.do(lambda driver: driver.find_element(By.CSS_SELECTOR, ".people input").send_keys("-72", Keys.TAB))
        await window.until(says(".people", "-72 dBm, set"))
        assert await window.complaints() == []


@pytest.mark.thorough(
    "ReaderStatusTests read the status of a running reader; test_a_place_of_the_air_is_dragged has the plan"
)
async def test_the_door_of_a_running_reader_is_on_the_plan(directory):
    places = [word for name in ("reader", "phone") for word in ("--listen", f"{name}=unix:{directory / name}")]
    control = directory / "control"
    async with page("air", *places, "--reader", str(control)) as made, browser() as window:
        await opened(window, made, "phone")
        await window.until(says(".door-state", "No host"))
        settings = Settings({"proximity": {"samples": 1, "window-ms": 1000}})
        reader = await Reader.start(f"unix:{directory}/reader", directory, settings, ("--control", str(control)))
        try:
            await window.until(says(".door-state", "Secured"))
            # Its lights, as it has set them: red is locked, or amber while it has a fault.
            await window.until(has(".door-state .lamp.red.lit"))
            assert not await window.do(has(".door-state .lamp.buzzer.lit"))
            visitor = PhoneProgram(f"unix:{directory}/phone")
            await visitor.start("open")
            assert (await visitor.ended()).code == 0
            await window.until(has(".plan .reader.released.open"))
            await window.until(says(".door-state", "Released"))
            await window.until(has(".plan .reader.released.granted"))
            assert not await window.do(has(".door-state .lamp.red.lit"))
            await window.until(lambda driver: not has(".plan .released")(driver))
            await window.until(has(".plan .reader.denied"))
        finally:
            assert await reader.stop() == 0
        await window.until(says(".door-state", "No host"))
        assert await window.complaints() == []
