# SPDX-License-Identifier: Apache-2.0
"""Messages and the frames they travel in: a 6-octet header, then payload, cut to the size of the link."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from access.status import Status

HEADER = struct.Struct(">HHh")
PAYLOAD_LIMIT = 2048
FRAME_LIMIT = 512
"""Both sides receive a frame into 512 octets, so no MTU makes a longer one right."""

_CRC_TABLE = (
    *(0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7),
    *(0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF),
)


def crc(octets: bytes, value: int = 0xFFFF) -> int:
    """CRC-16 over nibbles, the low one of each octet first: in no catalogue."""
    for octet in octets:
        for nibble in octet & 0xF, octet >> 4:
            value = (value << 4 & 0xFFFF) ^ _CRC_TABLE[value >> 12 ^ nibble]
    return value


class FrameError(Exception):
    """An invalid message: dropped, with the corresponding status."""

    def __init__(self, status: Status, text: str) -> None:
        super().__init__(f"{text} ({status})")
        self.status = status


@dataclass(frozen=True)
class Message:
    """One message. An error is header only: no payload, status below 0."""

    payload: bytes = b""
    status: int = 0

    def octets(self) -> bytes:
        """Header and payload."""
        checksum = crc(self.payload) if self.payload else 0
        return HEADER.pack(len(self.payload), checksum, self.status) + self.payload


def cut(octets: bytes, size: int) -> list[bytes]:
    """The frames of one message, each of at most `size` octets and never above 512."""
    size = min(size, FRAME_LIMIT)
    return [octets[start : start + size] for start in range(0, len(octets), size)]


class Assembler:
    """Joins the frames of one direction."""

    def __init__(self) -> None:
        self._header: tuple[int, int, int] | None = None
        self._payload = b""

    def feed(self, frame: bytes) -> Message | None:
        """Takes a frame; returns the message it completes. Raises FrameError and starts over."""
        try:
            return self._feed(frame)
        except FrameError:
            self._header = None
            raise

    def _feed(self, frame: bytes) -> Message | None:
        if self._header is None:
            if len(frame) < HEADER.size:
                raise FrameError(Status.INVALID_STATE, f"first frame of {len(frame)} octets")
            self._header = HEADER.unpack_from(frame)
            self._payload = b""
            frame = frame[HEADER.size :]
        length, checksum, status = self._header
        self._payload += frame
        if len(self._payload) > PAYLOAD_LIMIT:
            raise FrameError(Status.OVERFLOW, f"payload of more than {PAYLOAD_LIMIT} octets")
        if len(self._payload) < length:
            return None
        if checksum != (crc(self._payload) if self._payload else 0):
            raise FrameError(Status.CRC, "payload differs from its checksum")
        self._header = None
        return Message(self._payload, status)
