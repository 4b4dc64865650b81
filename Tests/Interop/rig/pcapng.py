# SPDX-License-Identifier: Apache-2.0
"""Packets of the air in a pcapng capture, read without the project's own writer, and without tshark, which does not
check the CRC of link packets."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

INTERFACE, PACKET = 1, 6
LINK_LAYER = 256
HEADER = 10
ADVERTISING, CONNECT_IND = 0x8E89BED6, 5
ADVERTISING_CRC = 0x555555
POLYNOMIAL = 0x00065B
"""x^10 + x^9 + x^6 + x^4 + x^3 + x + 1 below x^24 (Core 5.4, Vol 6, Part B, 3.1.1)."""


@dataclass(frozen=True)
class AirPacket:
    """A packet on an interface of the air."""

    access: int
    pdu: bytes
    crc: bytes


def air_packets(capture: Path) -> Iterator[AirPacket]:
    """The packets of all radios, in the order of the file."""
    octets, position, types = capture.read_bytes(), 0, []
    while position < len(octets):
        kind, length = struct.unpack_from("<II", octets, position)
        body = octets[position + 8 : position + length - 4]
        assert struct.unpack_from("<I", octets, position + length - 4) == (length,)
        if kind == INTERFACE:
            types.append(struct.unpack_from("<H", body)[0])
        elif kind == PACKET and types[struct.unpack_from("<I", body)[0]] == LINK_LAYER:
            count = struct.unpack_from("<I", body, 12)[0]
            packet = body[20 + HEADER : 20 + count]
            yield AirPacket(struct.unpack_from("<I", packet)[0], packet[4:-3], packet[-3:])
        position += length


def crc(pdu: bytes, initial: int) -> bytes:
    """The CRC in the order of its transmission: of the register its most significant bit first, of octets the least."""
    register = initial
    for octet in pdu:
        for bit in range(8):
            feedback = register >> 23 ^ octet >> bit & 1
            register = register << 1 & 0xFFFFFF ^ (POLYNOMIAL if feedback else 0)
    return int(f"{register:024b}"[::-1], 2).to_bytes(3, "little")


def check_crc(capture: Path) -> None:
    """Every CRC is right; a link's initial value is in the connection request before its packets."""
    initial = {ADVERTISING: ADVERTISING_CRC}
    for packet in air_packets(capture):
        assert packet.crc == crc(packet.pdu, initial[packet.access]), packet
        if packet.access == ADVERTISING and packet.pdu[0] & 0xF == CONNECT_IND:
            address, *value = struct.unpack_from("<I3B", packet.pdu, 14)
            initial[address] = int.from_bytes(bytes(value), "little")
    assert len(initial) > 1
