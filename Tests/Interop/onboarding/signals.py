# SPDX-License-Identifier: Apache-2.0
"""The published signals, credentials and value of a camera; assumptions are marked as such."""

from __future__ import annotations

import struct
from dataclasses import dataclass

NOT_READY, WAITING, ONBOARDED, BUSY = 109, 111, 113, 155
CHECK_IN_PROGRESS, CHECK_DONE = 121, 123
PARSING_SUCCEEDED, PARSING_FAILED = 201, 203
WIFI_IN_PROGRESS, WIFI_SUCCEEDED, WIFI_FAILED = 301, 302, 303
PAIRING_IN_PROGRESS, PAIRING_SUCCEEDED, PAIRING_FAILED = 501, 502, 503
SERVER_CLOSING = 1307
UP, DOWN = 1501, 1505

SUCCESS = [
    *(PARSING_SUCCEEDED, WIFI_IN_PROGRESS, CHECK_IN_PROGRESS, CHECK_DONE, WIFI_SUCCEEDED),
    *(PAIRING_IN_PROGRESS, PAIRING_SUCCEEDED, ONBOARDED, SERVER_CLOSING),
]
"""The signals that follow a write of valid credentials."""

FAILURES = (PARSING_FAILED, WIFI_FAILED, PAIRING_FAILED)
"""Each ends an onboarding."""


@dataclass(frozen=True)
class Value:
    """One value of the characteristic. Assumed: three 32-bit numbers, least significant octet first, and UTF-8 text."""

    notification: int
    onboarding: int
    connectivity: int
    text: str

    @classmethod
    def parse(cls, octets: bytes) -> Value:
        """Raises struct.error for fewer than twelve octets, UnicodeDecodeError for invalid text."""
        return cls(*struct.unpack_from("<iii", octets), octets[12:].decode())

    @property
    def states(self) -> tuple[int, int, int]:
        return self.notification, self.onboarding, self.connectivity


def lines(ssid: str, password: str, user: str, token: str) -> bytes:
    """As an app writes them: four lines, each with a line feed."""
    return "".join(f"{field}\n" for field in (ssid, password, user, token)).encode()


def keyed(ssid: str, password: str, user: str, token: str, separator: str = "=") -> bytes:
    """As the camera maker's side has them: no line feed at the end."""
    pairs = zip(("SSID", "PASS", "UID", "KEY"), (ssid, password, user, token), strict=True)
    return "\n".join(f"{key}{separator}{field}" for key, field in pairs).encode()
