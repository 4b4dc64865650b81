# SPDX-License-Identifier: Apache-2.0
"""The phone's half of one exchange, as a value: octets in, octets out."""

from __future__ import annotations

import os
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric import ec

from access import envelope, identity, tokens
from access.status import Status
from access.wire import WireError, delimited, message, read, read_delimited, required

SALT_LENGTH = 16
DISTINCT_VALUES = 8
"""A salt needs that many different octets; 0xFF does not count."""


def salt_is_strong(salt: bytes) -> bool:
    """The salt rule of both sides."""
    return len(set(salt) - {0xFF}) >= DISTINCT_VALUES


def strong_salt() -> bytes:
    """Sixteen random octets that keep the rule."""
    while not salt_is_strong(salt := os.urandom(SALT_LENGTH)):
        pass
    return salt


class SessionError(Exception):
    """The exchange failed on the phone's side, with the status a phone reports for it."""

    def __init__(self, status: Status, text: str) -> None:
        super().__init__(f"{text} ({status})")
        self.status = status


@dataclass(frozen=True)
class Exchange:
    """The state known to both sides once the salts are exchanged, and the phone's own keys."""

    salts: envelope.Salts
    own_point: bytes
    secret: bytes

    def request(self, token: bytes, damage_tag: bool = False) -> bytes:
        """The encrypted payload for `token` (SPToken, not delimited)."""
        return self.request_plaintext(delimited(token), damage_tag)

    def request_plaintext(self, plaintext: bytes, damage_tag: bool = False) -> bytes:
        """The encrypted payload for any octets; `damage_tag` flips one bit of the tag."""
        keys = envelope.derive(self.own_point, self.secret, self.salts)
        sealed = envelope.seal(plaintext, self.own_point, keys.request_encryption, keys.request_tag, self.salts)
        return sealed[:-1] + bytes((sealed[-1] ^ 1,)) if damage_tag else sealed

    def result(self, payload: bytes) -> bytes:
        """The data of the device's SPResult."""
        try:
            sender, ciphertext, tag = envelope.split(payload)
            keys = envelope.derive(sender, self.secret, self.salts)
            plaintext = envelope.unseal(ciphertext, tag, keys.response_encryption, keys.response_tag, self.salts)
        except envelope.EnvelopeError as error:
            raise SessionError(Status.CRYPTO, f"result does not open: {error}") from error
        try:
            return required(read(read_delimited(plaintext)), 1, bytes)
        except WireError as error:
            raise SessionError(Status.DECODE, f"result: {error}") from error


class Transponder:
    """Starts one exchange. Salt and key are arguments so that a recorded one can be replayed."""

    def __init__(
        self,
        salt: bytes | None = None,
        key: ec.EllipticCurvePrivateKey | None = None,
        terminal: ec.EllipticCurvePublicKey = identity.TERMINAL_PUBLIC,
    ) -> None:
        self.salt = strong_salt() if salt is None else salt
        self._key = key or ec.generate_private_key(ec.SECP256R1())
        self._terminal = terminal

    def handshake(self) -> bytes:
        """The payload of the first message, in clear."""
        return delimited(message((1, self.salt)))

    def accept(self, reply: bytes) -> Exchange:
        """Takes the payload of the handshake's reply: checks the device's signature and salt."""
        try:
            fields = read(read_delimited(reply))
            terminal_salt = required(fields, 1, bytes)
            signature = required(fields, 2, bytes)
        except WireError as error:
            raise SessionError(Status.DECODE, f"handshake reply: {error}") from error
        if not tokens.verifies(self._terminal, signature, self.salt):
            raise SessionError(Status.SIGNATURE, "the device's signature is not of our salt")
        if len(terminal_salt) != SALT_LENGTH or not salt_is_strong(terminal_salt):
            raise SessionError(Status.SALT, "the device's salt is weak")
        return Exchange(
            envelope.Salts(self.salt, terminal_salt),
            envelope.point(self._key.public_key()),
            envelope.shared_secret(self._key, self._terminal),
        )
