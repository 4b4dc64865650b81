# SPDX-License-Identifier: Apache-2.0
"""ECIES as the session uses it: HKDF-SHA256, AES-128-CBC with zero padding, HMAC-SHA256."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

POINT_LENGTH = 65
TAG_LENGTH = 32
BLOCK = 16
_INFO = b"Secure Message Exchange"
_ZERO_IV = bytes(BLOCK)


class EnvelopeError(Exception):
    """Encrypted octets that do not open."""


@dataclass(frozen=True)
class Salts:
    """The two salts of one exchange, 16 octets each, and what is cut from them."""

    transponder: bytes
    terminal: bytes

    @property
    def for_keys(self) -> bytes:
        """The salt of the key derivation."""
        return self.transponder[:8] + self.terminal[:8]

    @property
    def for_tag(self) -> bytes:
        """The data authenticated by the tag besides the ciphertext."""
        return self.transponder[8:] + self.terminal[8:]


@dataclass(frozen=True)
class Keys:
    """The keys of both directions, derived from one point and the shared secret."""

    request_encryption: bytes
    request_tag: bytes
    response_encryption: bytes
    response_tag: bytes


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    """The uncompressed X9.63 form, 65 octets."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def public_key(octets: bytes) -> ec.EllipticCurvePublicKey:
    """The key of an uncompressed point. Raises EnvelopeError off the curve."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), octets)
    except ValueError as error:
        raise EnvelopeError(f"no point of the curve: {error}") from error


def shared_secret(own: ec.EllipticCurvePrivateKey, peer: ec.EllipticCurvePublicKey) -> bytes:
    """The x-coordinate of ECDH, 32 octets."""
    return own.exchange(ec.ECDH(), peer)


def derive(sender_point: bytes, secret: bytes, salts: Salts) -> Keys:
    """The keys that belong to `sender_point`."""
    material = HKDF(hashes.SHA256(), 96, salts.for_keys, _INFO).derive(sender_point + secret)
    return Keys(material[:16], material[16:48], material[48:64], material[64:])


def pad(plaintext: bytes) -> bytes:
    """Zeros up to the block; none when it is full."""
    return plaintext + bytes(-len(plaintext) % BLOCK)


def seal(plaintext: bytes, sender_point: bytes, encryption: bytes, tag: bytes, salts: Salts) -> bytes:
    """P || ciphertext || tag."""
    encryptor = Cipher(algorithms.AES(encryption), modes.CBC(_ZERO_IV)).encryptor()
    ciphertext = encryptor.update(pad(plaintext)) + encryptor.finalize()
    return sender_point + ciphertext + _mac(tag, ciphertext, salts)


def split(payload: bytes) -> tuple[bytes, bytes, bytes]:
    """Point, ciphertext and tag of a payload. Raises EnvelopeError when it cannot be one."""
    body = len(payload) - POINT_LENGTH - TAG_LENGTH
    if body < BLOCK or body % BLOCK:
        raise EnvelopeError(f"{len(payload)} octets are no encrypted payload")
    return payload[:POINT_LENGTH], payload[POINT_LENGTH:-TAG_LENGTH], payload[-TAG_LENGTH:]


def unseal(ciphertext: bytes, received_tag: bytes, encryption: bytes, tag: bytes, salts: Salts) -> bytes:
    """The padded plaintext. Raises EnvelopeError when the tag differs."""
    if not hmac.compare_digest(received_tag, _mac(tag, ciphertext, salts)):
        raise EnvelopeError("tag differs")
    decryptor = Cipher(algorithms.AES(encryption), modes.CBC(_ZERO_IV)).decryptor()
    return decryptor.update(ciphertext) + decryptor.finalize()


def _mac(key: bytes, ciphertext: bytes, salts: Salts) -> bytes:
    return hmac.new(key, ciphertext + salts.for_tag, hashlib.sha256).digest()
