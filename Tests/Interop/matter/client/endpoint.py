# SPDX-License-Identifier: Apache-2.0
"""A UDP socket with sessions, exchanges and retransmission."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import struct
from collections.abc import AsyncIterator

from cryptography.exceptions import InvalidTag

from matter.client.wire import ACKNOWLEDGEMENT, INTERACTION, SECURE_CHANNEL, Header, Message, Session

PAUSES = (0.5, 0.5, 1, 2, 2, 2, 2, 2, 2, 2)
"""Between the transmissions of a message: more often and longer than the specification's five, for a busy machine."""
ANSWER_SECONDS = 30.0


class Unanswered(Exception):
    """No acknowledgement or answer in time."""


class Exchange:
    """An exchange on a session."""

    def __init__(self, endpoint: Endpoint, session: Session, number: int, is_own: bool) -> None:
        self.endpoint, self.session, self.number, self._is_own = endpoint, session, number, is_own
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._pending: int | None = None
        self._repeating: asyncio.Task | None = None
        self.acknowledged = asyncio.Event()

    def send(self, opcode: int, payload: bytes, protocol: int = SECURE_CHANNEL, reliable: bool = True) -> None:
        """Sends a message, and again until it is acknowledged."""
        message = Message(opcode, payload, self.number, protocol, self._is_own, reliable)
        counter, octets = self.session.sealed(message)
        self.endpoint.send(octets)
        if reliable:
            self.cancel()
            self._pending = counter
            self.acknowledged.clear()
            self._repeating = asyncio.create_task(self._repeat(octets))

    async def _repeat(self, octets: bytes) -> None:
        for pause in PAUSES:
            await asyncio.sleep(pause)
            self.endpoint.send(octets)

    def cancel(self) -> None:
        """Sends nothing again."""
        if self._repeating:
            self._repeating.cancel()

    def took(self, message: Message) -> None:
        """A message of the peer."""
        if self._pending is not None and message.acknowledged == self._pending:
            self._pending = None
            self.cancel()
            self.acknowledged.set()
        if (message.protocol, message.opcode) != (SECURE_CHANNEL, ACKNOWLEDGEMENT):
            self._messages.put_nowait(message)

    async def receive(self, seconds: float = ANSWER_SECONDS) -> Message:
        """The next message. Raises Unanswered."""
        try:
            return await asyncio.wait_for(self._messages.get(), seconds)
        except TimeoutError:
            raise Unanswered(f"exchange {self.number:#x} after {seconds} s") from None

    async def ask(
        self, opcode: int, payload: bytes, protocol: int = SECURE_CHANNEL, seconds: float = ANSWER_SECONDS
    ) -> Message:
        """Sends a message; the answer."""
        self.send(opcode, payload, protocol)
        try:
            return await self.receive(seconds)
        finally:
            self.cancel()

    async def deliver(self, opcode: int, payload: bytes, protocol: int = SECURE_CHANNEL) -> None:
        """Sends a message until it is acknowledged. Raises Unanswered."""
        self.send(opcode, payload, protocol)
        try:
            await asyncio.wait_for(self.acknowledged.wait(), ANSWER_SECONDS)
        except TimeoutError:
            raise Unanswered(f"exchange {self.number:#x}") from None
        finally:
            self.cancel()


class Endpoint:
    """A UDP socket for one peer. `async with Endpoint(socket, peer) as endpoint:`"""

    def __init__(self, wire: socket.socket, peer: tuple) -> None:
        self._wire, self.peer = wire, peer
        self._sessions: dict[int, Session] = {}
        self._plain: dict[int, Session] = {}
        self._exchanges: dict[tuple[Session, int, bool], Exchange] = {}
        self._number = secrets.randbelow(1 << 16)
        self.reports: asyncio.Queue[Exchange] = asyncio.Queue()
        self.acknowledges_reports = True

    async def __aenter__(self) -> Endpoint:
        asyncio.get_running_loop().add_reader(self._wire, self._ready)
        return self

    async def __aexit__(self, *_error) -> None:
        asyncio.get_running_loop().remove_reader(self._wire)
        for exchange in self._exchanges.values():
            exchange.cancel()
        self._wire.close()

    # Sessions and exchanges

    def plain(self) -> Session:
        """A new initiator on the unsecured session."""
        session = Session()
        self._plain[session.ephemeral] = session
        return session

    def number(self) -> int:
        """An unused number for a session."""
        while (number := secrets.randbelow(0xFFFF) + 1) in self._sessions:
            pass
        return number

    def add(self, session: Session) -> None:
        """A secure session from this time."""
        self._sessions[session.local] = session

    @contextlib.asynccontextmanager
    async def exchange(self, session: Session) -> AsyncIterator[Exchange]:
        """An exchange on a session."""
        exchange = self.opened(session)
        try:
            yield exchange
        finally:
            exchange.cancel()
            # The acknowledgement of the last message is on its way.
            self._exchanges.pop((session, exchange.number, True), None)

    def opened(self, session: Session) -> Exchange:
        """An exchange that stays."""
        self._number = self._number + 1 & 0xFFFF
        exchange = Exchange(self, session, self._number, True)
        self._exchanges[session, self._number, True] = exchange
        return exchange

    # The wire

    def send(self, octets: bytes) -> None:
        """A datagram, which may be lost."""
        with contextlib.suppress(BlockingIOError):
            self._wire.sendto(octets, self.peer)

    def _ready(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                octets = self._wire.recv(2048)
                with contextlib.suppress(struct.error, InvalidTag, KeyError):
                    self._took(octets)

    def _took(self, octets: bytes) -> None:
        header = Header.parsed(octets)
        session = self._sessions[header.session] if header.session else self._plain[header.destination]
        message = session.opened(octets, header)
        is_own = not message.from_initiator
        exchange = self._exchanges.get((session, message.exchange, is_own))
        is_report = exchange is None and not is_own and message.protocol == INTERACTION
        if message.reliable and (is_own or self.acknowledges_reports):
            answer = Message(ACKNOWLEDGEMENT, b"", message.exchange, 0, is_own, False, message.counter)
            self.send(session.sealed(answer)[1])
        if header.counter in session.received:
            return
        session.received.add(header.counter)
        if is_report:
            exchange = Exchange(self, session, message.exchange, False)
            self._exchanges[session, message.exchange, False] = exchange
            self.reports.put_nowait(exchange)
        if exchange:
            exchange.took(message)
