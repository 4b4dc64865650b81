# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate nordic-softap` as a process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from rig.emulation import binary
from rig.ports import free_port
from rig.processes import Child
from softap.app import App

LINE_SECONDS = 10.0
"""For an event: the slowest is the device's start again, 3 s."""

HOME = {
    "networks": [
        {"ssid": "cia-linksys", "bssid": "d8:ec:5e:8f:66:19", "channel": 112, "band": "5", "rssi": -49}
        | {"security": "wpa-wpa2-psk", "passphrase": "thingyworld2024"},
        {"ssid": "cia-asusgold", "bssid": "c8:7f:54:de:23:b8", "channel": 9, "band": "2.4", "rssi": -49}
        | {"security": "wpa-wpa2-psk", "passphrase": "thingyworld2024"},
        {"ssid": "Open", "bssid": "02:00:00:00:00:01", "channel": 1, "band": "2.4", "rssi": -60},
    ]
}


class Device:
    """The device, and how to reach it."""

    def __init__(self, child: Child, address: str, port: int, state: Path) -> None:
        self.child = child
        self.address = address
        self.port = port
        self.certificate = state / "softap-certificate.pem"
        self.key = state / "softap-key.pem"

    def app(self, certificate: Path | None = None, *, android: bool = False) -> App:
        return App(self.address, self.port, certificate or self.certificate, android=android)

    async def event(self, name: str, after: int = 0, text: str = "") -> dict[str, object]:
        """The first line of that event, from line `after` on."""
        line = await self.child.line(f'"event":"{name}".*{text}', LINE_SECONDS, after)
        return json.loads(line.text)

    @property
    def mark(self) -> int:
        """The number of lines so far: later lines come after it."""
        return len(self.child.lines)

    def events(self, after: int = 0) -> list[str]:
        return [json.loads(line.text)["event"] for line in self.child.lines[after:]]

    def press(self) -> None:
        """The button."""
        os.kill(self.child.pid, signal.SIGUSR1)

    def raw(self, seconds: float = 5.0) -> socket.socket:
        """A connection without TLS."""
        return socket.create_connection((self.address, self.port), seconds)

    async def type(self, line: str) -> dict[str, object]:
        """Types a line; the answer."""
        mark = self.mark
        await self.child.type(line)
        return await self.event("answer", mark)

    async def stop(self) -> int:
        return await self.child.stop()


@contextlib.asynccontextmanager
async def device(
    directory: Path,
    *options: str,
    networks: dict | None = None,
    prefix: Sequence[str] = (),
    address: str = "127.0.0.1",
    port: int | None = None,
) -> AsyncIterator[Device]:
    """A device that can be configured."""
    simulation = directory / "wifi.json"
    simulation.write_text(json.dumps(networks or HOME))
    state = directory / "state"
    port = port or free_port()
    command = [*prefix, str(binary()), "emulate", "nordic-softap", "--listen", f"{address}:{port}"]
    command += ["--wifi-sim", str(simulation), "--state", str(state), "--json", *options]
    child = await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE)
    try:
        made = Device(child, address, port, state)
        await made.event("access-point-up")
        yield made
    finally:
        await child.stop()
