# SPDX-License-Identifier: Apache-2.0
"""`readerd self-test`: with each kind of controller, without one, and next to a reader that runs."""

import asyncio
import json
from pathlib import Path

import pytest

from access.advertising import ACCESS, ON_TOUCH
from contactless.field import Field
from rig.bench import Bench
from rig.matrix import some_of
from rig.phone import Phone
from rig.processes import Child
from rig.radio_process import BUMBLE, ROOTCANAL, RadioProcess
from rig.reader import Settings, binary
from rig.waiting import until

SECONDS = 20.0
"""Two modes on one advertiser take half a second; the rest is for a busy machine."""
LOOK_SECONDS = 30.0


CHIP_SECONDS = 10.0
"""From the reader's start to a chip that listens: libnfc asks it a few things."""


async def self_test(directory: Path, *options: str) -> tuple[int, dict[str, str], dict]:
    """Its exit code, the results by part, and the whole report."""
    command = [str(binary()), "self-test", "--json", "--state", str(directory / "state"), *options]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    report = json.loads(output)
    return process.returncode, {part["part"]: part["result"] for part in report["parts"]}, report


def configuration(directory: Path, **tables: dict[str, object]) -> str:
    path = directory / "readerd.toml"
    path.write_text(Settings(tables).toml())
    return str(path)


@pytest.mark.parametrize(
    ("kind", "profile"),
    some_of(
        [(ROOTCANAL, "full"), (ROOTCANAL, "legacy"), (BUMBLE, "full")],
        "ControllerTrialTests have both kinds of advertisers",
    ),
    ids=lambda value: str(value),
)
async def test_each_mode_goes_on_the_air_once_and_off_again(directory, kind, profile):
    radio = await RadioProcess.start(directory, kind)
    try:
        phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
        watching = asyncio.create_task(phone.watch(5.0))
        hci = await radio.listen_tcp("reader", profile)
        # On a bench time is no matter: a slow interval would only be seen less often.
        file = configuration(directory, advertising={"interval-ms": 20})
        code, parts, report = await self_test(directory, "--config", file, "--hci", f"tcp-client:{hci}")
        assert code == 0, report
        assert parts == {
            **{"controller": "ok", "advertising": "ok", "nfc": "not-configured", "gpio": "not-configured"},
            **{"keys": "not-configured", "disk": "ok", "clock": "ok"},
        }
        assert report["reader-runs"] is False
        await watching
        # RootCanal scans in its own time: that nothing is left on the air is what can be relied on.
        assert await phone.watch(1.0) == []
        await phone.close()
    finally:
        await radio.stop()


@pytest.mark.seconds(60)
async def test_the_packets_are_those_of_the_configuration(directory):
    radio = await RadioProcess.start(directory)
    try:
        # Legacy advertising stays on for two packets of each mode, so a scanner sees them.
        phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
        hci = await radio.listen_tcp("reader", "legacy")
        wanted = {ON_TOUCH.packet(), ACCESS.packet()}

        def data(seen):
            return {sighting.data for sighting in seen if not sighting.scan_response}

        # A mode is on the air for two packets, which a scanner may miss: as often as it takes.
        watching = asyncio.create_task(phone.watch(LOOK_SECONDS, lambda seen: data(seen) >= wanted))
        while not watching.done():
            code, _, report = await self_test(directory, "--hci", f"tcp-client:{hci}")
            assert code == 0, report
        assert data(await watching) == wanted
        await phone.close()
    finally:
        await radio.stop()


async def test_a_gated_mode_fails_on_a_controller_that_reads_no_rssi(directory):
    radio = await RadioProcess.start(directory)
    try:
        hci = await radio.listen_tcp("reader", "no-rssi")
        code, parts, report = await self_test(directory, "--hci", f"tcp-client:{hci}")
        assert code == 1
        assert parts["controller"] == "failed" and parts["advertising"] == "ok", report
        file = configuration(directory, advertising={"modes": ["classic"]})
        code, parts, report = await self_test(directory, "--hci", f"tcp-client:{hci}", "--config", file)
        assert code == 0 and parts["controller"] == "ok", report
    finally:
        await radio.stop()


async def test_without_a_controller_it_fails_and_says_the_rest(directory):
    code, parts, report = await self_test(directory, "--hci", f"unix:{directory}/none")
    assert code == 1
    assert parts["controller"] == parts["advertising"] == "failed"
    assert parts["disk"] == parts["clock"] == "ok", report


async def test_a_controller_that_says_nothing_is_given_up(directory):
    async def swallow(reader, writer):
        await reader.read(-1)
        writer.close()

    server = await asyncio.start_unix_server(swallow, str(directory / "silent"))
    async with server:
        code, parts, _ = await self_test(
            directory, "--hci", f"unix:{directory}/silent", "--timeout", "2", "--only", "controller,advertising"
        )
    assert code == 1
    assert parts == {"controller": "failed", "advertising": "failed"}


async def test_a_running_reader_is_asked_and_goes_on(directory):
    radio = await RadioProcess.start(directory)
    try:
        hci = await radio.listen_tcp("reader")
        control = str(directory / "reader.sock")
        (directory / "state").mkdir(mode=0o700)
        command = [str(binary()), "run", "--hci", f"tcp-client:{hci}", "--state", str(directory / "state")]
        reader = await Child.start("readerd", [*command, "--control", control])
        await reader.line("controller ready", SECONDS)
        code, parts, report = await self_test(directory, "--control", control)
        assert code == 0, report
        assert report["reader-runs"] is True
        assert parts["reader"] == parts["controller"] == parts["advertising"] == "ok"
        # A permanent failure is reported, and the test fails.
        await radio.stop()

        async def failed() -> tuple | None:
            seen = await self_test(directory, "--control", control, "--only", "controller")
            return seen if seen[0] != 0 else None

        code, parts, report = await until("the failure", failed)
        assert code == 1 and parts["controller"] == "failed", report
        # No process answers at another socket: the process that holds the directory is not known to work.
        code, _, report = await self_test(directory, "--control", str(directory / "none"))
        assert code == 1 and report["reader-runs"] is True
        assert reader.returncode is None
        assert await reader.stop() == 0
    finally:
        await radio.stop()


async def test_an_nfc_chip_is_opened_and_let_go_and_a_running_reader_tells_of_its_own(directory):
    async with Field() as field:
        file = configuration(directory, nfc={"connection": field.connection})
        # Twice: what was not let go could not be opened again.
        for _ in range(2):
            code, parts, report = await self_test(directory, "--config", file, "--only", "nfc")
            assert (code, parts) == (0, {"nfc": "ok"}), report
        await field.ask("unplug", "reader")
        code, parts, report = await self_test(directory, "--config", file, "--only", "nfc")
        assert (code, parts) == (1, {"nfc": "failed"})
        assert "no such device" in report["parts"][0]["detail"]
    async with Field() as field, Bench(nfc={"connection": field.connection}) as bench:
        await bench.reader.child.line(r"nfc: .* is ready", CHIP_SECONDS)
        control = str(bench.control)
        code, parts, report = await self_test(bench.state.parent, "--control", control, "--only", "nfc")
        assert (code, parts) == (0, {"reader": "ok", "nfc": "ok"}), report
