# SPDX-License-Identifier: Apache-2.0
"""Controllers that restart, lose events, refuse commands or measure nothing are found and reported."""

import asyncio
import contextlib
import json
import os
import signal
import time

import pytest

from access.advertising import ACCESS, CLASSIC, ON_TOUCH, Mode
from access.results import VersionInfo
from rig.asking import fault
from rig.bench import READER, Bench
from rig.emulation import Advertised, Emulation, binary
from rig.matrix import some_of
from rig.operation import Operator
from rig.phone import LinkLost, NotReached, Phone
from rig.processes import Child
from rig.radio_process import BUMBLE, ROOTCANAL, RadioProcess
from rig.reader import ROOT

FOUND_SECONDS = 30.0
"""From the loss of a controller's state until phones are served again (docs/operate/faults.md)."""

TOLD_SECONDS = 5.0
"""For a restart that the controller reports: one question, on a machine that is busy."""

FIND_SECONDS = 20.0
"""For what has to come, where nothing is measured, on a machine that is busy."""

FIRST_QUESTION_SECONDS = 2.0
"""After the start: the first question about the state is over, and the next, 10 s later, is not due."""

TABLE = ROOT / "emulators/Examples/heart-rate.json"
HEART = Advertised("heart rate", b"\x0d\x18")

NOP = "0e03010000"
INTEL_BOOT = "ff0702000102030405"
ST_BOOT = "ff03010001"
CONNECTION_COMPLETE, DISCONNECTION_COMPLETE = ("3e01", "3e0a"), ("05",)

ONE, SEVERAL = [ACCESS], [CLASSIC, ON_TOUCH, ACCESS]
CONTROLLERS = pytest.mark.parametrize(
    ("controller", "modes"),
    some_of(
        [("full", ONE), ("full", SEVERAL), ("legacy", ONE), ("legacy", SEVERAL)],
        "SupervisionTests have each kind of controller",
    ),
    ids=["extended-one", "extended-several", "legacy-one", "legacy-several"],
)


class BumbleBench(Bench):
    """A reader on Bumble's controller, which accepts everything at any time."""

    async def switch_on(self) -> RadioProcess:
        return await RadioProcess.start(self._directory, BUMBLE)

    async def phone(self, name: str = "phone", **_) -> Phone:
        phone = await Phone.open(name, "unix:" + await self.radio.listen_unix(name))
        self._phones.append(phone)
        return phone


def on(controller: str, modes: list[Mode] = ONE, **tables) -> Bench:
    """A reader on a controller of this profile, with these modes, of which none is gated."""
    tables = {"advertising": {"modes": [mode.name for mode in modes]}, "proximity": {"gate": []}, **tables}
    return Bench(controller=controller, **tables)


async def served(phone: Phone, mode: Mode = ACCESS, seconds: float = FOUND_SECONDS) -> None:
    """The phone finds the reader within this time, and is served. It tries again if its link ends with a reset."""
    end = time.monotonic() + seconds
    while True:
        link = await phone.connect((await phone.find(mode, end - time.monotonic())).address, FIND_SECONDS)
        try:
            await link.prepare(mode.service)
            assert VersionInfo.decode(await link.run("PING")).build_time > 0
        except LinkLost:
            continue
        return await link.disconnect()


async def claims(bench: Bench) -> tuple[bool, bool]:
    """Ready and advertising, by the status and the metrics, which agree."""
    operator = Operator(bench)
    controller = (await operator.status())["controller"]
    ready, advertising = controller["ready"], controller["advertising"]
    metrics = await operator.metrics()
    assert (metrics.value("controller_ready"), metrics.value("advertising")) == (ready, advertising)
    return ready, advertising


async def states(bench: Bench) -> dict[str, str]:
    """The state of each mode by the status."""
    return {entry["mode"]: entry["state"] for entry in (await Operator(bench).status())["controller"]["modes"]}


# Lost state


