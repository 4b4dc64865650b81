#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A phone for readerd in one file: finds a reader, proves that it is the right one, shows a token, prints the answer.

docs/protocol/access-profile.md describes each step; the numbers in brackets are its sections. Needs Python 3.11,
`bumble` and `cryptography` (PyPI).

    phone.py --bundle phone.json --hci tcp-client:127.0.0.1:7301     open the door of a reader in the bundle
    phone.py --bundle phone.json --hci usb:0 --credential ALICE04711  with this credential
    phone.py --vector protocols/access/session-vector.json           compute the published session vector, no radio

`readerlab credentials phone-bundle` makes the bundle (docs/operate/credentials.md). `--hci` is a Bumble transport name.
Exit status: 0 opened or answered, 1 refused or not reached, 2 wrong use.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import hmac
import json
import os
import struct
import sys
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SERVICES = (
    "FCBA",
    "00005301-0010-002A-426C-756549442A00",
    "00005301-0000-002A-426C-756549442A00",
)
"""Advertised services of the modes access, on-touch and classic (1)."""
RX = "58920001-0BB5-4F7D-ADA1-988C7FEC44E4"
TX = "A0150002-4C92-496C-9CF1-007367D7E838"
SCAN_SECONDS, ANSWER_SECONDS, MTU = 10, 10, 247


class Refusal(Exception):
    """The visit ended without success; the text says why."""


# Messages and frames (4)

CRC_TABLE = struct.unpack(
    ">16H", bytes.fromhex("0000 1021 2042 3063 4084 50A5 60C6 70E7 8108 9129 A14A B16B C18C D1AD E1CE F1EF")
)


def crc(octets: bytes) -> int:
    """The CRC of a payload; `123456789` gives 0xB58D."""
    value = 0xFFFF
    for octet in octets:
        for nibble in octet & 0xF, octet >> 4:
            value = (value << 4 & 0xFFFF) ^ CRC_TABLE[value >> 12 ^ nibble]
    return value


def message(payload: bytes) -> bytes:
    """Header and payload."""
    return struct.pack(">HHh", len(payload), crc(payload), 0) + payload


class Inbox:
    """Joins the frames of an answer."""

    def __init__(self) -> None:
        self.octets = b""

    def receive(self, frame: bytes) -> tuple[int, bytes] | None:
        """Status and payload once the message is complete."""
        self.octets += frame
        if len(self.octets) < 6:
            raise Refusal("the reader sent a message without a header")
        length, checksum, status = struct.unpack(">HHh", self.octets[:6])
        payload = self.octets[6:]
        if len(payload) < length:
            return None
        self.octets = b""
        if len(payload) > length or checksum != (crc(payload) if payload else 0):
            raise Refusal("the reader sent a damaged message")
        return status, payload


# Protobuf, as far as the session needs it (5)


