# SPDX-License-Identifier: Apache-2.0
"""Several devices from files on one radio, each found by its own name and address."""

import json

import pytest

from rig.association import Side
from rig.emulation import Emulation
from rig.pairing_bench import controllers
from rig.pairing_phone import PairingPhone
from rig.radio_process import BUMBLE, ROOTCANAL

COUNT = 3


def table(number: int) -> dict[str, object]:
    """A device that reports its number."""
    characteristic = {"uuid": "FF01", "properties": ["read", "write"], "value": f"{number:02x}"}
    return {
        "name": f"sensor {number}",
        "mtu": 100 + number,
        "services": [{"uuid": f"FF{number:02X}", "characteristics": [characteristic]}],
    }


@pytest.mark.parametrize("kind", [ROOTCANAL, BUMBLE], ids=["rootcanal", "bumble"])
async def test_each_device_has_its_own_attributes(directory, kind):
    paths = []
    for number in range(1, COUNT + 1):
        paths.append(directory / f"{number}.json")
        paths[-1].write_text(json.dumps(table(number)))
    more = [word for path in paths[1:] for word in ("--table", str(path))]
    async with controllers(directory, kind) as radio:
        emulation = await Emulation.start(await radio.listen_tcp("device"), paths[0], *more)
        phones = []
        try:
            await emulation.event("ready")
            lines = [json.loads(line.text) for line in emulation.child.matching('"event":"device"')]
            assert [line["name"] for line in lines] == [f"sensor {number}" for number in range(1, COUNT + 1)]
            assert len({line["address"] for line in lines}) == COUNT
            place = "unix:" + await radio.listen_unix("phone")
            links = []
            for line in lines:
                phones.append(await PairingPhone.open(place, Side()))
                links.append(await phones[-1].connect(line["address"]))
            for number, link in enumerate(links, start=1):
                assert await link.peer.request_mtu(200) == 100 + number
                await link.find()
                assert await link.read("2A00") == f"sensor {number}".encode()
                assert await link.read("FF01") == bytes([number])
            # A value written on one device is not read on another.
            await links[0].characteristic("FF01").write_value(b"\x77", with_response=True)
            assert [await link.read("FF01") for link in links] == [b"\x77", b"\x02", b"\x03"]
            connected = [json.loads(line.text) for line in emulation.child.matching('"event":"connected"')]
            assert [line["device"] for line in connected] == [1, 2, 3]
        finally:
            for phone in phones:
                await phone.close()
            code = await emulation.stop()
        assert code == 0, emulation.child.tail()
