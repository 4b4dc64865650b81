# SPDX-License-Identifier: Apache-2.0
"""Protobuf by hand: as much of it as provisioning needs, and nothing that a real app's library would hide."""

from __future__ import annotations

from dataclasses import dataclass


def varint(number: int) -> bytes:
    """A number of up to 64 bits, seven to the octet."""
    number &= (1 << 64) - 1
    octets = bytearray()
    while number >= 0x80:
        octets.append(number & 0x7F | 0x80)
        number >>= 7
    octets.append(number)
    return bytes(octets)


def number(field: int, value: int) -> bytes:
    """A number field."""
    return varint(field << 3) + varint(value)


def octets(field: int, value: bytes) -> bytes:
    """A bytes, string or message field."""
    return varint(field << 3 | 2) + varint(len(value)) + value


class Undecodable(ValueError):
    """Octets that are no message."""


def fields(message: bytes) -> dict[int, int | bytes]:
    """The fields of a message; of one that comes twice the last. Raises Undecodable."""
    found: dict[int, int | bytes] = {}
    position = 0

    def take_number() -> int:
        nonlocal position
        value = shift = 0
        while True:
            if position >= len(message) or shift > 63:
                raise Undecodable(message.hex())
            octet = message[position]
            position += 1
            value |= (octet & 0x7F) << shift
            shift += 7
            if octet < 0x80:
                return value

    while position < len(message):
        tag = take_number()
        if tag >> 3 == 0:
            raise Undecodable(message.hex())
        if tag & 7 == 0:
            found[tag >> 3] = take_number()
        elif tag & 7 == 2:
            count = take_number()
            if count > len(message) - position:
                raise Undecodable(message.hex())
            found[tag >> 3] = message[position : position + count]
            position += count
        else:
            raise Undecodable(message.hex())
    return found


def signed(value: int) -> int:
    """An int32 field's number."""
    return value - (1 << 64) if value >> 63 else value


# Requests

GET_STATUS, START_SCAN, STOP_SCAN, SET_CONFIG, FORGET_CONFIG = 1, 2, 3, 4, 5
SUCCESS, INVALID_ARGUMENT, INVALID_PROTO, INTERNAL_ERROR = 0, 1, 2, 3
DISCONNECTED, AUTHENTICATION, ASSOCIATION, OBTAINING_IP, CONNECTED, CONNECTION_FAILED = 0, 1, 2, 3, 4, 5
AUTH_ERROR, NETWORK_NOT_FOUND, TIMEOUT, FAIL_IP, FAIL_CONN = 0, 1, 2, 3, 4


def request(operation: int, more: bytes = b"") -> bytes:
    """A Request."""
    return number(1, operation) + more


def set_config(wifi: bytes, passphrase: bytes | None, volatile: bool | None, any_channel: bool | None = None) -> bytes:
    """A Request with SET_CONFIG."""
    config = octets(1, wifi)
    if passphrase is not None:
        config += octets(2, passphrase)
    if volatile is not None:
        config += number(3, int(volatile))
    if any_channel is not None:
        config += number(4, int(any_channel))
    return request(SET_CONFIG, octets(11, config))


def wifi_info(ssid: bytes, bssid: bytes, channel: int, band: int | None = None, auth: int | None = None) -> bytes:
    """A WifiInfo."""
    message = octets(1, ssid) + octets(2, bssid)
    if band is not None:
        message += number(3, band)
    message += number(4, channel)
    return message if auth is None else message + number(5, auth)


# Answers


@dataclass
class Response:
    """A Response; None where a field is missing."""

    operation: int | None
    status: int | None
    device: dict[int, int | bytes] | None

    @classmethod
    def decode(cls, message: bytes) -> Response:
        found = fields(message)
        device = found.get(10)
        return cls(found.get(1), found.get(2), None if device is None else fields(device))

    @property
    def provisioned(self) -> dict[int, int | bytes] | None:
        """The WifiInfo of what is stored."""
        info = (self.device or {}).get(10)
        return None if info is None else fields(info)

    @property
    def address(self) -> str | None:
        """The IPv4 address."""
        info = (self.device or {}).get(11)
        return None if info is None else ".".join(str(octet) for octet in fields(info)[1])

    @property
    def scan(self) -> dict[int, int] | None:
        """The ScanParams of a scan that runs."""
        info = (self.device or {}).get(12)
        return None if info is None else fields(info)


@dataclass
class Result:
    """A Result: a network that was found, or a state."""

    wifi: dict[int, int | bytes] | None
    rssi: int | None
    state: int | None
    reason: int | None

    @classmethod
    def decode(cls, message: bytes) -> Result:
        found = fields(message)
        record = fields(found[1]) if 1 in found else {}
        wifi = fields(record[1]) if 1 in record else None
        rssi = signed(record[2]) if 2 in record else None
        return cls(wifi, rssi, found.get(2), found.get(3))
