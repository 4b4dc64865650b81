# SPDX-License-Identifier: Apache-2.0
"""H4 framing of a byte stream (Core 5.4, Vol 4, Part A): a value, without I/O."""

from __future__ import annotations

from collections.abc import Iterator

# packet type -> (octets of the header, offset of the length, octets of the length)
_HEADERS = {
    1: (3, 2, 1),  # command
    2: (4, 2, 2),  # ACL data
    3: (3, 2, 1),  # synchronous data
    4: (2, 1, 1),  # event
    5: (4, 2, 2),  # isochronous data
}

_ISO_LENGTH_MASK = 0x3FFF


class FramingError(Exception):
    """The stream is out of step: nothing after it can be trusted."""


class Framer:
    """Collects octets in any split and hands over whole packets as (type, octets)."""

    def __init__(self) -> None:
        self._pending = bytearray()

    @property
    def is_between_packets(self) -> bool:
        """Whether the octets so far are complete packets."""
        return not self._pending

    def feed(self, octets: bytes) -> Iterator[tuple[int, bytes]]:
        """Takes `octets`, yields each packet that is complete. Raises FramingError at an unknown type."""
        self._pending += octets
        while self._pending:
            kind = self._pending[0]
            if kind not in _HEADERS:
                raise FramingError(f"H4 packet type {kind:#04x} is unknown")
            header, offset, width = _HEADERS[kind]
            if len(self._pending) < 1 + header:
                return
            length = int.from_bytes(self._pending[1 + offset : 1 + offset + width], "little")
            if kind == 5:
                length &= _ISO_LENGTH_MASK
            end = 1 + header + length
            if len(self._pending) < end:
                return
            packet = bytes(self._pending[1:end])
            del self._pending[:end]
            yield kind, packet


def frame(kind: int, octets: bytes) -> bytes:
    """A packet in its framing on the stream."""
    return bytes((kind,)) + octets