@pytest.mark.thorough("SupervisionTests restart the controller")
@CONTROLLERS
async def test_a_silent_restart_is_found(controller, modes):
    async with on(controller, modes) as bench:
        phone = await bench.phone()
        await phone.find(modes[-1], FIND_SECONDS)
        # After the first question, and before the first one that follows the reset.
        for pause in 2, 0:
            await asyncio.sleep(pause)
            begin = time.monotonic()
            await bench.radio.restart(READER)
            for mode in modes:
                await phone.find(mode, begin + FOUND_SECONDS - time.monotonic())
            print(f"on the air again after {time.monotonic() - begin:.1f} s")
        await served(phone, modes[-1])
        assert (await Operator(bench).status())["controller"]["failures"] > 0
        assert bench.reader.child.matching("fault controller-failed: .*lost")


async def test_a_silent_restart_of_a_controller_that_accepts_everything_is_found():
    # Several would heal by themselves: on its one advertiser they take turns, and each turn configures it.
    async with BumbleBench(advertising={"modes": [ACCESS.name]}, proximity={"gate": []}) as bench:
        phone = await bench.phone()
        await phone.find(ACCESS, FIND_SECONDS)
        begin = time.monotonic()
        await bench.radio.restart(READER)
        await served(phone, ACCESS, begin + FOUND_SECONDS - time.monotonic())


@pytest.mark.parametrize(
    "event", some_of([NOP, INTEL_BOOT, ST_BOOT], "SupervisionTests have the boot events"), ids=["nop", "intel", "st"]
)
async def test_a_restart_that_the_controller_reports_is_found_at_once(event):
    async with on("full") as bench:
        phone = await bench.phone()
        await phone.find(ACCESS, FIND_SECONDS)
        await asyncio.sleep(FIRST_QUESTION_SECONDS)
        await bench.radio.restart(READER)
        await bench.radio.ask("event", READER, event)
        await phone.find(ACCESS, TOLD_SECONDS)


@pytest.mark.thorough("SupervisionTests lose the event")
@CONTROLLERS
@pytest.mark.parametrize("talks", [True, False], ids=["phone-talks", "phone-is-silent"])
async def test_a_lost_connection_event_is_found(controller, modes, talks):
    async with on(controller, modes) as bench:
        phone = await bench.phone()
        sighting = await phone.find(modes[-1], FIND_SECONDS)
        await asyncio.sleep(FIRST_QUESTION_SECONDS)
        begin = time.monotonic()
        await bench.radio.ask("lose", READER, *CONNECTION_COMPLETE)
        link = await phone.connect(sighting.address, FIND_SECONDS)
        await bench.radio.ask("lose", READER)
        if talks:
            with contextlib.suppress(LinkLost, TimeoutError):
                await link.exchange_mtu()
            await link.wait_for_end(FOUND_SECONDS)
        # A silent phone may stay unnoticed on its link, and keeps no one else out.
        await served(await bench.phone("another"), modes[-1], begin + FOUND_SECONDS - time.monotonic())


@CONTROLLERS
async def test_a_lost_disconnection_event_is_found(controller, modes):
    async with on(controller, modes, links={"max": 1}) as bench:
        phone, link = await bench.connected(mode=modes[-1])
        await link.prepare(modes[-1].service)
        await bench.radio.ask("lose", READER, *DISCONNECTION_COMPLETE)
        begin = time.monotonic()
        await link.disconnect()
        await bench.radio.ask("lose", READER)
        await served(phone, modes[-1], begin + FOUND_SECONDS - time.monotonic())
        assert (await Operator(bench).status())["links"]["served"] == 0


# Refused advertising

REFUSALS = [
    ("full", "3620", "12", "LE Set Extended Advertising Parameters (0x2036)"),
    ("full", "3720", "07", "LE Set Extended Advertising Data (0x2037)"),
    ("full", "3920", "0c", "LE Set Extended Advertising Enable (0x2039)"),
    ("legacy", "0620", "12", "LE Set Advertising Parameters (0x2006)"),
    ("legacy", "0a20", "1f", "LE Set Advertising Enable (0x200A)"),
]


