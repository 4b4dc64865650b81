# SPDX-License-Identifier: Apache-2.0
"""The part of protobuf's wire format that the access protocol uses: varints and length-delimited fields."""

from __future__ import annotations

VARINT, FIXED64, DELIMITED, FIXED32 = 0, 1, 2, 5

Value = int | bytes | str


class WireError(ValueError):
    """Octets that are no message."""


def varint(value: int) -> bytes:
    """A base-128 number; negative ones take ten octets, as int32 and int64 do."""
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, value: Value) -> bytes:
    """One field: a number as varint, octets and text with their length."""
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    octets = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | DELIMITED) + varint(len(octets)) + octets


def message(*fields: tuple[int, Value]) -> bytes:
    """Fields in the given order."""
    return b"".join(field(number, value) for number, value in fields)


def delimited(body: bytes) -> bytes:
    """A message with its length before it, as every message of the session travels."""
    return varint(len(body)) + body


def read_varint(octets: bytes, offset: int) -> tuple[int, int]:
    """The number at `offset` and the offset behind it."""
    value = 0
    for index in range(10):
        if offset + index >= len(octets):
            raise WireError("number is cut off")
        octet = octets[offset + index]
        value |= (octet & 0x7F) << 7 * index
        if octet < 0x80:
            return value, offset + index + 1
    raise WireError("number has more than ten octets")


def read_delimited(octets: bytes) -> bytes:
    """The message at the start; what follows it is padding."""
    length, start = read_varint(octets, 0)
    if start + length > len(octets):
        raise WireError(f"message of {length} octets has only {len(octets) - start}")
    return octets[start : start + length]


def read(body: bytes) -> dict[int, list[int | bytes]]:
    """All fields, in order, by number."""
    fields: dict[int, list[int | bytes]] = {}
    offset = 0
    while offset < len(body):
        key, offset = read_varint(body, offset)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, offset = read_varint(body, offset)
        elif kind in (DELIMITED, FIXED32, FIXED64):
            if kind == DELIMITED:
                length, offset = read_varint(body, offset)
            else:
                length = 4 if kind == FIXED32 else 8
            if offset + length > len(body):
                raise WireError(f"field {number} is cut off")
            value, offset = body[offset : offset + length], offset + length
        else:
            raise WireError(f"field {number} has the unknown wire type {kind}")
        fields.setdefault(number, []).append(value)
    return fields


def last(body: bytes) -> dict[int, int | bytes]:
    """The fields by number; of a repeated one the last."""
    return {number: values[-1] for number, values in read(body).items()}


def required(fields: dict[int, list], number: int, kind: type):
    """The last value of a field that must be there."""
    values = fields.get(number)
    if not values:
        raise WireError(f"field {number} is missing")
    if not isinstance(values[-1], kind):
        raise WireError(f"field {number} is no {kind.__name__}")
    return values[-1]
