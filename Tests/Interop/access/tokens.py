# SPDX-License-Identifier: Apache-2.0
"""Command tokens: what a backend signs and a phone carries."""

from __future__ import annotations

from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from access import identity
from access.wire import message

_ALGORITHM = ec.ECDSA(hashes.SHA256())


def sign(key: ec.EllipticCurvePrivateKey, octets: bytes) -> bytes:
    """ECDSA over SHA-256, DER."""
    return key.sign(octets, _ALGORITHM)


def verifies(key: ec.EllipticCurvePublicKey, signature: bytes, octets: bytes) -> bool:
    """Whether `signature` is valid for `octets`."""
    try:
        key.verify(signature, octets, _ALGORITHM)
    except (InvalidSignature, ValueError):
        return False
    return True


@dataclass(frozen=True)
class Timestamp:
    """A local time as tokens carry it."""

    year: int
    month: int = 1
    day: int = 1
    hours: int = 0
    minutes: int = 0
    seconds: int = 0

    def body(self) -> bytes:
        """LocalTimestamp."""
        parts = self.year, self.month, self.day, self.hours, self.minutes, self.seconds
        return message(*enumerate(parts, start=1))

    def signed_text(self) -> str:
        """Year to minute; seconds are not signed."""
        return f"{self.year}:{self.month}:{self.day}:{self.hours}:{self.minutes}"


@dataclass(frozen=True)
class Command:
    """The text of a command token."""

    name: str
    credential: str = "CRED000001"
    start: Timestamp = Timestamp(2023)
    end: Timestamp = Timestamp(2090)
    data: bytes = b""

    def signed_text(self, name: str | None = None) -> bytes:
        """The octets that the signature covers; `name` is a group's, or the command."""
        parts = self.credential, name or self.name, self.start.signed_text(), self.end.signed_text()
        return ":".join(parts).encode()

    def body(self) -> bytes:
        """SPTokenCommand."""
        return message(
            (1, message((1, self.credential))),
            (2, self.start.body()),
            (3, self.end.body()),
            (4, self.name),
            (5, self.data),
        )


def command_token(command: Command, signature: bytes | None = None, group: str | None = None) -> bytes:
    """SPToken with a command, signed by the demo backend unless a signature is given.

    `group`: sign this name (`MAINTC`) instead of the command's.
    """
    if signature is None:
        signature = sign(identity.SIGNATURE_PRIVATE, command.signed_text(group))
    return message((1, signature), (2, command.body()))