def varint(value: int) -> bytes:
    """A base-128 number."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes((value,))


def field(number: int, octets: bytes) -> bytes:
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(octets)) + octets


def delimited(body: bytes) -> bytes:
    """A message with its length in front."""
    return varint(len(body)) + body


def read_varint(octets: bytes, at: int) -> tuple[int, int]:
    """A number, and the offset after it."""
    value = shift = 0
    while True:
        if at >= len(octets) or shift > 63:
            raise Refusal("the reader sent a damaged message")
        octet = octets[at]
        value |= (octet & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if octet < 0x80:
            return value, at


def undelimited(octets: bytes) -> bytes:
    """The message at the start; padding may follow."""
    length, at = read_varint(octets, 0)
    return octets[at : at + length]


def fields(body: bytes) -> dict[int, int | bytes]:
    """The fields of a message: numbers and octets."""
    found: dict[int, int | bytes] = {}
    at = 0
    while at < len(body):
        key, at = read_varint(body, at)
        value, at = read_varint(body, at)
        if key & 7 == 2:
            value, at = body[at : at + value], at + value
        found[key >> 3] = value
    return found


# The session (5)


def strong(salt: bytes) -> bool:
    """The salt rule of both sides."""
    return len(salt) == 16 and len(set(salt) - {0xFF}) >= 8


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    """04, X, Y."""
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


class Session:
    """The phone's side of one exchange: octets in, octets out."""

    def __init__(
        self, reader: ec.EllipticCurvePublicKey, salt: bytes = b"", key: ec.EllipticCurvePrivateKey | None = None
    ) -> None:
        self.reader = reader
        self.key = key or ec.generate_private_key(ec.SECP256R1())
        self.salt = salt
        while not strong(self.salt):
            self.salt = os.urandom(16)
        self.secret = self.key.exchange(ec.ECDH(), reader)
        self.kdf_salt = self.mac_salt = b""

    def handshake(self) -> bytes:
        """Message 1."""
        return message(delimited(field(1, self.salt)))

    def accept(self, payload: bytes) -> None:
        """Message 2: the reader proves its key."""
        reply = fields(undelimited(payload))
        salt, signature = reply.get(1), reply.get(2)
        if not isinstance(salt, bytes) or not isinstance(signature, bytes) or not strong(salt):
            raise Refusal("the reader's handshake is damaged or weak")
        try:
            self.reader.verify(signature, self.salt, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            raise Refusal("wrong reader: the handshake is not signed by the key in the bundle") from None
        self.kdf_salt, self.mac_salt = self.salt[:8] + salt[:8], self.salt[8:] + salt[8:]

    def keys(self, sender: bytes) -> bytes:
        """The 96 octets of key material for `sender`'s point."""
        return HKDF(hashes.SHA256(), 96, self.kdf_salt, b"Secure Message Exchange").derive(sender + self.secret)

    def request(self, token: bytes) -> bytes:
        """Message 3: the token, encrypted."""
        own = point(self.key.public_key())
        material = self.keys(own)
        cipher = Cipher(algorithms.AES(material[:16]), modes.CBC(bytes(16))).encryptor()
        ciphertext = cipher.update(token + bytes(-len(token) % 16)) + cipher.finalize()
        return message(own + ciphertext + self.mac(material[16:48], ciphertext))

    def answer(self, payload: bytes) -> bytes:
        """Message 4: the data of the result."""
        sender, ciphertext, mac = payload[:65], payload[65:-32], payload[-32:]
        if sender != point(self.reader):
            raise Refusal("the answer is not from this reader")
        material = self.keys(sender)
        if not hmac.compare_digest(mac, self.mac(material[64:], ciphertext)):
            raise Refusal("the answer was altered on its way")
        cipher = Cipher(algorithms.AES(material[48:64]), modes.CBC(bytes(16))).decryptor()
        plaintext = cipher.update(ciphertext) + cipher.finalize()
        data = fields(undelimited(plaintext)).get(1)
        return data if isinstance(data, bytes) else b""

    def mac(self, key: bytes, ciphertext: bytes) -> bytes:
        """HMAC over the ciphertext and the rest of the salts."""
        return hmac.new(key, ciphertext + self.mac_salt, hashlib.sha256).digest()


def verdict(token: dict, data: bytes) -> str:
    """The answer in words. Raises Refusal for a denial (7.1)."""
    if token["kind"] == "command":
        return f"{token['command']}: {data.hex() or 'done'}"
    result = fields(undelimited(data))
    if token["kind"] == "oss-so":
        result = fields(result[1]) if isinstance(result.get(1), bytes) else {}
    if result.get(1) != 1:
        raise Refusal(f"denied: type {result.get(2)}")
    return "opened"


# The visit


async def visit(hci_name: str, readers: list[dict], credential: str | None) -> str:
    """A visit on an adapter that is opened for it."""
    from bumble.device import Device
    from bumble.hci import Address
    from bumble.transport import open_transport

    async with await open_transport(hci_name) as transport:
        device = Device.with_hci("phone", Address.generate_static_address(), transport.source, transport.sink)
        await device.power_on()
        return await open_door(device, readers, credential)


async def open_door(device, readers: list[dict], credential: str | None) -> str:
    """Finds a reader of the bundle, and shows a token (1, 2, 3)."""
    from bumble.device import Peer

    address, entry = await find(device, {reader["device-id"]: reader for reader in readers})
    connection = await device.connect(address, timeout=SCAN_SECONDS)
    ended = asyncio.get_running_loop().create_future()
    connection.on("disconnection", lambda reason: ended.done() or ended.set_result(reason))
    try:
        talk = asyncio.ensure_future(exchange(Peer(connection), entry, credential))
        await asyncio.wait({talk, ended}, return_when=asyncio.FIRST_COMPLETED)
        # Bumble cancels a request whose link ends.
        if talk.done() and not talk.cancelled():
            return await talk
        talk.cancel()
        await asyncio.wait({ended}, timeout=ANSWER_SECONDS)
        raise Refusal(f"the reader ended the link, reason {ended.result():#04x}: go nearer, or try again")
    finally:
        if not ended.done():
            await connection.disconnect()


async def find(device, known: dict[str, dict]) -> tuple:
    """The first reader heard that is in the bundle, and its entry."""
    from bumble.core import AdvertisingData

    found = asyncio.get_running_loop().create_future()

    def heard(advertisement) -> None:
        name = advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME)
        if name in known and advertisement.is_connectable and not found.done():
            found.set_result((advertisement.address, known[name]))

    device.on("advertisement", heard)
    await device.start_scanning()
    try:
        return await asyncio.wait_for(found, SCAN_SECONDS)
    except TimeoutError:
        raise Refusal("no reader of the bundle is heard; a full reader does not advertise: try again") from None
    finally:
        await device.stop_scanning()


