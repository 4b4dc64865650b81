# SPDX-License-Identifier: Apache-2.0
"""Aliro's keys and channels, as a phone derives them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from contactless.aliro_wire import tlv

READER_USAGE = bytes.fromhex("415d9569")
PHONE_USAGE = bytes.fromhex("4e887b4c")
NFC, BLUETOOTH = b"\x5e", b"\xc3"
"""The interfaces in the salts."""
BLOCK = 160
"""Octets of five keys."""


class Key:
    """A key pair on P-256."""

    def __init__(self, scalar: bytes | int | None = None) -> None:
        if scalar is None:
            self._private = ec.generate_private_key(ec.SECP256R1())
        else:
            number = int.from_bytes(scalar, "big") if isinstance(scalar, bytes) else scalar
            self._private = ec.derive_private_key(number, ec.SECP256R1())
        numbers = self._private.public_key().public_numbers()
        self.point = b"\x04" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")

    @property
    def x(self) -> bytes:
        """The X coordinate."""
        return self.point[1:33]

    @property
    def private(self) -> ec.EllipticCurvePrivateKey:
        """For certificates."""
        return self._private

    def sign(self, message: bytes) -> bytes:
        """r ‖ s, by RFC 6979, so that vectors can be reproduced."""
        r, s = decode_dss_signature(self._private.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True)))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def shared(self, point: bytes) -> bytes:
        """The X coordinate of the key agreement."""
        return self._private.exchange(ec.ECDH(), public(point))


def public(point: bytes) -> ec.EllipticCurvePublicKey:
    """The key of an uncompressed point; `ValueError` for others, and off the curve."""
    if len(point) != 65 or point[0] != 4:
        raise ValueError("no uncompressed point")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def is_signed(point: bytes, message: bytes, signature: bytes) -> bool:
    """True for a signature r ‖ s by the key of `point`."""
    r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
    try:
        public(point).verify(encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


def key_slot(point: bytes) -> bytes:
    """The short identification of a credential."""
    return hashlib.sha1(point).digest()[:8]


def derive(key: bytes, salt: bytes, info: bytes, count: int) -> bytes:
    """HKDF with SHA-256."""
    return HKDF(hashes.SHA256(), count, salt, info).derive(key)


@dataclass
class Parameters:
    """The values of a transaction that its keys depend on."""

    group_point: bytes
    """The reader's point, or its authority's."""
    reader: bytes
    """The identifier: group and door."""
    version: bytes
    reader_ephemeral: bytes
    phone_ephemeral: bytes
    transaction: bytes
    flags: bytes
    """The values of tags 41 and 42 in AUTH0."""
    application: bytes
    """The element A5 of SELECT's response."""
    extensions: bytes = b""
    """The elements B1 and B2."""
    interface: bytes = NFC

    def salt(self, label: bytes, credential: bytes = b"") -> bytes:
        """The salt with a label; `credential` is the phone's point, if the label needs it."""
        return b"".join(
            (
                *(self.group_point[1:33], label, self.reader, self.interface, tlv(0x5C, self.version)),
                *(self.reader_ephemeral[1:33], self.transaction, self.flags, self.application, credential[1:33]),
            )
        )

    @property
    def info(self) -> bytes:
        """The other input of all three derivations."""
        return self.phone_ephemeral[1:33] + self.extensions

    def signed(self, usage: bytes) -> bytes:
        """The octets that a side signs."""
        return b"".join(
            (
                *(tlv(0x4D, self.reader), tlv(0x86, self.phone_ephemeral[1:33])),
                *(tlv(0x87, self.reader_ephemeral[1:33]), tlv(0x4C, self.transaction), tlv(0x93, usage)),
            )
        )

    def agreed(self, shared: bytes) -> bytes:
        """The key of the standard phase."""
        return hashlib.sha256(shared + b"\0\0\0\1" + self.transaction).digest()

    def standard(self, agreed: bytes) -> list[bytes]:
        """Reader, phone, step-up, Bluetooth, ranging."""
        return cut(derive(agreed, self.salt(b"Volatile****"), self.info, BLOCK))

    def fast(self, persistent: bytes, credential: bytes) -> list[bytes]:
        """Cryptogram, reader, phone, Bluetooth, ranging."""
        return cut(derive(persistent, self.salt(b"VolatileFast", credential), self.info, BLOCK))

    def persistent(self, agreed: bytes, credential: bytes) -> bytes:
        """The key for later fast phases."""
        return derive(agreed, self.salt(b"Persistent**", credential), self.info, 32)


def cut(block: bytes) -> list[bytes]:
    """Keys of 32 octets."""
    return [block[at : at + 32] for at in range(0, len(block), 32)]


class Channel:
    """The phone's side of a channel."""

    def __init__(self, reader: bytes, phone: bytes) -> None:
        self._reader, self._phone = AESGCM(reader), AESGCM(phone)
        self._sent = self._received = 0

    @classmethod
    def step_up(cls, key: bytes) -> Channel:
        """The channel of documents."""
        return cls(derive(key, bytes(32), b"SKReader", 32), derive(key, bytes(32), b"SKDevice", 32))

    @classmethod
    def bluetooth(cls, key: bytes, published: bytes, selected: bytes) -> Channel:
        """The channel of notifications."""
        return cls(*cls.bluetooth_keys(key, published, selected))

    @staticmethod
    def bluetooth_keys(key: bytes, published: bytes, selected: bytes) -> tuple[bytes, bytes]:
        """The keys of reader and phone, which depend on the reader's whole list of versions."""
        salt = published + selected
        return derive(key, salt, b"BleSKReader", 32), derive(key, salt, b"BleSKDevice", 32)

    def seal(self, plaintext: bytes, header: bytes | None = None) -> bytes:
        """The next message of the phone. `header` is authenticated with it."""
        self._sent += 1
        return self._phone.encrypt(bytes(7) + b"\1" + self._sent.to_bytes(4, "big"), plaintext, header)

    def open(self, sealed: bytes, header: bytes | None = None) -> bytes:
        """The next message of the reader; `InvalidTag` for another."""
        self._received += 1
        return self._reader.decrypt(bytes(8) + self._received.to_bytes(4, "big"), sealed, header)
