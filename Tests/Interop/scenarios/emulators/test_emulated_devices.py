# SPDX-License-Identifier: Apache-2.0
"""Functions common to emulated devices: scenario files, and two kinds of devices on one radio."""

import asyncio
import json
import os
import re
import signal
import subprocess

import pytest
from jsonschema import Draft202012Validator

from onboarding import signals
from onboarding.app import CHARACTERISTIC, SERVICE, App
from onboarding.signals import lines
from provisioning.apps import AndroidApp, IOSApp
from provisioning.bench import WORLD
from rig.association import Side
from rig.emulation import Emulation, binary
from rig.pairing_bench import controllers
from rig.pairing_phone import PairingPhone
from rig.processes import Child
from rig.radio_process import ROOTCANAL
from rig.reader import ROOT

SCHEMA = Draft202012Validator(json.loads((ROOT / "docs/emulation.schema.json").read_text()))

DROP = {"at": "onboarded", "do": "drop"}

SCENARIOS = [
    {},
    {"faults": [], "events": [], "mtu": 23},
    {"faults": [DROP | {"occurrence": 2, "times": "every", "device": 16}]},
    {"faults": [{"at": "credentials", "do": {"error": "0x0e"}, "times": 7}, {"at": "read", "do": {"error": 255}}]},
    {"faults": [{"at": "onboarded", "do": {"replace": ""}}, {"at": "onboarded", "do": {"extend": "C0ffee"}}]},
    {"events": [{"after-ms": 0, "fault": DROP}, {"after-ms": 5, "disconnect": 7}, {"after-ms": 5, "mtu": "off"}]},
    {"events": [{"after-ms": 86400000, "quit": True}, {"after-ms": 1, "wifi": "down"}]},
    {"faults": [{"at": "connect", "do": "refuse"}]},
    {"events": [{"after-ms": 1, "network": {"ssid": "Home", "signal": -80}}, {"after-ms": 2, "dhcp": "down"}]},
    {"events": [{"after-ms": 1, "network": {"ssid": "Home", "is": "up"}}]},
    {"events": [{"after-ms": 1, "network": {"ssid": "Home", "passphrase": "correct horse"}}]},
    {"events": [{"after-ms": 1, "disconnect": {"link": 1, "reason": "power-off"}}]},
    {"events": [{"after-ms": 1, "disconnect": {"reason": "timeout"}}]},
]
NO_SCENARIOS = [
    [],
    {"fault": []},
    {"mtu": 22},
    {"faults": [{"at": "onboarded"}]},
    {"faults": [DROP | {"occurrence": 0}]},
    {"faults": [DROP | {"device": 17}]},
    {"faults": [{"at": "onboarded", "do": "lose"}]},
    {"faults": [{"at": "onboarded", "do": {}}]},
    {"faults": [{"at": "onboarded", "do": {"replace": "0"}}]},
    {"faults": [{"at": "onboarded", "do": {"drop": 1}}]},
    {"events": [{"wifi": "down"}]},
    {"events": [{"after-ms": 1}]},
    {"events": [{"after-ms": 1, "wifi": "down", "quit": True}]},
    {"events": [{"after-ms": 1, "clear": False}]},
    {"events": [{"after-ms": -1, "quit": True}]},
    {"events": [{"after-ms": 1, "dhcp": "off"}]},
    {"events": [{"after-ms": 1, "network": {"ssid": "Home"}}]},
    {"events": [{"after-ms": 1, "network": {"ssid": "Home", "is": "up", "signal": -80}}]},
    {"events": [{"after-ms": 1, "network": {"ssid": "Home", "signal": 1}}]},
    {"events": [{"after-ms": 1, "disconnect": {"link": 1, "reason": "timeout"}}]},
    {"events": [{"after-ms": 1, "disconnect": {"reason": "boredom"}}]},
]


def documented() -> list[dict]:
    """The scenarios of the page."""
    page = (ROOT / "docs/emulators/emulation.md").read_text()
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    return [block for block in blocks if "faults" in block]


def is_taken(directory, scenario) -> bool:
    """Whether the program accepts it: it then finds no controller, which is another exit code."""
    file = directory / "scenario.json"
    file.write_text(json.dumps(scenario))
    command = [str(binary()), "emulate", "smarter-ai", "--hci", f"unix:{directory}/nobody", "--scenario", str(file)]
    code = subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode
    assert code in (1, 2)
    return code == 1


def test_the_schema_and_the_program_agree(directory):
    Draft202012Validator.check_schema(SCHEMA.schema)
    assert documented()
    for scenario in SCENARIOS + documented():
        SCHEMA.validate(scenario)
        assert is_taken(directory, scenario), scenario
    for scenario in NO_SCENARIOS:
        assert not SCHEMA.is_valid(scenario), scenario
        assert not is_taken(directory, scenario), scenario


