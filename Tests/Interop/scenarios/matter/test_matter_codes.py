# SPDX-License-Identifier: Apache-2.0
"""The QR code of an emulated Matter device, on a terminal and as SVG, read by another program: it is the code that is
printed, and its fields are what is advertised."""

from __future__ import annotations

import asyncio
import os
import pty
import re
from pathlib import Path

import pytest
import zxingcpp

from matter.bench import Bench
from rig.emulation import binary

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-."
SCALE = 8
"""Pixels of a module: a reader takes less, but not one."""
BLOCKS = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
QUIET_ZONE = 4
DRAWING_SECONDS = 30.0
OPTIONS = ("--discriminator", "2976", "--passcode", "34567890", "--vendor", "0xFFF2", "--product", "0x8005")

pytestmark = pytest.mark.seconds(120)


def read(rows: list[list[int]]) -> str:
    """The text of the only QR code in a picture of grey values."""
    wide = [bytes(value for value in row for _ in range(SCALE)) for row in rows for _ in range(SCALE)]
    image = memoryview(b"".join(wide)).cast("B", (len(wide), len(wide[0])))
    (found,) = zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormat.QRCode)
    return found.text


def fields(text: str) -> dict[str, int]:
    """The fields of an onboarding payload's 88 bits, the first in the lowest."""
    number, digits = 0, text.removeprefix("MT:")
    for at, chunk in enumerate(range(0, len(digits), 5)):
        value = sum(ALPHABET.index(one) * 38**power for power, one in enumerate(digits[chunk : chunk + 5]))
        number |= value << (24 * at)
    out = {}
    for name, width in (
        ("version", 3), ("vendor", 16), ("product", 16), ("flow", 2), ("discovery", 8), ("discriminator", 12),
        ("passcode", 27), ("padding", 4),
    ):  # fmt: skip
        out[name] = number & (1 << width) - 1
        number >>= width
    return out


async def on_a_terminal(*options: str, **variables: str) -> str:
    """The program's output on a terminal until it is ready."""
    own, other = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(str(binary()), "emulate", "matter", "--port", "0", "--interface", "lo", *options),
        **{"stdin": other, "stdout": other, "stderr": other, "env": os.environ | variables},
    )
    os.close(other)
    shown = b""
    try:
        async with asyncio.timeout(DRAWING_SECONDS):
            while b"ready over IP" not in shown:
                shown += await asyncio.to_thread(os.read, own, 65536)
    finally:
        process.terminate()
        await process.wait()
        os.close(own)
    return shown.decode()


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}], ids=["coloured", "plain"])
async def test_the_picture_on_a_terminal(variables: dict[str, str]) -> None:
    shown = await on_a_terminal(*OPTIONS, **variables)
    lines = [line for line in shown.splitlines() if any(block in line for block in "▀▄█")]
    assert all(("\x1b[30;107m" in line) == (not variables) for line in lines)
    plain = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]
    rows = [[255 * (1 - BLOCKS[one][half]) for one in line] for line in plain for half in (0, 1)]
    light = [[255] * len(rows[0])] * QUIET_ZONE
    (code,) = re.findall(r"QR code (MT:\S+)", shown)
    assert read(light + rows + light) == code
    # Without colours, the text may be the lighter one.
    assert read([[255 - value for value in row] for row in light + rows + light]) == code
    # Every line is as long as the others: a terminal shows what is missing in another colour.
    assert len({len(line) for line in plain}) == 1


async def test_the_picture_as_svg_is_what_is_advertised(directory: Path) -> None:
    picture = directory / "code.svg"
    async with Bench(directory) as bench:
        device = await bench.device(*OPTIONS, "--qr-svg", str(picture))
        codes = await device.codes()
        controller = await bench.controller()
        found = await controller.order("discover", discriminator=2976)
        raw = directory / "grey"
        render = await asyncio.create_subprocess_exec(
            *("ffmpeg", "-loglevel", "error", "-i", str(picture), "-f", "rawvideo", "-pix_fmt", "gray", str(raw))
        )
        assert await asyncio.wait_for(render.wait(), 60) == 0
        octets = raw.read_bytes()
        side = round(len(octets) ** 0.5)
        assert side * side == len(octets)
        text = read([list(octets[at : at + side]) for at in range(0, len(octets), side)])
        assert text == codes["qr"]
        told = fields(text)
        wanted = {"vendorId": told["vendor"], "productId": told["product"], "longDiscriminator": told["discriminator"]}
        for name, value in wanted.items():
            assert f"{name}={value}," in found, (name, value, found)
        on_network = 4
        assert told == {
            "version": 0, "vendor": 0xFFF2, "product": 0x8005, "flow": 0, "discovery": on_network,
            "discriminator": 2976, "passcode": 34567890, "padding": 0,
        }  # fmt: skip
        # And it commissions.
        await controller.order("commission_code", code=text)
        await controller.order("lock")
