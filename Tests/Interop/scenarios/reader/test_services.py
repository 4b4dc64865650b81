# SPDX-License-Identifier: Apache-2.0
"""The services seen by a connected phone."""

import pytest

from access import identity
from access.advertising import ACCESS, CLASSIC, ON_TOUCH, ManufacturerRecord
from rig.bench import Bench

READ, WRITE_WITHOUT_RESPONSE, WRITE, NOTIFY = 0x02, 0x04, 0x08, 0x10
"""Core 5.4, Vol 3, Part G, 3.3.1.1."""


@pytest.mark.parametrize("mode", [ACCESS, ON_TOUCH, CLASSIC], ids=lambda mode: mode.name)
async def test_service_characteristics_name_and_record(mode):
    async with Bench(advertising={"modes": [mode.name]}) as bench:
        _, link = await bench.connected(mode=mode)
        await link.discover(mode.service)
        assert link.properties == (WRITE_WITHOUT_RESPONSE | WRITE, NOTIFY, READ)
        assert await link.device_name() == identity.DEVICE_ID
        record = await link.manufacturer_record()
        assert len(record) == 19
        assert ManufacturerRecord.decode(record).is_factory
        await link.disconnect()


async def test_both_services_are_there_when_both_are_advertised():
    async with Bench() as bench:
        _, link = await bench.connected(mode=ON_TOUCH)
        await link.discover(ACCESS.service)
        await link.discover(ON_TOUCH.service)
        with pytest.raises(LookupError):
            await link.discover(CLASSIC.service)


async def test_mtu_is_agreed_on():
    async with Bench(advertising={"modes": ["access"]}) as bench:
        _, link = await bench.connected()
        assert 23 <= await link.exchange_mtu(185) <= 185
