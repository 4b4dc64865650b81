# SPDX-License-Identifier: Apache-2.0
"""A phone that plays the card for the reader, as docs/protocol/nfc-profile.md (7) has it, and those that fail."""

from __future__ import annotations

from collections.abc import Callable

from access.frames import HEADER, PAYLOAD_LIMIT, Message
from access.identity import DEVICE_ID
from access.session import Exchange, Transponder
from access.tokens import Command, Timestamp, command_token

SELECT = bytes.fromhex("00a4040009f0726561646572640100")
BEGIN = bytes.fromhex("801400000d8001018208") + DEVICE_ID.encode() + b"\0"
FETCH = bytes.fromhex("8018000000")
MORE = bytes.fromhex("00c0000000")
DELIVER, DELIVER_PART = bytes.fromhex("80160000"), bytes.fromhex("90160000")
VERSION = bytes.fromhex("800101")
OK, PENDING, NOT_FOUND, REFUSED = (bytes.fromhex(word) for word in ("9000", "9301", "6a82", "6985"))
RESPONSE_LIMIT = 240
"""Octets of data in a response."""


class PhoneCard:
    """A phone with one token: the response to each command APDU."""

    def __init__(
        self, command: Command | None = None, *, part: int = RESPONSE_LIMIT, pauses: int = 0, version: bytes = VERSION
    ) -> None:
        self._command = command or Command("tokn")
        self._part, self._pauses, self._version = part, pauses, version
        self._restart()

    def _restart(self) -> None:
        self._transponder = Transponder()
        self._exchange: Exchange | None = None
        self._received, self._outgoing, self._waits = b"", b"", 0
        self.result: bytes | None = None

    def __call__(self, command: bytes) -> bytes | None:
        """The response; a command that does not fit is refused."""
        if command == SELECT:
            self._restart()
            return self._version + OK
        if command == BEGIN:
            return self._send(self._first())
        if command == FETCH:
            return self._parts()
        if command == MORE:
            return self._parts()
        if command[:4] == DELIVER_PART:
            self._received += command[5:]
            return OK
        if command[:4] == DELIVER:
            received, self._received = self._received + command[5:-1], b""
            length, _, status = HEADER.unpack_from(received)
            assert len(received) == HEADER.size + length
            return self._send(self._next(Message(received[HEADER.size :], status)))
        return NOT_FOUND if command[1] == 0xA4 else REFUSED

    def _first(self) -> bytes:
        return Message(self._transponder.handshake()).octets()

    def _next(self, answer: Message) -> bytes:
        """The phone's message after the reader's, empty after the last."""
        if answer.status or self._exchange:
            self.result = self._exchange.result(answer.payload) if self._exchange and not answer.status else None
            return b""
        self._exchange = self._transponder.accept(answer.payload)
        return Message(self._exchange.request(command_token(self._command))).octets()

    def _send(self, message: bytes) -> bytes:
        self._outgoing, self._waits = message, self._pauses if message else 0
        return self._parts()

    def _parts(self) -> bytes:
        if self._waits:
            self._waits -= 1
            return PENDING
        part, self._outgoing = self._outgoing[: self._part], self._outgoing[self._part :]
        rest = len(self._outgoing)
        return part + (bytes((0x61, min(rest, 0x100) & 0xFF)) if rest else OK)


class Request(PhoneCard):
    """It shows a token before a handshake."""

    def _first(self) -> bytes:
        return Message(bytes(range(200))).octets()


class Checksum(PhoneCard):
    """Its handshake is damaged."""

    def _first(self) -> bytes:
        message = super()._first()
        return message[:-1] + bytes((message[-1] ^ 1,))


class Announced(PhoneCard):
    """Its header announces other lengths than it sends."""

    def __init__(self, length: int) -> None:
        self._length = length
        super().__init__()

    def _first(self) -> bytes:
        return HEADER.pack(self._length, 0, 0) + bytes(20)


def answering(response: bytes | None) -> Callable[[bytes], bytes | None]:
    """A phone that answers everything after SELECT by this response."""
    return lambda command: VERSION + OK if command == SELECT else response


PHONES: dict[str, Callable[[], Callable[[bytes], bytes | None]]] = {
    "good": PhoneCard,
    "other": lambda: PhoneCard(Command("tokn", credential="CRED000002")),
    "third": lambda: PhoneCard(Command("tokn", credential="CRED000003")),
    "parts": lambda: PhoneCard(part=20),
    "pauses": lambda: PhoneCard(pauses=3),
    "expired": lambda: PhoneCard(Command("tokn", end=Timestamp(2024))),
    "new-version": lambda: PhoneCard(version=bytes.fromhex("800102")),
    "early-request": Request,
    "checksum": Checksum,
    "short": lambda: Announced(21),
    "long": lambda: Announced(19),
    "announces-too-much": lambda: Announced(PAYLOAD_LIMIT + 1),
    "response-too-long": lambda: answering(bytes(RESPONSE_LIMIT + 1) + OK),
    "stalls": lambda: answering(PENDING),
    "silent": lambda: answering(None),
    "refuses": lambda: answering(REFUSED),
    "endless": lambda: answering(HEADER.pack(0, 0, 0) + bytes.fromhex("6100")),
    "no-data": lambda: answering(bytes.fromhex("6101")),
    "done": lambda: answering(OK),
    "no-credential": lambda: answering(NOT_FOUND),
}
"""The phones by name."""
LEAVING = {"leaves-after-begin": (2, None), "leaves-after-request": (4, None), "leaves-in-request": (None, 3)}
"""Good phones that leave after, or during, the exchange of this number."""
