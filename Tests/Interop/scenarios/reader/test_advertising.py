# SPDX-License-Identifier: Apache-2.0
"""Advertising as seen by a scanning phone."""

import time

import pytest

from access import identity
from access.advertising import ACCESS, CLASSIC, IBEACON, ON_TOUCH, ManufacturerRecord, Mode
from rig.bench import Bench, packets

DAY_SECONDS = 86_400


async def everything(bench: Bench, modes: list[Mode]):
    """Packets by address, once each mode was seen with its scan response."""
    phone = await bench.phone()

    def complete(seen) -> bool:
        return sum(bool(data and response) for data, response in packets(seen).values()) >= len(modes)

    return packets(await phone.watch(8, complete)), phone


@pytest.mark.parametrize(
    "modes",
    [None, [ACCESS], [ON_TOUCH], [CLASSIC], [IBEACON], [CLASSIC, ON_TOUCH, ACCESS]],
    ids=lambda modes: "+".join(m.name for m in modes) if modes else "default",
)
async def test_exact_packets_and_an_address_per_mode(modes):
    tables = {"advertising": {"modes": [mode.name for mode in modes]}} if modes else {}
    modes = modes or [ON_TOUCH, ACCESS]
    async with Bench(**tables) as bench:
        found, phone = await everything(bench, modes)
        assert sorted(data.hex() for datas, _ in found.values() for data in datas) == sorted(
            mode.packet().hex() for mode in modes
        )
        assert len(found) == len(modes), "every mode has its own address, and no address has two packets"
        for _, responses in found.values():
            (response,) = responses
            record = ManufacturerRecord.decode(response[2:21])
            assert response == record.scan_response(identity.DEVICE_ID)
            assert record.is_factory, "the demo identity advertises as factory"
            assert record.hardware_type == identity.WALL_READER
            assert record.battery_level == identity.ON_POWER
            assert abs(record.local_midnight - time.time()) <= DAY_SECONDS
        sightings = await phone.watch(0.5)
        assert all(s.address.is_random for s in sightings)
        assert all(s.connectable for s in sightings if not s.scan_response)


async def test_two_starts_are_two_sets_of_addresses_or_one_but_never_public():
    """The addresses are static random (two top bits set), as packets without Flags must be."""
    async with Bench() as bench:
        found, _ = await everything(bench, [ON_TOUCH, ACCESS])
        public = set((await bench.radio.stations()).values())
        for address in found:
            octets = address.split("/")[0].split(":")
            assert int(octets[0], 16) >> 6 == 3
            assert address.split("/")[0].lower() not in public