async def exchange(peer, entry: dict, credential: str | None) -> str:
    """Handshake, token, answer."""
    token = next((t for t in entry["tokens"] if credential in (None, t["credential"])), None)
    if token is None:
        raise Refusal(f"the bundle has no token of {credential} for {entry['name']}")
    mtu = await peer.request_mtu(MTU)
    await peer.discover_all()
    service = next((s for uuid in SERVICES for s in peer.get_services_by_uuid(bumble_uuid(uuid))), None)
    if service is None:
        raise Refusal("no access service")
    rx, tx = (service.get_characteristics_by_uuid(bumble_uuid(uuid))[0] for uuid in (RX, TX))
    inbox, answers = Inbox(), asyncio.Queue()

    def frame(octets: bytes) -> None:
        if (complete := inbox.receive(octets)) is not None:
            answers.put_nowait(complete)

    await tx.subscribe(frame)

    async def ask(octets: bytes) -> bytes:
        size = min(mtu - 3, 512)
        for start in range(0, len(octets), size):
            await rx.write_value(octets[start : start + size], with_response=True)
        status, payload = await asyncio.wait_for(answers.get(), ANSWER_SECONDS)
        if status:
            raise Refusal(f"refused with status {status}: docs/protocol/status-codes.md")
        return payload

    der = base64.b64decode(entry["terminal-public-key"])
    session = Session(serialization.load_der_public_key(der))
    session.accept(await ask(session.handshake()))
    data = session.answer(await ask(session.request(base64.b64decode(token["token"]))))
    return verdict(token, data)


def bumble_uuid(text: str):
    """A Bumble UUID."""
    from bumble.core import UUID

    return UUID(text)


def check_vector(path: Path) -> str:
    """Computes the phone's messages of the vector, and opens the reader's."""
    vector = json.loads(path.read_text())
    octets = bytes.fromhex
    key = ec.derive_private_key(int(vector["phone"]["private-key"], 16), ec.SECP256R1())
    reader = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), octets(vector["reader"]["public-key"]))
    session = Session(reader, octets(vector["handshake"]["phone-salt"]), key)
    status, reply = Inbox().receive(octets(vector["reply"]["message"])) or (1, b"")
    session.accept(reply)
    status, answer = Inbox().receive(octets(vector["answer"]["message"])) or (1, b"")
    computed = {
        "handshake": session.handshake(),
        "request": session.request(octets(vector["token"]["octets"])),
    }
    for name, value in computed.items():
        if value.hex() != vector[name]["message"]:
            raise Refusal(f"{path}: the {name} differs: {value.hex()}")
    if status or session.answer(answer).hex() != vector["answer"]["data"]:
        raise Refusal(f"{path}: the answer differs")
    return f"{path}: handshake, request and answer agree"


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", type=Path, metavar="FILE", help="from readerlab credentials phone-bundle")
    parser.add_argument("--hci", metavar="NAME", help="a Bumble transport, such as usb:0 or tcp-client:HOST:PORT")
    parser.add_argument("--credential", metavar="ID", help="the credential to show; the first one otherwise")
    parser.add_argument("--vector", type=Path, metavar="FILE", help="compute the session vector, without a radio")
    options = parser.parse_args()
    if options.vector is None and (options.bundle is None or options.hci is None):
        parser.error("--bundle and --hci, or --vector")
    try:
        if options.vector is not None:
            print(check_vector(options.vector))
        else:
            readers = json.loads(options.bundle.read_text())["readers"]
            print(asyncio.run(visit(options.hci, readers, options.credential)))
    except TimeoutError:
        print("phone.py: the reader did not answer in time", file=sys.stderr)
        return 1
    except (Refusal, OSError, KeyError, ValueError) as error:
        print(f"phone.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
