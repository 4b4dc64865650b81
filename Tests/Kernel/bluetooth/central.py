# SPDX-License-Identifier: Apache-2.0
"""Functions shared by phones on BlueZ: the bus, notes for the host, and finding a device."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable

from bleak import BleakScanner
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleak.exc import BleakError

FIND_SECONDS = 20.0
REFUSAL_SECONDS = 30.0
BEGAN = time.monotonic()


def check(text: str, holds: bool, detail: object = "") -> None:
    """A line that bench.py reads."""
    print(f"check: {'ok' if holds else 'FAILED'} {text}" + (f" | {detail}" if detail != "" else ""), flush=True)


def note(text: str) -> None:
    """Notes an event, with the seconds since the start."""
    print(f"[{time.monotonic() - BEGAN:.2f}] {text}", flush=True)


async def find(
    wanted: Callable[[AdvertisementData], bool], services: list[str] | None = None
) -> tuple[BLEDevice, AdvertisementData]:
    """The first device whose packets are as wanted. Raises LookupError.

    A device whose packets have no Flags, as those of the mode access, is reported by BlueZ 5.82 only to a scan for its
    `services`.
    """
    found: asyncio.Future[tuple[BLEDevice, AdvertisementData]] = asyncio.get_running_loop().create_future()

    def seen(device: BLEDevice, data: AdvertisementData) -> None:
        if wanted(data) and not found.done():
            found.set_result((device, data))

    async with BleakScanner(seen, service_uuids=services):
        try:
            return await asyncio.wait_for(found, FIND_SECONDS)
        except TimeoutError:
            raise LookupError(f"no such device within {FIND_SECONDS} s") from None


async def refusal(access: Awaitable[object]) -> Exception | None:
    """The end of an access that the device refuses with Insufficient Authentication; None if it succeeds.

    BlueZ then pairs, and asks once more. Where the kernel has already suspended its ATT channel for that pairing, 5.66
    is never answered: it fails after 30 s with Unlikely Error and the link is over, or it waits for ever. So the caller
    continues with another link, and that the device has refused is for another to say.
    """
    try:
        await asyncio.wait_for(access, REFUSAL_SECONDS)
    except (BleakError, TimeoutError) as error:
        return error
    return None


def main(body: Callable[[], object]) -> None:
    """Runs it; what it raises is a check that fails."""
    try:
        asyncio.run(body())
    except Exception as error:
        check("the phone continues to its end", False, repr(error))
        raise
    sys.exit(0)
