# SPDX-License-Identifier: Apache-2.0
"""Devices of Bluetooth SIG profiles, with Bumble's own clients of the profiles where it has them."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest
from bumble import hci
from bumble.att import ATT_Error
from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.profiles.battery_service import BatteryServiceProxy
from bumble.profiles.heart_rate_service import HeartRateServiceProxy
from bumble.transport import open_transport
from lxml import etree

from rig.emulation import LINE_SECONDS, Emulation, binary
from rig.processes import Child
from rig.radio_process import RadioProcess

ADDRESS = "C3:00:00:00:00:01"
VALUE_SECONDS = 20.0
"""For a value that has to come."""
IMPROPER, IN_PROGRESS, AUTHENTICATION = 0xFD, 0x80, 0x05


@contextlib.asynccontextmanager
async def client(directory, *options: str):
    """A Bumble client, connected to the device with these options; its program."""
    radio = await RadioProcess.start(directory)
    try:
        transport = "tcp-client:" + await radio.listen_tcp("device")
        command = [str(binary()), "emulate", "gatt", *options, "--address", ADDRESS, "--hci", transport, "--json"]
        child = await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE)
        try:
            await child.line('"event":"ready"', LINE_SECONDS)
            opened = await open_transport("unix:" + await radio.listen_unix("client"))
            device = Device.with_hci("client", hci.Address("C4:00:00:00:00:02"), opened.source, opened.sink)
            device.classic_enabled = False
            await device.power_on()
            try:
                connection = await device.connect(hci.Address(ADDRESS), timeout=VALUE_SECONDS)
                peer = Peer(connection)
                await peer.discover_services()
                for service in peer.services:
                    for characteristic in await service.discover_characteristics():
                        await characteristic.discover_descriptors()
                yield peer, connection, child
            finally:
                await opened.close()
        finally:
            await child.stop()
    finally:
        await radio.stop()


def value(peer: Peer, uuid: str):
    """The first characteristic of this type."""
    return peer.get_characteristics_by_uuid(UUID(uuid))[0]


async def subscribed(characteristic) -> asyncio.Queue[bytes]:
    """The values that it sends from now on."""
    values: asyncio.Queue[bytes] = asyncio.Queue()
    await characteristic.subscribe(lambda octets: values.put_nowait(bytes(octets)))
    return values


async def one(values: asyncio.Queue) -> bytes:
    """The next value."""
    return await asyncio.wait_for(values.get(), VALUE_SECONDS)


def rules(child: Child) -> list[str]:
    """The rules of the findings so far."""
    lines = [json.loads(line.text) for line in child.lines if line.text.startswith("{")]
    return [line["rule"] for line in lines if line["event"] == "finding"]


async def test_heart_rate_and_battery_by_bumbles_clients(directory):
    async with client(directory, "--profile", "heart-rate") as (peer, _, _):
        heart = HeartRateServiceProxy(peer.get_services_by_uuid(UUID("180D"))[0])
        measurements: asyncio.Queue = asyncio.Queue()
        await heart.heart_rate_measurement.subscribe(measurements.put_nowait)
        first = await asyncio.wait_for(measurements.get(), VALUE_SECONDS)
        assert (first.heart_rate, first.sensor_contact_detected, first.energy_expended) == (72, True, 1)
        assert abs(first.rr_intervals[0] - 60 / 72) < 1 / 1024
        assert (await asyncio.wait_for(measurements.get(), VALUE_SECONDS)).heart_rate == 73
        await heart.reset_energy_expended()
        battery = BatteryServiceProxy(peer.get_services_by_uuid(UUID("180F"))[0])
        assert await battery.battery_level.read_value() == 90


async def test_records_of_a_glucose_meter(directory):
    async with client(directory, "--profile", "glucose") as (peer, connection, child):
        control, measurement = value(peer, "2A52"), value(peer, "2A18")
        with pytest.raises(ATT_Error) as refusal:
            await control.write_value(b"\1\1", with_response=True)
        assert refusal.value.error_code == AUTHENTICATION
        await connection.pair()
        with pytest.raises(ATT_Error) as refusal:
            await control.write_value(b"\1\1", with_response=True)
        assert refusal.value.error_code == IMPROPER
        records, responses = await subscribed(measurement), await subscribed(control)
        await control.write_value(b"\4\1", with_response=True)
        assert await one(responses) == bytes.fromhex("05000a00")
        await control.write_value(bytes.fromhex("0103010900"), with_response=True)
        numbers = [int.from_bytes((await one(records))[1:3], "little") for _ in range(2)]
        assert numbers == [9, 10] and await one(responses) == bytes.fromhex("06000101")
        assert rules(child) == ["control-point-not-enabled"]


async def test_an_indoor_bike_is_controlled(directory):
    async with client(directory, "--profile", "ftms") as (peer, _, child):
        control = value(peer, "2AD9")
        responses, states = await subscribed(control), await subscribed(value(peer, "2ADA"))
        await control.write_value(bytes.fromhex("05c800"), with_response=True)
        assert await one(responses) == bytes.fromhex("800505")
        await control.write_value(b"\0", with_response=True)
        assert await one(responses) == bytes.fromhex("800001")
        await control.write_value(bytes.fromhex("05c800"), with_response=True)
        assert await one(responses) == bytes.fromhex("800501") and await one(states) == bytes.fromhex("08c800")
        data = await one(await subscribed(value(peer, "2AD2")))
        assert data[:2] == b"\x64\0" and int.from_bytes(data[8:10], "little") == 200
        assert rules(child) == ["no-control"]


async def test_a_failing_run_leaves_what_its_developer_needs(directory):
    """Transcript, packets, findings as JUnit, and a page with the entries before a finding and the command."""
    names = {"--transcript": "run.json", "--btsnoop": "run.btsnoop", "--junit": "run.xml", "--report": "run.html"}
    files = {option: directory / name for option, name in names.items()}
    options = [word for option, file in files.items() for word in (option, str(file))]
    async with client(directory, "--profile", "ftms", "--answer", "123456", *options) as (peer, _, child):
        control = value(peer, "2AD9")
        responses = await subscribed(control)
        await control.write_value(bytes.fromhex("05c800"), with_response=True)
        await one(responses)
    assert await Emulation(child).ended() == 0, child.tail()
    page = files["--report"].read_text()
    again = f"readerlab emulate gatt --profile ftms --answer … --transcript {files['--transcript']}"
    assert again in page and "123456" not in page
    assert "no-control" in page and "05c800" in page and str(files["--transcript"]) in page
    (case,) = etree.parse(files["--junit"]).iter("testcase")
    assert case.get("name") == "no-control" and "05c800" in case.findtext("system-out")
    assert all(file.stat().st_mode & 0o777 == 0o600 and file.stat().st_size > 100 for file in files.values())


async def test_a_keyboard_types(directory):
    async with client(directory, "--profile", "hid-keyboard", "--fault", "unprotected") as (peer, _, _):
        report = value(peer, "2A4D")
        assert bytes(await value(peer, "2A4E").read_value()) == b"\1"
        (reference,) = [descriptor for descriptor in report.descriptors if descriptor.type == UUID("2908")]
        assert bytes(await reference.read_value()) == b"\1\1"
        values = await subscribed(report)
        pressed = [(await one(values))[2] for _ in range(5)]
        assert pressed == [0, 0x0B, 0, 0x08, 0]
