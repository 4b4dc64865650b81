# SPDX-License-Identifier: Apache-2.0
"""One PN532 (user manual UM0701-02): commands of its host in, answers out."""

from __future__ import annotations

from collections.abc import Callable

from contactless.card import ATS, BUFFER, FRAME_SIZES, Card, Terminal
from contactless.cards import CardsInField, ModelCard, crc_a
from contactless.frames import ACK, FROM_CHIP, SYNTAX_ERROR, TO_CHIP, Decoder, encode

OK, TIMED_OUT, NOT_NOW, RELEASED = 0x00, 0x01, 0x27, 0x29
"""Status octets (7.1)."""
MORE, ADDRESS = 0x40, 0x80
"""With the status: the command continues; a node address comes before it."""

AUTOMATIC_RATS = 0x10
"""A bit of SetParameters (7.2.9)."""
FIELD, TIME_OUTS = 0x01, 0x02
"""Items of RFConfiguration (7.3.1)."""
TYPE_A, TYPE_B = 0x00, 0x03
"""Modulations of InListPassiveTarget (7.3.5)."""
BIT_FRAMING = b"\x63\x3d"
POLLING_FRAME = 0x6A
"""The first octet of a frame of enhanced contactless polling."""


class Chip:
    """A chip in the field of `other`."""

    def __init__(self, write: Callable[[bytes], None], later: Callable[[float, Callable], object], wait: float) -> None:
        self._write = write
        self._later = later
        self._wait = wait
        self._decoder = Decoder()
        self.other: Chip
        self.cards = CardsInField()
        self.polling_frames: list[bytes] = []
        """Frames of enhanced contactless polling, without CRC."""
        self.faults: list[str] = []
        """The violations by its host."""
        self.left_status = RELEASED
        """The status of a command for a phone that has left: which one depends on how."""
        self.reset()

    def reset(self) -> None:
        """As after power came on."""
        self._pending: int | None = None
        self._registers: dict[bytes, int] = {}
        self._parameters = 0x14
        self._listening: bytes | None = None
        self._card: Card | None = None
        self._commands: list[tuple[bytes, int]] = []
        self._is_released = False
        self._terminal: Terminal | None = None
        self._target: ModelCard | None = None
        self._answer_seconds = 0.0512
        self._number = 0
        self._decoder = Decoder()

    def feed(self, octets: bytes) -> None:
        """Octets of the host."""
        for data in self._decoder.feed(octets):
            if data is None:
                self._abort()
            elif len(data) < 2 or data[0] != TO_CHIP:
                self.faults.append(f"no command: {data.hex()}")
                self._write(ACK + SYNTAX_ERROR)
            else:
                # 6.2.2.2: a new command ends the one before.
                self._abort()
                self._write(ACK)
                self._pending = data[1]
                self._number += 1
                self._command(data[1], data[2:])
        self.faults += self._decoder.faults
        self._decoder.faults.clear()

    def _abort(self) -> None:
        if self._pending == 0x8C:
            self._listening = None
        self._pending = None

    def _answer(self, code: int, data: bytes = b"") -> None:
        if self._pending != code:
            return
        self._pending = None
        self._write(encode(bytes((FROM_CHIP, code + 1)) + data))

    def _command(self, code: int, data: bytes) -> None:
        handler = self._handlers.get(code)
        if handler is None:
            self._syntax_error(f"unknown command {code:02x}")
        else:
            handler(self, code, data)

    def _syntax_error(self, why: str) -> None:
        self.faults.append(why)
        self._pending = None
        self._write(SYNTAX_ERROR)

    # Commands of every host.

    def _diagnose(self, code: int, data: bytes) -> None:
        self._answer(code, data if data[:1] == b"\0" else b"\0")

    def _firmware(self, code: int, _: bytes) -> None:
        self._answer(code, bytes.fromhex("32010607"))

    def _general_status(self, code: int, _: bytes) -> None:
        self._answer(code, bytes(5))

    def _read_registers(self, code: int, data: bytes) -> None:
        self._answer(code, bytes(self._registers.get(data[at : at + 2], 0) for at in range(0, len(data), 2)))

    def _write_registers(self, code: int, data: bytes) -> None:
        for at in range(0, len(data) - 2, 3):
            self._registers[data[at : at + 2]] = data[at + 2]
        self._answer(code)

    def _set_parameters(self, code: int, data: bytes) -> None:
        self._parameters = data[0]
        self._answer(code)

    def _accepted(self, code: int, _: bytes) -> None:
        self._answer(code)

    def _configure_field(self, code: int, data: bytes) -> None:
        if data[0] == FIELD and not data[1] & 1:
            self._field_off()
        elif data[0] == TIME_OUTS:
            self._answer_seconds = 100e-6 * 2 ** (data[3] - 1)
        self._answer(code)

    def _answer_later(self, seconds: float, code: int, data: Callable[[], bytes]) -> None:
        """Answers the present command after a time, unless another one has ended it."""
        number = self._number
        self._later(seconds, lambda: self._answer(code, data()) if number == self._number else None)

    def _power_down(self, code: int, _: bytes) -> None:
        self._field_off()
        self._answer(code, bytes((OK,)))

    # The card's host.

    def _listen(self, code: int, data: bytes) -> None:
        if len(data) < 1 + 6 + 18 + 10 + 1:
            return self._syntax_error("TgInitAsTarget is too short")
        self._listening = data
        self._card, self._commands, self._is_released = None, [], False

    def _get_data(self, code: int, _: bytes) -> None:
        if self._card is None and not self._is_released:
            return self._answer(code, bytes((NOT_NOW,)))
        self._pump()

    def _set_data(self, code: int, data: bytes) -> None:
        if len(data) > BUFFER:
            return self._syntax_error(f"a response of {len(data)} octets")
        if self._card is None or self._is_released:
            return self._answer(code, bytes((self.left_status if self._is_released else NOT_NOW,)))
        self._answer(code, bytes((OK,)))
        self._card.respond(data)

    def _pump(self) -> None:
        if self._pending != 0x86:
            return
        if self._commands:
            command, flags = self._commands.pop(0)
            self._answer(0x86, bytes((OK | flags,)) + command)
        elif self._is_released:
            self._answer(0x86, bytes((self.left_status,)))

    def _deliver(self, command: bytes, goes_on: bool, has_address: bool) -> None:
        self._commands.append((command, (MORE if goes_on else 0) | (ADDRESS if has_address else 0)))
        self._pump()

    def release(self) -> None:
        """The phone has let go, or left the field."""
        if self._card is not None:
            self._card, self._is_released = None, True
            self._pump()

    def activate(self, fsdi: int) -> bytes | None:
        """RATS: the ATS, if the card listens."""
        if self._listening is None or self._pending != 0x8C:
            return None
        self._listening = None
        self._card = Card(FRAME_SIZES[min(fsdi >> 4, 8)], self._deliver, self.release)
        self._answer(0x8C, bytes((0x08, 0xE0, fsdi)))
        return ATS

    @property
    def identity(self) -> bytes | None:
        """SENS_RES, SEL_RES, the identifier's length and the identifier, if the card listens."""
        if self._listening is None or self._pending != 0x8C:
            return None
        data = self._listening
        # 7.3.14: the identifier's first octet is 08 regardless of the host's value.
        return data[2:0:-1] + data[6:7] + b"\x04\x08" + data[3:6]

    def receive(self, block: bytes, answer: Callable[[bytes], None]) -> None:
        """A block from the field."""
        if self._card is not None:
            self._card.receive(block, answer)

    # The host that polls.

    def _list_targets(self, code: int, data: bytes) -> None:
        card = self.cards.find({TYPE_A: "A", TYPE_B: "B"}.get(data[1], ""))
        if card is not None:
            self._target = card
            self._registers[BIT_FRAMING] = 0
            return self._answer(code, b"\x01" + card.described)
        if data[1] == TYPE_A:
            # REQA has 7 bits.
            self._registers[BIT_FRAMING] = 7
        identity = self.other.identity if data[1:2] == b"\0" else None
        if identity is None:
            return self._answer(code, b"\0")
        answer = b"\x01\x01" + identity
        if self._parameters & AUTOMATIC_RATS:
            answer += self.other.activate(0x80) or b""
            self._terminal = Terminal(self._block)
        self._answer(code, answer)

    def _exchange_with_card(self, code: int, card: ModelCard, command: bytes) -> None:
        answer = card.exchange(command)
        number = len(card.commands)
        if number == card.leaves_during:
            self.cards.leave(card)
        if card.seconds > self._answer_seconds and not card.prolongs:
            # The answer comes after the chip's time.
            answer = None

        def end() -> bytes:
            is_there = answer is not None and self.cards.holds(card)
            if number == card.leaves_after:
                self.cards.leave(card)
            return bytes((OK,)) + answer[:BUFFER] if is_there else bytes((TIMED_OUT,))

        seconds = self._answer_seconds if answer is None else card.seconds
        self._answer_later(seconds, code, end)

    def _exchange(self, code: int, data: bytes) -> None:
        if self._target is not None:
            return self._exchange_with_card(code, self._target, data[1:])
        if self._terminal is None:
            return self._answer(code, bytes((NOT_NOW,)))

        def done(response: bytes | None) -> None:
            self._answer(code, bytes((TIMED_OUT,)) if response is None else bytes((OK,)) + response[:BUFFER])

        self._terminal.exchange(data[1:], done)

    def _through(self, code: int, data: bytes) -> None:
        if data[:1] == bytes((POLLING_FRAME,)):
            self._receive_polling_frame(data)
            return self._answer_later(self._answer_seconds, code, lambda: bytes((TIMED_OUT,)))
        if data[:1] == b"\xe0" and len(data) == 2:
            ats = self.other.activate(data[1])
            return self._answer(code, bytes((TIMED_OUT,)) if ats is None else bytes((OK,)) + ats)

        def done(block: bytes | None) -> None:
            self._answer(code, bytes((TIMED_OUT,)) if block is None else bytes((OK,)) + block)

        self._block(data, done)

    def _block(self, block: bytes, done: Callable[[bytes | None], None]) -> None:
        """One block to the card, and what it answers within the frame waiting time."""
        is_open = [True]

        def end(answer: bytes | None) -> None:
            if is_open[0]:
                is_open[0] = False
                done(answer)

        self._later(self._wait, lambda: end(None))
        self.other.receive(block, end)

    def _receive_polling_frame(self, data: bytes) -> None:
        if self._registers.get(BIT_FRAMING, 0) & 7:
            self.faults.append("a polling frame whose last octet is cut")
        elif crc_a(data[:-2]) != data[-2:]:
            self.faults.append("a polling frame with a wrong CRC")
        else:
            self.polling_frames.append(data[:-2])

    def _let_go(self, code: int, _: bytes) -> None:
        if self._target is not None:
            # S(DESELECT) or HLTA.
            self._target.is_halted = True
            self._target = None
        self.other.release()
        self._terminal = None
        self._answer(code, bytes((OK,)))

    def _field_off(self) -> None:
        self._terminal = self._target = None
        self.cards.reset()
        self.other.release()

    _handlers = {  # noqa: RUF012
        **{0x00: _diagnose, 0x02: _firmware, 0x04: _general_status, 0x06: _read_registers, 0x08: _write_registers},
        **{0x10: _accepted, 0x12: _set_parameters, 0x14: _accepted, 0x16: _power_down, 0x32: _configure_field},
        **{0x8C: _listen, 0x86: _get_data, 0x8E: _set_data},
        **{0x4A: _list_targets, 0x40: _exchange, 0x42: _through, 0x44: _let_go, 0x52: _let_go},
    }
