# SPDX-License-Identifier: Apache-2.0
"""The messages of Nordic's SoftAP provisioning that apps use: protobuf by hand, from the public tables."""

from __future__ import annotations

from dataclasses import dataclass

from access.wire import field, last, read


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
        outer = last(message)
        info = outer[1]
        assert isinstance(info, bytes)
        inner = last(info)
        rssi = outer.get(2)
        if isinstance(rssi, int) and rssi >= 1 << 63:
            rssi -= 1 << 64
        return cls(info, inner[1], inner[2], inner.get(3), inner[4], inner.get(5), rssi)


def scan_results(message: bytes) -> list[Record]:
    """The body that answers GET /prov/networks."""
    found = read(message)
    assert found.keys() <= {1}
    return [Record.read(value) for value in found.get(1, [])]


def wifi_config(info: bytes, passphrase: bytes | None) -> bytes:
    """The body of POST /prov/configure: the WifiInfo goes back as it came."""
    body = field(1, info)
    return body if passphrase is None else body + field(2, passphrase)


def wifi_info(ssid: bytes, bssid: bytes, *, band: int = 1, channel: int = 1, auth: int = 4) -> bytes:
    """A WifiInfo of an app that does not take it from the list."""
    return field(1, ssid) + field(2, bssid) + field(3, band) + field(4, channel) + field(5, auth)
