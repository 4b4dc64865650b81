# SPDX-License-Identifier: Apache-2.0
"""A back end that signs orders, by docs/operate/fleet.md alone: its key, its orders in CBOR, and its client."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import ssl
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import cbor2
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from fleet.broker import SECONDS, Broker
from fleet.door import DEVICE, program

COMMANDS = f"acc/v1/{DEVICE}/down/cmd"
ANSWERS = f"acc/v1/{DEVICE}/up/res"
ACCESS = f"user back-end\ntopic write {COMMANDS}\ntopic read {ANSWERS}\n"
"""Its permissions at the broker."""
AGAIN_SECONDS = 4.0
SLACK = 5
"""Seconds, as docs/operate/fleet.md advises."""
CORRELATION = 0x09
"""Correlation Data (MQTT 5, 2.2.2.2)."""


class Signer:
    """A key, and orders that it signs."""

    def __init__(self, pem: bytes | None = None) -> None:
        self._key = serialization.load_pem_private_key(pem, None) if pem else ec.generate_private_key(ec.SECP256R1())
        spki = self.public(serialization.Encoding.DER)
        self.id = hashlib.sha256(spki).digest()[:8]

    def public(self, encoding: serialization.Encoding = serialization.Encoding.PEM) -> bytes:
        """The public key."""
        return self._key.public_key().public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)

    def private(self) -> bytes:
        """The private key in PEM."""
        none = serialization.NoEncryption()
        return self._key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, none)

    def order(self, counter: int, command: str = "pulse", *, begin: float = 0, life: int = 30, **other: object) -> dict:
        """An order that begins so many seconds from now, and a little before that, since clocks differ."""
        now = int(time.time() + begin) - SLACK
        order = {"reader": DEVICE, "key": self.id, "id": os.urandom(16), "counter": counter}
        order |= {"not-before": now, "expires": now + life, "command": command, "args": {}}
        return order | {name.replace("_", "-"): value for name, value in other.items()}

    def message(self, order: dict) -> bytes:
        """The signed message."""
        body = cbor2.dumps(order, canonical=True)
        return cbor2.dumps([body, self._key.sign(b"readerd-remote-v1\0" + body, ec.ECDSA(hashes.SHA256()))])


class BackEnd:
    """A client of the broker that sends orders and reads the answers."""

    def __init__(self, broker: Broker, terminal_key: ec.EllipticCurvePublicKey) -> None:
        self._broker, self._terminal_key = broker, terminal_key
        self._identity = broker.authority.issue("back-end")
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def __aenter__(self) -> BackEnd:
        context = ssl.create_default_context(cafile=str(self._broker.authority.file))
        context.load_cert_chain(self._identity.certificate, self._identity.key)
        self._reader, self._writer = await asyncio.open_connection("localhost", self._broker.port, ssl=context)
        # Clean start, keepalive 0, no properties, the client id.
        self._send(0x10, _text("MQTT") + bytes([5, 2, 0, 0, 0]) + _text("back-end"))
        assert (await self._packet())[0] >> 4 == 2
        self._send(0x82, bytes([0, 1, 0]) + _text(ANSWERS) + bytes([0]))
        assert (await self._packet())[0] >> 4 == 9
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def ask(self, message: bytes) -> dict:
        """The reader's answer to a message, which is signed by the terminal key. Without one it is sent again."""
        for _ in range(int(SECONDS / AGAIN_SECONDS)):
            with suppress(TimeoutError):
                async with asyncio.timeout(AGAIN_SECONDS):
                    return await self.answer(self.send(message))
        raise AssertionError("no answer")

    def send(self, message: bytes, *, retained: bool = False) -> bytes:
        """Sends a message with QoS 0; its correlation data."""
        correlation = os.urandom(8)
        properties = bytes([CORRELATION]) + len(correlation).to_bytes(2) + correlation
        payload = _text(COMMANDS) + bytes([len(properties)]) + properties + message
        self._send(0x31 if retained else 0x30, payload)
        return correlation

    async def answer(self, correlation: bytes | None = None) -> dict:
        """The next answer, with this correlation data unless any is."""
        while True:
            kind, body = await self._packet()
            assert kind >> 4 == 3, f"packet {kind:#x}"
            length = int.from_bytes(body[:2])
            assert body[2 : 2 + length].decode() == ANSWERS, "only answers are subscribed to"
            count = body[2 + length]
            properties, payload = body[3 + length : 3 + length + count], body[3 + length + count :]
            if correlation is None or correlation in properties:
                return verified(payload, self._terminal_key)

    def raw(self, kind: int, body: bytes) -> None:
        """Sends a packet of this first octet."""
        self._send(kind, body)

    def _send(self, kind: int, body: bytes) -> None:
        count, length = len(body), b""
        while True:
            count, digit = divmod(count, 128)
            length += bytes([digit | (0x80 if count else 0)])
            if not count:
                break
        self._writer.write(bytes([kind]) + length + body)

    async def _packet(self) -> tuple[int, bytes]:
        kind = (await self._reader.readexactly(1))[0]
        count, shift = 0, 0
        while True:
            digit = (await self._reader.readexactly(1))[0]
            count |= (digit & 0x7F) << shift
            shift += 7
            if not digit & 0x80:
                return kind, await self._reader.readexactly(count)


def verified(payload: bytes, terminal_key: ec.EllipticCurvePublicKey) -> dict:
    """An answer that the terminal key has signed, without the signature."""
    answer = json.loads(payload)
    body = payload[: payload.rindex(b',"signature"')]
    signature = bytes.fromhex(answer.pop("signature"))
    terminal_key.verify(signature, b"readerd-answer-v1\0" + body, ec.ECDSA(hashes.SHA256()))
    return answer


def _text(text: str) -> bytes:
    return len(text).to_bytes(2) + text.encode()


def provision(state: Path, signer: Signer) -> ec.EllipticCurvePublicKey:
    """Gives a reader the demo's id and its own keys, and the key of orders; the reader's public key."""
    files = state.parent
    files.mkdir(exist_ok=True)
    orders, secret = files / "orders.pem", files / "secret.pem"
    orders.write_bytes(signer.public())
    secret.touch(0o600)
    secret.write_bytes(signer.private())
    terminal_key = install(state, orders)
    command = [program("readerd"), "provision", "--state", str(state), "--command-key", str(secret)]
    refused = subprocess.run(command, check=False, capture_output=True, text=True)
    assert refused.returncode == 1, refused
    assert "contains a private key" in refused.stderr and refused.stderr.count("\n") == 1
    return terminal_key


def install(state: Path, orders: Path) -> ec.EllipticCurvePublicKey:
    """The same with the file of a public key."""
    tokens = state.parent / "tokens.pem"
    tokens.write_bytes(Signer().public())
    command = [program("readerd"), "provision", "--state", str(state)]
    identity = [*command, "--device-id", "wa0y1YwS", "--signature-key", str(tokens)]
    subprocess.run(identity, check=True, capture_output=True)
    made = subprocess.run([*command, "--command-key", str(orders), "--json"], check=True, capture_output=True)
    record = json.loads(made.stdout)
    key = serialization.load_pem_public_key(orders.read_bytes())
    der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert record["command-key-fingerprint"] == hashlib.sha256(der).hexdigest()
    return serialization.load_pem_public_key(record["terminal-public-key"].encode())