@pytest.mark.parametrize(
    ("controller", "command", "status", "name"),
    some_of(REFUSALS, "AdvertisingStatusTests have each command"),
    ids=[row[1] for row in REFUSALS],
)
async def test_refused_advertising_is_a_fault_until_it_works(controller, command, status, name):
    async with on(controller) as bench:
        phone = await bench.phone()
        await phone.find(ACCESS, FIND_SECONDS)
        assert await claims(bench) == (True, True)
        await bench.radio.ask("refuse", READER, f"{command}={status}")
        await bench.radio.restart(READER)
        await bench.radio.ask("event", READER, NOP)
        text = await fault(bench.control, "advertising-refused", FOUND_SECONDS)
        assert f"{name} refused with 0x{status.upper()}" in text
        assert await claims(bench) == (False, False)
        assert await states(bench) == {"access": "refused"}
        assert (await row(bench, "controller")).endswith(", not ready, not advertising, access refused")
        with pytest.raises(NotReached):
            await phone.find(ACCESS, 1)
        await bench.radio.ask("refuse", READER)
        await fault(bench.control, "advertising-refused", FIND_SECONDS, shown=False)
        await served(phone)
        assert await claims(bench) == (True, True)
        assert await states(bench) == {"access": "on-air"}


async def row(bench: Bench, name: str) -> str:
    """A line of the table that `readerd status` prints."""
    lines = (await Operator(bench).run("status")).output.splitlines()
    return next(line for line in lines if line.startswith(name)).rstrip()


@pytest.mark.parametrize(
    "command", some_of(["3620", "3720", "3820", "3520"], "AdvertisingStatusTests refuse one of several")
)
async def test_one_refused_mode_of_several_is_told(command):
    """The second set's."""
    async with on("full", SEVERAL) as bench:
        phone = await bench.phone()
        await phone.find(ON_TOUCH, FIND_SECONDS)
        await bench.radio.ask("refuse", READER, f"{command}01=12")
        await bench.radio.restart(READER)
        text = await fault(bench.control, "modes-unserved", FOUND_SECONDS)
        assert ON_TOUCH.name in text and "refused with 0x12" in text
        assert await states(bench) == {CLASSIC.name: "on-air", ON_TOUCH.name: "refused", ACCESS.name: "on-air"}
        assert await claims(bench) == (True, True)
        await served(phone, ACCESS)
        await bench.radio.ask("refuse", READER)
        await fault(bench.control, "modes-unserved", FIND_SECONDS, shown=False)
        await served(phone, ON_TOUCH)


# Readings


@pytest.mark.parametrize("reading", some_of([127, 0], "RSSITests have the values that do not count"))
async def test_readings_that_are_never_usable_are_a_fault(reading):
    modes = {"advertising": {"modes": ["classic", "access"]}, "proximity": {"gate": ["access"]}}
    async with Bench(**modes) as bench:
        await bench.radio.ask("reading", READER, reading)
        phone = await bench.phone()
        for _ in range(3):
            link = await phone.connect((await phone.find(ACCESS, FIND_SECONDS)).address, FIND_SECONDS)
            await link.wait_for_end(FIND_SECONDS)
        text = await fault(bench.control, "controller-without-rssi")
        assert "status 0 without a value" in text
        assert await states(bench) == {"classic": "on-air", "access": "without-rssi"}
        await served(phone, CLASSIC)
        await bench.radio.ask("reading", READER)
        await served(phone, ACCESS)
        await fault(bench.control, "controller-without-rssi", shown=False)
        assert await states(bench) == {"classic": "on-air", "access": "on-air"}


# Modes


async def test_the_modes_change_with_a_reload():
    async with on("full", [ACCESS]) as bench:
        phone, link = await bench.connected()
        await link.prepare()
        text = bench.configuration.read_text()
        bench.configuration.write_text(text.replace('modes = ["access"]', 'modes = ["classic", "on-touch"]'))
        begin = time.monotonic()
        os.kill(bench.reader.child.pid, signal.SIGHUP)
        await link.wait_for_end(FIND_SECONDS)
        await phone.find(ON_TOUCH, FIND_SECONDS)
        print(f"found in another mode after {time.monotonic() - begin:.1f} s")
        with pytest.raises(NotReached):
            await phone.find(ACCESS, 1)
        await served(phone, CLASSIC)
        assert await states(bench) == {"classic": "on-air", "on-touch": "on-air"}
        changed = [event for event in await events(bench) if event["kind"] == "configuration-changed"]
        assert len(changed) == 1, changed


async def events(bench: Bench) -> list[dict[str, object]]:
    """The records so far."""
    done = await Operator(bench).events("--json")
    assert done.code == 0, done
    return [json.loads(line) for line in done.output.splitlines()]


