# SPDX-License-Identifier: Apache-2.0
"""The control port of a rig's process: one line in, one line out, `ok …` or `error …`.

A subclass's public methods are the commands, and their parameters the words that follow.
"""

from __future__ import annotations

import asyncio

LINE_LIMIT = 4096


class Control:
    """Answers each line with the result of the method that its first word names."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client, until it leaves."""
        while line := await reader.readline():
            writer.write((await self._answer(line.decode(errors="replace").split()) + "\n").encode())
            await writer.drain()
        writer.close()

    async def _answer(self, words: list[str]) -> str:
        commands = [name for name in vars(type(self)) if not name.startswith("_")]
        if not words or words[0] not in commands:
            return f"error unknown command; there are {', '.join(commands)}"
        try:
            return ("ok " + (await getattr(self, words[0])(*words[1:]) or "")).strip()
        except (ValueError, TypeError, KeyError, OSError) as error:
            return f"error {error!r}"

    async def open(self, transport: str) -> None:
        """Opens the port at `unix:PATH` or `tcp:HOST:PORT`."""
        kind, _, place = transport.partition(":")
        if kind == "unix":
            await asyncio.start_unix_server(self.serve, place, limit=LINE_LIMIT)
        else:
            host, _, port = place.rpartition(":")
            await asyncio.start_server(self.serve, host, int(port), limit=LINE_LIMIT)
