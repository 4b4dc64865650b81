# SPDX-License-Identifier: Apache-2.0
"""Framing: header, CRC, cutting and joining."""

import pytest

from access.frames import Assembler, FrameError, Message, crc, cut
from access.status import Status
from unit import vector


def test_crc_check_values():
    assert crc(b"123456789") == 0xB58D
    assert crc(b"123456789", 0) == 0xADFF


def test_error_is_a_header_only():
    assert Message(status=-12).octets() == bytes.fromhex("00000000fff4")


@pytest.mark.parametrize("recorded", [vector.HANDSHAKE_MESSAGE, vector.REPLY_MESSAGE])
def test_recorded_messages_come_out_as_they_went_in(recorded):
    assert Message(recorded[6:]).octets() == recorded


@pytest.mark.parametrize("size", [7, 20, 23, 64, 182, 185, 244, 509, 512])
def test_every_frame_size_joins_again(size):
    message = Message(bytes(i * 7 & 0xFF for i in range(600)))
    frames = cut(message.octets(), size)
    assert all(len(frame) == size for frame in frames[:-1])
    assembler = Assembler()
    results = [assembler.feed(frame) for frame in frames]
    assert results == [None] * (len(frames) - 1) + [message]


def test_frames_are_never_longer_than_512():
    assert [len(frame) for frame in cut(bytes(1000), 517)] == [512, 488]


@pytest.mark.parametrize(
    ("frames", "status"),
    [
        ([bytes(5)], Status.INVALID_STATE),
        ([Message(b"abc").octets() + b"d"], Status.CRC),
        ([bytes.fromhex("0003000000006162"), b"c"], Status.CRC),
        ([bytes.fromhex("138800000000")] + [bytes(512)] * 5, Status.OVERFLOW),
    ],
    ids=["five octets", "surplus", "wrong checksum", "too long"],
)
def test_broken_messages_are_dropped_and_the_next_one_counts(frames, status):
    assembler = Assembler()
    with pytest.raises(FrameError) as error:
        for frame in frames:
            assert assembler.feed(frame) is None
    assert error.value.status == status
    assert assembler.feed(Message(b"next").octets()) == Message(b"next")


def test_empty_message_has_no_checksum():
    assert Assembler().feed(bytes(6)) == Message()
