# SPDX-License-Identifier: Apache-2.0
"""Operational certificates of a fabric of one's own: TLV, signed over the X.509 form that it stands for."""

from __future__ import annotations

import hashlib
import os
from datetime import datetime, timedelta

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from matter.client import tlv

CURVE = ec.SECP256R1()
NODE, RCAC, FABRIC = 17, 20, 21
MATTER_NAME = "2b0601040182a27c01"
"""Object identifier 1.3.6.1.4.1.37244.1; the last number is the tag's distance from 16."""
CERTIFICATE_SIGNING, SIGNATURE = 0x60, 0x01
CLIENT, SERVER = 2, 1


def _der(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    count = len(body)
    length = bytes([count]) if count < 128 else bytes([0x81, count] if count < 256 else [0x82, count >> 8, count & 255])
    return bytes([tag]) + length + body


def _sequence(*parts: bytes) -> bytes:
    return _der(0x30, *parts)


def _object(identifier: str) -> bytes:
    return _der(6, bytes.fromhex(identifier))


def _name(pairs: tlv.Pairs) -> bytes:
    """Matter's own attributes alone: 16 digits each."""
    sets = [
        _der(0x31, _sequence(_object(f"{MATTER_NAME}{tag - 16:02x}"), _der(0x0C, b"%016X" % value)))
        for tag, value in pairs
    ]
    return _sequence(*sets)


def _time(seconds: int) -> bytes:
    if seconds == 0:
        return _der(0x18, b"99991231235959Z")
    return _der(0x17, (datetime(2000, 1, 1) + timedelta(seconds=seconds)).strftime("%y%m%d%H%M%SZ").encode())


def _bits(flags: int) -> bytes:
    """A BIT STRING of at most eight named bits."""
    octet = int(f"{flags:08b}"[::-1], 2)
    return _der(3, bytes([(octet & -octet).bit_length() - 1, octet]))


def _extension(identifier: str, value: bytes, critical: bool = False) -> bytes:
    return _sequence(_object(identifier), _der(1, b"\xff") if critical else b"", _der(4, value))


def _extensions(pairs: tlv.Pairs) -> bytes:
    out = []
    for tag, value in pairs:
        if tag == 1:
            out.append(_extension("551d13", _sequence(_der(1, b"\xff") if value[1] else b""), True))
        elif tag == 2:
            out.append(_extension("551d0f", _bits(value), True))
        elif tag == 3:
            uses = [_object(f"2b060105050703{use:02x}") for use in value]
            out.append(_extension("551d25", _sequence(*uses), True))
        elif tag == 4:
            out.append(_extension("551d0e", _der(4, value)))
        else:
            out.append(_extension("551d23", _sequence(_der(0x80, value))))
    return _der(0xA3, _sequence(*out))


def signed_part(fields: dict) -> bytes:
    """TBSCertificate of the fields of a certificate."""
    return _sequence(
        _der(0xA0, _der(2, b"\x02")),
        _der(2, fields[1]),
        _sequence(_object("2a8648ce3d040302")),
        _name(fields[3]),
        _sequence(_time(fields[4]), _time(fields[5])),
        _name(fields[6]),
        _sequence(_sequence(_object("2a8648ce3d0201"), _object("2a8648ce3d030107")), _der(3, b"\0", fields[9])),
        _extensions(fields[10]),
    )


def public(key: ec.EllipticCurvePrivateKey) -> bytes:
    """04 ‖ x ‖ y."""
    numbers = key.public_key().public_numbers()
    return b"\x04" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")


def sign(key: ec.EllipticCurvePrivateKey, octets: bytes) -> bytes:
    """ECDSA with SHA-256 as r ‖ s."""
    r, s = utils.decode_dss_signature(key.sign(octets, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def verify(point: bytes, signature: bytes, octets: bytes) -> None:
    """Raises InvalidSignature."""
    encoded = utils.encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    key = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)
    key.verify(encoded, octets, ec.ECDSA(hashes.SHA256()))


def hkdf(secret: bytes, salt: bytes, info: bytes, count: int) -> bytes:
    return HKDF(hashes.SHA256(), count, salt, info).derive(secret)


class Fabric:
    """A fabric with its root, its group key, and this node as its administrator."""

    def __init__(self, fabric: int, node: int, vendor: int = 0xFFF1) -> None:
        self.id, self.node, self.vendor = fabric, node, vendor
        self._root_key = ec.generate_private_key(CURVE)
        self._root_name = tlv.Pairs([(RCAC, 1)])
        self.root_point = public(self._root_key)
        self.root = self._issue(self._root_name, self.root_point, is_authority=True)
        self.key = ec.generate_private_key(CURVE)
        self.certificate = self.certify(public(self.key), node)
        self.epoch_key = os.urandom(16)
        self.compressed = hkdf(self.root_point[1:], fabric.to_bytes(8, "big"), b"CompressedFabric", 8)
        self.group_key = hkdf(self.epoch_key, self.compressed, b"GroupKey v1.0", 16)

    def certify(self, point: bytes, node: int) -> bytes:
        """A node's certificate."""
        return self._issue(tlv.Pairs([(NODE, node), (FABRIC, self.id)]), point, is_authority=False)

    def _issue(self, subject: tlv.Pairs, point: bytes, is_authority: bool) -> bytes:
        extensions = tlv.Pairs([(1, {1: is_authority}), (2, CERTIFICATE_SIGNING if is_authority else SIGNATURE)])
        if not is_authority:
            extensions.append((3, [CLIENT, SERVER]))
        extensions += [(4, hashlib.sha1(point).digest()), (5, hashlib.sha1(self.root_point).digest())]
        fields = {1: b"\x10" + os.urandom(7), 2: 1, 3: self._root_name, 4: 1, 5: 0, 6: subject, 7: 1, 8: 1, 9: point}
        fields[10] = extensions
        fields[11] = sign(self._root_key, signed_part(fields))
        return tlv.encode(fields)
