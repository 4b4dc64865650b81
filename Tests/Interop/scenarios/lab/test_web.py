# SPDX-License-Identifier: Apache-2.0
"""`readerlab web`: the page of a device or an air, in Debian's Chromium, and what is refused to others."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
from collections.abc import AsyncIterator

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from bandit.client import Camera
from rig.browser import Browser, browser
from rig.emulation import LINE_SECONDS, binary
from rig.phone_program import PhoneProgram
from rig.ports import free_port
from rig.processes import Child
from rig.waiting import until
from rig.web_page import Page, judge, page

pytestmark = pytest.mark.seconds(90)


@contextlib.asynccontextmanager
async def camera() -> AsyncIterator[tuple[Page, Camera]]:
    """An action camera with its page."""
    port = free_port()
    listen = ("--listen", f"127.0.0.1:{port}", "--backchannel-port", str(free_port()))
    async with page("emulate", "bandit", *listen) as made:
        await made.child.line("listening at", LINE_SECONDS)
        yield made, Camera("127.0.0.1", port)


def text(element: str):
    """A question to the page: the text of the element of this id."""
    return lambda driver: driver.find_element(By.ID, element).text


def shows(element: str, words: str):
    """A question to the page: whether the element of this id shows these words."""
    return lambda driver: words in driver.find_element(By.ID, element).text


async def opened(window: Browser, made: Page) -> None:
    await window.do(lambda driver: driver.get(made.address))
    await window.until(shows("state", "running"))


async def test_a_fault_is_pressed_and_its_effect_is_the_apps(directory):
    async with camera() as (made, app), browser() as window:
        await opened(window, made)
        await window.until(shows("title", "Bandit"))
        await window.do(lambda driver: Select(driver.find_element(By.ID, "step")).select_by_visible_text("version"))
        press = '//div[@id="kinds"]/button[text()="close"]'
        await window.do(lambda driver: driver.find_element(By.XPATH, press).click())
        await window.until(shows("answer", "close at version, the next time"))
        with pytest.raises(OSError):
            await asyncio.to_thread(app.ask, "GET", "version")
        assert (await asyncio.to_thread(app.ask, "GET", "version")).status == 200
        await window.until(shows("entries", "close at version"))
        # Its address bar has no token, and nothing came from elsewhere.
        assert await window.do(lambda driver: driver.current_url) == made.origin + "/"
        assert await window.complaints() == []
        assert await made.child.stop() == 0


def pressed(button: str):
    """A question to the page: whether the button of this XPath is pressed."""
    return lambda driver: driver.find_element(By.XPATH, button).get_attribute("aria-pressed") == "true"


def choice(switch: str, value: str) -> str:
    """The XPath of a button of a switch."""
    return f'//*[@id="switch-{switch}"]//button[@data-value="{value}"]'


@pytest.mark.thorough("WebConversationTests keep the latest state; test_a_fault_is_pressed_and_its_effect_is_the_apps")
async def test_a_state_is_pressed_and_released_and_follows_what_is_typed(directory):
    async with camera() as (made, _), browser() as window:
        await opened(window, made)
        await window.until(pressed(choice("charging", "off")))
        await window.do(lambda driver: driver.find_element(By.XPATH, choice("charging", "on")).click())
        await window.until(pressed(choice("charging", "on")))
        await made.child.type("charging off")
        await window.until(pressed(choice("charging", "off")))
        # A fault in force is a pressed button, and one press releases it.
        await made.child.type("fault close version every")
        await window.until(shows("active", "close at version, every time"))
        close = '//div[@id="kinds"]/button[@data-fault="close"]'
        await window.do(lambda driver: Select(driver.find_element(By.ID, "step")).select_by_visible_text("version"))
        await window.until(pressed(close))
        await window.do(lambda driver: driver.find_element(By.XPATH, close).click())
        await window.until(lambda driver: not pressed(close)(driver) and shows("none-active", "none")(driver))
        assert await window.script("return document.querySelectorAll('#active li').length") == 0


async def test_the_camera_shows_its_picture_its_card_and_its_clients(directory):
    async with camera() as (made, app), browser() as window:
        await opened(window, made)
        await window.until(lambda driver: driver.find_element(By.ID, "picture").get_property("naturalWidth") > 0)
        await window.until(shows("recordings", "MOV_0001.MP4"))
        assert "No app watches the viewfinder" in await window.do(text("lens-text"))
        await made.child.type("card pull")
        await window.until(lambda driver: text("card-text")(driver).startswith("0 recordings"))
        # A mistake of the app comes first, and leads to its entry.
        await asyncio.to_thread(app.ask, "GET", "elsewhere")
        await window.until(shows("findings", "elsewhere: there is no such thing"))
        await window.do(lambda driver: driver.find_element(By.CSS_SELECTOR, "#findings button").click())
        assert await window.script("return document.activeElement.id") == "log"
        assert "elsewhere" in await window.script("return document.querySelector('#entries .shown').textContent")


async def test_the_transcript_is_the_programs(directory):
    port = free_port()
    path = directory / "run.json"
    options = ("--listen", f"127.0.0.1:{port}", "--backchannel-port", str(free_port()), "--transcript", str(path))
    async with page("emulate", "bandit", *options) as made, browser() as window:
        await made.child.line("listening at", LINE_SECONDS)
        await opened(window, made)
        await asyncio.to_thread(Camera("127.0.0.1", port).ask, "GET", "elsewhere")
        await window.until(shows("findings", "elsewhere"))
        behaviour = {"behavior": "allow", "downloadPath": str(directory)}
        await window.do(lambda driver: driver.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour))
        await window.do(lambda driver: driver.find_element(By.ID, "download").click())
        saved = directory / "transcript.json"

        async def has_come() -> bool:
            return saved.exists() and saved.stat().st_size > 0

        await until("the transcript", has_come)
        assert await made.child.stop() == 0
        mine, own = json.loads(saved.read_text()), json.loads(path.read_text())
        assert mine == own


async def test_by_keyboard_alone(directory):
    async with camera() as (made, _), browser() as window:
        await opened(window, made)
        await window.until(pressed(choice("power", "on")))

        async def tab_to(selector: str) -> None:
            """Presses Tab until the focus is on an element of this selector, as with a visible ring."""
            for _ in range(60):
                await window.do(lambda driver: driver.switch_to.active_element.send_keys(Keys.TAB))
                if await window.script("return document.activeElement.matches(arguments[0])", selector):
                    ring = "return getComputedStyle(document.activeElement).outlineStyle"
                    assert await window.script(ring) == "solid"
                    return
            pytest.fail(f"no Tab leads to {selector}")

        async def press(key: str) -> None:
            await window.do(lambda driver: driver.switch_to.active_element.send_keys(key))

        await tab_to("#switch-charging button[data-value=on]")
        await press(Keys.SPACE)
        await window.until(pressed(choice("charging", "on")))
        # The first fault needs a number, which is typed in the line.
        await tab_to("#kinds button")
        await press(Keys.SPACE)
        assert await window.script("return document.activeElement.id") == "line"
        assert await window.script("return document.getElementById('line').value") == "fault delay version "
        await press("20" + Keys.ENTER)
        await window.until(shows("active", "delay"))
        await window.until(shows("answer", "delay"))


async def test_every_view_of_a_device_suits_eyes_and_telephones(directory):
    async with camera() as (made, app), browser() as window:
        reduced = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
        await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setEmulatedMedia", reduced))
        await opened(window, made)
        await made.child.type("fault close version every")
        await asyncio.to_thread(app.ask, "GET", "elsewhere")
        await window.until(shows("active", "close") and shows("findings", "elsewhere"))
        moving = """
            return [...document.querySelectorAll("*")].some(element =>
              !["none", "all"].includes(getComputedStyle(element).transitionProperty)
                && getComputedStyle(element).transitionDuration !== "0s")"""
        assert await window.script(moving) is False
        await window.until(lambda driver: driver.find_element(By.ID, "picture").is_displayed())
        await judge(window, screenshots="bandit")


async def test_a_matter_device_shows_its_code(directory):
    async with page("emulate", "matter", "--port", "0") as made, browser() as window:
        await opened(window, made)
        await window.until(lambda driver: driver.find_element(By.ID, "qr").get_property("naturalWidth") > 0)
        assert "3497-011-2332" in await window.do(text("manual"))
        assert "none" in await window.do(text("no-fabrics"))
        await window.do(lambda driver: driver.find_element(By.XPATH, choice("bolt", "unlocked")).click())
        await window.until(pressed(choice("bolt", "unlocked")))
        await judge(window, screenshots="matter")


async def test_what_others_send_is_text(directory):
    async with camera() as (made, _), browser() as window:
        await opened(window, made)
        line = "<img src=x onerror=\"document.title='owned'\"><b>bold</b>"
        assert (await made.post(json.dumps({"line": line})))[0] == 204
        await window.until(shows("answer", "onerror"))
        assert await window.script("return document.querySelectorAll('img:not([id]), main b').length") == 0
        assert await window.complaints() == []


async def test_a_phone_at_the_emulated_reader_is_seen_as_it_happens(directory):
    places = [f"{name}=unix:{directory / name}" for name in ("reader", "phone")]
    air = await Child.start("air", [str(binary()), "air", "--listen", places[0], "--listen", places[1]])
    await air.line("help lists", LINE_SECONDS)
    try:
        async with page("emulate", "reader", "--hci", f"unix:{directory}/reader") as made, browser() as window:
            await opened(window, made)
            await window.until(shows("entries", "advertising on"))
            phone = PhoneProgram(f"unix:{directory}/phone")
            await phone.start("open")
            assert (await phone.ended()).code == 0
            await window.until(shows("entries", "door: unlocked"))
            await window.until(shows("entries", "disconnected"))
            assert "gone" in await window.do(text("links"))
            rows = await window.do(text("entries"))
            # As the terminal says it, with the peer's address, and readings in one row.
            assert re.search(r"RSSI (-?\d+ to )?-?\d+ dBm", rows)
            assert re.search(r"connected from [0-9A-F:]{17}", rows) and "ATT_MTU 517" in rows
            assert "Locked" in await window.do(text("door")) or "Unlocked" in await window.do(text("door"))
            await window.do(lambda driver: driver.find_element(By.XPATH, choice("lockdown", "on")).click())
            await window.until(shows("door", "Lockdown"))
            await judge(window, screenshots="reader")
    finally:
        await air.stop()


async def test_the_air_has_a_page_too(directory):
    places = ("--listen", "a=tcp:127.0.0.1:0", "--listen", "b=tcp:127.0.0.1:0")
    async with page("air", *places) as made, browser() as window:
        await opened(window, made)
        await window.do(lambda driver: driver.find_element(By.ID, "line").send_keys("rssi a b -70", Keys.ENTER))
        await window.until(shows("answer", "a and b: -70 dBm"))
        assert not await window.do(lambda driver: driver.find_element(By.ID, "faults").is_displayed())


async def test_the_end_is_told(directory):
    async with camera() as (made, _), browser() as window:
        await opened(window, made)
        await made.child.type("quit")
        await window.until(shows("state", "the program has ended"))
        assert await made.child.stop() == 0
        assert await window.script("return document.getElementById('entries').rows.length") > 0


# Foreign requests


async def test_no_other_port_of_this_machine_receives_the_token(directory):
    """Cookies know no ports: the server of another user at this address would receive each of them."""
    requests: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            requests.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
            await writer.drain()
        writer.close()

    other = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = other.sockets[0].getsockname()[1]
    async with other, camera() as (made, _), browser() as window:
        await opened(window, made)
        await window.do(lambda driver: driver.get(f"http://127.0.0.1:{port}/"))
        assert requests and b"GET / HTTP/1.1" in requests[0]
        for request in requests:
            assert made.token.encode() not in request, request
        # The tab keeps the token for its page.
        await window.do(lambda driver: driver.get(f"{made.origin}/"))
        await window.until(shows("state", "running"))
        # Another tab has none, and says what to do.
        await window.do(lambda driver: driver.switch_to.new_window("tab"))
        await window.do(lambda driver: driver.get(f"{made.origin}/"))
        await window.until(shows("state", "open the address that the program printed"))


async def test_connections_without_the_token_do_not_keep_the_user_out(directory):
    async with camera() as (made, _):
        reader, writer = await made.stream()
        silent = []
        body = b"POST /line HTTP/1.1\r\nContent-Length: 9\r\n\r\n"
        for octets in (b"", b"GET / HT", b"GET /events HTTP/1.1\r\n", body):
            for _ in range(32):
                silent.append(await asyncio.open_connection("127.0.0.1", made.port))
                silent[-1][1].write(octets)
        started = asyncio.get_running_loop().time()
        assert (await made.get("/"))[0] == 200
        assert (await made.post('{"line": "battery 7"}'))[0] == 204
        # One round through the program: far from the time after which silent connections end.
        assert asyncio.get_running_loop().time() - started < LINE_SECONDS
        # A stream that shows the token is not displaced.
        text = ""
        while "battery 7" not in text:
            octets = await asyncio.wait_for(reader.read(65536), LINE_SECONDS)
            assert octets, "the stream ended"
            text += octets.decode()
        for _, each in (*silent, (reader, writer)):
            each.close()


async def test_others_get_nothing(directory):
    async with camera() as (made, _):
        assert (await made.get("/", token=""))[0] == 200
        assert (await made.get("/elsewhere", token=""))[0] == 404
        assert (await made.get("/events", token=""))[0] == 403
        assert (await made.get("/events", token=made.token[:-1] + "g"))[0] == 403
        assert (await made.get("/?token=0", token=""))[0] == 403
        assert (await made.post('{"line": "quit"}', token=""))[0] == 403
        # A foreign name that points here (DNS rebinding).
        assert (await made.get("/", host=f"evil.example:{made.port}"))[0] == 421
        status, answer = await made.get(f"/?token={made.token}", token="")
        assert status == 200 and "cookie" not in answer.lower() and made.token not in answer
        for origin in ("http://evil.example", f"http://localhost:{made.port}", "null"):
            assert (await made.post('{"line": "quit"}', origin=origin))[0] == 403
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            assert (await made.post('{"line": "quit"}', kind=kind))[0] == 415
        for body in ("", "quit", '{"line": "a\\nquit"}', '{"line": 1}', '{"line": "' + "a" * 5000 + '"}'):
            assert (await made.post(body))[0] == 400, body[:20]
        assert (await made.post('{"line": "findings"}'))[0] == 204
        _, answer = await made.get("/")
        assert "default-src 'none'" in answer and "no-store" in answer and "nosniff" in answer


async def test_floods_and_half_open_connections_do_not_stop_it(directory):
    async with camera() as (made, _):
        idle = [await asyncio.open_connection("127.0.0.1", made.port) for _ in range(20)]
        idle[0][1].write(b"GET / HTTP/1.1\r\nHost: 127")
        huge = f"POST /line HTTP/1.1\r\nHost: 127.0.0.1:{made.port}\r\nContent-Length: 100000000\r\n\r\n".encode()
        idle[1][1].write(huge + b"a" * 200_000)
        idle[2][1].write(b"\x16\x03\x01\x02\x00" * 1000)
        idle[3][1].write(b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 200_000 + b"\r\n\r\n")
        assert (await made.get("/"))[0] == 200
        more = [await asyncio.open_connection("127.0.0.1", made.port) for _ in range(30)]
        for _, writer in idle + more:
            writer.close()

        async def is_back() -> bool:
            with contextlib.suppress(OSError, IndexError):
                return (await made.get("/"))[0] == 200
            return False

        await until("the page is back", is_back)


async def test_a_page_that_comes_back_misses_nothing_and_gets_nothing_twice(directory):
    async with camera() as (made, _):
        first = await made.events(3)
        assert [number for number, _, _ in first] == [1, 2, 3]
        assert [kind for _, kind, _ in first[:2]] == ["program", "faults"]
        for place in range(3):
            assert (await made.post(json.dumps({"line": f"battery {place}"})))[0] == 204
        # Of each line an answer, and an entry of the timeline.
        rest = await made.events(4, after=3)
        assert [number for number, _, _ in rest] == [4, 5, 6, 7]
        assert await made.events(2, after=5) == rest[2:]


async def test_interrupted_it_ends_as_the_program_does(directory):
    async with camera() as (made, _):
        os.kill(made.child.pid, signal.SIGINT)
        assert await made.child.stop() == 0
        assert any("summary" in line.text for line in made.child.lines), made.child.tail()


async def test_wrong_use_is_told(directory):
    async def said(*arguments: str) -> tuple[int, str]:
        child = await Child.start("web", [str(binary()), "web", *arguments])
        with contextlib.suppress(Exception):
            await child.line("(?!)", LINE_SECONDS)
        return await child.stop(), child.tail()

    assert "write emulate KIND" in (await said("credentials", "site"))[1]
    assert "as 127.0.0.1:8300" in (await said("--listen", "localhost", "air"))[1]
    async with camera() as (made, _):
        code, words = await said("--listen", f"127.0.0.1:{made.port}", "air")
        assert code == 1 and "Address already in use; give another --listen" in words
