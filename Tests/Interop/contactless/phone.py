# SPDX-License-Identifier: Apache-2.0
"""The app on the phone: the access protocol over APDUs, as docs/protocol/nfc-profile.md has it, on any driver."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from access.frames import HEADER, Message, crc
from access.session import Exchange, Transponder
from access.tokens import Command, command_token

APPLICATION = bytes.fromhex("F07265616465726401")
NDEF = bytes.fromhex("D2760000850101")
PENDING = 0x9301
START_SECONDS, ANSWER_SECONDS = 20.0, 10.0


class DriverFailed(Exception):
    """The driver reports an error: no response came."""


class StatusFailed(Exception):
    """The reader answers with a status word that is not 9000."""

    def __init__(self, status: int) -> None:
        super().__init__(f"{status:04X}")
        self.status = status


class Phone:
    """A phone in the field of the reader."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.waits: list[float] = []
        """Seconds that each command took, drivers and simulated chips included."""

    @classmethod
    async def open(cls, driver: str, path: Path) -> Phone:
        """Starts the driver on the serial line of its chip."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "contactless.drivers", driver, str(path)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parent.parent,
        )
        phone = cls(process)
        line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
        assert line == b"ready\n", f"the {driver} driver did not start"
        return phone

    async def _ask(self, *words: str) -> str:
        self._process.stdin.write((" ".join(words) + "\n").encode())
        line = (await asyncio.wait_for(self._process.stdout.readline(), ANSWER_SECONDS)).decode().strip()
        verdict, _, rest = line.partition(" ")
        if verdict != "ok":
            raise DriverFailed(line or "the driver ended")
        return rest

    async def close(self) -> None:
        """Ends the driver."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    async def tap(self, seconds: float = 5.0) -> str:
        """Touches the reader until its card is present: between two waits of the reader it is not, for a moment."""
        end = time.monotonic() + seconds
        while True:
            try:
                return await self._ask("activate")
            except DriverFailed:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(0.05)

    async def leave(self) -> None:
        """Leaves the field."""
        await self._ask("release")

    async def records(self) -> list[dict[str, str]]:
        """The records that the driver reads without an app."""
        return json.loads(await self._ask("records"))

    async def send(self, command: bytes) -> tuple[bytes, int]:
        """Data and status word of the response."""
        start = time.monotonic()
        response = bytes.fromhex(await self._ask("send", command.hex()))
        self.waits.append(time.monotonic() - start)
        return response[:-2], int.from_bytes(response[-2:])

    async def block(self, block: bytes) -> bytes:
        """Sends a raw block of ISO/IEC 14443-4."""
        return bytes.fromhex(await self._ask("block", block.hex()))

    async def select(self, name: bytes = APPLICATION) -> bytes:
        """Selects an application; what the reader reports of it. Raises StatusFailed."""
        data, status = await self.send(bytes.fromhex("00A40400") + bytes((len(name),)) + name + b"\0")
        if status != 0x9000:
            raise StatusFailed(status)
        return data

    async def transfer(self, message: bytes, part: int = 240, expect: int = 0) -> bytes:
        """Sends a message in parts, polls, and fetches the answer. Raises StatusFailed."""
        parts = [message[at : at + part] for at in range(0, len(message), part)]
        for data in parts[:-1]:
            _, status = await self.send(bytes((0x90, 0x10, 0, 0, len(data))) + data)
            if status != 0x9000:
                raise StatusFailed(status)
        data, status = await self.send(bytes((0x80, 0x10, 0, 0, len(parts[-1]))) + parts[-1] + bytes((expect,)))
        while status == PENDING:
            data, status = await self.send(bytes((0x80, 0x12, 0, 0, expect)))
        answer = data
        while status >> 8 == 0x61:
            data, status = await self.send(bytes((0x00, 0xC0, 0, 0, expect)))
            answer += data
        if status != 0x9000:
            raise StatusFailed(status)
        return answer

    async def exchange(self, payload: bytes, part: int = 240, expect: int = 0) -> Message:
        """A payload there and a message back, whose header is checked."""
        octets = await self.transfer(Message(payload).octets(), part, expect)
        length, checksum, status = HEADER.unpack_from(octets)
        answer = octets[HEADER.size :]
        assert len(answer) == length
        assert checksum == (crc(answer) if answer else 0)
        return Message(answer, status)

    async def handshake(self, part: int = 240, expect: int = 0) -> Exchange:
        """The first half of an exchange."""
        transponder = Transponder()
        return transponder.accept((await self.exchange(transponder.handshake(), part, expect)).payload)

    async def run(self, name: str, part: int = 240, expect: int = 0, group: str | None = None) -> bytes:
        """A whole exchange with a command token: the result's data. Raises StatusFailed with the session's status."""
        exchange = await self.handshake(part, expect)
        token = command_token(Command(name), group=group)
        reply = await self.exchange(exchange.request(token), part, expect)
        if reply.status:
            raise StatusFailed(reply.status)
        return exchange.result(reply.payload)
