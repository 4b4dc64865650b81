# SPDX-License-Identifier: Apache-2.0
"""The phone's half against the rig's own minimal device, in memory: good exchanges and every wrong one."""

from datetime import UTC, datetime

import pytest

from access import tokens
from access.frames import Message
from access.session import Transponder, salt_is_strong
from access.status import Status
from access.terminal import Terminal, version_result
from access.tokens import Command, Timestamp, command_token

NOW = datetime(2026, 5, 17, 12, 30, 0, tzinfo=UTC)


def terminal(now=NOW):
    return Terminal({"PING": lambda _: version_result(), "tokn": lambda _: b""}, lambda: now)


def exchange(device, payload):
    """Runs an exchange; `payload` makes the second message from the agreed keys. Returns both ends' view."""
    transponder = Transponder()
    agreed = transponder.accept(device.receive(Message(transponder.handshake())).payload)
    return agreed, device.receive(Message(payload(agreed)))


def test_ping_and_then_open_on_one_device():
    device = terminal()
    for name, data in ("PING", version_result()), ("tokn", b""):
        agreed, answer = exchange(device, lambda e, name=name: e.request(command_token(Command(name))))
        assert answer.status == Status.OK
        assert agreed.result(answer.payload) == data


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        (lambda e: e.request(command_token(Command("PING")), damage_tag=True), Status.DECRYPT),
        (lambda e: b"", Status.DECRYPT),
        (lambda e: e.request_plaintext(b"\x05\xff\xff\xff\xff\xff"), Status.DECODE),
        (lambda e: e.request(tokens.message((1, b"\x30"))), Status.NOT_SUPPORTED),
        (lambda e: e.request(command_token(Command("PING"), signature=b"")), Status.INVALID_ARGUMENTS),
        (lambda e: e.request(command_token(Command("PING"), group="tokn")), Status.SIGNATURE),
        (lambda e: e.request(command_token(Command("PING", end=Timestamp(2025)))), Status.VALIDITY),
        (lambda e: e.request(command_token(Command("PING", start=Timestamp(2027)))), Status.VALIDITY),
        (lambda e: e.request(command_token(Command("FLY"))), Status.NOT_SUPPORTED),
    ],
    ids=[
        *("bad MAC", "empty", "garbage", "no payload choice", "empty signature"),
        *("wrong signature", "expired", "not yet valid", "unknown command"),
    ],
)
def test_wrong_requests(payload, status):
    _, answer = exchange(terminal(), payload)
    assert answer == Message(status=status)


def test_both_ends_of_the_validity_count():
    command = Command("PING", start=Timestamp(2026, 5, 17, 12, 30), end=Timestamp(2026, 5, 17, 12, 30))
    _, answer = exchange(terminal(), lambda e: e.request(command_token(command)))
    assert answer.status == Status.OK


@pytest.mark.parametrize(
    ("salt", "strong"),
    [
        (bytes(range(8)) * 2, True),
        (bytes(range(7)) * 2 + b"\xff\xff", False),
        (bytes(range(7)) + bytes(9), False),
        (b"\xff" * 16, False),
    ],
)
def test_salt_rule(salt, strong):
    """Eight different values, and 0xFF is none of them."""
    assert salt_is_strong(salt) is strong
    answer = terminal().receive(Message(Transponder(salt).handshake()))
    assert answer.status == (Status.OK if strong else Status.SALT)


@pytest.mark.parametrize("payload", [b"", b"\x00", b"\x05abc", Transponder(bytes(range(8))).handshake()])
def test_what_is_no_handshake_gets_no_answer(payload):
    assert terminal().receive(Message(payload)) is None
