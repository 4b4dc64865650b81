# SPDX-License-Identifier: Apache-2.0
"""PASE and CASE from the initiator's side."""

from __future__ import annotations

import hashlib
import hmac
import os

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

from matter.client import tlv
from matter.client.certificates import CURVE, Fabric, hkdf, public, sign, verify
from matter.client.endpoint import Endpoint, Exchange
from matter.client.spake2plus import Prover
from matter.client.wire import (
    PAKE1,
    PAKE2,
    PAKE3,
    PBKDF_REQUEST,
    PBKDF_RESPONSE,
    SIGMA1,
    SIGMA2,
    SIGMA3,
    STATUS_REPORT,
    SUCCESS,
    Message,
    Session,
    StatusReport,
)


class Refused(Exception):
    """A handshake ended with a status report."""

    def __init__(self, report: StatusReport) -> None:
        super().__init__(str(report))
        self.report = report


def expect(message: Message, opcode: int) -> dict:
    """The fields of a handshake's message. Raises Refused."""
    if message.opcode == STATUS_REPORT:
        raise Refused(StatusReport.parsed(message.payload))
    if message.opcode != opcode:
        raise ValueError(f"opcode {message.opcode:#x}")
    return tlv.decode(message.payload)


def expect_success(message: Message) -> None:
    """Raises Refused."""
    report = StatusReport.parsed(message.payload) if message.opcode == STATUS_REPORT else None
    if report != SUCCESS:
        raise Refused(report) if report else ValueError(f"opcode {message.opcode:#x}")


# PASE


def pbkdf_request(number: int) -> bytes:
    """PBKDFParamRequest for a session of that number."""
    return tlv.encode({1: os.urandom(32), 2: number, 3: 0, 4: False})


def context(request: bytes, response: bytes) -> bytes:
    return hashlib.sha256(b"CHIP PAKE V1 Commissioning" + request + response).digest()


async def pase(endpoint: Endpoint, passcode: int) -> Session:
    """A session by the passcode. Raises Refused."""
    number = endpoint.number()
    async with endpoint.exchange(endpoint.plain()) as exchange:
        request = pbkdf_request(number)
        response = await exchange.ask(PBKDF_REQUEST, request)
        told = expect(response, PBKDF_RESPONSE)
        prover = Prover(passcode, told[4][2], told[4][1])
        answer = expect(await exchange.ask(PAKE1, tlv.encode({1: prover.share})), PAKE2)
        keys = prover.keys(context(request, response.payload), answer[1])
        # Also with a wrong passcode, so that the device says so.
        expect_success(await exchange.ask(PAKE3, tlv.encode({1: keys.confirmation})))
        if not hmac.compare_digest(keys.expected, answer[2]):
            raise ValueError("the device does not know the passcode, and took ours")
    session = Session(number, told[3], hkdf(keys.secret, b"", b"SessionKeys", 48))
    endpoint.add(session)
    return session


# CASE


def destination(fabric: Fabric, node: int, random: bytes) -> bytes:
    """The destination identifier of a node."""
    named = random + fabric.root_point + fabric.id.to_bytes(8, "little") + node.to_bytes(8, "little")
    return hmac.digest(fabric.group_key, named, "sha256")


def sigma1(number: int, random: bytes, destination: bytes, point: bytes) -> bytes:
    return tlv.encode({1: random, 2: number, 3: destination, 4: point})


class Initiator:
    """One full CASE handshake."""

    def __init__(self, endpoint: Endpoint, fabric: Fabric, node: int) -> None:
        self._endpoint, self._fabric, self._node = endpoint, fabric, node
        self._key = ec.generate_private_key(CURVE)
        self._point = public(self._key)
        self._number = endpoint.number()
        self._random = os.urandom(32)

    async def session(self) -> Session:
        """Raises Refused, or InvalidSignature and InvalidTag if it is another node than expected."""
        async with self._endpoint.exchange(self._endpoint.plain()) as exchange:
            return await self._run(exchange)

    def first(self) -> bytes:
        """Sigma1."""
        name = destination(self._fabric, self._node, self._random)
        return sigma1(self._number, self._random, name, self._point)

    async def _run(self, exchange: Exchange) -> Session:
        one = self.first()
        answer = await exchange.ask(SIGMA1, one)
        two, fields = answer.payload, expect(answer, SIGMA2)
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, fields[3])
        secret = self._key.exchange(ec.ECDH(), theirs)
        salt = self._fabric.group_key + fields[1] + fields[3] + hashlib.sha256(one).digest()
        sealed = AESCCM(hkdf(secret, salt, b"Sigma2", 16), 16).decrypt(b"NCASE_Sigma2N", fields[4], None)
        self._verify(tlv.decode(sealed), fields[3])
        own = {1: self._fabric.certificate, 3: self._point, 4: fields[3]}
        clear = tlv.encode({1: self._fabric.certificate, 3: sign(self._fabric.key, tlv.encode(own))})
        salt = self._fabric.group_key + hashlib.sha256(one + two).digest()
        sealed = AESCCM(hkdf(secret, salt, b"Sigma3", 16), 16).encrypt(b"NCASE_Sigma3N", clear, None)
        three = tlv.encode({1: sealed})
        expect_success(await exchange.ask(SIGMA3, three))
        salt = self._fabric.group_key + hashlib.sha256(one + two + three).digest()
        keys = hkdf(secret, salt, b"SessionKeys", 48)
        session = Session(self._number, fields[2], keys, self._fabric.node, self._node)
        self._endpoint.add(session)
        return session

    def _verify(self, inner: dict, point: bytes) -> None:
        """The node's certificate belongs to this fabric, and its key signed."""
        certificate = tlv.decode(inner[1])
        if dict(certificate[6])[17] != self._node:
            raise ValueError("another node answered")
        signed = {1: inner[1]} | ({2: inner[2]} if 2 in inner else {}) | {3: point, 4: self._point}
        verify(certificate[9], inner[3], tlv.encode(signed))


async def case(endpoint: Endpoint, fabric: Fabric, node: int) -> Session:
    """A session by certificates. Raises Refused."""
    return await Initiator(endpoint, fabric, node).session()
