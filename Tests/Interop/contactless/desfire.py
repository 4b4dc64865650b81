# SPDX-License-Identifier: Apache-2.0
"""A model of a DESFire card (EV1 to EV3): what a reader needs that authenticates with AES and reads one file.

Commands are wrapped in APDUs. The secure messaging follows NXP AN12196 (EV2) and the published behaviour of EV1; it has
no code in common with the reader's.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

SELECT, VERSION, SETTINGS, READ, CARD_UID = 0x5A, 0x60, 0xF5, 0xBD, 0x51
AUTHENTICATE_EV1, AUTHENTICATE_EV2, MORE = 0xAA, 0x71, 0xAF
OK, ILLEGAL, INTEGRITY, NO_KEY, LENGTH = 0x00, 0x1C, 0x1E, 0x40, 0x7E
DENIED, NO_APPLICATION, WRONG_KEY, BOUNDARY, NO_FILE = 0x9D, 0xA0, 0xAE, 0xBE, 0xF0
BLOCK = 16
ZEROS = bytes(BLOCK)


def cbc(key: bytes, data: bytes, vector: bytes = ZEROS, *, encrypts: bool = True) -> bytes:
    """AES in CBC without padding."""
    cipher = Cipher(algorithms.AES(key), modes.CBC(vector))
    worker = cipher.encryptor() if encrypts else cipher.decryptor()
    return worker.update(data) + worker.finalize()


def decrypted(key: bytes, data: bytes, vector: bytes = ZEROS) -> bytes:
    """The plain octets of AES in CBC."""
    return cbc(key, data, vector, encrypts=False)


def cmac(key: bytes, data: bytes) -> bytes:
    """AES-CMAC of a library."""
    worker = CMAC(algorithms.AES(key))
    worker.update(data)
    return worker.finalize()


def doubled(block: bytes) -> bytes:
    """SP 800-38B, 6.1."""
    number = int.from_bytes(block, "big") << 1
    return ((number ^ (0x87 if number >> 128 else 0)) & (1 << 128) - 1).to_bytes(BLOCK, "big")


def chained_mac(key: bytes, data: bytes, vector: bytes, blocks: int = 1) -> bytes:
    """CMAC that begins with a vector, over so many blocks at least."""
    subkey = doubled(cbc(key, ZEROS))
    length = max(blocks, -(-len(data) // BLOCK)) * BLOCK
    if len(data) < length:
        subkey = doubled(subkey)
        data = (data + b"\x80").ljust(length, b"\0")
    last = bytes(a ^ b for a, b in zip(data[-BLOCK:], subkey, strict=True))
    return cbc(key, data[:-BLOCK] + last, vector)[-BLOCK:]


def diversified(master: bytes, data: bytes) -> bytes:
    """A card's key (AN10922, 2.2)."""
    return chained_mac(master, b"\x01" + data, ZEROS, blocks=2)


def rotated(octets: bytes) -> bytes:
    """The first octet moved to the end."""
    return octets[1:] + octets[:1]


def checksum(data: bytes) -> bytes:
    """CRC-32 as EV1 has it, which is not inverted at the end."""
    return (zlib.crc32(data) ^ 0xFFFFFFFF).to_bytes(4, "little")


class EV1Session:
    """One key, and a vector that runs through all messages."""

    def __init__(self, key: bytes) -> None:
        self.key, self.vector = key, ZEROS

    def command(self, instruction: int, header: bytes, data: bytes) -> bool:
        """True for an authentic command; it has no MAC, and changes the vector."""
        self.vector = chained_mac(self.key, bytes((instruction,)) + header, self.vector)
        return not data

    def response(self, data: bytes, mode: str) -> bytes:
        """The data on its way."""
        if mode == "full":
            plain = data + checksum(data + b"\0")
            plain += bytes(-len(plain) % BLOCK)
            sent = cbc(self.key, plain, self.vector)
            self.vector = sent[-BLOCK:]
            return sent
        self.vector = chained_mac(self.key, data + b"\0", self.vector)
        return data + self.vector[:8]


