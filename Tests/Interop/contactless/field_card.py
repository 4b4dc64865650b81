# SPDX-License-Identifier: Apache-2.0
"""A card in the field of `readerlab`, as a developer of an app has it: a process that answers APDUs over a socket
(docs/emulators/contactless.md, "Your own card")."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

ANSWER_SECONDS = 20.0
"""For a line of the field: the reader polls ten times a second, and a test machine may be busy."""


class FieldCard:
    """A card that is connected to a field."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def _line(self) -> list[str]:
        return (await asyncio.wait_for(self._reader.readline(), ANSWER_SECONDS)).decode().split()

    def _send(self, line: str) -> None:
        self._writer.write(line.encode() + b"\n")

    async def order(self, line: str) -> None:
        """A line that the field accepts."""
        self._send(line)
        while (answer := await self._line()) != ["ok"]:
            assert answer and answer[0] != "error", (line, answer)

    async def touch(self, respond: Callable[[bytes], bytes | None]) -> list[bytes]:
        """Enters the field, answers the reader until it releases the card, and leaves. The commands."""
        await self.order("near")
        commands = await self.answer(respond)
        await self.order("away")
        return commands

    async def answer(self, respond: Callable[[bytes], bytes | None]) -> list[bytes]:
        """Answers the reader until it releases the card. The commands."""
        commands: list[bytes] = []
        while True:
            words = await self._line()
            assert words, "the field has closed the connection"
            if words[0] == "command":
                commands.append(bytes.fromhex(words[2]))
                if (response := respond(commands[-1])) is not None:
                    self._send(f"response {words[1]} {response.hex()}")
            if words[0] == "released" and commands:
                return commands


@contextlib.asynccontextmanager
async def field_card(socket: Path, name: str = "card") -> AsyncIterator[FieldCard]:
    """A card away from the field."""
    card = FieldCard(*await asyncio.open_unix_connection(str(socket)))
    try:
        await card.order(f"card {name} id=08010203 sak=20 ats=78807002")
        yield card
    finally:
        card._writer.close()
