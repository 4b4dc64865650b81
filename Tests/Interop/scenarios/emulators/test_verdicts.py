# SPDX-License-Identifier: Apache-2.0
"""`--fail-on-findings` and `--junit` of the emulated devices, alone and behind a page (docs/emulators/emulation.md)."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest
from lxml import etree

from rig.air_process import PHONE, AirProcess
from rig.association import Side
from rig.emulation import Emulation, binary
from rig.junit_schema import schema
from rig.pairing_phone import PairingPhone
from rig.processes import Child

TARGET = "7E2F5A00-4D1C-4B57-9C39-6F1F6D0C1A01"
FINDINGS = 3
"""The exit code of a run with findings."""


async def end(directory: Path, words: list[str], value: bytes, *options: str) -> tuple[int, str, etree._Element]:
    """The exit code, the output and the JUnit XML of a thermostat to which an app writes this target."""
    air = await AirProcess.start("device=tcp:127.0.0.1:0", f"{PHONE}=unix:{directory / PHONE}")
    report = directory / "findings.xml"
    command = [*words, "emulate", "thermostat", "--hci", air.hci("device"), "--json", "--junit", str(report), *options]
    device = Emulation(await Child.start("device", [str(binary()), *command], stdin=asyncio.subprocess.PIPE))
    try:
        address = (await device.event("emulation"))["address"]
        await device.event("ready")
        phone = await PairingPhone.open(air.hci(PHONE), Side())
        link = await phone.connect(str(address))
        await link.find()
        await link.characteristic(TARGET).write_value(value, with_response=False)
        # Answered after the write.
        await link.read(TARGET)
        await phone.close()
        await device.child.type("quit")
        code = await device.ended()
    finally:
        await device.stop()
        await air.stop()
    xml = etree.parse(report)
    schema().assertValid(xml)
    assert report.stat().st_mode & 0o777 == 0o600
    return code, device.child.tail(3), xml.getroot()


@pytest.mark.parametrize("words", [[], ["web", "--json", "--listen", "127.0.0.1:0"]], ids=["alone", "page"])
async def test_findings_are_an_exit_code_if_asked(directory, words):
    code, output, xml = await end(directory, words, b"\x15", "--fail-on-findings")
    assert code == FINDINGS and "the app got something wrong: 2 findings, see above" in output, output
    cases = xml.findall(".//testcase")
    assert {case.get("name") for case in cases} == {"invalid-target", "write-without-response"}
    assert {case.get("classname") for case in cases} == {"emulate.thermostat"}
    failure = next(case for case in cases if case.get("name") == "invalid-target").find("failure")
    assert failure.get("message") == "wrote a target of 1 octets: write 5 to 30 °C as two octets"


async def test_findings_alone_are_no_failure(directory):
    code, _, xml = await end(directory, [], b"\x15")
    assert code == 0 and xml.get("failures") == "2"


def test_a_report_that_cannot_be_written_is_refused_at_the_start():
    for option in ("--junit", "--transcript"):
        command = [str(binary()), "emulate", "thermostat", "--hci", "unix:/proc/none/x", option, "/proc/none/x"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
        assert done.returncode == 1 and "/proc/none/x: cannot write the " in done.stderr, done