class EV2Session:
    """Two keys, the identifier of the transaction and a counter."""

    def __init__(self, key: bytes, a: bytes, b: bytes, transaction: bytes) -> None:
        core = a[:2] + bytes(x ^ y for x, y in zip(a[2:8], b[:6], strict=True)) + b[6:] + a[8:]
        self.encryption = cmac(key, bytes.fromhex("a55a00010080") + core)
        self.authentication = cmac(key, bytes.fromhex("5aa500010080") + core)
        self.transaction, self.counter = transaction, 0

    @property
    def _context(self) -> bytes:
        return self.counter.to_bytes(2, "little") + self.transaction

    def _mac(self, first: int, data: bytes) -> bytes:
        return cmac(self.authentication, bytes((first,)) + self._context + data)[1::2]

    def command(self, instruction: int, header: bytes, data: bytes) -> bool:
        """True for an authentic command."""
        is_authentic = data == self._mac(instruction, header)
        self.counter += 1
        return is_authentic

    def response(self, data: bytes, mode: str) -> bytes:
        """The data on its way."""
        if mode == "plain":
            return data
        if mode == "full":
            vector = cbc(self.encryption, b"\x5a\xa5" + self.transaction + self._context[:2] + bytes(8))
            padded = data + b"\x80"
            data = cbc(self.encryption, padded + bytes(-len(padded) % BLOCK), vector)
        return data + self._mac(OK, data)


@dataclass
class Contents:
    """What is on a card."""

    number: bytes
    key: bytes
    """The key that reads the file; of a diversified card the master key."""
    application: bytes = bytes.fromhex("f51bc0")
    file: int = 1
    mode: str = "full"
    uid: bytes = bytes.fromhex("04782e21801d80")
    system: bytes | None = None
    """The octets of the site, for a diversified key."""
    uid_key: bytes | None = None
    """Key 1, which all cards have, of a card with a random UID."""
    is_ev1: bool = False

    @property
    def keys(self) -> dict[int, bytes]:
        """The keys of the application."""
        own = self.key
        if self.system is not None:
            own = diversified(self.key, self.uid + self.application + self.system)
        return {0: own} | ({1: self.uid_key} if self.uid_key else {})


@dataclass
class DESFireCard:
    """A card that answers commands."""

    contents: Contents
    sends: bytes | None = None
    """The octets that it sends for its file, as one between reader and card would."""
    believes: bool = False
    """True for one that has no key, and goes on as if the reader had the right one."""
    _parts: list[bytes] = field(default_factory=list)
    _pending: tuple[int, int, bytes] | None = None
    _session: EV1Session | EV2Session | None = None
    _key: int = -1
    _is_selected: bool = False

    def __call__(self, command: bytes) -> bytes:
        """The response to a command APDU."""
        if command[0] == 0x00:
            # SELECT of ISO/IEC 7816-4, by which readers look for other applications.
            return bytes.fromhex("6a82")
        if command[0] != 0x90 or len(command) < 5:
            return bytes.fromhex("6e00")
        instruction, data = command[1], command[5:-1] if len(command) > 5 else b""
        if len(command) > 5 and command[4] != len(data):
            return bytes.fromhex("6700")
        status, answer = self._handle(instruction, data)
        return answer + bytes((0x91, status))

    def _handle(self, instruction: int, data: bytes) -> tuple[int, bytes]:
        if instruction == SELECT:
            self._session, self._pending = None, None
            self._is_selected = data[::-1] == self.contents.application
            return (OK if self._is_selected else NO_APPLICATION), b""
        if instruction == VERSION:
            return self._version()
        if instruction == MORE:
            if self._pending is not None:
                return self._authenticate(data)
            return self._part() if self._parts else (ILLEGAL, b"")
        if not self._is_selected:
            return DENIED, b""
        if instruction in (AUTHENTICATE_EV1, AUTHENTICATE_EV2):
            return self._challenge(instruction, data)
        return self._in_session(instruction, data)

    def _version(self) -> tuple[int, bytes]:
        major = 0x01 if self.contents.is_ev1 else 0x12
        hardware = bytes((0x04, 0x01, 0x01, major, 0x00, 0x16, 0x05))
        # A card with a random UID shows none.
        uid = bytes(7) if self.contents.uid_key else self.contents.uid
        self._parts = [hardware, hardware, uid + bytes.fromhex("00000000001023")]
        return self._part()

    def _part(self) -> tuple[int, bytes]:
        part = self._parts.pop(0)
        return (MORE if self._parts else OK), part

    def _challenge(self, instruction: int, data: bytes) -> tuple[int, bytes]:
        if instruction == AUTHENTICATE_EV2 and self.contents.is_ev1:
            return ILLEGAL, b""
        if len(data) != (2 if instruction == AUTHENTICATE_EV2 else 1):
            return LENGTH, b""
        key = self.contents.keys.get(data[0])
        if key is None:
            return NO_KEY, b""
        b = os.urandom(BLOCK)
        self._session, self._pending = None, (instruction, data[0], b)
        return MORE, cbc(key, b)

    def _authenticate(self, data: bytes) -> tuple[int, bytes]:
        instruction, number, b = self._pending
        self._pending = None
        if len(data) != 2 * BLOCK:
            return LENGTH, b""
        key = self.contents.keys[number]
        is_ev1 = instruction == AUTHENTICATE_EV1
        plain = decrypted(key, data, cbc(key, b) if is_ev1 else ZEROS)
        a = plain[:BLOCK]
        if plain[BLOCK:] != rotated(b) and not self.believes:
            return WRONG_KEY, b""
        self._key = number
        if is_ev1:
            self._session = EV1Session(a[:4] + b[:4] + a[12:] + b[12:])
            return OK, cbc(key, rotated(a), data[-BLOCK:])
        transaction = os.urandom(4)
        self._session = EV2Session(key, a, b, transaction)
        return OK, cbc(key, transaction + rotated(a) + bytes(12))

    def _in_session(self, instruction: int, data: bytes) -> tuple[int, bytes]:
        if self._session is None:
            return DENIED, b""
        header = data[:7] if instruction == READ else b""
        if not self._session.command(instruction, header, data[len(header) :]):
            self._session = None
            return INTEGRITY, b""
        if instruction == CARD_UID:
            return OK, self._session.response(self.contents.uid, "full")
        if instruction != READ:
            return ILLEGAL, b""
        if header[0] != self.contents.file:
            return NO_FILE, b""
        if self._key != 0:
            return DENIED, b""
        offset, count = (int.from_bytes(header[at : at + 3], "little") for at in (1, 4))
        if offset + count > len(self.contents.number):
            return BOUNDARY, b""
        if self.sends is not None:
            return OK, self.sends
        return OK, self._session.response(self.contents.number[offset : offset + count], self.contents.mode)


