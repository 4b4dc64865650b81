# SPDX-License-Identifier: Apache-2.0
"""The simulated chips: as strict as the real one, in octets of its manual and of ISO/IEC 14443-4."""

import pytest

from contactless.card import ATS, BUFFER, FRAME_LIMIT, FRAME_WAIT, Card, Terminal
from contactless.chip import Chip
from contactless.frames import ACK, SYNTAX_ERROR, Decoder, encode

GET_FIRMWARE_VERSION = bytes.fromhex("0000ff02fed4022a00")
"""PN532 user manual, 7.2.2."""


class Pair:
    """Two chips, a clock under the test's control, and the octets received by the hosts."""

    def __init__(self) -> None:
        self.heard: dict[str, bytes] = {"reader": b"", "phone": b""}
        self.timers: list = []
        self.reader = Chip(lambda octets: self._hear("reader", octets), self._later, FRAME_WAIT)
        self.phone = Chip(lambda octets: self._hear("phone", octets), self._later, FRAME_WAIT)
        self.reader.other, self.phone.other = self.phone, self.reader

    def _hear(self, name: str, octets: bytes) -> None:
        self.heard[name] += octets

    def _later(self, seconds: float, call) -> None:
        self.timers.append((seconds, call))

    def ask(self, name: str, command: str) -> bytes:
        """The data of the response to a command, without its direction; empty without one yet."""
        self.heard[name] = b""
        getattr(self, name).feed(encode(b"\xd4" + bytes.fromhex(command)))
        return self.answer(name)

    def answer(self, name: str) -> bytes:
        """The data of the last frame that the host heard."""
        frames = [frame for frame in Decoder().feed(self.heard[name]) if frame is not None]
        return frames[-1][1:] if frames else b""

    def activated(self) -> None:
        """The reader's chip is a card, and the phone's host does the protocol."""
        self.ask("reader", "8c05040000b00b20" + "00" * 28 + "0000")
        self.ask("phone", "1200")
        assert self.ask("phone", "4a0100") == bytes.fromhex("4b01010004200408 00b00b".replace(" ", ""))
        assert self.ask("phone", "42e080") == b"\x43\x00" + ATS
        assert self.answer("reader") == bytes.fromhex("8d08e080")

    def block(self, block: str) -> bytes:
        """The response to a block; empty without one yet."""
        return self.ask("phone", "42" + block)[2:]


def test_frames_of_the_manual():
    assert encode(bytes.fromhex("d402")) == GET_FIRMWARE_VERSION
    assert Decoder().feed(bytes.fromhex("5555000000") + GET_FIRMWARE_VERSION) == [bytes.fromhex("d402")]
    assert Decoder().feed(ACK) == [None]
    assert encode(bytes(256))[:8] == bytes.fromhex("0000ffffff0100ff")
    assert Decoder().feed(encode(bytes(265))) == [bytes(265)]
    with pytest.raises(ValueError, match="266"):
        encode(bytes(266))


def test_frames_come_octet_by_octet():
    decoder = Decoder()
    stream = ACK + GET_FIRMWARE_VERSION + encode(bytes(300 - 40))
    assert [frame for octet in stream for frame in decoder.feed(bytes((octet,)))] == [None, b"\xd4\x02", bytes(260)]
    assert decoder.faults == []


@pytest.mark.parametrize("at", [3, 4, 5, 6, 7, 8])
def test_a_frame_with_a_wrong_octet_is_no_command(at):
    octets = bytearray(GET_FIRMWARE_VERSION)
    octets[at] ^= 0x01
    pair = Pair()
    pair.phone.feed(bytes(octets))
    assert pair.phone.faults
    if at < 8:
        assert pair.heard["phone"] in (b"", ACK + SYNTAX_ERROR)


def test_commands_that_the_chip_does_not_know_or_take():
    pair = Pair()
    pair.ask("reader", "ff")
    assert pair.heard["reader"] == ACK + SYNTAX_ERROR
    pair.activated()
    pair.block("0200")
    assert pair.ask("reader", "86") == bytes.fromhex("870000")
    pair.ask("reader", "8e" + "00" * (BUFFER + 1))
    assert pair.heard["reader"] == ACK + SYNTAX_ERROR
    assert any("response of 263" in fault for fault in pair.reader.faults)


def test_nothing_without_a_phone():
    pair = Pair()
    assert pair.ask("reader", "86") == bytes.fromhex("8727")
    assert pair.ask("reader", "8e00") == bytes.fromhex("8f27")
    assert pair.ask("phone", "4a0100") == bytes.fromhex("4b00")


def test_a_command_and_its_response_in_blocks():
    pair = Pair()
    pair.activated()
    # Chained there (rule 2 and R(ACK)), and chained back for a phone with frames of 256 octets.
    assert pair.block("1200a4") == bytes.fromhex("a2")
    assert pair.block("030400") == b""
    assert pair.ask("reader", "86") == bytes.fromhex("870000a40400")
    assert pair.ask("reader", "8e" + "ab" * 260) == bytes.fromhex("8f00")
    assert pair.answer("phone") == b"\x43\x00\x13" + b"\xab" * 253
    assert pair.block("a2") == b"\x02" + b"\xab" * 7


