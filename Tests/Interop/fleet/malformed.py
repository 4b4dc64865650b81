# SPDX-License-Identifier: Apache-2.0
"""Packets that MQTT 5 does not permit, written from the specification, and a broker that sends a single such packet."""

from __future__ import annotations

import asyncio
import random

from fleet.door import DEVICE
from fleet.hostile import HostileBroker

TOPIC = f"acc/v1/{DEVICE}/down/cmd".encode()
MALFORMED, PROTOCOL, ALIAS, TOO_LARGE = 0x81, 0x82, 0x94, 0x95
"""Reasons of DISCONNECT (MQTT 5, 2.4)."""


def varint(number: int) -> bytes:
    """A variable byte integer (MQTT 5, 1.5.5)."""
    digits = b""
    while True:
        number, digit = divmod(number, 128)
        digits += bytes([digit | (0x80 if number else 0)])
        if not number:
            return digits


def packet(header: int, body: bytes) -> bytes:
    """A packet with its length."""
    return bytes([header]) + varint(len(body)) + body


def text(octets: bytes) -> bytes:
    """A text or octets with their length."""
    return len(octets).to_bytes(2) + octets


def message(properties: bytes = b"", payload: bytes = b"", *, header: int = 0x30, topic: bytes = TOPIC) -> bytes:
    """PUBLISH; with QoS it has the packet identifier 1."""
    identifier = b"\0\1" if header & 6 else b""
    return packet(header, text(topic) + identifier + varint(len(properties)) + properties + payload)


ENDS: dict[str, tuple[bytes, int]] = {
    "a property that does not exist": (message(b"\x7e\0"), MALFORMED),
    "a property of another packet": (message(b"\x21\0\5"), PROTOCOL),
    "a property twice": (message(b"\x01\0\x01\0"), PROTOCOL),
    "a property that is cut": (message(b"\x09\0\x10abc"), MALFORMED),
    "properties beyond the packet": (packet(0x30, text(TOPIC) + b"\x70"), MALFORMED),
    "a number of five digits": (packet(0x30, text(TOPIC) + b"\x80\x80\x80\x80\x01"), MALFORMED),
    "a topic beyond the packet": (packet(0x30, b"\xff\xff" + TOPIC), MALFORMED),
    "a topic that is no UTF-8": (message(topic=b"\xff\xfe"), MALFORMED),
    "a topic with a zero": (message(topic=b"a\0b"), MALFORMED),
    "a topic with a wildcard": (message(topic=b"acc/#"), MALFORMED),
    "a topic alias": (message(b"\x23\0\1", topic=b""), ALIAS),
    "an alias besides a topic": (message(b"\x23\0\1"), ALIAS),
    "QoS 3": (message(header=0x36), MALFORMED),
    "QoS 2": (message(header=0x34), PROTOCOL),
    "a repetition with QoS 0": (message(header=0x38), MALFORMED),
    "a second CONNACK": (packet(0x20, b"\0\0\0"), PROTOCOL),
    "CONNECT": (packet(0x10, b"\0\4MQTT\5\2\0\0\0\0\0"), PROTOCOL),
    "SUBSCRIBE": (packet(0x82, b"\0\1\0\0\1#\0"), PROTOCOL),
    "PUBREC": (packet(0x50, b"\0\1"), PROTOCOL),
    "PUBREL": (packet(0x62, b"\0\1"), PROTOCOL),
    "PINGREQ": (packet(0xC0, b""), PROTOCOL),
    "AUTH": (packet(0xF0, b""), PROTOCOL),
    "type 0": (packet(0x00, b""), PROTOCOL),
    "reserved flags": (packet(0x4F, b"\0\1"), MALFORMED),
    "PUBACK without an identifier": (packet(0x40, b""), MALFORMED),
    "SUBACK with two reasons": (packet(0x90, b"\0\1\0\0\0"), MALFORMED),
    "PINGRESP with a body": (packet(0xD0, b"\0"), MALFORMED),
    "200 MB announced": (b"\x30" + varint(200_000_000), TOO_LARGE),
    "an octet more than permitted": (b"\x30" + varint(65_536), TOO_LARGE),
    "a length of five digits": (b"\x30\x80\x80\x80\x80\x01", MALFORMED),
    "noise": (random.Random(33).randbytes(4000), 0),
}
"""Packets that end a session, and the client's reason; 0 for any."""

BEARABLE: dict[str, bytes] = {
    "acknowledgements that nobody waits for": packet(0x40, b"\x77\x77") * 500 + packet(0x90, b"\x77\x77\0\1") * 500,
    "long correlation data": message(b"\x09" + text(b"x" * 60_000)),
    "many properties": message((b"\x26" + text(b"a") + text(b"b")) * 2000),
    "the longest packet": message(payload=b"x" * (65_536 - 4 - 2 - len(TOPIC) - 1)),
    "an order of nothing": message(),
    "a topic of nobody": message(topic=b"elsewhere", payload=b"x"),
    "a topic of a chunk beyond all": message(topic=TOPIC[:-3] + b"desired/99999999999999999999", payload=b"x"),
}
"""Packets that a client has to bear."""

BEFORE: dict[str, bytes] = {
    "HTTP": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "noise": random.Random(34).randbytes(4000),
    "a message before CONNACK": message(),
    "CONNACK of MQTT 3.1.1": b"\x20\2\0\1",
    "CONNACK with a session": packet(0x20, b"\1\0\0"),
    "CONNACK with a property that does not exist": packet(0x20, b"\0\0\2\x7e\0"),
    "CONNACK with a maximum of 0": packet(0x20, b"\0\0\3\x21\0\0"),
    "CONNACK of 100 MB": b"\x20" + varint(100_000_000),
    "CONNACK that is cut": b"\x20\3\0",
}
"""Answers to CONNECT."""


class MalformedBroker(HostileBroker):
    """Serves a link, and sends `octets` once it has subscribed. Then it sends zeros for as long as they are read."""

    ZEROS = bytes(65_536)
    MOST = 300 * 1024 * 1024
    SUBSCRIPTIONS = 3

    def __init__(self, octets: bytes, *, goes_on: bool = False, first: bytes | None = None) -> None:
        """With `first` it answers CONNECT so."""
        super().__init__()
        self._octets, self._goes_on, self._first = octets, goes_on, first
        self._left = self.SUBSCRIPTIONS
        self.is_sent = False
        self.sent = 0
        self.reasons: list[int] = []

    async def greet(self, writer: asyncio.StreamWriter) -> None:
        self._left = self.SUBSCRIPTIONS
        if self._first is None:
            await super().greet(writer)
        else:
            writer.write(self._first)
            self.is_sent = True

    def accepts(self, kind: int, body: bytes) -> bool:
        if kind >> 4 == 14:
            self.reasons.append(body[0] if body else 0)
        return True

    def subscribed(self, topic: bytes, writer: asyncio.StreamWriter) -> None:
        self._left -= 1
        if self._left == 0:
            writer.write(self._octets)
            self.is_sent = True
            if self._goes_on:
                self._tasks.add(asyncio.create_task(self._flood(writer)))

    async def _flood(self, writer: asyncio.StreamWriter) -> None:
        try:
            while self.sent < self.MOST:
                writer.write(self.ZEROS)
                await writer.drain()
                self.sent += len(self.ZEROS)
        except ConnectionError:
            pass
