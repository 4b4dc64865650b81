# SPDX-License-Identifier: Apache-2.0
"""The pins of `readerlab web emulate reader`, by labgrid itself and by hand, and the outputs of `readerlab web pins`.

That one's inputs need a chip of the kernel: script/test-kernel gpio-pins has them.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from rig.emulation import LINE_SECONDS, binary
from rig.lines import Lines
from rig.page_blocks import commands
from rig.processes import Child
from rig.reader import ROOT
from rig.terminals import terminals
from rig.waiting import until
from rig.web_page import Page

pytestmark = pytest.mark.seconds(120)

LABGRID = ROOT / ".cache/labgrid/packages"
RUN_SECONDS = 90
"""For labgrid's run of three tests: two seconds where nothing else runs."""


async def started(directory: Path) -> tuple[Child, Child, Page]:
    """An air, an emulated reader on it with its page, and the page."""
    air = await Child.start("air", [str(binary()), "air", "--listen", f"reader=unix:{directory}/reader"])
    await air.line("help lists", LINE_SECONDS)
    reader = ("emulate", "reader", "--hci", f"unix:{directory}/reader")
    command = [str(binary()), "web", "--listen", "127.0.0.1:0", *reader]
    web = await Child.start("web", command, stdin=asyncio.subprocess.PIPE)
    line = await web.line(r"http://", LINE_SECONDS)
    await web.line("advertising on", LINE_SECONDS)
    return air, web, Page(web, re.search(r"http://\S+", line.text)[0])


async def pin(page: Page, method: str, name: str, body: str = "", token: str | None = None) -> tuple[int, str]:
    """The status and the body of a request for a pin."""
    target = f"/v1/gpio/{name}?token={page.token if token is None else token}"
    status, answer = await page.request(f"{method} {target} HTTP/1.1\nHost: 127.0.0.1:{page.port}", body)
    return status, answer.partition("\r\n\r\n")[2]


async def test_labgrid_drives_the_door_of_an_emulated_reader(directory):
    """The commands of docs/emulators/web.md, unchanged but for the token, with labgrid from PyPI."""
    (block,) = commands("web.md", "## Pins for labgrid")
    air, reader, *labgrid = block.splitlines()
    for name in ("lab.yaml", "example_door.py"):
        shutil.copy(ROOT / "Tests/Interop/pins" / name, directory)
    async with terminals(directory) as here:
        await (await here.start(air)).line("help lists", LINE_SECONDS)
        emulated = await here.start(reader)
        token = (await emulated.line("^page: .*token=", LINE_SECONDS)).text.partition("token=")[2]
        await emulated.line("advertising on", LINE_SECONDS)
        here.environment["PATH"] = f"{ROOT}/.venv/bin:{here.environment['PATH']}"
        # pytest loads labgrid's plugin by its entry point, as after `pip install labgrid`.
        here.environment |= {"PYTHONPATH": str(LABGRID)}
        told = await here.carry_out("\n".join(labgrid).replace("…", token), RUN_SECONDS)
        assert "3 passed" in told[-1], told


async def test_pins_by_hand(directory):
    air, web, page = await started(directory)
    try:
        assert await pin(page, "GET", "contact") == (200, "0")
        assert (await pin(page, "PUT", "contact", "1"))[0] == 204
        assert await pin(page, "GET", "contact") == (200, "1")
        # Typed commands are seen too.
        await web.type("door closed")

        async def is_closed() -> bool:
            return await pin(page, "GET", "contact") == (200, "0")

        await until("the contact", is_closed)
        assert (await pin(page, "PUT", "contact", "1\n"))[0] == 400
        assert (await pin(page, "PUT", "lock", "1"))[0] == 405
        assert (await pin(page, "GET", "rex"))[0] == 404
        assert (await pin(page, "PUT", "fire", "1", token="0" * 32))[0] == 403
        assert await pin(page, "GET", "lock") == (200, "0")
    finally:
        await web.stop()
        await air.stop()


async def test_the_air_has_no_pins(directory):
    air = ("air", "--listen", "a=tcp:127.0.0.1:0")
    web = await Child.start("web", [str(binary()), "web", "--listen", "127.0.0.1:0", *air])
    line = await web.line(r"http://", LINE_SECONDS)
    page = Page(web, re.search(r"http://\S+", line.text)[0])
    try:
        assert (await pin(page, "GET", "contact"))[0] == 404
        assert (await pin(page, "PUT", "contact", "1"))[0] == 404
    finally:
        await web.stop()


async def test_a_bench_sets_its_lines(directory):
    """Set before the answer, reported with a time, seen by the page, and off again at the end."""
    lines = Lines(directory)
    command = ("pins", "--out", "contact=gpiochip0:3", "--out", "rex=gpiochip0:4")
    web = await Child.start(
        "web", [str(binary()), "web", "--listen", "127.0.0.1:0", *command], stdin=asyncio.subprocess.PIPE,
        env=os.environ | lines.environment,
    )  # fmt: skip
    line = await web.line(r"http://", LINE_SECONDS)
    page = Page(web, re.search(r"http://\S+", line.text)[0])
    try:
        await web.line("rex off, an output", LINE_SECONDS)
        assert lines.levels(3, 4) == [False, False]
        assert await pin(page, "GET", "rex") == (200, "0")
        assert (await pin(page, "PUT", "rex", "1"))[0] == 204
        assert lines.levels(3, 4) == [False, True]
        assert await pin(page, "GET", "rex") == (200, "1")
        _, text = await page.request(
            f"GET /v1/gpio/rex/edges?token={page.token}&after=0 HTTP/1.1\nHost: 127.0.0.1:{page.port}"
        )
        (told,) = json.loads(text.partition("\r\n\r\n")[2])
        assert (told["event"], told["pin"], told["level"], told["number"]) == ("set", "rex", 1, 1)
        # The same clock: the time is reported after the line was set.
        assert 0 <= told["ns"] - lines.of(4)[-1].at < LINE_SECONDS * 1e9
        await web.type("contact on")
        await web.line("contact on", LINE_SECONDS)
        assert await pin(page, "GET", "contact") == (200, "1")
        assert (await pin(page, "GET", "lock"))[0] == 404
        events = await page.events(6)
        (help_lines,) = [event["lines"] for _, name, event in events if name == "help"]
        assert help_lines[:2] == ["contact on|off", "rex on|off"]
    finally:
        assert await web.stop() == 0
    assert lines.levels(3, 4) == [False, False]
