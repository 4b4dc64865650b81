# SPDX-License-Identifier: Apache-2.0
"""Matter TLV, both ways.

Python values stand for elements: an int from 0 on is an unsigned integer of the least width, bool, None (null), bytes,
str, dict (a structure with context tags), list (an array), `Pairs` (a TLV list: pairs of tag and value)."""

from __future__ import annotations

ANONYMOUS, CONTEXT = 0, 1
TAG_OCTETS = (0, 1, 2, 4, 2, 4, 6, 8)
UNSIGNED, FALSE, TRUE, TEXT, OCTETS, NULL, STRUCTURE, ARRAY, LIST, END = 4, 8, 9, 0x0C, 0x10, 0x14, 0x15, 0x16, 0x17, 24


class Pairs(list):
    """A TLV list: pairs of a context tag and a value, in their order."""


def _width(value: int) -> int:
    return next(code for code in range(4) if value < 1 << (8 << code))


def encode(value, tag: int | None = None) -> bytes:
    """The octets of one element."""
    form, name = (ANONYMOUS, b"") if tag is None else (CONTEXT << 5, bytes([tag]))
    if value is None or isinstance(value, bool):
        return bytes([form | (NULL if value is None else TRUE if value else FALSE)]) + name
    if isinstance(value, int):
        code = _width(value)
        return bytes([form | UNSIGNED | code]) + name + value.to_bytes(1 << code, "little")
    if isinstance(value, (bytes, str)):
        octets = value.encode() if isinstance(value, str) else value
        code = _width(len(octets))
        kind = TEXT if isinstance(value, str) else OCTETS
        return bytes([form | kind | code]) + name + len(octets).to_bytes(1 << code, "little") + octets
    if isinstance(value, dict):
        kind, items = STRUCTURE, value.items()
    elif isinstance(value, Pairs):
        kind, items = LIST, value
    else:
        kind, items = ARRAY, [(None, item) for item in value]
    return bytes([form | kind]) + name + b"".join(encode(item, key) for key, item in items) + bytes([END])


class _Reader:
    def __init__(self, octets: bytes) -> None:
        self.octets, self.at = octets, 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.octets):
            raise ValueError(f"TLV cut short at octet {len(self.octets)}")
        self.at += count
        return self.octets[self.at - count : self.at]

    def number(self, count: int, signed: bool = False) -> int:
        return int.from_bytes(self.take(count), "little", signed=signed)

    def element(self) -> tuple[int, int | bytes | None, object]:
        """Its type, tag and value."""
        control = self.take(1)[0]
        kind, form = control & 0x1F, control >> 5
        name = self.take(TAG_OCTETS[form])
        return kind, name[0] if form == CONTEXT else name or None, self.value(kind)

    def value(self, kind: int):
        if kind < FALSE:
            return self.number(1 << (kind & 3), signed=kind < UNSIGNED)
        if kind in (FALSE, TRUE):
            return kind == TRUE
        if TEXT <= kind < NULL:
            octets = self.take(self.number(1 << (kind & 3)))
            return octets.decode() if kind < OCTETS else octets
        if kind in (NULL, END):
            return None
        if kind not in (STRUCTURE, ARRAY, LIST):
            raise ValueError(f"TLV of type {kind:#x}")
        items = []
        while (element := self.element())[0] != END:
            items.append(element[1:])
        if kind == STRUCTURE:
            return dict(items)
        return Pairs(items) if kind == LIST else [value for _, value in items]


def decode(octets: bytes):
    """The value of one element that is all of `octets`. Raises ValueError."""
    reader = _Reader(octets)
    kind, _, value = reader.element()
    if kind == END or reader.at != len(octets):
        raise ValueError("not one TLV element")
    return value
