# SPDX-License-Identifier: Apache-2.0
"""Aliro's elements: BER-TLV with tags of one or two octets and lengths of up to two."""

from __future__ import annotations

from collections.abc import Iterator

EXPEDITED = bytes.fromhex("a000000909acce5501")
STEP_UP = bytes.fromhex("a000000909acce5502")
"""The two applications."""


class WireFault(ValueError):
    """Octets without the required structure."""


def tlv(tag: int, value: bytes = b"") -> bytes:
    """An element with the shortest length."""
    count = len(value)
    if count < 0x80:
        length = bytes((count,))
    elif count < 0x100:
        length = bytes((0x81, count))
    else:
        length = b"\x82" + count.to_bytes(2, "big")
    return tag.to_bytes(2 if tag > 0xFF else 1, "big") + length + value


def elements(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """The elements in turn: tag, value, and the whole element."""
    at = 0
    while at < len(data):
        start = at
        tag, at = data[at], at + 1
        if tag & 0x1F == 0x1F and at < len(data):
            tag, at = tag << 8 | data[at], at + 1
        if at >= len(data):
            raise WireFault("an element without a length")
        count, at = data[at], at + 1
        if count >= 0x80:
            size = count & 0x7F
            if size not in (1, 2) or at + size > len(data):
                raise WireFault(f"a length of {size} octets")
            count, at = int.from_bytes(data[at : at + size], "big"), at + size
        if at + count > len(data):
            raise WireFault("a value beyond the end")
        yield tag, data[at : at + count], data[start : at + count]
        at += count


def fields(data: bytes, known: dict[int, range], required: set[int]) -> dict[int, bytes]:
    """The values by tag: known tags in this order, once, with these lengths. Unknown tags are skipped."""
    order = list(known)
    found: dict[int, bytes] = {}
    last = -1
    for tag, value, _ in elements(data):
        if tag not in known:
            continue
        if order.index(tag) <= last:
            raise WireFault(f"tag {tag:x} is repeated or out of order")
        if len(value) not in known[tag]:
            raise WireFault(f"tag {tag:x} has {len(value)} octets")
        last, found[tag] = order.index(tag), value
    if missing := required - found.keys():
        raise WireFault(f"tag {min(missing):x} is missing")
    return found


def exactly(count: int) -> range:
    """The lengths of a field with one length."""
    return range(count, count + 1)


def up_to(count: int) -> range:
    """The lengths of a field with a limit."""
    return range(count + 1)
