# SPDX-License-Identifier: Apache-2.0
"""The way from readerd-link to a broker, which can be cut at each step of a session; and a subscriber at the broker.

The broker is a real one. The way ends TLS at both sides, with the broker's certificate and the reader's.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl

from fleet.broker import Broker
from fleet.certificates import Identity
from fleet.door import DEVICE

CONNACK, PUBLISH, SUBSCRIBE, SUBACK, PINGRESP = 2, 3, 8, 9, 13
"""The types of packets (MQTT 5, 2.1.2)."""
NOT_AUTHORIZED, SERVER_BUSY = 0x87, 0x89
ANSWER_SECONDS = 3.0
ONLINE = f"acc/v1/{DEVICE}/up/online"
GONE = (OSError, asyncio.IncompleteReadError, TimeoutError, ssl.SSLError)


async def packet(reader: asyncio.StreamReader) -> tuple[int, bytes, bytes]:
    """The next packet: its type, its octets after the header, and all of its octets."""
    head = await reader.readexactly(1)
    count = shift = 0
    while True:
        head += await reader.readexactly(1)
        count |= (head[-1] & 0x7F) << shift
        shift += 7
        if head[-1] < 0x80:
            body = await reader.readexactly(count)
            return head[0] >> 4, body, head + body


def _context(side: int, broker: Broker, identity: Identity) -> ssl.SSLContext:
    context = ssl.SSLContext(side)
    context.load_verify_locations(broker.authority.file)
    context.load_cert_chain(identity.certificate, identity.key)
    return context


class Passage:
    """The way of one reader to `broker`, at `port`."""

    def __init__(self, broker: Broker, reader: Identity) -> None:
        self._broker = broker
        own = broker.authority.issue("localhost", address="127.0.0.1")
        self._inner = _context(ssl.PROTOCOL_TLS_SERVER, broker, own)
        self._inner.verify_mode = ssl.CERT_REQUIRED
        self._outer = _context(ssl.PROTOCOL_TLS_CLIENT, broker, reader)
        self._server: asyncio.Server | None = None
        self._ways: set[asyncio.Task] = set()
        self.port = 0
        self.trouble = ""
        """`closed`: connections end at once; `connack`, `suback`: they end before this packet; `refused`, `busy`:
        CONNACK has this reason; `unsubscribed`: SUBACK refuses; `mute`: nothing passes."""
        self._sessions: set[asyncio.Task] = set()

    async def __aenter__(self) -> Passage:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._inner)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self.cut()

    @property
    def has_session(self) -> bool:
        """True while a connection stands on which CONNACK and each SUBACK were successes, and packets pass."""
        return bool(self._sessions) and self.trouble != "mute"

    async def cut(self) -> None:
        """Ends all connections."""
        ways = list(self._ways)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._ways.add(task)
        far_writer = None
        try:
            if self.trouble == "closed":
                return
            far_reader, far_writer = await asyncio.open_connection(
                "127.0.0.1", self._broker.port, ssl=self._outer, server_hostname="localhost"
            )
            asked: list[bytes] = []
            ways = [
                asyncio.create_task(self._to_broker(reader, far_writer, asked)),
                asyncio.create_task(self._to_reader(far_reader, writer, asked, task)),
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        except (*GONE, asyncio.CancelledError):
            pass
        finally:
            self._sessions.discard(task)
            self._ways.discard(task)
            for end in (writer, far_writer):
                if end:
                    end.transport.abort()

    async def _to_broker(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: list[bytes]) -> None:
        while True:
            kind, body, octets = await packet(reader)
            if kind == SUBSCRIBE:
                asked.append(body[:2])
            await self._pass(octets, writer)

    async def _to_reader(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: list[bytes], way: asyncio.Task
    ) -> None:
        while True:
            kind, body, octets = await packet(reader)
            if (kind, self.trouble) in ((CONNACK, "connack"), (SUBACK, "suback")):
                return
            if kind == CONNACK and self.trouble in ("refused", "busy"):
                reason = NOT_AUTHORIZED if self.trouble == "refused" else SERVER_BUSY
                writer.write(bytes([CONNACK << 4, 3, 0, reason, 0]))
                await writer.drain()
                return
            if kind == SUBACK and self.trouble == "unsubscribed":
                octets = octets[:-1] + bytes([NOT_AUTHORIZED])
            await self._pass(octets, writer)
            if kind == SUBACK and octets[-1] < 0x80:
                # Those that are refused stay.
                asked.remove(body[:2])
                if not asked:
                    self._sessions.add(way)

    async def _pass(self, octets: bytes, writer: asyncio.StreamWriter) -> None:
        while self.trouble == "mute":
            await asyncio.sleep(0.1)
        writer.write(octets)
        await writer.drain()


class Subscriber:
    """A back end at the broker itself, which reads whether the reader is online."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._context = _context(ssl.PROTOCOL_TLS_CLIENT, broker, broker.authority.issue("collector"))
        self._task: asyncio.Task | None = None
        self.online: bytes | None = None
        """The last message of the reader's topic `online`; None without a broker that answers."""

    async def __aenter__(self) -> Subscriber:
        self._task = asyncio.create_task(self._keep_on())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _keep_on(self) -> None:
        while True:
            with contextlib.suppress(*GONE):
                await self._listen()
            self.online = None
            await asyncio.sleep(0.5)

    async def _listen(self) -> None:
        async with asyncio.timeout(ANSWER_SECONDS):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", self._broker.port, ssl=self._context, server_hostname="localhost"
            )
        try:
            # CONNECT: clean start, keepalive 0, no properties, the client identifier. SUBSCRIBE with QoS 0.
            writer.write(b"\x10\x16\0\4MQTT\5\2\0\0\0\0\tcollector")
            topic = len(ONLINE).to_bytes(2) + ONLINE.encode()
            writer.write(bytes([SUBSCRIBE << 4 | 2, 4 + len(topic)]) + b"\0\1\0" + topic + b"\0")
            while True:
                writer.write(b"\xc0\0")
                async with asyncio.timeout(ANSWER_SECONDS):
                    while (received := await packet(reader))[0] != PINGRESP:
                        kind, body, _ = received
                        if kind == PUBLISH:
                            # No properties are sent with it: one octet behind the topic.
                            self.online = body[2 + len(ONLINE) + 1 :]
                await asyncio.sleep(0.5)
        finally:
            writer.transport.abort()
