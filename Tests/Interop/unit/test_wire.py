# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format: literal octets, and every cut of a message."""

import pytest

from access.wire import WireError, delimited, message, read, read_delimited, required, varint


@pytest.mark.parametrize(
    ("value", "octets"), [(0, "00"), (127, "7f"), (128, "8001"), (2023, "e70f"), (-1, "ff" * 9 + "01")]
)
def test_varint(value, octets):
    assert varint(value).hex() == octets


def test_message_and_its_fields():
    body = message((1, 5), (2, b"\x01\x02"), (4, "PING"), (5, b""))
    assert body.hex() == "080512020102220450494e472a00"
    assert read(body) == {1: [5], 2: [b"\x01\x02"], 4: [b"PING"], 5: [b""]}


def test_what_follows_a_delimited_message_is_padding():
    assert read_delimited(delimited(b"abc") + bytes(12)) == b"abc"


def test_unknown_fields_of_every_kind_are_read_over():
    body = bytes.fromhex("08053d01020304410102030405060708")
    assert read(body) == {1: [5], 7: [bytes.fromhex("01020304")], 8: [bytes.fromhex("0102030405060708")]}


def test_a_cut_message_is_an_error_or_shorter_never_another():
    body = message((1, 300), (2, b"abcdef"))
    for length in range(len(body)):
        try:
            fields = read(body[:length])
        except WireError:
            continue
        assert (length, fields) in [(0, {}), (3, {1: [300]})]
        with pytest.raises(WireError):
            required(fields, 2, bytes)


@pytest.mark.parametrize("octets", ["", "05ab", "ff" * 10 + "01"])
def test_what_is_no_delimited_message(octets):
    with pytest.raises(WireError):
        read_delimited(bytes.fromhex(octets))


@pytest.mark.parametrize("kind", [3, 4, 6, 7])
def test_unknown_wire_types(kind):
    with pytest.raises(WireError):
        read(bytes([1 << 3 | kind]))