# Emulated devices


@contextlib.asynccontextmanager
async def played(directory, kind=ROOTCANAL, profile="full", refused=()):
    """The radio, a device from a file on it, and a phone."""
    radio = await RadioProcess.start(directory, kind)
    try:
        if refused:
            await radio.ask("refuse", "device", *refused)
        emulation = await Emulation.start(await radio.listen_tcp("device", profile), TABLE)
        phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
        try:
            yield radio, emulation, phone
        finally:
            await phone.close()
            code = await emulation.stop()
        assert code == 0, emulation.child.tail()
    finally:
        await radio.stop()


@pytest.mark.parametrize(
    ("kind", "profile"),
    some_of([(ROOTCANAL, "full"), (ROOTCANAL, "legacy"), (BUMBLE, "full")], "ControllerStateTests have each profile"),
    ids=["extended", "legacy", "bumble"],
)
async def test_a_silent_restart_under_an_emulated_device_is_found(directory, kind, profile):
    async with played(directory, kind, profile) as (radio, _, phone):
        await phone.find(HEART, FIND_SECONDS)
        begin = time.monotonic()
        await radio.restart("device")
        sighting = await phone.find(HEART, FOUND_SECONDS)
        print(f"on the air again after {time.monotonic() - begin:.1f} s")
        link = await phone.connect(sighting.address, FIND_SECONDS)
        assert await link.exchange_mtu(185) == 185


async def test_a_lost_disconnection_event_under_an_emulated_device_is_found(directory):
    async with played(directory) as (radio, emulation, phone):
        link = await phone.connect((await phone.find(HEART, FIND_SECONDS)).address, FIND_SECONDS)
        await link.exchange_mtu(185)
        await radio.ask("lose", "device", *DISCONNECTION_COMPLETE)
        await link.disconnect()
        await radio.ask("lose", "device")
        async with asyncio.timeout(FOUND_SECONDS):
            await emulation.event("disconnected")
        await phone.find(HEART, FIND_SECONDS)


@pytest.mark.parametrize(
    ("profile", "command", "status", "name"),
    some_of(REFUSALS, "ControllerStateTests refuse the advertising"),
    ids=[row[1] for row in REFUSALS],
)
async def test_an_emulated_device_is_ready_once_it_is_on_the_air(directory, profile, command, status, name):
    async with played(directory, profile=profile, refused=[f"{command}={status}"]) as (radio, emulation, phone):
        event = await emulation.event("advertising")
        assert f"{name} refused with 0x{status.upper()}" in json.dumps(event)
        assert "ready" not in emulation.events
        await radio.ask("refuse", "device")
        await emulation.event("ready")
        await phone.find(HEART, FIND_SECONDS)


async def test_a_second_mtu_exchange_changes_nothing(directory):
    async with played(directory) as (_, _, phone):
        link = await phone.connect((await phone.find(HEART, FIND_SECONDS)).address, FIND_SECONDS)
        assert await link.exchange_mtu(100) == 100
        link.peer.gatt_client.mtu_exchange_done = False
        await link.exchange_mtu(185)
        # A value of 120 octets has more than fits the first and agreed MTU.
        await link.peer.discover_services()
        assert len(link.peer.services) > 1


@pytest.mark.parametrize("profile", some_of(["full", "legacy"], "ReaderAirTests restart both kinds of controllers"))
async def test_a_silent_restart_under_an_emulated_reader_is_found(directory, profile):
    radio = await RadioProcess.start(directory)
    try:
        hci = f"tcp-client:{await radio.listen_tcp(READER, profile)}"
        reader = await Child.start("reader", [str(binary()), "emulate", "reader", "--hci", hci, "--json"])
        phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
        try:
            await reader.line('"event":"ready"', FIND_SECONDS)
            await radio.level("phone", READER, -45)
            await phone.find(ACCESS, FIND_SECONDS)
            begin = time.monotonic()
            await radio.restart(READER)
            await served(phone, ACCESS, begin + FOUND_SECONDS - time.monotonic())
        finally:
            await phone.close()
            assert await reader.stop() == 0
    finally:
        await radio.stop()
