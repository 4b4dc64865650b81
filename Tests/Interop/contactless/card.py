# SPDX-License-Identifier: Apache-2.0
"""ISO/IEC 14443-4: the card's side inside one chip, the reader's side inside the other."""

from __future__ import annotations

from collections.abc import Callable

ATS = bytes.fromhex("0575339203")
"""The ATS of a PN532: FSCI 5 (64 octets), FWI 9 (155 ms), SFGI 2, CID and NAD supported."""
FRAME_LIMIT = 64
"""Octets of a block to the card, its two of CRC included."""
FRAME_WAIT = 256 * 16 * 2**9 / 13.56e6
"""Seconds that the phone waits for a block (7.2)."""
BUFFER = 262
"""Octets that the chip moves per command (PN532 user manual, 7.3.17)."""
FRAME_SIZES = (16, 24, 32, 40, 48, 64, 96, 128, 256)
"""By FSDI (5.1)."""

Answer = Callable[[bytes], None]


class Card:
    """The card's half: blocks in, blocks out, commands to the host and responses from it."""

    def __init__(
        self, frame_size: int, deliver: Callable[[bytes, bool, bool], None], released: Callable[[], None]
    ) -> None:
        self._inside = frame_size - 3
        self._deliver = deliver
        self._released = released
        # 7.5.3.2: 1 at first, so that the first block's answer is 0.
        self._number = 1
        self._command = b""
        self._parts: list[bytes] = []
        self._last = b""
        self._answer: Answer | None = None
        self._has_address = False

    def receive(self, block: bytes, answer: Answer) -> None:
        """One block; `answer` is called with the block that answers it, now, later or never."""
        if not block or len(block) + 2 > FRAME_LIMIT:
            return
        head = block[0]
        if head & 0xEE == 0x02:
            self._take(head, block[1:], answer)
        elif head & 0xEE == 0x06:
            # 7.1.2.2: the node address follows.
            self._has_address = True
            self._take(head, block[1:], answer)
        elif head & 0xEE == 0xA2:
            self._acknowledged(head, answer)
        elif head & 0xF7 == 0xC2:
            answer(block[:1])
            self._released()

    def respond(self, response: bytes) -> None:
        """The host's response to the command."""
        self._parts = [response[at : at + self._inside] for at in range(0, len(response), self._inside)]
        self._send(self._answer)
        self._answer = None

    def _take(self, head: int, part: bytes, answer: Answer) -> None:
        # 7.5.3.2, rule D; a number that does not fit is an error that a card meets with silence.
        if head & 1 == self._number:
            return
        self._number ^= 1
        self._command += part
        if head & 0x10:
            while len(self._command) > BUFFER:
                self._hand_over(self._command[:BUFFER], True)
                self._command = self._command[BUFFER:]
            self._last = bytes((0xA2 | self._number,))
            answer(self._last)
            return
        command, self._command = self._command, b""
        self._answer, self._last = answer, b""
        while len(command) > BUFFER:
            self._hand_over(command[:BUFFER], True)
            command = command[BUFFER:]
        self._hand_over(command, False)

    def _hand_over(self, command: bytes, goes_on: bool) -> None:
        has_address, self._has_address = self._has_address, False
        self._deliver(command, goes_on, has_address)

    def _acknowledged(self, head: int, answer: Answer) -> None:
        if head & 1 == self._number:
            # Rule 11: again. Nothing, if the host has not answered yet.
            if self._last:
                answer(self._last)
            else:
                self._answer = answer
        elif head & 0x10:
            answer(bytes((0xA2 | self._number,)))
        elif self._parts:
            self._number ^= 1
            self._send(answer)

    def _send(self, answer: Answer | None) -> None:
        part = self._parts.pop(0) if self._parts else b""
        self._last = bytes((0x02 | (0x10 if self._parts else 0) | self._number,)) + part
        if answer:
            answer(self._last)


class Terminal:
    """The reader's half inside the phone's chip, for hosts that leave the protocol to it."""

    def __init__(self, send: Callable[[bytes, Callable[[bytes | None], None]], None]) -> None:
        self._send = send
        self._number = 0
        self._parts: list[bytes] = []
        self._response = b""
        self._done: Callable[[bytes | None], None]

    def exchange(self, command: bytes, done: Callable[[bytes | None], None]) -> None:
        """Sends a command; `done` gets the response, or None if none came."""
        size = FRAME_LIMIT - 3
        self._parts = [command[at : at + size] for at in range(0, len(command), size)] or [b""]
        self._response, self._done = b"", done
        self._next()

    def _next(self) -> None:
        part = self._parts.pop(0)
        self._send(bytes((0x02 | (0x10 if self._parts else 0) | self._number,)) + part, self._received)

    def _received(self, block: bytes | None) -> None:
        if not block or block[0] & 1 != self._number:
            self._done(None)
            return
        self._number ^= 1
        if block[0] & 0xEE == 0xA2 and self._parts:
            self._next()
        elif block[0] & 0xEE == 0x02:
            self._response += block[1:]
            if block[0] & 0x10:
                self._send(bytes((0xA2 | self._number,)), self._received)
            else:
                self._done(self._response)
        else:
            self._done(None)
