# SPDX-License-Identifier: Apache-2.0
"""The messages of Nordic's SoftAP provisioning that apps use: protobuf by hand, from the public tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


def varint(number: int) -> bytes:
    """Seven bits to the octet, the least first; negative numbers as 64 bits."""
    rest = number & (1 << 64) - 1
    octets = bytearray()
    while rest >= 0x80:
        octets.append(rest & 0x7F | 0x80)
        rest >>= 7
    octets.append(rest)
    return bytes(octets)


def field(number: int, value: int | bytes) -> bytes:
    """One field: a number, or octets."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value)


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message. Raises ValueError where it is none."""
    at = 0

    def number() -> int:
        nonlocal at
        value, shift = 0, 0
        while True:
            if at >= len(message):
                raise ValueError(f"a number is cut at {at}")
            octet = message[at]
            at += 1
            value |= (octet & 0x7F) << shift
            shift += 7
            if octet < 0x80:
                return value

    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
        elif tag & 7 == 2:
            count = number()
            if count > len(message) - at:
                raise ValueError(f"a field is cut at {at}")
            yield tag >> 3, message[at : at + count]
            at += count
        else:
            raise ValueError(f"wire type {tag & 7} at {at}")


@dataclass(frozen=True)
class Record:
    """One network of the list: its WifiInfo as it came, and what the app reads of it."""

    info: bytes
    ssid: bytes
    bssid: bytes
    band: int | None
    channel: int
    auth: int | None
    rssi: int | None

    @classmethod
    def read(cls, message: bytes) -> Record:
        outer = dict(fields(message))
        info = outer[1]
        assert isinstance(info, bytes)
        inner = dict(fields(info))
        rssi = outer.get(2)
        if isinstance(rssi, int) and rssi >= 1 << 63:
            rssi -= 1 << 64
        return cls(info, inner[1], inner[2], inner.get(3), inner[4], inner.get(5), rssi)


def scan_results(message: bytes) -> list[Record]:
    """The body that answers GET /prov/networks."""
    records = []
    for number, value in fields(message):
        assert number == 1 and isinstance(value, bytes)
        records.append(Record.read(value))
    return records


def wifi_config(info: bytes, passphrase: bytes | None) -> bytes:
    """The body of POST /prov/configure: the WifiInfo goes back as it came."""
    body = field(1, info)
    return body if passphrase is None else body + field(2, passphrase)


def wifi_info(ssid: bytes, bssid: bytes, *, band: int = 1, channel: int = 1, auth: int = 4) -> bytes:
    """A WifiInfo of an app that does not take it from the list."""
    return field(1, ssid) + field(2, bssid) + field(3, band) + field(4, channel) + field(5, auth)
