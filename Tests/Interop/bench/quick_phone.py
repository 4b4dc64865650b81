# SPDX-License-Identifier: Apache-2.0
"""A phone behind the controller that answers at once: as little of its own as an exchange needs."""

from __future__ import annotations

import struct
import uuid

from access.advertising import RX, TX
from access.frames import Assembler, Message, cut
from access.session import Transponder
from access.tokens import Command, command_token
from bench.controller import QuickController

MTU = 247
EXCHANGE_MTU, READ_BY_TYPE, WRITE, WRITE_COMMAND, NOTIFICATION = 0x02, 0x08, 0x12, 0x52, 0x1B
CHARACTERISTIC = 0x2803
"""The declaration's type (Core 5.4, Vol 3, Part G, 3.3.1)."""


class QuickPhone:
    """One exchange on one link. Work without the reader is done before the reader starts."""

    def __init__(self, command: str) -> None:
        self._token = command_token(Command(command))
        self._transponder = Transponder()
        self._assembler = Assembler()

    def served(self, controller: QuickController, handle: int) -> None:
        """Finds the characteristics, subscribes, and has the command executed. Raises if the reader refuses."""
        self._controller, self._handle = controller, handle
        self._ask(struct.pack("<BH", EXCHANGE_MTU, MTU))
        values = self._characteristics()
        # The descriptor of TX is the attribute behind its value.
        self._ask(struct.pack("<BHH", WRITE, values[TX] + 1, 1))
        agreed = self._transponder.accept(self._exchange(values[RX], self._transponder.handshake()))
        agreed.result(self._exchange(values[RX], agreed.request(self._token)))

    def _characteristics(self) -> dict[str, int]:
        """The handles of all values, by UUID."""
        values: dict[str, int] = {}
        start = 1
        while True:
            self._controller.send_att(self._handle, struct.pack("<BHHH", READ_BY_TYPE, start, 0xFFFF, CHARACTERISTIC))
            answer = self._controller.receive_att()
            if answer[0] != READ_BY_TYPE + 1:
                return values
            size = answer[1]
            for place in range(2, len(answer), size):
                declaration, _, value = struct.unpack_from("<HBH", answer, place)
                octets = answer[place + 5 : place + size]
                if len(octets) == 16:
                    # Each of the reader's services has the same three; any will do.
                    values.setdefault(str(uuid.UUID(bytes=octets[::-1])).upper(), value)
                start = declaration + 1

    def _exchange(self, value: int, payload: bytes) -> bytes:
        for frame in cut(Message(payload).octets(), MTU - 3):
            self._controller.send_att(self._handle, struct.pack("<BH", WRITE_COMMAND, value) + frame)
        while True:
            packet = self._controller.receive_att()
            if packet[0] == NOTIFICATION and (message := self._assembler.feed(packet[3:])):
                if message.status:
                    raise SystemExit(f"bench: the first phone is refused: status {message.status}")
                return message.payload

    def _ask(self, request: bytes) -> None:
        self._controller.send_att(self._handle, request)
        answer = self._controller.receive_att()
        if answer[0] != request[0] + 1:
            raise SystemExit(f"bench: an answer of {answer.hex()} to {request.hex()}")
