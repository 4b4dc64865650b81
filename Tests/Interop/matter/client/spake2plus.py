# SPDX-License-Identifier: Apache-2.0
"""SPAKE2+ as in PASE (the draft's key schedule, not RFC 9383's): the side that knows the passcode. Simple
arithmetic on P-256, neither fast nor in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
Point = tuple[int, int] | None
"""Affine; None at infinity."""


def add(one: Point, two: Point) -> Point:
    if one is None or two is None:
        return one or two
    if one[0] == two[0]:
        if (one[1] + two[1]) % P == 0:
            return None
        slope = (3 * one[0] * one[0] - 3) * pow(2 * one[1], -1, P)
    else:
        slope = (two[1] - one[1]) * pow(two[0] - one[0], -1, P)
    x = (slope * slope - one[0] - two[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def multiply(scalar: int, point: Point) -> Point:
    result = None
    for bit in f"{scalar % ORDER:b}":
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def negative(point: Point) -> Point:
    return point and (point[0], -point[1] % P)


def octets(point: Point) -> bytes:
    """04 ‖ x ‖ y."""
    return b"\x04" + point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")


def point(octets: bytes) -> Point:
    """Of 04 ‖ x ‖ y, or of 02 or 03 ‖ x. Raises ValueError off the curve."""
    x = int.from_bytes(octets[1:33], "big")
    square = (x * x * x - 3 * x + B) % P
    y = pow(square, (P + 1) // 4, P) if len(octets) == 33 else int.from_bytes(octets[33:], "big")
    if len(octets) == 33 and y & 1 != octets[0] & 1:
        y = P - y
    if y * y % P != square:
        raise ValueError("a point off the curve")
    return x, y


G = point(bytes.fromhex("036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"))
M = point(bytes.fromhex("02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f"))
N = point(bytes.fromhex("03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49"))


def scalars(passcode: int, salt: bytes, iterations: int) -> tuple[int, int]:
    """w0 and w1."""
    ws = hashlib.pbkdf2_hmac("sha256", passcode.to_bytes(4, "little"), salt, iterations, 80)
    return int.from_bytes(ws[:40], "big") % ORDER, int.from_bytes(ws[40:], "big") % ORDER


def verifier(passcode: int, salt: bytes, iterations: int) -> bytes:
    """w0 ‖ L, as a window is opened with it."""
    w0, w1 = scalars(passcode, salt, iterations)
    return w0.to_bytes(32, "big") + octets(multiply(w1, G))


@dataclass
class Keys:
    """The values that both sides derive: the device's confirmation to expect, the own one to send, and the session's
    secret."""

    expected: bytes
    confirmation: bytes
    secret: bytes


class Prover:
    """The commissioner's side of one attempt."""

    def __init__(self, passcode: int, salt: bytes, iterations: int) -> None:
        self._w0, self._w1 = scalars(passcode, salt, iterations)
        self._x = secrets.randbelow(ORDER - 1) + 1
        self.share = octets(add(multiply(self._x, G), multiply(self._w0, M)))

    def keys(self, context: bytes, share: bytes) -> Keys:
        """For the device's `share`; `context` is the hash of label, request and response."""
        difference = add(point(share), negative(multiply(self._w0, N)))
        z, v = multiply(self._x, difference), multiply(self._w1, difference)
        parts = [context, b"", b"", octets(M), octets(N), self.share, share, octets(z), octets(v)]
        parts.append(self._w0.to_bytes(32, "big"))
        transcript = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
        both = hashlib.sha256(transcript).digest()
        confirmation = HKDF(hashes.SHA256(), 32, None, b"ConfirmationKeys").derive(both[:16])
        return Keys(
            expected=hmac.digest(confirmation[16:], self.share, "sha256"),
            confirmation=hmac.digest(confirmation[:16], share, "sha256"),
            secret=both[16:],
        )
