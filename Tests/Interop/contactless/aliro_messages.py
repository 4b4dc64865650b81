# SPDX-License-Identifier: Apache-2.0
"""Aliro's messages over Bluetooth LE, and the advertising data by which a phone knows its reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from access.advertising import Mode, fields
from contactless.aliro_keys import Channel
from contactless.aliro_wire import WireFault

HEADER = 4
TAG = 16
"""Octets of a message's header, and of the tag of a sealed one."""


class Kind(IntEnum):
    """Protocol and identifier of a message."""

    REQUEST = 0x0000
    RESPONSE = 0x0001
    EVENT = 0x0200
    RANGING = 0x0201
    STATUS = 0x0202
    COMPLETED = 0x0203
    ACTION = 0x0204
    INITIATION = 0x0205
    INITIATION_FOR_ACTION = 0x0206
    TIME = 0x0300


@dataclass(frozen=True)
class Message:
    """One message of a unit of the channel, which may have several."""

    kind: Kind
    payload: bytes = b""

    def octets(self) -> bytes:
        """In the clear."""
        return header(self.kind, len(self.payload)) + self.payload

    def sealed(self, channel: Channel) -> bytes:
        """As the next message of a channel: the length counts the tag, and the authenticated header does not."""
        return Message(self.kind, channel.seal(self.payload, header(self.kind, len(self.payload)))).octets()

    def opened(self, channel: Channel) -> Message:
        """The plaintext of a sealed message. Raises `InvalidTag`."""
        plain = channel.open(self.payload, header(self.kind, max(0, len(self.payload) - TAG)))
        return Message(self.kind, plain)


def header(kind: int, count: int) -> bytes:
    """Protocol, identifier and the length of the payload."""
    return kind.to_bytes(2, "big") + count.to_bytes(2, "big")


def messages(unit: bytes) -> Iterator[Message]:
    """The messages of a unit. Raises `WireFault`."""
    at = 0
    while at < len(unit):
        if len(unit) - at < HEADER:
            raise WireFault("a message without a whole header")
        kind, count = int.from_bytes(unit[at : at + 2], "big"), int.from_bytes(unit[at + 2 : at + HEADER], "big")
        payload = unit[at + HEADER : at + HEADER + count]
        if len(payload) != count:
            raise WireFault("a message beyond the end of its unit")
        if kind not in list(Kind):
            raise WireFault(f"a message {kind:04x}")
        yield Message(Kind(kind), payload)
        at += HEADER + count


def attribute(identifier: int, value: bytes) -> bytes:
    """Identifier, length, value."""
    return bytes((identifier, len(value))) + value


def attributes(payload: bytes) -> dict[int, bytes]:
    """The values by identifier. Raises `WireFault` for one that is cut off or repeated."""
    found: dict[int, bytes] = {}
    at = 0
    while at < len(payload):
        if at + 2 > len(payload):
            raise WireFault("an attribute without a length")
        identifier, count = payload[at], payload[at + 1]
        value = payload[at + 2 : at + 2 + count]
        if len(value) != count or identifier in found:
            raise WireFault(f"attribute {identifier:02x}")
        found[identifier], at = value, at + 2 + count
    return found


BUSY = Message(Kind.EVENT, bytes.fromhex("0000"))
GENERAL_ERROR = Message(Kind.EVENT, attribute(1, b"\0"))
"""Of no named reason."""

SERVICE_DATA = 0x16
CONTENT = 26
"""Octets of the service data, with the service's identifier."""


@dataclass(frozen=True)
class Advertisement:
    """The service data of a reader."""

    flags: int
    power: int
    group: bytes
    """The first eight octets."""
    door: bytes
    """The first two octets."""
    expiry: int
    """Seconds since 1970, or FFFFFFFF without a clock."""
    tag: bytes

    @classmethod
    def of(cls, data: bytes) -> Advertisement:
        """Reads advertising data. Raises `WireFault` for another packet."""
        found = fields(data)
        content = found.get(SERVICE_DATA, b"")
        if not content.startswith(b"\xf2\xff"):
            raise WireFault("no service data of FFF2")
        if len(data) != 31 or found.get(1) != b"\x06" or len(content) != CONTENT or content[18:19] != b"\0":
            raise WireFault(f"advertising data {data.hex()}")
        power = int.from_bytes(content[3:4], "big", signed=True)
        expiry = int.from_bytes(content[14:18], "big")
        return cls(content[2], power, content[4:12], content[12:14], expiry, content[19:])

    def is_by(self, resolving_key: bytes, address: bytes) -> bool:
        """True if the tag is of a group with this key, at this address (most significant octet first)."""
        return self.tag == advertising_tag(resolving_key, address, self.expiry)


def advertising_tag(resolving_key: bytes, address: bytes, expiry: int) -> bytes:
    """Seven octets of AES-128 over the address and the expiry."""
    block = bytes(6) + address + expiry.to_bytes(4, "big")
    encryptor = Cipher(algorithms.AES128(resolving_key), modes.ECB()).encryptor()
    return (encryptor.update(block) + encryptor.finalize())[:7]


class AliroMode(Mode):
    """The packets of an Aliro reader, which have service data instead of a list of services."""

    def matches(self, packet: bytes) -> bool:
        """Whether a phone that scans for readers accepts the packet."""
        try:
            Advertisement.of(packet)
        except WireFault:
            return False
        return True


ALIRO = AliroMode("aliro", "FFF2")
