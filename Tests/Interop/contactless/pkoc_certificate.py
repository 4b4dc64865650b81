# SPDX-License-Identifier: Apache-2.0
"""PKOC cards of NFC version 2, which show a certificate: good ones and one for each fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

OK = b"\x90\x00"
NOT_FOUND, NO_DATA = b"\x6a\x82", b"\x6a\x88"
SELECT = bytes.fromhex("00a4040008a00000089800000100")
DATA_INFORMATION = bytes.fromhex("00ca7f6300")
CERTIFICATE = bytes.fromhex("00ca7f2100")
AUTHENTICATE = bytes.fromhex("0088000020")
P256, RSA = bytes.fromhex("2a8648ce3d030107"), bytes.fromhex("2a864886f70d01010b")
PART = 256
"""Octets of a response."""


def tlv(tag: str, value: bytes) -> bytes:
    """An element with the shortest length."""
    if len(value) < 0x80:
        return bytes.fromhex(tag) + bytes((len(value),)) + value
    if len(value) < 0x100:
        return bytes.fromhex(tag) + bytes((0x81, len(value))) + value
    return bytes.fromhex(tag) + b"\x82" + len(value).to_bytes(2, "big") + value


class Key:
    """A key pair on P-256."""

    def __init__(self, scalar: int) -> None:
        self._key = ec.derive_private_key(scalar, ec.SECP256R1())
        numbers = self._key.public_key().public_numbers()
        self.point = b"\x04" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")

    def sign(self, message: bytes) -> bytes:
        """r and s."""
        r, s = decode_dss_signature(self._key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


ISSUER, STRANGER = Key(0x1551), Key(0x1552)
"""An issuer that tests trust, and one that they do not."""
ISSUER_IDENTIFIER = "ISSUER0000000001"


def digits(date: str) -> bytes:
    """YYMMDD, a digit in each octet."""
    return bytes(int(digit) for digit in date)


@dataclass(frozen=True)
class Certified:
    """A card with a certificate, good by default."""

    key: Key = field(default_factory=lambda: Key(1))
    """Of the listed card."""
    signer: Key = ISSUER
    issuer: str = ISSUER_IDENTIFIER
    first: str = "260101"
    last: str = "380101"
    algorithm: bytes = P256
    extensions: bytes = b""
    proves_with: Key | None = None
    """Another key, of a card that has copied a certificate."""
    is_changed: bool = False
    has_certificate: bool = True
    is_old: bool = False
    """A card of version 1.1, which has neither data information nor certificate."""
    part: int = PART

    @property
    def certificate(self) -> bytes:
        """7F21."""
        key = tlv("06", self.algorithm) + tlv("86", self.key.point)
        body = tlv(
            "7f4e",
            tlv("5f29", b"\0")
            + tlv("42", self.issuer.encode())
            + tlv("7f49", key)
            + tlv("5f20", b"CARD000000000001")
            + tlv("5f25", digits(self.first))
            + tlv("5f24", digits(self.last))
            + self.extensions,
        )
        signature = self.signer.sign(body)
        if self.is_changed:
            body = body.replace(digits(self.last), digits("390101"))
        return tlv("7f21", body + tlv("5f37", signature))


class CertifiedCard:
    """Responds to command APDUs."""

    def __init__(self, made: Certified) -> None:
        self._made = made
        self._pending = b""

    def __call__(self, command: bytes) -> bytes:
        """The response to a command APDU."""
        if command[:2] == b"\0\xc0":
            return self._emit()
        self._pending = b""
        if command == SELECT:
            return bytes.fromhex("5c0401010100" if self._made.is_old else "5c020200") + OK
        if self._made.is_old:
            return self._old(command)
        if command == DATA_INFORMATION:
            return tlv("7f63", bytes.fromhex("5c020200")) + OK
        if command == CERTIFICATE:
            if not self._made.has_certificate:
                return NO_DATA
            self._pending = self._made.certificate
            return self._emit()
        if command[:5] == AUTHENTICATE and len(command) == 38 and command[-1] == 0:
            return tlv("9e", (self._made.proves_with or self._made.key).sign(command[5:37])) + OK
        return NOT_FOUND

    def _old(self, command: bytes) -> bytes:
        if command[:4] != bytes.fromhex("80800001"):
            return b"\x6d\x00"
        return tlv("5a", self._made.key.point) + tlv("9e", self._made.key.sign(command[11:27])) + OK

    def _emit(self) -> bytes:
        part, self._pending = self._pending[: self._made.part], self._pending[self._made.part :]
        rest = min(len(self._pending), self._made.part)
        return part + (b"\x61" + bytes((rest & 0xFF,)) if self._pending else OK)


GOOD = Certified()
CERTIFIED = {
    "certified": GOOD,
    "certified-in-parts": replace(GOOD, part=50),
    "certified-extended": replace(GOOD, extensions=tlv("65", tlv("73", tlv("06", b"\x2a\x03") + tlv("53", b"\1")))),
}
"""Cards that open."""
REFUSED = {
    "certified-unlisted": (replace(GOOD, key=Key(2)), None),
    "certified-by-stranger": (replace(GOOD, signer=STRANGER), "invalid-document"),
    "certified-elsewhere": (replace(GOOD, issuer="ISSUER0000000002"), "invalid-document"),
    "certified-changed": (replace(GOOD, is_changed=True), "invalid-document"),
    "certified-expired": (replace(GOOD, last="260201"), "credential-not-valid-now"),
    "certified-early": (replace(GOOD, first="370101"), "credential-not-valid-now"),
    "certified-rsa": (replace(GOOD, algorithm=RSA), "unsupported-algorithm"),
    "certified-copied": (replace(GOOD, proves_with=Key(3)), "invalid-proof"),
    "certified-without": (replace(GOOD, has_certificate=False), "invalid-document"),
    "certified-old": (replace(GOOD, is_old=True), "no-common-version"),
}
"""Cards that open nothing, with the word of the log; none for the card whose identity is only not listed."""

CARDS: dict[str, Callable[[], CertifiedCard]] = {
    name: lambda made=made: CertifiedCard(made)
    for name, made in {**CERTIFIED, **{name: made for name, (made, _) in REFUSED.items()}}.items()
}
"""All cards by name."""
