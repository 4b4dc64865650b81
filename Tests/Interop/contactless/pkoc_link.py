# SPDX-License-Identifier: Apache-2.0
"""A phone with a PKOC credential over Bluetooth LE: the phone's side of the protocol, on a link of Bumble's."""

from __future__ import annotations

import asyncio
import hashlib

from bumble.core import UUID
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

from access.advertising import Mode
from rig.phone import ANSWER_SECONDS, WANTED_MTU, Link

PKOC = Mode("pkoc", "FFF0")
WRITTEN = "FE278A85-89AE-191F-5DDE-841202693835"
NOTIFIED = "E5B1B3B5-3CCA-3F76-CD86-A884CC239692"

VERSION = bytes.fromhex("0300000001")
GRANTED, DENIED, SECURITY, SIGNATURE, CCM = (bytes((4, 1, code)) for code in (3, 2, 5, 6, 7))
LAST_UPDATE = (1_700_000_000).to_bytes(4, "big")


def field(tag: int, value: bytes) -> bytes:
    """A field: a tag of one octet, and a length of BER, as apps of profile 2.0.1 write it."""
    return bytes((tag, len(value)) if len(value) < 128 else (tag, 0x81, len(value))) + value


def fields(message: bytes) -> dict[int, bytes]:
    """The values of a message by their tags. Raises ValueError for one that is cut or repeated."""
    found, offset = {}, 0
    while offset < len(message):
        tag, length = message[offset], message[offset + 1]
        value = message[offset + 2 : offset + 2 + length]
        if len(value) != length or tag in found:
            raise ValueError(f"field {tag:#04x} of {message.hex()}")
        found[tag], offset = value, offset + 2 + length
    return found


FIRST, FURTHER, LAST = 0, 1, 2
"""The octet before each part of a message."""


def fragments(message: bytes, count: int) -> list[bytes]:
    """A message in parts of so many octets, each with the octet before it."""
    parts = [message[start : start + count] for start in range(0, len(message), count)]
    kinds = [FIRST] + [FURTHER] * (len(parts) - 1)
    kinds[-1] = LAST
    return [bytes((kind,)) + part for kind, part in zip(kinds, parts, strict=True)]


def sign(key: ec.EllipticCurvePrivateKey, message: bytes) -> bytes:
    """r ‖ s over SHA-256."""
    r, s = decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def point(key: ec.EllipticCurvePrivateKey) -> bytes:
    """04 ‖ X ‖ Y."""
    numbers = key.public_key().public_numbers()
    return b"\x04" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")


class PKOCPhone:
    """A credential, and one conversation with it, in the fragments of profile 2.0.1 or without."""

    def __init__(self, scalar: int, *, has_fragments: bool = False) -> None:
        self._has_fragments = has_fragments
        self._mtu = 23
        self.key = ec.derive_private_key(scalar, ec.SECP256R1())
        self.hello = b""
        self.received: asyncio.Queue[bytes] = asyncio.Queue()
        self._link: Link
        self._written = None

    async def subscribe(self, link: Link, mtu: int = WANTED_MTU) -> None:
        """Finds the service and enables notifications."""
        self._link, self._mtu = link, mtu
        if mtu > 23:
            await link.exchange_mtu(mtu)
        (service,) = await link.until_lost(link.peer.discover_service(UUID(PKOC.service)))
        await link.until_lost(service.discover_characteristics())
        found = {str(c.uuid.to_hex_str("-")).upper(): c for c in service.characteristics}
        self._written = found[WRITTEN]
        await link.until_lost(found[NOTIFIED].subscribe(lambda value: self.received.put_nowait(bytes(value))))

    async def greeted(self, link: Link, mtu: int = WANTED_MTU) -> dict[int, bytes]:
        """The fields of the reader's first message."""
        await self.subscribe(link, mtu)
        self.hello = await self.answer()
        return fields(self.hello)

    async def answer(self, seconds: float = ANSWER_SECONDS) -> bytes:
        """The next message of the reader. Raises LinkLost when the link ends first."""
        message = b""
        while True:
            value = await self._link.until_lost(self.received.get(), seconds)
            if not self._has_fragments:
                return value
            assert value[0] == LAST or value[0] == (FURTHER if message else FIRST), value.hex()
            message += value[1:]
            if value[0] == LAST:
                return message

    async def write(self, message: bytes, *, with_response: bool = True) -> None:
        """A message to the reader."""
        for value in fragments(message, self._mtu - 4) if self._has_fragments else [message]:
            await self._link.until_lost(self._written.write_value(value, with_response=with_response))

    async def ask(self, message: bytes) -> bytes:
        """A message, and the reader's answer."""
        await self.write(message)
        return await self.answer()

    def proof(self, message: bytes) -> bytes:
        """The credential, with its signature over the message."""
        credential = field(1, point(self.key)) + field(3, sign(self.key, message))
        return credential + field(9, LAST_UPDATE) + field(0x0C, VERSION)

    def credential(self) -> bytes:
        """The credential of the normal flow."""
        return self.proof(fields(self.hello)[2])

    async def normal(self, link: Link, mtu: int = WANTED_MTU) -> bytes:
        """The normal flow; returns the reader's decision."""
        await self.greeted(link, mtu)
        return await self.ask(self.credential())

    async def ecdhe(self, link: Link, site: bytes, mtu: int = WANTED_MTU) -> bytes:
        """The flow with ECDHE; returns the reader's decision. Raises InvalidSignature for another site's reader."""
        return await self.ask(await self.sealed(link, site, mtu))

    async def sealed(self, link: Link, site: bytes, mtu: int = WANTED_MTU) -> bytes:
        """The encrypted credential, after the reader has proven itself by the site's public key."""
        greeting = await self.greeted(link, mtu)
        ephemeral = ec.generate_private_key(ec.SECP256R1())
        answer = await self.ask(field(7, point(ephemeral)) + field(0x0C, VERSION))
        message = greeting[0x0E] + greeting[0x0D] + point(ephemeral)[1:33] + greeting[2][1:]
        proof = fields(answer)[3]
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), site).verify(
            encode_dss_signature(int.from_bytes(proof[:32], "big"), int.from_bytes(proof[32:], "big")),
            message,
            ec.ECDSA(hashes.SHA256()),
        )
        reader = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), greeting[2])
        key = hashlib.sha256(ephemeral.exchange(ec.ECDH(), reader)).digest()
        nonce = bytes.fromhex("0000000000000001") + (1).to_bytes(4, "big")
        return field(0x40, AESCCM(key, tag_length=16).encrypt(nonce, self.proof(message), None))
