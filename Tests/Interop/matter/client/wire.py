# SPDX-License-Identifier: Apache-2.0
"""Messages: the two headers, and the protection of secure sessions."""

from __future__ import annotations

import secrets
import struct
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers.aead import AESCCM

PORT = 5540
SECURE_CHANNEL, INTERACTION = 0, 1
ACKNOWLEDGEMENT, PBKDF_REQUEST, PBKDF_RESPONSE, PAKE1, PAKE2, PAKE3 = 0x10, 0x20, 0x21, 0x22, 0x23, 0x24
SIGMA1, SIGMA2, SIGMA3, SIGMA2_RESUME, STATUS_REPORT = 0x30, 0x31, 0x32, 0x33, 0x40
INITIATOR, ACKNOWLEDGES, RELIABLE, VENDOR = 0x01, 0x02, 0x04, 0x10
HAS_SOURCE, DESTINATION_KIND = 0x04, 0x03


@dataclass(frozen=True)
class Message:
    """A message without its protection."""

    opcode: int
    payload: bytes
    exchange: int
    protocol: int = SECURE_CHANNEL
    from_initiator: bool = True
    reliable: bool = False
    acknowledged: int | None = None
    counter: int = 0

    @property
    def octets(self) -> bytes:
        """The protocol header and the payload."""
        flags = INITIATOR * self.from_initiator | RELIABLE * self.reliable
        flags |= ACKNOWLEDGES * (self.acknowledged is not None)
        head = struct.pack("<BBHH", flags, self.opcode, self.exchange, self.protocol)
        if self.acknowledged is not None:
            head += struct.pack("<I", self.acknowledged)
        return head + self.payload

    @classmethod
    def parsed(cls, octets: bytes, counter: int) -> Message:
        """Raises struct.error if it is cut short."""
        flags, opcode, exchange, protocol = struct.unpack_from("<BBHH", octets)
        at = 8 if flags & VENDOR else 6
        acknowledged = None
        if flags & ACKNOWLEDGES:
            (acknowledged,) = struct.unpack_from("<I", octets, at)
            at += 4
        return cls(
            *(opcode, octets[at:], exchange, protocol, bool(flags & INITIATOR), bool(flags & RELIABLE)),
            *(acknowledged, counter),
        )


class Session:
    """A secure session; without keys, an initiator on the unsecured session."""

    def __init__(
        self,
        local: int = 0,
        peer: int = 0,
        keys: bytes | None = None,
        own_node: int = 0,
        peer_node: int = 0,
        counter: int | None = None,
    ) -> None:
        self.local, self.peer, self.own_node, self.peer_node = local, peer, own_node, peer_node
        self.sending, self.receiving, self.challenge = (keys[:16], keys[16:32], keys[32:]) if keys else (b"", b"", b"")
        self.ephemeral = secrets.randbits(63) + 1
        self.counter = secrets.randbelow(1 << 28) + 1 if counter is None else counter
        self.received: set[int] = set()

    def sealed(self, message: Message) -> tuple[int, bytes]:
        """The counter and the datagram of a message."""
        self.counter = self.counter + 1 & 0xFFFFFFFF
        if not self.sending:
            head = struct.pack("<BHBIQ", HAS_SOURCE, 0, 0, self.counter, self.ephemeral)
            return self.counter, head + message.octets
        head = struct.pack("<BHBI", 0, self.peer, 0, self.counter)
        nonce = struct.pack("<BIQ", 0, self.counter, self.own_node)
        return self.counter, head + AESCCM(self.sending, 16).encrypt(nonce, message.octets, head)

    def opened(self, octets: bytes, head: Header) -> Message:
        """The message of a datagram. Raises InvalidTag or struct.error."""
        clear = octets[head.count :]
        if self.receiving:
            nonce = struct.pack("<BIQ", head.security, head.counter, self.peer_node)
            clear = AESCCM(self.receiving, 16).decrypt(nonce, clear, octets[: head.count])
        return Message.parsed(clear, head.counter)


@dataclass(frozen=True)
class Header:
    """The message header."""

    session: int
    security: int
    counter: int
    destination: int | None
    count: int

    @classmethod
    def parsed(cls, octets: bytes) -> Header:
        """Raises struct.error if it is cut short."""
        flags, session, security, counter = struct.unpack_from("<BHBI", octets)
        at, destination = 16 if flags & HAS_SOURCE else 8, None
        if flags & DESTINATION_KIND == 1:
            (destination,) = struct.unpack_from("<Q", octets, at)
            at += 8
        return cls(session, security, counter, destination, at)


@dataclass(frozen=True)
class StatusReport:
    """The end of a handshake."""

    general: int
    protocol: int
    code: int
    data: bytes = b""

    @classmethod
    def parsed(cls, payload: bytes) -> StatusReport:
        return cls(*struct.unpack_from("<HIH", payload), payload[8:])

    @property
    def octets(self) -> bytes:
        return struct.pack("<HIH", self.general, self.protocol, self.code) + self.data

    @property
    def wait(self) -> float:
        """The seconds to wait in a Busy."""
        return struct.unpack_from("<H", self.data)[0] / 1000


SUCCESS = StatusReport(0, 0, 0)
NO_SHARED_ROOT, INVALID_PARAMETER, CLOSE_SESSION, BUSY = 1, 2, 3, 4
