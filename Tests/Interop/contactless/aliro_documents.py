# SPDX-License-Identifier: Apache-2.0
"""An issuer of Aliro's access and revocation documents, and the faults that they can have."""

from __future__ import annotations

import datetime
import hashlib
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cbor2 import CBORTag
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from contactless.aliro_keys import Key

ACCESS, REVOCATION = "aliro-a", "aliro-r"
MOMENTARY, UNSECURE = 8, 2
"""Actions of a rule."""

BEGIN = "2026-01-01T00:00:00Z"
END = "2040-01-01T00:00:00Z"
RANDOM = b"\x5a" * 32
"""A real issuer has other octets in each item."""


@dataclass
class Document:
    """The values of a document. The defaults are those of a good one."""

    kind: str
    elements: dict[str, Any]
    point: bytes | None = None
    """The credential of an access document."""
    signed: str = BEGIN
    valid_from: str = BEGIN
    valid_until: str = END
    iteration: int | None = None
    needs_time: bool = False
    random: bytes = RANDOM
    signed_kind: str | None = None
    """The type in the signed part, if it is another."""
    digest_version: str = "SHA-256"
    is_changed: bool = False
    """True if the element is altered after it was signed."""
    certificate: bytes | None = None
    """The issuer's, in DER."""
    has_key_identifier: bool = True
    extra: dict[Any, Any] = field(default_factory=dict)


class Issuer:
    """Signs documents."""

    def __init__(self, scalar: bytes | int) -> None:
        self.key = Key(scalar)

    @property
    def key_identifier(self) -> bytes:
        """The name of the key in documents."""
        return hashlib.sha256(b"key-identifier" + self.key.point).digest()[:8]

    def sign(self, document: Document) -> dict[str, Any]:
        """The document as the phone delivers it."""
        items = [
            CBORTag(24, cbor2.dumps({"1": number, "2": document.random, "3": name, "4": value}))
            for number, (name, value) in enumerate(document.elements.items())
        ]
        digests = {number: hashlib.sha256(cbor2.dumps(item)).digest() for number, item in enumerate(items)}
        validity: dict[str, Any] = {
            name: CBORTag(0, time)
            for name, time in (("1", document.signed), ("2", document.valid_from), ("3", document.valid_until))
        }
        if document.iteration is not None:
            validity["5"] = document.iteration
        signed: dict[str, Any] = {"1": "1.0", "2": document.digest_version, "3": {document.kind: digests}}
        if document.point is not None:
            signed["4"] = {"1": {1: 2, -1: 1, -2: document.point[1:33], -3: document.point[33:]}}
        signed.update(
            {"5": document.signed_kind or document.kind, "6": validity, "7": document.needs_time, **document.extra}
        )
        payload = cbor2.dumps(CBORTag(24, cbor2.dumps(signed)))
        header = cbor2.dumps({1: -7})
        signature = self.key.sign(cbor2.dumps(["Signature1", header, b"", payload]))
        names: dict[int, Any] = {4: self.key_identifier} if document.has_key_identifier else {}
        if document.certificate is not None:
            names[33] = document.certificate
        if document.is_changed:
            items = [CBORTag(24, item.value[:-1] + bytes((item.value[-1] ^ 1,))) for item in items]
        return {"1": {"1": {document.kind: items}, "2": [header, names, payload, signature]}, "5": document.kind}

    def certify(self, issuer: Issuer, first: str = BEGIN, last: str = END) -> bytes:
        """A certificate by which this authority makes `issuer` trusted."""
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Issuer")])
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Authority")]))
            .public_key(issuer.key.private.public_key())
            .serial_number(7)
            .not_valid_before(datetime.datetime.fromisoformat(first))
            .not_valid_after(datetime.datetime.fromisoformat(last))
        )
        return builder.sign(self.key.private, hashes.SHA256()).public_bytes(Encoding.DER)


def access(actions: int = UNSECURE | MOMENTARY, **members: Any) -> dict[int, Any]:
    """An access element with one rule; `members` by name: schedules, allow, deny, reader_rules, extensions."""
    rule = {0: actions}
    rule.update({number: members[name] for number, name in ((1, "allow"), (2, "deny")) if name in members})
    element: dict[int, Any] = {0: members.get("version", 1), 1: b"\0\1", 2: [rule]}
    element.update(
        {
            number: members[name]
            for number, name in ((3, "schedules"), (4, "reader_rules"), (6, "extensions"))
            if name in members
        }
    )
    return element


def revocation(points: list[bytes], *, replaces: bool = True, restored: tuple[bytes, ...] = ()) -> dict[int, Any]:
    """A revocation element with the credentials of these points."""

    def entries(revoked: list[bytes] | tuple[bytes, ...]) -> list[dict[int, bytes]]:
        return [{0: hashlib.sha256(point).digest()} for point in revoked]

    element: dict[int, Any] = {0: 1, 1: 0 if replaces else 1, 2: entries(points)}
    return {**element, 3: entries(restored)} if restored else element


def daily(first: int, seconds: int) -> dict[int, Any]:
    """A schedule in UTC: every day from the time of day of `first`, for so many seconds."""
    return {0: first, 2: [seconds, 0, 1, 1, 0], 3: 1}
