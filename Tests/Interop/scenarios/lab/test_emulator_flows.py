# SPDX-License-Identifier: Apache-2.0
"""Devices and a reader of the air, used by hosts on streams of PacketStreamer, as an app in the Android Emulator is.

The hosts are Bumble's (`android-netsim`); no emulator runs here.
"""

import contextlib

import pytest
from bumble.transport.common import TransportInitError

from onboarding import signals
from onboarding.app import App, camera
from onboarding.signals import lines
from provisioning.apps import AndroidApp
from provisioning.bench import BSSID, HOME, PASSPHRASE, bench
from provisioning.wire import wifi_info
from rig.air_process import AirBench
from rig.association import IO, Side
from rig.bench import READER
from rig.bumble_devices import LEVELS, bumble_device
from rig.packet_stream import NetsimAir
from rig.pairing_phone import PairingPhone
from rig.phone import Phone

AVD = "netsim1"
"""The place of the first chip."""

EXACT = ("--profile", "nordic-exact")


@contextlib.asynccontextmanager
async def serving(directory, place: str, *options: str):
    """The air with a place for a device, which has to end well."""
    air = await NetsimAir.serve(directory, f"{place}=tcp:127.0.0.1:0", options=options)
    try:
        yield air
    finally:
        code = await air.stop()
    assert code == 0, air.child.tail()


async def test_two_emulators_find_connect_and_pair(directory):
    """The one is a peripheral, the other a central: packets of both directions and of both parts."""
    async with serving(directory, "other") as air, bumble_device(await air.phone_transport("peripheral")):
        phone = await PairingPhone.open(await air.phone_transport("central"), Side(IO.NONE))
        try:
            link = await phone.connect(await phone.find(LEVELS))
            assert (await air.event("link-made", "netsim2"))["peripheral"] == AVD
            await link.find()
            assert await link.read("FF01") == b"of bumble"
            await link.pair()
            assert link.is_encrypted
            await link.disconnect()
            assert (await air.event("link-ended", "netsim2"))["reason"] == 0x16
        finally:
            await phone.close()
        assert air.notes() == ['stream 1: Bluetooth of "peripheral"', 'stream 2: Bluetooth of "central"']


async def test_bumble_finds_the_port_by_the_file(directory, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
    with pytest.raises(TransportInitError):
        await Phone.open("early", "android-netsim")
    async with serving(directory, "other", "--netsim-instance", "2") as air:
        phone = await Phone.open("phone", "android-netsim:instance=2,name=phone")
        try:
            assert air.notes() == ['stream 1: Bluetooth of "phone"']
        finally:
            await phone.close()


async def test_an_app_in_the_emulator_onboards_a_camera(directory):
    async with serving(directory, "camera") as air, camera(directory, air=air) as bench:
        phone = await bench.phone()
        assert await phone.find(b"Smarter AI") == bench.addresses[0]
        app = await App.connect(phone, bench.addresses[0])
        await app.subscribe()
        await app.until(signals.WAITING)
        assert await app.write(lines("Home", "correct horse", "ann", "t0k3n")) is None
        values = await app.end()
        assert [value.notification for value in values[1:]] == signals.SUCCESS
        assert await app.closed() == 0x13
        assert await bench.rules() == []


async def test_an_app_in_the_emulator_provisions_a_wifi_chip(directory):
    async with serving(directory, "device1") as air, bench(directory, *EXACT, air=air) as device:
        app = await device.app(AndroidApp)
        assert (await app.ask(AndroidApp.START_SCAN)).hex() == "08021000"
        assert len(await app.results(3)) == 3
        assert (await app.ask(b"\x08\x03")).hex() == "08031000"
        info = wifi_info(HOME.encode(), BSSID, 6, band=1, auth=4)
        assert (await app.ask(app.set_config(info, PASSPHRASE))).hex() == "08041000"
        states = [value.hex() for value in await app.results(4, after=3)]
        assert states == ["1001", "1002", "1003", "1004"]
        await app.leave()


class EmulatorBench(AirBench):
    """A reader at a place, and chips of emulators for phones."""

    async def switch_on(self) -> NetsimAir:
        return await NetsimAir.serve(self._directory, f"{READER}=tcp:127.0.0.1:0,strict", options=self._air_options)


async def test_an_app_in_the_emulator_opens_the_door_at_the_door(directory):
    """Levels, walls and captures of the air apply to the emulator."""
    capture = directory / "air.pcapng"
    async with EmulatorBench(air=("--capture", str(capture))) as bench:
        link = await bench.opens_at_the_door(AVD)
        await bench.radio.obey("wall", AVD, READER, 100)
        assert await link.wait_for_end(20) == 0x08
    assert f"air {AVD}".encode() in capture.read_bytes()
