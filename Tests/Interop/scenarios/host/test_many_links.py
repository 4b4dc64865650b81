# SPDX-License-Identifier: Apache-2.0
"""Sixty-four phones at once on one device: each gets its share."""

import asyncio
import json
import time

import pytest

from rig.association import Side
from rig.emulation import Emulation
from rig.matrix import some_of
from rig.pairing_bench import controllers
from rig.pairing_phone import PairingPhone
from rig.radio_process import BUMBLE, ROOTCANAL

LINKS = 64
"""The most that a host takes."""

VALUE = bytes(range(20))
TABLE = {
    "name": "busy",
    "services": [{"uuid": "FF00", "characteristics": [{"uuid": "FF01", "properties": ["read"], "value": VALUE.hex()}]}],
}

SPREAD = 1.25
"""Reads of the phone with the most, less a read under way, over the reads of the phone with the least: even is 1."""


@pytest.mark.seconds(90)
@pytest.mark.parametrize(
    ("kind", "seconds"),
    some_of([(BUMBLE, 3.0), (ROOTCANAL, 6.0)], "the case of Bumble has the same turns"),
    ids=["bumble", "rootcanal"],
)
async def test_reads_are_shared_evenly(directory, kind, seconds):
    table = directory / "table.json"
    table.write_text(json.dumps(TABLE))
    async with controllers(directory, kind) as radio:
        emulation = await Emulation.start(await radio.listen_tcp("device"), table, "--links", str(LINKS))
        phones = []
        try:
            address = str((await emulation.event("device"))["address"])
            await emulation.event("ready")
            place = "unix:" + await radio.listen_unix("phone")
            began = time.monotonic()
            for _ in range(LINKS):
                phones.append(await PairingPhone.open(place, Side()))
            links = [await phone.connect(address) for phone in phones]
            connected = time.monotonic() - began
            await links[0].find()
            handle = links[0].characteristic("FF01").handle
            counts = await read_all(links, handle, seconds)
            assert min(counts) > 0
            spread = (max(counts) - 1) / min(counts)
            print(
                f"{LINKS} links in {connected:.1f} s; {sum(counts) / seconds:.0f} reads/s, "
                f"{min(counts)} to {max(counts)} a phone, spread {spread:.2f}"
            )
            assert not any(link.lost.done() for link in links)
            assert emulation.events.count("connected") == LINKS
            assert spread <= SPREAD
        finally:
            for phone in phones:
                await phone.close()
            code = await emulation.stop()
        assert code == 0, emulation.child.tail()


async def read_all(links, handle: int, seconds: float) -> list[int]:
    """Every phone reads as fast as it is answered; the number of reads of each."""
    counts = [0] * len(links)
    end = time.monotonic() + seconds

    async def read(number: int) -> None:
        while time.monotonic() < end:
            assert await links[number].read_handle(handle) == VALUE
            counts[number] += 1

    await asyncio.gather(*(read(number) for number in range(len(links))))
    return counts