KEY = bytes.fromhex("00112233445566778899aabbccddeeff")
UID_KEY = bytes.fromhex("102132435465768798a9bacbdcedfe0f")
OTHER_KEY = bytes.fromhex("f3f9377698707b688eaf84abe39e3791")
LISTED, UNLISTED = bytes.fromhex("0011223344556677"), bytes.fromhex("8899aabbccddeeff")
"""The numbers of cards that tests list, or do not."""
SYSTEM = bytes.fromhex("4e585020416275")

COMMON = Contents(LISTED, KEY)
DIVERSIFIED = replace(COMMON, system=SYSTEM)
RANDOM = replace(DIVERSIFIED, uid_key=UID_KEY)

CARDS: dict[str, Callable[[], DESFireCard]] = {
    "desfire": lambda: DESFireCard(COMMON),
    "desfire-mac": lambda: DESFireCard(replace(COMMON, mode="mac")),
    "desfire-ev1": lambda: DESFireCard(replace(COMMON, is_ev1=True)),
    "desfire-ev1-mac": lambda: DESFireCard(replace(COMMON, is_ev1=True, mode="mac")),
    "desfire-diversified": lambda: DESFireCard(DIVERSIFIED),
    # Of another site: the derivation differs.
    "desfire-short-system": lambda: DESFireCard(replace(COMMON, system=SYSTEM[:5])),
    "desfire-ev1-diversified": lambda: DESFireCard(replace(DIVERSIFIED, is_ev1=True)),
    "desfire-random-uid": lambda: DESFireCard(RANDOM),
    "desfire-ev1-random-uid": lambda: DESFireCard(replace(RANDOM, is_ev1=True)),
    "desfire-unlisted": lambda: DESFireCard(replace(COMMON, number=UNLISTED)),
    "desfire-other-key": lambda: DESFireCard(replace(COMMON, key=OTHER_KEY)),
    "desfire-without-key": lambda: DESFireCard(replace(COMMON, key=OTHER_KEY), believes=True),
    "desfire-swapped": lambda: DESFireCard(replace(COMMON, number=UNLISTED), sends=LISTED),
    "desfire-plain": lambda: DESFireCard(replace(COMMON, mode="plain")),
    "desfire-without-file": lambda: DESFireCard(replace(COMMON, file=2)),
    "desfire-without-application": lambda: DESFireCard(replace(COMMON, application=bytes.fromhex("000001"))),
}
