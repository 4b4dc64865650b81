# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate reader` on a controller of the radio, and phones that come to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

from access.advertising import ACCESS, Mode
from rig.air_process import OTHER, PHONE, AirProcess
from rig.bench import NEAR_DBM, READER
from rig.emulation import LINE_SECONDS, binary
from rig.phone import Link, Phone
from rig.processes import Child


class EmulatedReader:
    """The running reader: its timeline, typed orders, and phones."""

    def __init__(self, child: Child, air: AirProcess) -> None:
        self.child = child
        self.air = air
        self._phones: list[Phone] = []

    async def event(self, name: str, after: int = 0, **members: object) -> dict[str, object]:
        """The first entry of that event, from line `after` on, with these members."""
        wanted = "".join(f'(?=.*"{key}":{json.dumps(value)})' for key, value in members.items())
        return json.loads((await self.child.line(f'{wanted}.*"event":"{name}"', LINE_SECONDS, after)).text)

    def events(self, name: str) -> list[dict[str, object]]:
        """Every entry of that event so far."""
        return [json.loads(line.text) for line in self.child.matching(f'"event":"{name}"')]

    @property
    def mark(self) -> int:
        """The number of lines so far."""
        return len(self.child.lines)

    @property
    def rules(self) -> list[str]:
        """The rules that apps broke so far."""
        return [finding["rule"] for finding in self.events("finding")]

    @property
    def openings(self) -> int:
        """How often the door was unlocked."""
        return sum(event["text"].startswith("door: unlocked") for event in self.events("door"))

    async def order(self, line: str) -> dict[str, object]:
        """The answer to a typed line."""
        mark = self.mark
        await self.child.type(line)
        return await self.event("answer", mark)

    async def obey(self, *lines: str) -> None:
        """Types lines that must be carried out."""
        for line in lines:
            answer = await self.order(line)
            assert answer["ok"], answer

    async def phone(self, place: str = PHONE, dbm: float = NEAR_DBM) -> Phone:
        """A phone that the reader hears at that level."""
        await self.air.level(place, READER, dbm)
        phone = await Phone.open(place, self.air.hci(place))
        self._phones.append(phone)
        return phone

    async def connected(self, phone: Phone, mode: Mode = ACCESS) -> Link:
        """A link on which nothing was done yet."""
        return await phone.connect((await phone.find(mode)).address)

    async def ready(self, phone: Phone, mode: Mode = ACCESS) -> Link:
        """A link that is subscribed: the next thing is a frame."""
        return await (await self.connected(phone, mode)).prepare(mode.service)

    async def stop(self) -> None:
        """Its phones leave, and it ends at SIGTERM with a summary."""
        for phone in self._phones:
            await phone.close()
        code = await self.child.stop()
        assert code == 0 and self.events("summary"), self.child.tail(30)


@contextlib.asynccontextmanager
async def emulated_reader(directory: Path, *options: str) -> AsyncIterator[EmulatedReader]:
    """A reader on the air of the lab, with places for two phones. No host may break a rule of the controllers."""
    phones = (f"{name}=unix:{directory / name}" for name in (PHONE, OTHER))
    air = await AirProcess.start(f"{READER}=tcp:127.0.0.1:0,strict", *phones)
    try:
        command = [str(binary()), "emulate", "reader", "--hci", air.hci(READER), "--json", *options]
        child = await Child.start("reader", command, stdin=asyncio.subprocess.PIPE)
        reader = EmulatedReader(child, air)
        try:
            await reader.event("ready")
            yield reader
        finally:
            await reader.stop()
        violations = [event for event in air.events("violation") if event["place"] == READER]
        assert not violations, violations
    finally:
        await air.stop()
