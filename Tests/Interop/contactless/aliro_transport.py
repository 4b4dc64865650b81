# SPDX-License-Identifier: Apache-2.0
"""The transport of an Aliro phone: short APDUs, chained commands, responses in parts, and faults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import cbor2

from contactless.aliro_wire import EXPEDITED, STEP_UP, WireFault

OK = b"\x90\x00"
WRONG_DATA, WRONG_LENGTH = b"\x6a\x80", b"\x67\x00"
PART = 256
"""Octets of a response APDU."""
ENDLESS = bytes(100) + b"\x61\x64"

Alteration = Callable[[bytes], bytes]


class Refusal(Exception):
    """A status word."""

    def __init__(self, word: int) -> None:
        super().__init__(f"{word:04x}")
        self.word = word


@dataclass(frozen=True)
class Fault:
    """A fault at one stage: select, auth0, certificate, auth1, step-up, envelope, exchange."""

    stage: str = ""
    data: Alteration = bytes
    """Applied to the data of the response."""
    plaintext: Alteration = bytes
    """Applied before the response is sealed."""
    word: int | None = None
    """Instead of a response."""
    is_silent: bool = False
    """No response from this stage to the end."""
    is_endless: bool = False
    """The response continues forever."""


class Transport(ABC):
    """Reads the reader's commands, and reports the rules that they break."""

    HEADS = {  # noqa: RUF012
        **{0xA4: ("select", b"\x00\xa4\x04\x00"), 0x80: ("auth0", b"\x80\x80\0\0")},
        **{0xD1: ("certificate", b"\x80\xd1\0\0"), 0x81: ("auth1", b"\x80\x81\0\0")},
        **{0xC3: ("envelope", b"\x00\xc3\0\0"), 0xC9: ("exchange", b"\x80\xc9\0\0")},
        0x3C: ("control", b"\x80\x3c\0\0"),
    }
    """Names and headers by instruction."""

    def __init__(self, fault: Fault | None) -> None:
        self.fault = fault or Fault()
        self.part = PART
        self.is_silent_after_status = False
        """As iPhones, which end with 61xx and do not respond to GET RESPONSE."""
        self.status: bytes | None = None
        """The reader's final status."""
        self.findings: list[str] = []
        self.responses: list[bytes] = []
        """Of this transaction, for replays."""
        self._forget()

    def _forget(self) -> None:
        self._chain = self._pending = b""
        self._is_gone = False
        self.status = None
        self.responses = []

    @abstractmethod
    def start(self) -> None:
        """A transaction begins."""

    @abstractmethod
    def execute(self, stage: str, data: bytes) -> bytes:
        """The data of the response to a whole command; `Refusal` for a status word."""

    def __call__(self, command: bytes) -> bytes | None:
        """The response to a command; None for a phone that has left."""
        if command[1:2] == b"\xa4" and command[5:].startswith(EXPEDITED):
            self._forget()
            self.start()
        response = None if self._is_gone else self._respond(command)
        self._is_gone = response is None
        if response is not None:
            self.responses.append(response)
        return response

    def report(self, text: str) -> None:
        """Reports a rule that the reader breaks."""
        self.findings.append(text)

    def _respond(self, command: bytes) -> bytes | None:
        if len(command) < 4:
            return WRONG_LENGTH
        if command[1] == 0xC0:
            return None if self._is_silent else self._emit()
        count = command[4] if len(command) > 5 else 0
        data, rest = command[5 : 5 + count], command[5 + count :]
        if len(data) != count or rest not in (b"", b"\0"):
            self.report("a command whose length is wrong")
            return WRONG_LENGTH
        is_last = not command[0] & 0x10
        if (rest == b"\0") != (is_last and command[1] != 0x3C):
            self.report(f"Le of {command[:4].hex()}")
        self._chain += data
        if not is_last:
            return OK
        whole, self._chain = self._chain, b""
        return self._whole(command[:4], whole)

    def _whole(self, head: bytes, data: bytes) -> bytes | None:
        stage, expected = self.HEADS.get(head[1], ("unknown", head))
        if head != expected:
            self.report(f"the header {head.hex()}")
        if stage == "select" and data == STEP_UP:
            stage = "step-up"
        fault = self.fault if self.fault.stage == stage else Fault()
        if fault.is_silent:
            return None
        try:
            response = self.execute(stage, data)
        except Refusal as refusal:
            return refusal.word.to_bytes(2, "big")
        except (WireFault, cbor2.CBORDecodeError, LookupError, ValueError) as error:
            self.report(f"{stage}: {error}")
            return WRONG_DATA
        if fault.word is not None:
            return fault.word.to_bytes(2, "big")
        if fault.is_endless:
            self._pending = b""
            return ENDLESS
        self._pending = fault.data(response)
        if self._is_silent:
            return b"\x61" + bytes((len(self._pending) & 0xFF,))
        return self._emit()

    @property
    def _is_silent(self) -> bool:
        return self.is_silent_after_status and self.status is not None

    def _emit(self) -> bytes:
        if self.fault.is_endless and not self._pending:
            return ENDLESS
        part, self._pending = self._pending[: self.part], self._pending[self.part :]
        if not self._pending:
            return part + OK
        return part + b"\x61" + bytes((min(len(self._pending), self.part) & 0xFF,))
