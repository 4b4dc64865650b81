# SPDX-License-Identifier: Apache-2.0
"""A program that asks on a terminal, and the person who answers."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import termios
from collections.abc import Sequence

SECONDS = 30.0
END_OF_INPUT, INTERRUPT = "\x04", "\x03"
"""Control-D at the beginning of a line, and Control-C."""
HANG_UP = None
"""The terminal goes away, with the session that it was of."""


async def converse(command: Sequence[str], *exchanges: tuple[str, str | None]) -> tuple[int, str]:
    """The program on its own terminal: each answer once its question is shown.

    Its exit status, negative for a signal, and all that was shown.
    """
    own, other = pty.openpty()

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(other, termios.TIOCSCTTY, 0)

    process = await asyncio.create_subprocess_exec(
        *command, stdin=other, stdout=other, stderr=other, preexec_fn=take_terminal
    )
    os.close(other)
    shown, seen = "", 0

    async def read() -> bool:
        nonlocal shown
        try:
            octets = await asyncio.to_thread(os.read, own, 65536)
        except OSError:  # Linux: the other end is closed
            return False
        shown += octets.decode().replace("\r\n", "\n")
        return bool(octets)

    try:
        async with asyncio.timeout(SECONDS):
            for question, answer in exchanges:
                while question not in shown[seen:]:
                    assert await read(), f"it has ended, and not asked {question!r}: {shown}"
                seen = shown.index(question, seen) + len(question)
                if answer is HANG_UP:
                    os.close(own)
                    own = -1
                    return await process.wait(), shown
                os.write(own, (answer if answer in (END_OF_INPUT, INTERRUPT) else f"{answer}\n").encode())
            while await read():
                pass
            return await process.wait(), shown
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if own >= 0:
            os.close(own)
