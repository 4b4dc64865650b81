# SPDX-License-Identifier: Apache-2.0
"""`readerlab phone simble`: apps of an iOS Simulator by SimBLE's wire, with devices on the lab's air. No Simulator is
here: the app is this test."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from onboarding.app import CHARACTERISTIC, WORLD
from onboarding.app import SERVICE as CAMERA
from onboarding.signals import SERVER_CLOSING, SUCCESS, Value, lines
from rig import simble
from rig.air_process import AirProcess
from rig.emulation import Emulation, binary
from rig.processes import Child
from rig.simble import Refused, SimulatorApp, closed, framed, helper, receive

DEVICE, APP = "device", "app"


@contextlib.asynccontextmanager
async def simulator(directory: Path, *device: str) -> AsyncIterator[tuple[SimulatorApp, AirProcess, Emulation]]:
    """A device and an app on one air."""
    air = await AirProcess.start(f"{DEVICE}=unix:{directory}/device,strict", f"{APP}=unix:{directory}/app,strict")
    try:
        command = [str(binary()), "emulate", *device, "--hci", air.hci(DEVICE), "--json"]
        emulation = Emulation(await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE))
        try:
            await emulation.event("ready")
            async with helper(directory, air.hci(APP)) as (app, _):
                yield app, air, emulation
        finally:
            assert await emulation.stop() == 0, emulation.child.tail()
        # The helper's host obeys the specification, as the devices' does.
        assert air.events("violation") == []
    finally:
        await air.stop()


def keys(peripheral: object, service: str, characteristic: str) -> simble.Message:
    return {simble.PERIPHERAL: peripheral, simble.SERVICE: service, simble.CHARACTERISTIC: characteristic}


async def found(app: SimulatorApp, name: str, *services: str) -> object:
    """Scans for a device of that name, and connects to it; its identifier."""
    await app.ask(simble.SCAN_START, {simble.SERVICES: list(services)} if services else {})
    peripheral = (await app.event(simble.DISCOVERED, name=name))[simble.PERIPHERAL]
    await app.ask(simble.SCAN_STOP)
    assert (await app.ask(simble.CONNECT, {simble.PERIPHERAL: peripheral}))[simble.PERIPHERAL] == peripheral
    return peripheral


async def test_an_app_onboards_a_camera(directory):
    networks = directory / "networks.json"
    networks.write_text(json.dumps(WORLD))
    options = ("--service", CAMERA, "--characteristic", CHARACTERISTIC, "--wifi-sim", str(networks))
    delays = ("--diagnostics-ms", "200", "--closing-ms", "200")
    async with simulator(directory, "smarter-ai", *options, *delays) as (app, _, _):
        hello = await app.ask(simble.HELLO, {simble.VERSION: 1, 14: "org.example.app", 28: "App"})
        assert hello == {simble.OPERATION: simble.HELLO, simble.STATUS: 0, simble.VERSION: 1}
        assert (await app.ask(simble.CENTRAL_STATE))[simble.STATE] == simble.POWERED_ON
        service, characteristic = CAMERA.upper(), CHARACTERISTIC.upper()
        camera = await found(app, "Smarter AI camera", service)
        assert isinstance(camera, bytes)
        assert len(camera) == 16
        where = {simble.PERIPHERAL: camera}
        services = (await app.ask(simble.DISCOVER_SERVICES, where))[simble.SERVICES]
        assert service in services
        members = where | {simble.SERVICE: service}
        assert characteristic in (await app.ask(simble.DISCOVER_CHARACTERISTICS, members))[simble.CHARACTERISTICS]
        which = keys(camera, service, characteristic)
        assert (await app.ask(simble.SET_NOTIFY, which | {simble.NOTIFY: 1}))[simble.NOTIFY] == 1
        value = (await app.ask(simble.READ, which))[simble.VALUE]
        assert value == bytes.fromhex("6f0000006f000000e1050000")
        credentials = lines("Home", "correct horse", "ann", "t0k3n")
        await app.ask(simble.WRITE, which | {simble.VALUE: credentials, simble.WRITE_TYPE: 0})
        values = await app.values(lambda octets: Value.parse(octets).notification == SERVER_CLOSING)
        assert [Value.parse(octets).notification for octets in values][1:] == SUCCESS
        # The camera ends the link: CBError.peripheralDisconnected.
        assert await app.event(simble.DISCONNECTED) == {
            simble.OPERATION: simble.DISCONNECTED,
            simble.CODE: 7,
            simble.PERIPHERAL: camera,
        }


TEMPERATURE = "2A6E"
TARGET = "7E2F5A00-4D1C-4B57-9C39-6F1F6D0C1A01"


async def test_levels_walls_and_faults_reach_the_app(directory):
    async with simulator(directory, "thermostat", "--temperature", "20.9") as (app, air, emulation):
        await air.level(DEVICE, APP, -71)
        thermostat = await found(app, "Thermostat")
        assert (await app.event(simble.DISCOVERED))[simble.RSSI] == -71
        where = {simble.PERIPHERAL: thermostat}
        services = (await app.ask(simble.DISCOVER_SERVICES, where))[simble.SERVICES]
        places = {}
        for service in services:
            answer = await app.ask(simble.DISCOVER_CHARACTERISTICS, where | {simble.SERVICE: service})
            places |= {uuid: keys(thermostat, service, uuid) for uuid in answer[simble.CHARACTERISTICS]}
        # A controller has no RSSI before the device's first packet.
        assert (await app.ask(simble.READ_RSSI, where))[simble.RSSI] == -71
        (hundredths,) = struct.unpack("<h", (await app.ask(simble.READ, places[TEMPERATURE]))[simble.VALUE])
        assert hundredths == 2090
        # The device's ATT error, then a fault on command, are the codes.
        write = places[TARGET] | {simble.WRITE_TYPE: 0}
        with pytest.raises(Refused) as refusal:
            await app.ask(simble.WRITE, write | {simble.VALUE: b"\x64"})
        assert refusal.value.code == 0x0D
        await emulation.child.type("fault error set-target 0x0e")
        await emulation.event("answer")
        with pytest.raises(Refused) as refusal:
            await app.ask(simble.WRITE, write | {simble.VALUE: struct.pack("<h", 2200)})
        assert refusal.value.code == 0x0E
        await app.ask(simble.WRITE, write | {simble.VALUE: struct.pack("<h", 2200)})
        # The finding about the app, as about any.
        assert (await emulation.event("finding"))["rule"] == "invalid-target"
        # Out of range: CBError.connectionTimeout.
        await air.obey("loss", DEVICE, APP, 1)
        assert (await app.event(simble.DISCONNECTED))[simble.CODE] == 6


async def test_strangers_get_nothing_and_disturb_no_app(directory):
    async with simulator(directory, "thermostat") as (app, _, _):
        await app.ask(simble.SCAN_START)
        for octets in (
            b"GET / HTTP/1.1\r\n\r\n",
            b"\x00\x00\x00\x01\xff",
            framed({simble.OPERATION: simble.CENTRAL_STATE}),
            framed({simble.OPERATION: simble.CENTRAL_STATE, simble.TOKEN: bytes(32)}),
        ):
            reader, writer = await asyncio.open_connection(simble.HOST, app.port)
            writer.write(octets)
            answer = await receive(reader)
            assert (answer[simble.STATUS], answer[simble.OPERATION]) == (1, 0)
            assert await reader.read() == b""
            await closed(writer)
        # One that begins a frame, and one that reads no events, while the app goes on.
        slow = await asyncio.open_connection(simble.HOST, app.port)
        slow[1].write(b"\x00\x00")
        deaf = await asyncio.open_connection(simble.HOST, app.port)
        assert (await app.ask(simble.CENTRAL_STATE))[simble.STATE] == simble.POWERED_ON
        thermostat = (await app.event(simble.DISCOVERED, name="Thermostat"))[simble.PERIPHERAL]
        await app.ask(simble.CONNECT, {simble.PERIPHERAL: thermostat})
        for _, writer in (slow, deaf):
            await closed(writer)
