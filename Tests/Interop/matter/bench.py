# SPDX-License-Identifier: Apache-2.0
"""A bench for one Matter device: two hosts on one wire in separate network namespaces, the CHIP controller on one,
the device on the other; with BLE also a D-Bus with BlueZ's place taken, and the lab's air between phone and device."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from matter import sockets
from matter.client.endpoint import Endpoint
from matter.client.wire import PORT
from matter.controller import Controller
from rig.air_process import AirProcess
from rig.emulation import LINE_SECONDS, binary
from rig.processes import Child
from rig.reader import ROOT
from softap.network import Network, Unavailable, network, run

DEVICE_INTERFACE, PHONE_INTERFACE = "ap0", "wlan0"
DEVICE_ADDRESS = "fe80::1"
INTEROP = ROOT / "Tests/Interop"
BUS = """<busconfig><type>system</type><listen>unix:path={bus}</listen><auth>EXTERNAL</auth><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/><allow user="*"/></policy>
</busconfig>
"""
START_SECONDS = 20.0
"""For the bus and the central: some tenths of a second where nothing else runs."""


class Device:
    """`readerlab emulate matter` as a process."""

    def __init__(self, child: Child) -> None:
        self.child = child

    async def event(self, name: str, after: int = 0, containing: str = "") -> dict:
        """The first line of that event with that text in it, from line `after` on."""
        line = await self.child.line(f'"event":"{name}".*{containing}', LINE_SECONDS, after)
        return json.loads(line.text)

    @property
    def mark(self) -> int:
        """The number of lines so far: later lines come after it."""
        return len(self.child.lines)

    def steps(self, name: str, after: int = 0) -> list[dict]:
        """The entries of that event so far, from line `after` on."""
        lines = [line.text for line in self.child.lines[after:] if line.text.startswith("{")]
        return [entry for entry in map(json.loads, lines) if entry["event"] == name]

    async def codes(self) -> dict:
        """The line with the setup codes."""
        return await self.event("emulation")

    async def type(self, line: str) -> dict:
        """The answer to a typed line."""
        mark = self.mark
        await self.child.type(line)
        return await self.event("answer", mark)

    async def findings(self) -> list[str]:
        """The rules that the summary at the end names; ends the device."""
        mark = self.mark
        assert await self.child.stop() == 0, self.child.tail()
        return [finding["rule"] for finding in self.steps("summary", mark)[-1]["findings"]]


class Bench:
    """`async with Bench(directory, ble=True) as bench:`; what it started ends with it."""

    def __init__(self, directory: Path, ble: bool = False, mtu: int = 247) -> None:
        self.directory, self._ble, self._mtu = directory, ble, mtu
        self._stack = contextlib.AsyncExitStack()
        self._controllers: list[Controller] = []
        self._device: Device | None = None
        self._hosts_made = 0x100
        self._hosts: Network
        self.state = directory / "state"
        directory.mkdir(exist_ok=True)

    async def __aenter__(self) -> Bench:
        async with contextlib.AsyncExitStack() as stack:
            self._hosts = await stack.enter_async_context(network())
            for host, interface, last in (
                (self._hosts.device, DEVICE_INTERFACE, 1),
                (self._hosts.phone, PHONE_INTERFACE, 2),
            ):
                # An address at once, without the second of detecting others: no one else is on this wire.
                await run(*host, "ip", "link", "set", interface, "down")
                await run(*host, "ip", "link", "set", interface, "addrgenmode", "none", "up")
                await run(*host, "ip", "address", "add", f"fe80::{last}/64", "dev", interface, "nodad")
            if self._ble:
                await self._radio(stack)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, kind, _error, _traceback) -> None:
        if kind is not None:
            if self._device:
                print(f"The device's last lines:\n{self._device.child.tail(60)}", file=sys.stderr)
            for controller in self._controllers:
                print(f"The last lines of {controller.log.name}:\n{controller.tail()}", file=sys.stderr)
        await self._stack.aclose()

    async def _start(self, stack: contextlib.AsyncExitStack, name: str, prefix: Sequence[str], *command: str) -> Child:
        child = await Child.start(name, [*prefix, *command], cwd=INTEROP)
        stack.push_async_callback(child.stop)
        return child

    async def _radio(self, stack: contextlib.AsyncExitStack) -> None:
        """The air, a bus, and a central on it."""
        if shutil.which("dbus-daemon") is None:
            raise Unavailable("there is no dbus-daemon: apt-get install dbus")
        air = await AirProcess.start(f"device=unix:{self.directory}/d", f"phone=unix:{self.directory}/p")
        stack.push_async_callback(air.stop)
        configuration = self.directory / "bus.conf"
        configuration.write_text(BUS.format(bus=self.bus))
        await self._start(
            stack,
            "dbus-daemon",
            self._hosts.phone,
            *("dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile"),
        )
        async with asyncio.timeout(START_SECONDS):
            while not self.bus.exists():
                await asyncio.sleep(0.02)
        central = await self._start(
            stack,
            "bluez",
            self._hosts.phone,
            *(sys.executable, "-m", "matter.bluez", f"unix:{self.directory}/p"),
            *("--bus", f"unix:path={self.bus}", "--mtu", str(self._mtu)),
        )
        await central.line("ready", START_SECONDS)

    @property
    def bus(self) -> Path:
        """The socket of the D-Bus."""
        return self.directory / "bus"

    async def device(self, *options: str, kind: str = "lock") -> Device:
        """Starts the device, or starts it again with the same state; it can be found when this returns."""
        device = await self.device_begun(*options, kind=kind)
        await device.event("ready")
        return device

    async def device_begun(
        self, *options: str, kind: str = "lock", environment: dict[str, str] | None = None
    ) -> Device:
        """The same, without waiting for it."""
        if self._device:
            await self._device.child.stop()
        self._device = await self._begin(self.state, *options, kind=kind, environment=environment)
        return self._device

    async def another(self, name: str, *options: str, kind: str) -> Device:
        """A further device, with its own state. It is trusted by the controllers that begin later."""
        state = self.directory / name
        device = await self._begin(state, *options, kind=kind)
        await device.event("ready")
        shutil.copy(state / "paa/readerlab-paa.der", self.state / f"paa/{name}.der")
        return device

    async def _begin(self, state: Path, *options: str, kind: str, environment: dict[str, str] | None = None) -> Device:
        hci = ("--hci", f"unix:{self.directory}/d") if self._ble else ()
        command = [
            *(*self._hosts.device, str(binary()), "emulate", "matter", "--json", "--device", kind),
            *("--interface", DEVICE_INTERFACE, "--state-dir", str(state), *hci, *options),
        ]
        child = await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE, env=environment)
        self._stack.push_async_callback(child.stop)
        return Device(child)

    @property
    def hosts(self) -> Network:
        """The device's side and the phone's."""
        return self._hosts

    @property
    def device_host(self) -> Sequence[str]:
        """The words before a command on the device's side."""
        return self._hosts.device

    async def controller(self, trust: Path | None = None) -> Controller:
        """The controller, which trusts the authority of the device's attestation."""
        bus = self.bus if self._ble else None
        number = len(self._controllers) + 1
        trust = trust or self.state / "paa"
        controller = await Controller.start(self._hosts.phone, self.directory, trust, bus, number)
        self._stack.push_async_callback(controller.stop)
        self._controllers.append(controller)
        return controller

    async def endpoints(self, count: int = 1, port: int = PORT) -> list[Endpoint]:
        """Clients of the wire at their own addresses on the phone's side, to be entered by whoever uses them."""
        addresses = [f"fe80::{self._hosts_made + number:x}" for number in range(count)]
        self._hosts_made += count
        for address in addresses:
            where = ("address", "add", f"{address}/64", "dev", PHONE_INTERFACE, "nodad")
            await run(*self._hosts.phone, "ip", *where)
        made, number = await sockets.sockets(self._hosts.phone, PHONE_INTERFACE, addresses)
        return [Endpoint(one, (DEVICE_ADDRESS, port, 0, number)) for one in made]

    async def packets(self) -> socket.socket:
        """A socket for all frames of the phone's interface."""
        return await sockets.packets(self._hosts.phone, PHONE_INTERFACE)
