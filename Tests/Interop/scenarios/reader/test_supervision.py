# SPDX-License-Identifier: Apache-2.0
"""The reader and its controller: losing it is normal, and so is a request to stop."""

from access.advertising import ACCESS
from access.results import VersionInfo
from rig.bench import READER, Bench

BACK_SECONDS = 10.0
"""Back-off and a full start of the controller; the first try is due within a second."""


async def test_a_lost_controller_is_opened_again():
    async with Bench() as bench:
        phone, link = await bench.connected()
        await link.prepare()
        pid = bench.reader.child.pid
        for _ in range(2):
            await bench.radio.drop(READER)
            await link.wait_for_end(2)
            sighting = await phone.find(ACCESS, seconds=BACK_SECONDS)
            link = await phone.connect(sighting.address)
            await link.prepare()
            assert VersionInfo.decode(await link.run("PING")).build_time > 0
        assert bench.reader.child.returncode is None
        assert bench.reader.child.pid == pid


async def test_stopping_ends_advertising_and_the_process():
    async with Bench() as bench:
        phone, link = await bench.connected()
        await link.prepare()
        assert await bench.reader.stop() == 0
        await link.wait_for_end(2)
        assert await phone.watch(0.5) == []
