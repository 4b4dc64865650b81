# SPDX-License-Identifier: Apache-2.0
"""A Wi-Fi chip that is being provisioned, played by readerlab, on the rig's controllers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

from provisioning.apps import App
from rig.air_process import AirProcess
from rig.emulation import LINE_SECONDS, Emulation, binary
from rig.pairing_bench import controllers
from rig.pairing_phone import PairingPhone
from rig.processes import Child
from rig.radio_process import BUMBLE, RadioProcess

HOME, HOME5, OPEN, SIX = "Home", "Home5", "Open", "SixG"
BSSID = bytes.fromhex("aabbccddeeff")
PASSPHRASE = b"mypassword"

WORLD = {
    "mac": "02:00:00:1a:2b:3c",
    "ip": "192.168.0.42",
    "networks": [
        {
            **{"ssid": HOME, "bssid": "aa:bb:cc:dd:ee:ff", "channel": 6, "band": "2.4"},
            **{"security": "wpa-wpa2-psk", "rssi": -50, "passphrase": PASSPHRASE.decode()},
        },
        {
            **{"ssid": HOME5, "bssid": "aa:bb:cc:dd:ee:ff", "channel": 36, "band": "5"},
            **{"security": "wpa2-psk", "rssi": -60, "passphrase": "elsewhere"},
        },
        {
            **{"ssid": OPEN, "bssid": "aa:bb:cc:dd:ee:ff", "channel": 1, "band": "2.4"},
            **{"security": "open", "rssi": -10},
        },
    ],
}
"""The networks of the facts' vectors."""

SIX_GHZ = {"ssid": SIX, "bssid": "aa:bb:cc:dd:ee:ff", "channel": 5, "band": "6", "security": "wpa3-psk", "rssi": -81}
"""One more, whose band has no number."""


class Bench:
    """The device and its phones."""

    def __init__(self, radio: RadioProcess, directory: Path, options: tuple[str, ...]) -> None:
        self.radio = radio
        self.directory = directory
        self.emulation: Emulation | None = None
        self.address = ""
        self._options = options
        self._phones: list[PairingPhone] = []
        self._count = 0

    async def switch_on(self) -> None:
        """Starts the device."""
        self._count += 1
        place = await self.radio.listen_tcp(f"device{self._count}")
        command = [str(binary()), "emulate", "nordic-wifi", "--hci", f"tcp-client:{place}", "--json", *self._options]
        self.emulation = Emulation(await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE))
        self.address = str((await self.emulation.event("emulation"))["address"])
        await self.emulation.event("ready")

    async def obey(self, line: str) -> None:
        """Types a line that must be carried out."""
        mark = self.emulation.mark
        await self.emulation.child.type(line)
        answer = await self.emulation.event("answer", mark)
        assert answer["ok"], answer

    async def joined(self, mark: int = 0) -> str:
        """Waits until it has joined a network; returns its event."""
        line = await self.emulation.child.line('"text":"Wi-Fi: is in ', LINE_SECONDS, mark)
        return json.loads(line.text)["text"]

    async def switch_off(self) -> None:
        """Ends it; it ends well."""
        emulation, self.emulation = self.emulation, None
        if emulation is not None:
            assert await emulation.stop() == 0, emulation.child.tail()

    async def phone(self) -> PairingPhone:
        """A new phone."""
        self._count += 1
        phone = await App.phone_at(await self.radio.phone_transport(f"phone{self._count}"))
        self._phones.append(phone)
        return phone

    async def app(self, kind: type[App], **options) -> App:
        """This app on a new phone, connected and prepared."""
        return await kind.connect(await self.phone(), self.address, **options)

    async def close(self) -> None:
        """All phones off, then the device."""
        for phone in self._phones:
            await phone.close()
        await self.switch_off()


@contextlib.asynccontextmanager
async def bench(
    directory: Path, *options: str, world: dict | None = None, kind: str = BUMBLE, air: AirProcess | None = None
) -> AsyncIterator[Bench]:
    """The device with these options among these networks, switched on; with its own controllers, or on `air`."""
    file = directory / "world.json"
    file.write_text(json.dumps(world or WORLD))
    async with contextlib.nullcontext(air) if air else controllers(directory, kind) as radio:
        device = Bench(radio, directory, ("--wifi-sim", str(file), *options))
        try:
            await device.switch_on()
            yield device
        finally:
            await device.close()
