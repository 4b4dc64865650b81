# SPDX-License-Identifier: Apache-2.0
"""A broker that serves no one's interest, and a resolver that takes its time.

The broker is a stand-in: none that others wrote sends what it should not."""

from __future__ import annotations

import asyncio
import subprocess
from contextlib import suppress
from pathlib import Path

from fleet.door import DEVICE

CONNACK = bytes([0x20, 3, 0, 0, 0])
"""Success without properties (MQTT 5, 3.2)."""
MARK_TOPIC = f"acc/v1/{DEVICE}/down/mark".encode()

RESOLVER = """\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>
typedef int lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    sleep(SECONDS);
    return ((lookup *)dlsym(RTLD_NEXT, "getaddrinfo"))(name, service, hints, result);
}
"""


def slow_resolver(directory: Path, seconds: int) -> Path:
    """A library to be preloaded: every look-up of a name takes so long."""
    source, library = directory / "resolver.c", directory / f"resolver{seconds}.so"
    source.write_text(RESOLVER)
    subprocess.run(
        ["cc", "-shared", "-fPIC", f"-DSECONDS={seconds}", "-o", str(library), str(source), "-ldl"], check=True
    )
    return library


def publish(payload: bytes, *, topic: bytes = MARK_TOPIC, retained: bool = False) -> bytes:
    """PUBLISH with QoS 0, by default to the topic of the mark (MQTT 5, 3.3)."""
    body = len(topic).to_bytes(2) + topic + b"\0" + payload
    count, length = len(body), b""
    while True:
        count, digit = divmod(count, 128)
        length += bytes([digit | (0x80 if count else 0)])
        if not count:
            return bytes([0x31 if retained else 0x30]) + length + body


class HostileBroker:
    """Accepts every client and every subscription, acknowledges and forgets, and floods with invalid marks."""

    PAYLOADS = (
        b"",
        b"{}",
        b"\xff" * 100,
        b'{"log":"' + b"0" * 32 + b'","upto":9223372036854775807}',
        b'{"log":"' + b"0" * 32 + b'","upto":-1}',
        b'{"unlock":"pulse"}',
        b"[" * 2000,
        b'{"log":' + b'"' * 60_000,
    )

    def __init__(self, *, acknowledges: bool = True) -> None:
        """Without `acknowledges` it answers pings, and takes messages without an end, but floods no one."""
        self.port = 0
        self.flooded = 0
        self.published = 0
        self.connections = 0
        self._acknowledges = acknowledges
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task] = set()

    async def __aenter__(self) -> HostileBroker:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.current_task())
        try:
            await self._answer(reader, writer)
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                kind, body = await self._packet(reader)
                if not self.accepts(kind, body):
                    break
                match kind >> 4:
                    case 1:
                        self.connections += 1
                        await self.greet(writer)
                    case 3 if not self._acknowledges:
                        self.published += len(body)
                    case 3 if kind & 0x06:
                        topic = int.from_bytes(body[:2])
                        writer.write(bytes([0x40, 2]) + body[2 + topic : 4 + topic])
                        # Behind the packet identifier, the properties; theirs are short.
                        self.received(body[2 : 2 + topic], body[5 + topic + body[4 + topic] :])
                    case 8:
                        writer.write(bytes([0x90, 4]) + body[:2] + bytes([0, self.granted]))
                        self.subscribed(body[5:-1], writer)
                    case 12:
                        writer.write(bytes([0xD0, 0]))
                await writer.drain()

    granted = 1
    """The reason of SUBACK."""

    async def greet(self, writer: asyncio.StreamWriter) -> None:
        """The answer to CONNECT."""
        writer.write(CONNACK)

    def accepts(self, kind: int, body: bytes) -> bool:
        """False to close the connection at this packet."""
        return True

    def received(self, topic: bytes, payload: bytes) -> None:
        """A message of a client, which is forgotten."""

    def subscribed(self, topic: bytes, writer: asyncio.StreamWriter) -> None:
        """A client has subscribed, and is flooded."""
        if self._acknowledges:
            self._tasks.add(asyncio.create_task(self._flood(writer)))

    async def _flood(self, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while not writer.is_closing():
                for payload in self.PAYLOADS:
                    writer.write(publish(payload, retained=self.flooded % 2 == 0))
                    self.flooded += 1
                await writer.drain()
                await asyncio.sleep(0.002)

    @staticmethod
    async def _packet(reader: asyncio.StreamReader) -> tuple[int, bytes]:
        kind = (await reader.readexactly(1))[0]
        count = shift = 0
        while True:
            digit = (await reader.readexactly(1))[0]
            count |= (digit & 0x7F) << shift
            shift += 7
            if digit < 0x80:
                return kind, await reader.readexactly(count)
