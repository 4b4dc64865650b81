# SPDX-License-Identifier: Apache-2.0
"""Certificates of Aliro readers (profile 0000), which stand for an X.509 certificate in fewer octets."""

from __future__ import annotations

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from contactless.aliro_keys import Key, public
from contactless.aliro_wire import WireFault, elements, exactly, fields, tlv

DEFAULTS = {0x80: b"\x01", 0x81: b"issuer", 0x82: b"200101000000Z", 0x83: b"490101000000Z", 0x84: b"subject"}
"""Serial number, issuer, the two ends of the validity, subject: omitted if they have these values."""
LENGTHS = {
    **{0x80: range(1, 21), 0x81: range(1, 33), 0x82: range(13, 16), 0x83: range(13, 16), 0x84: range(1, 33)},
    **{0x85: exactly(66), 0x86: range(65, 81)},
}
ECDSA_SHA256 = bytes.fromhex("300a06082a8648ce3d040302")
COMMON_NAME = bytes.fromhex("0603550403")
P256 = bytes.fromhex("301306072a8648ce3d020106082a8648ce3d030107")


def signed_part(values: dict[int, bytes], authority: bytes) -> bytes:
    """The part of the X.509 certificate that is signed."""

    def name(text: bytes) -> bytes:
        return tlv(0x30, tlv(0x31, tlv(0x30, COMMON_NAME + tlv(0x0C, text))))

    def time(text: bytes) -> bytes:
        return tlv(0x17 if len(text) == 13 else 0x18, text)

    key_identifier = tlv(0x30, tlv(0x80, hashlib.sha1(authority).digest()))
    extensions = (
        tlv(0x30, bytes.fromhex("0603551d23") + tlv(0x04, key_identifier))
        + tlv(0x30, bytes.fromhex("0603551d130101ff") + tlv(0x04, b"\x30\x00"))
        + tlv(0x30, bytes.fromhex("0603551d0f0101ff") + tlv(0x04, bytes.fromhex("03020780")))
    )
    return tlv(
        0x30,
        b"".join(
            (
                *(bytes.fromhex("a003020102"), tlv(0x02, values[0x80]), ECDSA_SHA256, name(values[0x81])),
                *(tlv(0x30, time(values[0x82]) + time(values[0x83])), name(values[0x84])),
                *(tlv(0x30, P256 + tlv(0x03, values[0x85])), tlv(0xA3, tlv(0x30, extensions))),
            )
        ),
    )


def issue(authority: Key, point: bytes, **values: bytes) -> bytes:
    """A certificate of the reader's point."""
    names = dict(zip(("serial", "issuer", "first", "last", "subject"), DEFAULTS, strict=True))
    whole = {**DEFAULTS, **{names[name]: value for name, value in values.items()}, 0x85: b"\0" + point}
    signature = authority.private.sign(
        signed_part(whole, authority.point), ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
    )
    body = b"".join(tlv(tag, value) for tag, value in whole.items() if DEFAULTS.get(tag) != value)
    return tlv(0x30, tlv(0x04, b"\0\0") + tlv(0x30, body + tlv(0x86, b"\0" + signature)))


def certified_point(certificate: bytes, authority: bytes) -> bytes:
    """The point that the certificate is for. `WireFault` if it cannot be read, `InvalidSignature` if it is forged."""
    ((tag, content, _),) = elements(certificate)
    parts = list(elements(content))
    if tag != 0x30 or [part[0] for part in parts] != [0x04, 0x30] or parts[0][1] != b"\0\0":
        raise WireFault("no certificate of profile 0000")
    values = {**DEFAULTS, **fields(parts[1][1], LENGTHS, {0x85, 0x86})}
    if values[0x85][:2] != b"\0\x04" or values[0x86][:1] != b"\0":
        raise InvalidSignature
    public(authority).verify(values[0x86][1:], signed_part(values, authority), ec.ECDSA(hashes.SHA256()))
    return values[0x85][1:]
