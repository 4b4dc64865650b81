# SPDX-License-Identifier: Apache-2.0
"""Frames between a host and a PN532 on a serial line (PN532 user manual, 6.2.1), as strict as the chip."""

from __future__ import annotations

ACK = bytes.fromhex("0000ff00ff00")
SYNTAX_ERROR = bytes.fromhex("0000ff01ff7f8100")
"""The chip's response to a frame that it cannot take as a command (6.2.1.5)."""

TO_CHIP, FROM_CHIP = 0xD4, 0xD5
DATA_LIMIT = 265
"""The most octets of an extended frame, the direction included (6.2.1.2)."""


def encode(data: bytes) -> bytes:
    """A frame with `data`, which begins with the direction."""
    if len(data) > DATA_LIMIT:
        raise ValueError(f"{len(data)} octets do not fit a frame")
    if len(data) <= 0xFF:
        head = bytes((len(data), -len(data) & 0xFF))
    else:
        high, low = len(data) >> 8, len(data) & 0xFF
        head = bytes((0xFF, 0xFF, high, low, -(high + low) & 0xFF))
    return b"\0\0\xff" + head + data + bytes((-sum(data) & 0xFF, 0))


class Decoder:
    """Takes octets of the host, gives its frames: data with direction, or None for an ACK."""

    def __init__(self) -> None:
        self._octets = b""
        self.faults: list[str] = []
        """The faults in frames, to which the chip does not respond."""

    def feed(self, octets: bytes) -> list[bytes | None]:
        """The frames completed by these octets. Octets before a start code are preamble and ignored."""
        self._octets += octets
        frames: list[bytes | None] = []
        while (found := self._next()) is not NotImplemented:
            if found is not False:
                frames.append(found)
        return frames

    def _next(self):
        start = self._octets.find(b"\0\xff")
        if start < 0:
            self._octets = self._octets[-1:]
            return NotImplemented
        rest = self._octets[start + 2 :]
        if len(rest) < 2:
            return NotImplemented
        if rest[:2] in (b"\0\xff", b"\xff\0"):
            self._octets = rest[2:]
            return None if rest[:1] == b"\0" else False
        extended = rest[:2] == b"\xff\xff"
        if extended and len(rest) < 5:
            return NotImplemented
        length, check, header = (rest[2] << 8 | rest[3], sum(rest[2:5]), 5) if extended else (rest[0], sum(rest[:2]), 2)
        if check & 0xFF:
            return self._drop(rest, "length checksum")
        if length > DATA_LIMIT:
            return self._drop(rest, f"{length} octets in a frame")
        if len(rest) < header + length + 2:
            return NotImplemented
        data, checksum, postamble = rest[header : header + length], rest[header + length], rest[header + length + 1]
        self._octets = rest[header + length + 2 :]
        if sum(data) + checksum & 0xFF:
            self.faults.append("data checksum")
            return False
        if postamble:
            self.faults.append("postamble")
        return data

    def _drop(self, rest: bytes, why: str) -> bool:
        self.faults.append(why)
        self._octets = rest
        return False
