# SPDX-License-Identifier: Apache-2.0
"""A page of `readerlab web`: requests to it, and what is measured of it in a browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from collections.abc import AsyncIterator

from rig.browser import Browser
from rig.emulation import LINE_SECONDS, binary
from rig.processes import Child

JSON = "application/json"

CONTRAST = """
    const luminance = color => {
      const [r, g, b] = color.match(/[0-9.]+/g).slice(0, 3).map(Number)
        .map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = element => {
      for (; element; element = element.parentElement) {
        const color = getComputedStyle(element).backgroundColor;
        if (!/, 0\\)$/.test(color)) return color;
      }
    };
    const hasText = element => element.checkVisibility() && !element.closest("svg, symbol, option")
      && [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim() !== "");
    return Math.min(...[...document.querySelectorAll("body *")].filter(hasText).map(element => {
      const pair = [luminance(getComputedStyle(element).color), luminance(ground(element))].sort((a, b) => b - a);
      return (pair[0] + 0.05) / (pair[1] + 0.05);
    }));"""
"""The least contrast of a visible text (WCAG 2.2, 1.4.3, wants 4.5)."""

NAMELESS = """
    const name = element => element.getAttribute("aria-label")
      || (element.getAttribute("aria-labelledby") || "").split(" ").map(id => document.getElementById(id)?.textContent)
        .join("")
      || [...(element.labels || [])].map(label => label.textContent).join("")
      || element.alt || element.textContent;
    const roles = ["img", "group", "region", "log"].map(role => `[role=${role}]`);
    const controls = ["a", "button", "input", "select", "summary", "img", "section", ...roles].join();
    return [...document.querySelectorAll(controls)].filter(element => element.checkVisibility())
      .filter(element => !name(element)?.trim()).map(element => element.outerHTML.slice(0, 120));"""
"""The controls, pictures and groups without a name (WCAG 2.2, 4.1.2 and 1.1.1)."""

TELEPHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}


async def judge(window: Browser, *, screenshots: str = "") -> None:
    """Names, contrast in both schemes, and the width of a telephone; asserts."""
    place = os.environ.get("READERD_SCREENSHOTS")
    for scheme in ("light", "dark"):
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        media = {"features": [{"name": name, "value": value} for name, value in features.items()]}
        await window.do(lambda driver, media=media: driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media))
        assert await window.script(CONTRAST) >= 4.5, scheme
        if place and screenshots:
            path = f"{place}/{screenshots}-{scheme}.png"
            await window.do(lambda driver, path=path: driver.save_screenshot(path))
    assert await window.script(NAMELESS) == []
    await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", TELEPHONE))
    assert await window.script("return document.documentElement.scrollWidth") <= TELEPHONE["width"]
    assert await window.script(CONTRAST) >= 4.5
    if place and screenshots:
        await window.do(lambda driver: driver.save_screenshot(f"{place}/{screenshots}-telephone.png"))
    await window.do(lambda driver: driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {}))
    assert await window.complaints() == []


class Page:
    """A running program with its page."""

    def __init__(self, child: Child, address: str) -> None:
        self.child = child
        self.address = address
        self.port = int(re.search(r":(\d+)/", address)[1])
        self.origin = f"http://127.0.0.1:{self.port}"
        self.token = address.partition("=")[2]

    async def request(self, head: str, body: str = "") -> tuple[int, str]:
        """The status of a request, and the whole answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        text = head.replace("\n", "\r\n") + f"\r\nContent-Length: {len(body.encode())}\r\nConnection: close\r\n\r\n"
        writer.write(text.encode() + body.encode())
        answer = (await asyncio.wait_for(reader.read(), LINE_SECONDS)).decode()
        writer.close()
        return int(answer.split(" ", 2)[1]), answer

    def shown(self, token: str | None) -> str:
        """The header field that shows the token, the page's own by default; no condition for an empty text."""
        token = self.token if token is None else token
        return f"\nAuthorization: Bearer {token}" if token else ""

    async def get(self, path: str, host: str | None = None, token: str | None = None) -> tuple[int, str]:
        return await self.request(f"GET {path} HTTP/1.1\nHost: {host or f'127.0.0.1:{self.port}'}{self.shown(token)}")

    async def post(
        self, body: str, origin: str | None = None, kind: str = JSON, token: str | None = None
    ) -> tuple[int, str]:
        return await self.request(
            f"POST /line HTTP/1.1\nHost: 127.0.0.1:{self.port}{self.shown(token)}\n"
            f"Origin: {origin or self.origin}\nContent-Type: {kind}",
            body,
        )

    async def stream(self, after: int = 0) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The stream of events behind that number."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"GET /events HTTP/1.1\nHost: 127.0.0.1:{self.port}{self.shown(None)}\nLast-Event-ID: {after}\n\n"
        writer.write(head.replace("\n", "\r\n").encode())
        return reader, writer

    async def events(self, count: int, after: int = 0) -> list[tuple[int, str, dict]]:
        """So many events of the stream behind that number, with their numbers and names."""
        reader, writer = await self.stream(after)
        found = []
        text = ""
        while len(found) < count:
            text += (await asyncio.wait_for(reader.read(65536), LINE_SECONDS)).decode()
            pattern = r"id: (\d+)\nevent: ([a-z]+)\ndata: (.*)\n"
            found = [(int(n), name, json.loads(data)) for n, name, data in re.findall(pattern, text)]
        writer.close()
        return found[:count]


@contextlib.asynccontextmanager
async def page(*command: str) -> AsyncIterator[Page]:
    """The page of a program."""
    child = await Child.start(
        "web", [str(binary()), "web", "--listen", "127.0.0.1:0", *command], stdin=asyncio.subprocess.PIPE
    )
    try:
        line = await child.line("^page: ", LINE_SECONDS)
        yield Page(child, line.text.partition(" ")[2])
    finally:
        await child.stop()


@contextlib.asynccontextmanager
async def relay(page: Page) -> AsyncIterator[Relay]:
    """A page at another port, whose connections can be cut."""
    made = Relay(page)
    await made.listen()
    try:
        yield made
    finally:
        await made.cut()


class Relay:
    """A page at another port, whose connections can be cut."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._port = 0
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []

    @property
    def address(self) -> str:
        return self._page.address.replace(f":{self._page.port}/", f":{self._port}/")

    async def listen(self) -> None:
        """Accepts connections, again at the same port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, reuse_address=True)
        self._port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Ends all connections, and accepts none."""
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        program = await asyncio.open_connection("127.0.0.1", self._page.port)
        self._writers += [writer, program[1]]
        # The page is at its own port only.
        names = (f"127.0.0.1:{self._port}".encode(), f"127.0.0.1:{self._page.port}".encode())
        await asyncio.gather(
            self._copy(reader, program[1], names), self._copy(program[0], writer, (b"", b"")), return_exceptions=True
        )

    @staticmethod
    async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, names: tuple[bytes, bytes]) -> None:
        while octets := await reader.read(65536):
            writer.write(octets.replace(*names) if names[0] else octets)
            await writer.drain()
        writer.close()
