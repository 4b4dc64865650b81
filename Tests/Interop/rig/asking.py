# SPDX-License-Identifier: Apache-2.0
"""A client of readerd's control socket (docs/operate/control.md)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

PAUSE = 0.05
"""Between two looks at the status."""


async def ask(socket: Path, request: dict[str, object]) -> dict[str, object]:
    """One request and its answer."""
    reader, writer = await asyncio.open_unix_connection(str(socket))
    try:
        writer.write(json.dumps(request).encode() + b"\n")
        return json.loads(await reader.readline())
    finally:
        writer.close()


async def faults(socket: Path) -> dict[str, str]:
    """The faults that the status shows: code and text."""
    status = await ask(socket, {"get": "status"})
    return {fault["code"]: fault["text"] for fault in status["faults"]}


async def fault(socket: Path, code: str, seconds: float = 10, shown: bool = True) -> str:
    """Waits until this fault is present, or absent if not `shown`; its text, or the empty string."""
    async with asyncio.timeout(seconds):
        while True:
            found = await faults(socket)
            if (code in found) == shown:
                return found.get(code, "")
            await asyncio.sleep(PAUSE)
