# SPDX-License-Identifier: Apache-2.0
"""A phone on BlueZ, far from the reader and then near: what it gets. The host moves it when asked by a file in /out."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bleak import BleakClient
from bleak.exc import BleakError

from access_phone import COMPANY, SERVICE, Session
from central import check, find, main, note

FAR_DBM, NEAR_DBM = -85, -45
TOLERANCE = 3


async def attempt() -> tuple[int, str]:
    """One approach to the reader: the level at which BlueZ received it, and the outcome."""
    device, data = await find(lambda data: SERVICE in data.service_uuids and COMPANY in data.manufacturer_data)
    try:
        async with BleakClient(device) as client:
            session = Session(client)
            await session.subscribe()
            await session.run("tokn")
    except (BleakError, TimeoutError, RuntimeError) as error:
        return data.rssi, f"refused: {error}"
    return data.rssi, "opened"


async def phone() -> None:
    level, outcome = await attempt()
    note(f"{level} dBm: {outcome}")
    check(f"BlueZ hears the far reader at {FAR_DBM} dBm", abs(level - FAR_DBM) <= TOLERANCE, level)
    check("a far phone gets nothing", outcome != "opened", outcome)
    Path("/out/come-near").touch()
    while not Path("/out/is-near").exists():
        await asyncio.sleep(0.1)
    level, outcome = await attempt()
    note(f"{level} dBm: {outcome}")
    check(f"BlueZ hears the near reader at {NEAR_DBM} dBm", abs(level - NEAR_DBM) <= TOLERANCE, level)
    check("a near phone opens", outcome == "opened", outcome)


main(phone)