def test_blocks_that_a_card_meets_with_silence():
    pair = Pair()
    pair.activated()
    assert pair.block("03" + "00") == b"", "the first block's number is 0"
    assert pair.block("02" + "00" * (FRAME_LIMIT - 2)) == b"", "longer than FSC"
    assert pair.ask("reader", "86") == b""
    assert pair.block("02" + "00" * (FRAME_LIMIT - 3)) == b""
    assert len(pair.answer("reader")) == 2 + FRAME_LIMIT - 3


def test_a_late_answer_is_lost_and_can_be_asked_for_again():
    pair = Pair()
    pair.activated()
    assert pair.block("0200") == b""
    pair.ask("reader", "86")
    seconds, call = pair.timers[-1]
    assert 0.15 < seconds < 0.16
    call()
    assert pair.answer("phone") == bytes.fromhex("4301")
    pair.ask("reader", "8e9000")
    assert pair.answer("phone") == bytes.fromhex("4301")
    assert pair.block("b2") == bytes.fromhex("029000")


def test_a_phone_that_leaves():
    pair = Pair()
    pair.activated()
    assert pair.ask("reader", "86") == b""
    assert pair.block("c2") == bytes.fromhex("c2")
    assert pair.answer("reader") == bytes.fromhex("8729")
    assert pair.block("0200") == b""


def test_a_node_address_and_a_command_that_goes_on_are_told():
    pair = Pair()
    pair.activated()
    pair.block("060000a4")
    assert pair.ask("reader", "86") == bytes.fromhex("87800000a4")
    pair = Pair()
    pair.activated()
    for number in range(5):
        pair.block(f"{0x12 | number & 1:02x}" + "00" * 60)
    assert pair.ask("reader", "86")[:2] == bytes.fromhex("8740")
    assert len(pair.answer("reader")) == 2 + BUFFER


def test_terminal_and_card_understand_each_other():
    for length in 1, 60, 61, 62, 200, 262:
        commands, responses = [], []
        card = Card(64, lambda command, *_: commands.append(command), lambda: None)  # noqa: B023
        terminal = Terminal(lambda block, done: card.receive(block, done))  # noqa: B023
        for turn in range(3):
            terminal.exchange(bytes((turn,)) * length, responses.append)
            card.respond(bytes((turn + 1,)) * length)
        assert commands == [bytes((turn,)) * length for turn in range(3)]
        assert responses == [bytes((turn + 1,)) * length for turn in range(3)]


def test_a_chip_that_polls_finds_each_card_once_until_the_field_was_off():
    pair = Pair()
    pair.reader.cards.put("stranger")
    pair.reader.cards.put("classic")
    pair.ask("reader", "320101")
    assert pair.ask("reader", "4a0100") == bytes.fromhex("4b010100042004080102030578807002")
    assert pair.ask("reader", "4401") == bytes.fromhex("4500")
    assert pair.ask("reader", "4a0100") == bytes.fromhex("4b01010004080412345678")
    assert pair.ask("reader", "4401") == bytes.fromhex("4500")
    assert pair.ask("reader", "4a0100") == bytes.fromhex("4b00")
    pair.ask("reader", "320100")
    assert pair.ask("reader", "4a0100")[1] == 1


def test_a_card_that_does_not_answer_ends_with_the_time_out_of_the_chip():
    pair = Pair()
    pair.reader.cards.put("leaving")
    pair.ask("reader", "3202000b0f")
    pair.ask("reader", "4a0100")
    assert pair.ask("reader", "400100a40400") == b""
    seconds, call = pair.timers.pop()
    assert seconds == pytest.approx(1.6384)
    call()
    assert pair.answer("reader") == bytes.fromhex("4101")
    # Another command ends the exchange: its answer does not come.
    pair.ask("reader", "400100a40400")
    assert pair.ask("reader", "1214") == b"\x13"
    pair.heard["reader"] = b""
    pair.timers.pop()[1]()
    assert pair.heard["reader"] == b""


@pytest.mark.parametrize(
    ("frame", "writes_register", "fault"),
    [
        ("6a010000007878", True, "wrong CRC"),
        ("6a02cb020420422001020304050607087415", False, "cut"),
        ("6a02cb020420422001020304050607087415", True, None),
    ],
)
def test_a_polling_frame_has_whole_octets_and_its_crc(frame, writes_register, fault):
    pair = Pair()
    assert pair.ask("reader", "4a0100") == bytes.fromhex("4b00")
    if writes_register:
        assert pair.ask("reader", "08633d00") == b"\x09"
    pair.ask("reader", "42" + frame)
    assert [fault in told for told in pair.reader.faults] == ([True] if fault else [])
    assert pair.reader.polling_frames == ([] if fault else [bytes.fromhex(frame)[:-2]])
