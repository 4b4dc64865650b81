# SPDX-License-Identifier: Apache-2.0
"""The fixtures, and the failure of a test whose app was found wrong."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_readerlab.air import Air
from pytest_readerlab.device import Device, Finding, GATTDevice
from pytest_readerlab.files import files_of
from pytest_readerlab.phone import Phone
from pytest_readerlab.program import program
from pytest_readerlab.setup import Setup

DEVICES = pytest.StashKey[list[Device]]()
FINDINGS = pytest.StashKey["Findings"]()
CREDENTIAL = "ALICE04711"


class Findings:
    """The findings of a test's devices. A test fails with findings that it does not allow or expect."""

    def __init__(self, devices: list[Device]) -> None:
        self._devices = devices
        self._allowed: set[str] = set()
        self._expected: set[str] = set()

    def allow(self, *rules: str) -> None:
        """These rules may be broken."""
        self._allowed.update(rules)

    def expect(self, *rules: str) -> None:
        """These rules have to be broken: for tests of a wrong app."""
        self._expected.update(rules)

    @property
    def all(self) -> list[Finding]:
        """The findings so far."""
        return [finding for device in self._devices for finding in device.findings]

    def end(self) -> list[str]:
        """Ends the devices; the reasons for which the test fails."""
        lines = []
        for device in self._devices:
            unexpected = [one for one in device.end() if one.rule not in self._allowed | self._expected]
            lines += [f"{device.program.title}: {finding}" for finding in unexpected]
        missing = self._expected - {finding.rule for finding in self.all}
        return lines + [f"expected, and not found: {rule}" for rule in sorted(missing)]


def devices_of(item: pytest.Item) -> list[Device]:
    """The devices that a test has started."""
    return item.stash.setdefault(DEVICES, [])


