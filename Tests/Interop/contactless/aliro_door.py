# SPDX-License-Identifier: Apache-2.0
"""A door with an Aliro reader, and phones that come to it."""

from __future__ import annotations

import json
import os
import signal

from contactless.aliro_reader import GROUP, reader_point
from contactless.field import Field
from rig.bench import Bench
from rig.operation import Operator
from rig.waiting import until

FOUND_SECONDS = 8.0
ROUNDS_AWAY = 8
"""After which a phone that comes again is served again."""
LOST = "lost"
"""The word for a phone that leaves in the middle."""
OPENED = "0101"
"""The reader's status for a phone that has opened."""


class Door:
    """A reader in a field of phones that know it."""

    def __init__(self, field: Field, bench: Bench) -> None:
        self.field, self.bench = field, bench
        self.operator = Operator(bench)

    async def enrol(self, point: str | None = None) -> None:
        """Phones learn the reader's group, and its point or another."""
        await self.field.ask("aliro", GROUP, point or await reader_point(self.bench))

    async def nfc(self) -> dict:
        """The member of the status."""
        return (await self.operator.status())["nfc"]

    async def openings(self) -> int:
        """The number since the start."""
        return (await self.operator.status())["door"]["openings"]

    async def rounds(self, count: int = ROUNDS_AWAY) -> None:
        """Waits for so many rounds."""
        last = (await self.nfc())["rounds"] + count

        async def present() -> bool:
            return (await self.nfc())["rounds"] >= last

        await until(f"round {last}", present, FOUND_SECONDS)

    async def leave(self, name: str) -> None:
        """The phone leaves, and the reader is ready for the next."""
        await self.field.ask("take", f"aliro-{name}")
        await self.rounds()

    async def opens(self, name: str) -> dict:
        """The phone opens the door. Returns its phase and the reader's status for it."""
        before = await self.openings()
        await self.field.ask("put", f"aliro-{name}")

        async def opened() -> bool:
            return await self.openings() == before + 1

        await until(f"{name} opens", opened, FOUND_SECONDS)
        # The door opens before the phone's last response; the next round is after it.
        await self.rounds(2)
        phone = await self.left(name)

        async def secured() -> bool:
            return (await self.operator.status())["door"]["state"] == "secured"

        await until("a secured door", secured, FOUND_SECONDS)
        return phone

    async def left(self, name: str) -> dict:
        """The phone has left. Returns its phase and the reader's status for it."""
        await self.leave(name)
        return json.loads(await self.field.ask("aliro_phone", name))

    async def refuses(self, name: str, word: str) -> None:
        """The phone opens nothing, and the log has the word."""
        before = await self.openings()
        self.bench.reader.child.lines.clear()
        lost = (await self.nfc())["lost"]
        await self.field.ask("put", f"aliro-{name}")
        if word == LOST:

            async def is_lost() -> bool:
                return (await self.nfc())["lost"] > lost

            await until(f"{name} is lost", is_lost, FOUND_SECONDS)
        else:
            await self.bench.reader.child.line(rf"aliro card refused, {word}", FOUND_SECONDS)
        await self.leave(name)
        assert await self.openings() == before, name

    async def reload(self) -> None:
        """Changed files are read."""
        os.kill(self.bench.reader.child.pid, signal.SIGHUP)
        await self.rounds(2)

    async def is_sound(self) -> None:
        """Neither the chip nor a phone has seen a violation."""
        assert await self.field.faults() == []
        assert json.loads(await self.field.ask("aliro_findings")) == []
