# SPDX-License-Identifier: Apache-2.0
"""Frames of OSDP in clear, octet by octet, for frames that no panel would send. From the published facts."""

from __future__ import annotations

from dataclasses import dataclass

POLL, IDENTIFY, CAPABILITIES, OUT, COMSET, KEYSET, CHLNG, SCRYPT = 0x60, 0x61, 0x62, 0x68, 0x6E, 0x75, 0x76, 0x77
LED, BUZ = 0x69, 0x6A
ACK, NAK, PDID, PDCAP, COM, CCRYPT, RMAC_I = 0x40, 0x41, 0x45, 0x46, 0x54, 0x76, 0x78

BROADCAST = 0x7F
"""The address at which every device listens, and answers."""

SECURITY_REQUIRED, SECURITY_UNSUPPORTED = 6, 5

WELL_KNOWN, OWN = 0, 1
"""The kind of key in the security block of CHLNG."""


def crc(octets: bytes) -> int:
    """CRC-16, polynomial 0x1021, initially 0x1D0F."""
    value = 0x1D0F
    for octet in octets:
        value ^= octet << 8
        for _ in range(8):
            value = (value << 1 ^ (0x1021 if value & 0x8000 else 0)) & 0xFFFF
    return value


def command(address: int, sequence: int, code: int, data: bytes = b"", block: bytes = b"") -> bytes:
    """A command with CRC. `block` is the security block without its length."""
    security = bytes([len(block) + 1]) + block if block else b""
    length = 5 + len(security) + 1 + len(data) + 2
    control = sequence | 4 | (8 if block else 0)
    octets = bytes([0x53, address, length & 0xFF, length >> 8, control]) + security + bytes([code]) + data
    return octets + crc(octets).to_bytes(2, "little")


def challenge(address: int, kind: int, random: bytes = bytes(range(0xB0, 0xB8))) -> bytes:
    """CHLNG under the well-known key or the device's own."""
    return command(address, 0, CHLNG, random, bytes([0x11, kind]))


@dataclass(frozen=True)
class Frame:
    """A frame of either side."""

    octets: bytes
    address: int
    is_reply: bool
    sequence: int
    block: bytes
    code: int
    data: bytes


def split(octets: bytes) -> list[Frame]:
    """The frames of a line without noise. Raises ValueError for a wrong check."""
    frames = []
    place = 0
    while place < len(octets):
        if octets[place] == 0xFF:
            place += 1
            continue
        length = int.from_bytes(octets[place + 2 : place + 4], "little")
        frame = octets[place : place + length]
        if len(frame) < length:
            break
        if octets[place] != 0x53 or crc(frame[:-2]).to_bytes(2, "little") != frame[-2:]:
            raise ValueError(f"no frame at {place}: {octets[place:].hex()}")
        count = frame[5] if frame[4] & 8 else 0
        block, rest = frame[6 : 5 + count], frame[5 + count : -2]
        frames.append(Frame(frame, frame[1] & 0x7F, frame[1] >= 0x80, frame[4] & 3, block, rest[0], rest[1:]))
        place += length
    return frames
