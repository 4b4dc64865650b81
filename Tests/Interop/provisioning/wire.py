# SPDX-License-Identifier: Apache-2.0
"""The messages of Nordic's Wi-Fi provisioning, by hand: nothing that a real app's library would hide."""

from __future__ import annotations

from dataclasses import dataclass

from access.wire import WireError as Undecodable
from access.wire import field as number
from access.wire import field as octets
from access.wire import last as fields

__all__ = ["Undecodable", "fields", "number", "octets"]


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
        """The stored network's WifiInfo."""
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