@pytest.mark.parametrize(
    ("devices", "why"),
    [
        ([], "0 devices"),
        ([{"name": "x"}], 'lacks "kind"'),
        ([{"kind": "toaster"}], "toaster"),
        ([{"kind": "smarter-ai", "colour": "red"}], "colour"),
        ([{"kind": "smarter-ai", "layout": "text"}], "layout"),
        ([{"kind": "nordic-wifi", "wifi-sim": "/nowhere"}], "/nowhere"),
        ([{"kind": "smarter-ai"}] * 17, "17 devices"),
    ],
)
def test_a_file_of_devices_that_is_wrong_says_where(directory, devices, why):
    file = directory / "devices.json"
    file.write_text(json.dumps({"devices": devices}))
    command = [str(binary()), "emulate", "devices", str(file), "--hci", f"unix:{directory}/nobody"]
    run = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert run.returncode == 2
    assert run.stderr.startswith(f"readerlab: {file}:1: devices")
    assert why in run.stderr


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
async def test_a_transcript_is_left_by_every_signal_that_can_be_heard(directory, number):
    """SIGHUP is that of a terminal that is closed."""
    transcript = directory / "transcript.json"
    async with controllers(directory, ROOTCANAL) as radio:
        command = [
            *(str(binary()), "emulate", "smarter-ai", "--hci", f"tcp-client:{await radio.listen_tcp('devices')}"),
            *("--json", "--transcript", str(transcript)),
        ]
        emulation = Emulation(await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE))
        await emulation.event("ready")
        os.kill(emulation.child.pid, number)
        assert await emulation.ended() == 0, emulation.child.tail()
    assert [entry["event"] for entry in json.loads(transcript.read_text())["entries"]] == ["ready"]


async def test_a_camera_and_a_chip_on_one_radio(directory):
    world = directory / "world.json"
    world.write_text(json.dumps(WORLD))
    file = directory / "devices.json"
    camera = {"kind": "smarter-ai", "service": SERVICE, "characteristic": CHARACTERISTIC, "diagnostics-ms": 200}
    file.write_text(
        json.dumps({"devices": [camera | {"pairing": "ok"}, {"kind": "nordic-wifi", "wifi-sim": str(world)}]})
    )
    transcript = directory / "transcript.json"
    async with controllers(directory, ROOTCANAL) as radio:
        command = [
            *(str(binary()), "emulate", "devices", str(file), "--hci"),
            *(f"tcp-client:{await radio.listen_tcp('devices')}", "--json", "--transcript", str(transcript)),
        ]
        emulation = Emulation(await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE))
        phones = []
        try:
            await emulation.event("ready")
            announced = [json.loads(line.text) for line in emulation.child.matching('"event":"emulation"')]
            assert [device["name"] for device in announced] == ["Smarter AI camera", "PV1A2B3C"]
            addresses = [device["address"] for device in announced]
            place = await radio.listen_unix("phone")
            phones = [await PairingPhone.open(f"unix:{place}", Side()), await IOSApp.phone_at(f"unix:{place}")]
            onboarding = await App.connect(phones[0], addresses[0])
            await onboarding.subscribe()
            # The response to the first GET_STATUS is INTERNAL_ERROR, and the camera's 201 is lost.
            await emulation.child.type("fault code status 3")
            await emulation.child.type("fault drop parsing-succeeded")
            await emulation.event("answer")
            provisioning = await AndroidApp.connect(phones[1], addresses[1])
            assert (await provisioning.ask(b"\x08\x01")).hex() == "080110035200"
            assert (await provisioning.ask(b"\x08\x01")).hex() == "080110005200"
            await onboarding.write(lines("Home", "correct horse", "ann", "t0k3n"))
            await onboarding.end()
            assert onboarding.notifications[1:] == signals.SUCCESS[1:]
            await onboarding.closed()
            await provisioning.leave()
        finally:
            for phone in phones:
                await phone.close()
            assert await emulation.stop() == 0, emulation.child.tail()
        text = json.loads(transcript.read_text())
        assert {entry.get("device") for entry in text["entries"]} == {None, 1, 2}
        assert text["findings"] == []


async def test_what_an_app_of_the_chip_gets_wrong_and_faults(directory):
    world = directory / "world.json"
    world.write_text(json.dumps(WORLD))
    transcript = directory / "transcript.json"
    scenario = directory / "scenario.json"
    scenario.write_text(json.dumps({"faults": [{"at": "scan-started", "do": {"delay": 5000}}]}))
    async with controllers(directory, ROOTCANAL) as radio:
        command = [
            *(str(binary()), "emulate", "nordic-wifi", "--hci", f"tcp-client:{await radio.listen_tcp('chip')}"),
            *("--wifi-sim", str(world), "--json", "--transcript", str(transcript), "--scenario", str(scenario)),
        ]
        emulation = Emulation(await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE))
        phone = None
        try:
            await emulation.event("ready")
            address = json.loads(emulation.child.matching('"event":"emulation"')[0].text)["address"]
            phone = await AndroidApp.phone_at(await radio.phone_transport("phone"))
            app = await AndroidApp.connect(phone, address)
            # The answer is late, and the app does not wait for it.
            asking = asyncio.ensure_future(app.ask(b"\x08\x02"))
            await emulation.child.line('"step":"start-scan"', 5)
            await app.link.disconnect()
            await asyncio.gather(asking, return_exceptions=True)
        finally:
            if phone:
                await phone.close()
            assert await emulation.stop() == 0, emulation.child.tail()
        assert [finding["rule"] for finding in json.loads(transcript.read_text())["findings"]] == ["did-not-wait"]