def findings_of(item: pytest.Item) -> Findings:
    """The findings of a test."""
    return item.stash.setdefault(FINDINGS, Findings(devices_of(item)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    """Ends the devices of a test, and fails it with their findings."""
    try:
        result = yield
    except BaseException:
        for device in devices_of(item):
            item.add_report_section("call", device.program.title, device.program.tail())
            if device.findings:
                item.add_report_section("call", "findings", "\n".join(map(str, device.findings)))
        raise
    if lines := findings_of(item).end():
        pytest.fail("\n".join(["the app got something wrong:", *lines]), pytrace=False)
    return result


@pytest.fixture
def findings(request: pytest.FixtureRequest) -> Findings:
    """The findings about the app: to allow some, or to expect some."""
    return findings_of(request.node)


@pytest.fixture
def readerlab_directory() -> Iterator[Path]:
    """A directory with a short path, for sockets (108 octets), and mode 0700."""
    path = Path(tempfile.mkdtemp(prefix="rl-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def air(request: pytest.FixtureRequest, readerlab_directory: Path) -> Iterator[Air]:
    """The air of this test. Its parameter is a Setup with options, such as `--seed`."""
    air = Air(readerlab_directory, *files_of(request.node).of_air(), *getattr(request, "param", Setup()).options)
    yield air
    air.stop()


@pytest.fixture
def phone(air: Air) -> Iterator[Phone]:
    """A phone on the air."""
    phone = Phone("phone", air.hci("phone"))
    yield phone
    phone.close()


@pytest.fixture
def other_phone(air: Air) -> Iterator[Phone]:
    """A second phone."""
    phone = Phone("other-phone", air.hci("other-phone"))
    yield phone
    phone.close()


def started(request: pytest.FixtureRequest, device: Device) -> Iterator[Device]:
    """Starts a device for a test, and ends it after."""
    try:
        device.start()
        devices_of(request.node).append(device)
        yield device
    finally:
        device.program.stop()


def on_air(request: pytest.FixtureRequest, kind: str, place: str, *options: str) -> Iterator[Device]:
    """A device on its place of the air."""
    air = request.getfixturevalue("air")
    setup = getattr(request, "param", Setup())
    files = files_of(request.node).of_device(place)
    yield from started(request, Device(kind, place, setup, "--hci", air.hci(place), *files, *options))


@pytest.fixture
def reader(request: pytest.FixtureRequest, readerlab_directory: Path) -> Iterator[Device]:
    """A door reader with the demo identity. `reader.bundle` is a phone's bundle that opens it."""
    for reader in on_air(request, "reader", "reader"):
        reader.bundle = demo_bundle(readerlab_directory)
        yield reader


@pytest.fixture
def camera(request: pytest.FixtureRequest) -> Iterator[Device]:
    """A Smarter AI camera that waits for credentials."""
    yield from on_air(request, "smarter-ai", "camera")


@pytest.fixture
def wifi_device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """A Wi-Fi chip with Nordic's provisioning service."""
    yield from on_air(request, "nordic-wifi", "wifi-device")


@pytest.fixture
def thermostat(request: pytest.FixtureRequest) -> Iterator[Device]:
    """A thermostat."""
    yield from on_air(request, "thermostat", "thermostat")


@pytest.fixture
def matter_device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """A Matter lock to commission over BLE, on loopback after that. `facts` has `qr` and `manual`."""
    yield from on_air(request, "matter", "matter-device", "--interface", "lo", "--port", "0")


@pytest.fixture
def action_camera(request: pytest.FixtureRequest) -> Iterator[Device]:
    """A Bandit action camera at http://`address`/api, on loopback."""
    setup = getattr(request, "param", Setup())
    http, backchannel = free_ports(2)
    options = ("--listen", f"127.0.0.1:{http}", "--backchannel-port", str(backchannel))
    files = files_of(request.node).of_device("action-camera")
    yield from started(request, NetworkDevice("bandit", "", setup, *files, *options))


@pytest.fixture
def softap_device(request: pytest.FixtureRequest, readerlab_directory: Path) -> Iterator[Device]:
    """A Wi-Fi device that is provisioned at https://`address`/prov, as over its access point, on loopback."""
    setup = getattr(request, "param", Setup())
    options = ("--listen", f"127.0.0.1:{free_ports(1)[0]}", "--no-mdns", "--state", str(readerlab_directory / "state"))
    files = files_of(request.node).of_device("softap-device")
    yield from started(request, AccessPoint("nordic-softap", "", setup, *files, *options))


class NetworkDevice(Device):
    """A device without a controller: it is ready when it listens."""

    def await_ready(self) -> None:
        self.program.wait("device", text=f"listening at {self.address}")


class AccessPoint(Device):
    """A device that is ready when its access point is up."""

    first_event = "device"

    def await_ready(self) -> None:
        self.program.wait("access-point-up")


@pytest.fixture
def gatt_device(
    request: pytest.FixtureRequest, air: Air, readerlab_directory: Path
) -> Iterator[Callable[..., GATTDevice]]:
    """A function that starts a device of docs/emulators/gatt-device.md: `gatt_device(table, *options)`, up to three.

    `table` is a path, the content as a dictionary, or None with `profile="heart-rate"` or another profile's name.
    """
    running: list[GATTDevice] = []

    def start(table: Path | str | dict | None = None, *options: str, profile: str | None = None) -> GATTDevice:
        place = f"gatt-{len(running) + 1}"
        path = table
        if isinstance(table, dict):
            path = readerlab_directory / f"{place}.json"
            path.write_text(json.dumps(table))
        source = ("--profile", profile) if profile else ("--table", str(path))
        options = (*source, *files_of(request.node).of_device(place), *options)
        device = GATTDevice("gatt", place, Setup(), "--hci", air.hci(place), *options)
        running.append(device)
        device.start()
        devices_of(request.node).append(device)
        return device

    yield start
    for device in running:
        device.program.stop()


def demo_bundle(directory: Path) -> Path:
    """The bundle of a phone with one token for the demo reader (docs/operate/credentials.md)."""
    site, token, bundle = (directory / name for name in ("site.json", "token.json", "phone.json"))
    for words in (
        ["site", "demo", "--site", site],
        ["token", "command", "--site", site, "--reader", "demo", "--credential", CREDENTIAL]
        + ["--from", "2020-01-01", "--to", "2099-12-31", "--out", token],
        ["phone-bundle", "--site", site, "--token", token, "--out", bundle],
    ):
        done = subprocess.run([program(), "credentials", *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
    return bundle


def free_ports(count: int) -> list[int]:
    """Ports of loopback that are free now.

    They are below the kernel's range for clients, so that no connection has one before the device listens.
    """
    ports: list[int] = []
    for port in random.sample(range(10_000, 32_768), 22_768):
        with contextlib.suppress(OSError):
            socket.create_server(("127.0.0.1", port)).close()
            ports.append(port)
        if len(ports) == count:
            return ports
    raise RuntimeError("no port of loopback is free")
