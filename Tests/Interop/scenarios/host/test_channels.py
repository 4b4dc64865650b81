# SPDX-License-Identifier: Apache-2.0
"""LE credit-based channels of a device, opened by Bumble (Core 5.4, Vol 3, Part A, 4.22 and 10)."""

import asyncio
import contextlib
import json

import pytest
from bumble.core import ProtocolError

from rig.association import Side
from rig.emulation import Emulation
from rig.pairing_bench import controllers
from rig.pairing_phone import PairingPhone
from rig.radio_process import BUMBLE, ROOTCANAL

KINDS = pytest.mark.parametrize("kind", [ROOTCANAL, BUMBLE], ids=["rootcanal", "bumble"])

ECHO = 0x0080
TABLE = {"name": "echo", "services": [{"uuid": "FF00", "characteristics": [{"uuid": "FF01", "properties": ["read"]}]}]}

SPSM_NOT_SUPPORTED = 0x0002
"""Result of LE Credit Based Connection Response (4.23)."""


@contextlib.asynccontextmanager
async def linked(directory, kind):
    """The device and a link to it."""
    table = directory / "table.json"
    table.write_text(json.dumps(TABLE))
    async with controllers(directory, kind) as radio:
        emulation = await Emulation.start(await radio.listen_tcp("device"), table, "--echo-channel", f"{ECHO:#06x}")
        try:
            address = str((await emulation.event("device"))["address"])
            await emulation.event("ready")
            phone = await PairingPhone.open("unix:" + await radio.listen_unix("phone"), Side())
            try:
                yield emulation, await phone.connect(address)
            finally:
                await phone.close()
        finally:
            code = await emulation.stop()
        assert code == 0, emulation.child.tail()


class Echoes:
    """The data received on a channel."""

    def __init__(self, channel) -> None:
        self._channel = channel
        self._queue: asyncio.Queue[bytes] = asyncio.Queue()
        channel.sink = lambda octets: self._queue.put_nowait(bytes(octets))

    async def send(self, octets: bytes) -> None:
        """One SDU."""
        self._channel.write(octets)
        await asyncio.wait_for(self._channel.drain(), 5)

    async def next(self) -> bytes:
        """The next SDU."""
        return await asyncio.wait_for(self._queue.get(), 5)


@KINDS
@pytest.mark.parametrize(("mtu", "mps", "credits"), [(64, 23, 1), (512, 64, 4), (2048, 247, 256)])
async def test_echo(directory, kind, mtu, mps, credits):
    async with linked(directory, kind) as (emulation, link):
        channel = await link.open_channel(ECHO, mtu, mps, credits)
        echoes = Echoes(channel)
        opened = await emulation.event("channel-opened")
        assert opened["spsm"] == ECHO
        # One octet, one frame, one more than a frame, the longest that both take; then many at once.
        longest = min(mtu, channel.peer_mtu)
        for length in sorted({1, mps - 2, mps - 1, mps, longest}):
            octets = bytes(index & 0xFF for index in range(length))
            await echoes.send(octets)
            assert await echoes.next() == octets
        many = [bytes([number]) * 40 for number in range(50)]
        for octets in many:
            await echoes.send(octets)
        assert [await echoes.next() for _ in many] == many
        await channel.disconnect()
        await emulation.event("channel-closed")


@KINDS
async def test_several_channels_do_not_mix(directory, kind):
    async with linked(directory, kind) as (_, link):
        channels = [Echoes(await link.open_channel(ECHO, 256, 64, 8)) for _ in range(3)]
        for number, echoes in enumerate(channels):
            await echoes.send(bytes([number]) * 200)
        for number, echoes in enumerate(channels):
            assert await echoes.next() == bytes([number]) * 200


@KINDS
async def test_unknown_service_is_refused(directory, kind):
    async with linked(directory, kind) as (_, link):
        with pytest.raises(ProtocolError) as refusal:
            await link.open_channel(ECHO + 1, 256, 64, 8)
        assert refusal.value.error_code == SPSM_NOT_SUPPORTED
        # The link and its other services are as before.
        assert await link.peer.request_mtu(100) == 100
