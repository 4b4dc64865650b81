# SPDX-License-Identifier: Apache-2.0
"""An app that onboards a camera, on Bumble, and `readerlab emulate smarter-ai` for it to talk to."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

from bumble.att import ATT_Error

from onboarding.signals import FAILURES, SERVER_CLOSING, Value
from rig.air_process import AirProcess
from rig.association import Side
from rig.emulation import Emulation, binary
from rig.pairing_bench import controllers
from rig.pairing_phone import PairingLink, PairingPhone
from rig.processes import Child
from rig.radio_process import ROOTCANAL, RadioProcess

STEP_SECONDS = 8.0
"""For an onboarding, or one step of it: one takes 2 s."""

SERVICE = "5a0c7e10-6f2d-4b1b-8a6e-0c4f6f0e9b01"
CHARACTERISTIC = "5a0c7e10-6f2d-4b1b-8a6e-0c4f6f0e9b02"
WRITE = "5a0c7e10-6f2d-4b1b-8a6e-0c4f6f0e9b03"
"""Those of these tests: the real ones are given to partners only."""

WORLD = {
    "networks": [
        {"ssid": "Home", "bssid": "02:00:00:00:00:11", "security": "wpa-wpa2-psk", "passphrase": "correct horse"},
        {"ssid": "Open", "bssid": "02:00:00:00:00:12", "security": "open"},
    ],
    "pairing": {"tokens": ["t0k3n", "second", {"token": "anns", "user": "ann"}, {"token": "old", "expires-s": 0}]},
}
"""The simulated surroundings of the camera."""


class App:
    """A connection to a camera, with the received values."""

    def __init__(self, link: PairingLink) -> None:
        self.link = link
        self.values: list[Value] = []
        self.raw: list[bytes] = []
        self.times: list[float] = []
        """The times of `raw`, by the loop's clock."""
        self._news = asyncio.Condition()

    @classmethod
    async def connect(cls, phone: PairingPhone, address: str, mtu: int | None = 247) -> App:
        """Connects, agrees on an MTU, discovers."""
        app = cls(await phone.connect(address))
        if mtu:
            await asyncio.wait_for(app.link.peer.request_mtu(mtu), STEP_SECONDS)
        await app.link.find()
        return app

    async def subscribe(self) -> None:
        """From here on values are kept."""

        def take(value: bytes) -> None:
            asyncio.get_running_loop().create_task(self._take(bytes(value)))

        characteristic = self.link.characteristic(CHARACTERISTIC)
        await asyncio.wait_for(self.link.peer.subscribe(characteristic, take), STEP_SECONDS)

    async def _take(self, octets: bytes) -> None:
        async with self._news:
            self.raw.append(octets)
            self.times.append(asyncio.get_running_loop().time())
            with contextlib.suppress(Exception):
                self.values.append(Value.parse(octets))
            self._news.notify_all()

    async def write(self, octets: bytes, uuid: str = CHARACTERISTIC, with_response: bool = True) -> int | None:
        """Writes the credentials; returns the ATT error, if any."""
        try:
            characteristic = self.link.characteristic(uuid)
            await asyncio.wait_for(characteristic.write_value(octets, with_response=with_response), STEP_SECONDS)
        except ATT_Error as error:
            return int(error.error_code)
        return None

    async def write_in_parts(self, octets: bytes, count: int, uuid: str = CHARACTERISTIC) -> None:
        """Writes the credentials in parts of this size."""
        for start in range(0, len(octets), count):
            assert await self.write(octets[start : start + count], uuid) is None

    async def until(self, *notifications: int, count: int = 1) -> list[Value]:
        """Everything so far, once any of these notification states has come `count` times."""

        def has_come() -> bool:
            return sum(value.notification in notifications for value in self.values) >= count

        async with self._news:
            await asyncio.wait_for(self._news.wait_for(has_come), STEP_SECONDS)
        return list(self.values)

    async def end(self) -> list[Value]:
        """Everything, once the camera has closed, or something has failed."""
        return await self.until(SERVER_CLOSING, *FAILURES)

    @property
    def notifications(self) -> list[int]:
        return [value.notification for value in self.values]

    @property
    def diagnostics(self) -> str:
        """The texts, one behind the other."""
        return "".join(value.text for value in self.values)

    async def closed(self) -> int:
        """The reason for which the camera ended the link."""
        return await asyncio.wait_for(asyncio.shield(self.link.lost), STEP_SECONDS)


class Camera:
    """A running emulation, its radio, and the phones around it."""

    def __init__(self, radio: RadioProcess, emulation: Emulation, transport: str, transcript: Path) -> None:
        self.radio = radio
        self.emulation = emulation
        self._transport = transport
        self._transcript = transcript
        self._phones: list[PairingPhone] = []

    @property
    def addresses(self) -> list[str]:
        lines = self.emulation.child.matching('"event":"emulation"')
        return [json.loads(line.text)["address"] for line in lines]

    async def phone(self) -> PairingPhone:
        phone = await PairingPhone.open(self._transport, Side())
        self._phones.append(phone)
        return phone

    async def app(self, mtu: int | None = 247, device: int = 0) -> App:
        """A connected app on its own phone."""
        return await App.connect(await self.phone(), self.addresses[device], mtu)

    async def type(self, line: str) -> dict[str, object]:
        """Types a line; the answer."""
        mark = self.emulation.mark
        await self.emulation.child.type(line)
        return await self.emulation.event("answer", mark)

    def entries(self, event: str) -> list[dict[str, object]]:
        """The lines of that event so far."""
        lines = self.emulation.child.matching(f'"event":"{event}"')
        return [json.loads(line.text) for line in lines]

    async def finish(self) -> dict[str, object]:
        """Ends it; the transcript."""
        for phone in self._phones:
            await phone.close()
        self._phones = []
        assert await self.emulation.stop() == 0, self.emulation.child.tail()
        return json.loads(self._transcript.read_text())

    async def rules(self) -> list[str]:
        """Ends it; the rules that the app has broken."""
        return [finding["rule"] for finding in (await self.finish())["findings"]]


@contextlib.asynccontextmanager
async def camera(
    directory: Path, *options: str, kind: str = ROOTCANAL, world: dict | None = None, air: AirProcess | None = None
) -> AsyncIterator[Camera]:
    """A camera with its own controllers, or on `air`."""
    networks = directory / "networks.json"
    networks.write_text(json.dumps(world or WORLD))
    transcript = directory / "transcript.json"
    async with contextlib.nullcontext(air) if air else controllers(directory, kind) as radio:
        command = [
            *(str(binary()), "emulate", "smarter-ai", "--hci", f"tcp-client:{await radio.listen_tcp('camera')}"),
            *("--service", SERVICE, "--characteristic", CHARACTERISTIC, "--wifi-sim", str(networks)),
            *("--transcript", str(transcript), "--json", "--diagnostics-ms", "200", "--closing-ms", "200", *options),
        ]
        child = await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE)
        running = Camera(radio, Emulation(child), await radio.phone_transport("phone"), transcript)
        try:
            await running.emulation.event("ready")
            yield running
        finally:
            for phone in running._phones:
                await phone.close()
            await child.stop()
