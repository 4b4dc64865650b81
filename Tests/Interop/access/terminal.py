# SPDX-License-Identifier: Apache-2.0
"""A minimal device, so that the phone can be checked without the firmware: handshake, command tokens, statuses."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from access import envelope, identity, tokens
from access.frames import Message
from access.session import SALT_LENGTH, salt_is_strong, strong_salt
from access.status import Status
from access.wire import WireError, delimited, message, read, read_delimited, required


class Refusal(Exception):
    """The device answers with a status only."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status = status


class Terminal:
    """One device with the demo identity; one exchange at a time."""

    def __init__(self, commands: dict[str, Callable[[bytes], bytes]], now: Callable[[], datetime] | None = None):
        self._commands = commands
        self._now = now or (lambda: datetime.now(UTC))
        self._salts: envelope.Salts | None = None

    def receive(self, received: Message) -> Message | None:
        """The answer to one message; None where the device stays silent."""
        salts, self._salts = self._salts, None
        try:
            if salts is None:
                return self._handshake(received)
            return Message(self._request(received.payload, salts))
        except Refusal as refusal:
            return Message(status=refusal.status)

    def _handshake(self, received: Message) -> Message | None:
        try:
            salt = required(read(read_delimited(received.payload)), 1, bytes)
        except WireError:
            return None
        if received.status or len(salt) != SALT_LENGTH:
            return None
        if not salt_is_strong(salt):
            raise Refusal(Status.SALT)
        self._salts = envelope.Salts(salt, strong_salt())
        signature = tokens.sign(identity.TERMINAL_PRIVATE, salt)
        return Message(delimited(message((1, self._salts.terminal), (2, signature))))

    def _request(self, payload: bytes, salts: envelope.Salts) -> bytes:
        try:
            sender, ciphertext, tag = envelope.split(payload)
            secret = envelope.shared_secret(identity.TERMINAL_PRIVATE, envelope.public_key(sender))
            keys = envelope.derive(sender, secret, salts)
            plaintext = envelope.unseal(ciphertext, tag, keys.request_encryption, keys.request_tag, salts)
        except envelope.EnvelopeError as error:
            raise Refusal(Status.DECRYPT) from error
        result = delimited(message((1, self._execute(plaintext))))
        own = envelope.point(identity.TERMINAL_PUBLIC)
        keys = envelope.derive(own, secret, salts)
        return envelope.seal(result, own, keys.response_encryption, keys.response_tag, salts)

    def _execute(self, plaintext: bytes) -> bytes:
        try:
            token = read(read_delimited(plaintext))
            signature = required(token, 1, bytes)
            if 2 not in token:
                raise Refusal(Status.NOT_SUPPORTED)
            command = _command(required(token, 2, bytes))
        except (WireError, UnicodeDecodeError) as error:
            raise Refusal(Status.DECODE) from error
        if not signature:
            raise Refusal(Status.INVALID_ARGUMENTS)
        texts = command.signed_text(), command.signed_text("MAINTC")
        if not any(tokens.verifies(identity.SIGNATURE_PUBLIC, signature, text) for text in texts):
            raise Refusal(Status.SIGNATURE)
        now = self._now()
        clock = tokens.Timestamp(now.year, now.month, now.day, now.hour, now.minute, now.second)
        if not _order(command.start) <= _order(clock) <= _order(command.end):
            raise Refusal(Status.VALIDITY)
        if command.name not in self._commands:
            raise Refusal(Status.NOT_SUPPORTED)
        return self._commands[command.name](command.data)


def _command(body: bytes) -> tokens.Command:
    fields = read(body)
    credential = required(read(required(fields, 1, bytes)), 1, bytes).decode()
    name = required(fields, 4, bytes).decode()
    data = required(fields, 5, bytes)
    if len(credential) > 10 or len(name) > 8 or len(data) > 1792:
        raise WireError("a field is longer than its limit")
    start, end = (_timestamp(required(fields, number, bytes)) for number in (2, 3))
    return tokens.Command(name, credential, start, end, data)


def _timestamp(body: bytes) -> tokens.Timestamp:
    fields = read(body)
    return tokens.Timestamp(*(required(fields, number, int) for number in range(1, 7)))


def _order(time: tokens.Timestamp) -> tuple[int, ...]:
    return time.year, time.month, time.day, time.hours, time.minutes, time.seconds


def version_result(build_time: int = 1_700_000_000, version: int = 1, test_version: int = 0) -> bytes:
    """A result of PING."""
    return delimited(message((1, build_time), (2, version), (3, test_version)))
