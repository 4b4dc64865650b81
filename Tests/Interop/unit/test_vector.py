# SPDX-License-Identifier: Apache-2.0
"""Our phone against a recorded exchange between the vendor's own phone and device, octet for octet."""

import pytest

from access import envelope, identity
from access.frames import Assembler, Message
from access.results import VersionInfo
from access.session import Exchange, SessionError, Transponder, salt_is_strong
from access.status import Status
from access.tokens import Command, Timestamp, command_token, verifies
from access.wire import delimited, read, read_delimited, required
from unit import vector

COMMAND = Command("PING", start=Timestamp(2023), end=Timestamp(2030))


@pytest.fixture
def exchange():
    """The recorded exchange, as the phone sees it after the handshake."""
    return Exchange(vector.SALTS, vector.REQUEST_POINT, vector.SECRET)


def test_handshake_message():
    assert Message(Transponder(vector.SALTS.transponder).handshake()).octets() == vector.HANDSHAKE_MESSAGE


def test_reply_is_accepted():
    reply = Assembler().feed(vector.REPLY_MESSAGE)
    accepted = Transponder(vector.SALTS.transponder).accept(reply.payload)
    assert accepted.salts == vector.SALTS


def test_reply_to_another_salt_is_refused():
    with pytest.raises(SessionError) as error:
        Transponder().accept(vector.REPLY_MESSAGE[6:])
    assert error.value.status == Status.SIGNATURE


def test_salts_and_secret():
    assert vector.SALTS.for_keys == vector.KEY_SALT
    assert vector.SALTS.for_tag == vector.TAG_SALT
    phone = envelope.public_key(vector.REQUEST_POINT)
    assert envelope.shared_secret(identity.TERMINAL_PRIVATE, phone) == vector.SECRET


def test_request_keys():
    keys = envelope.derive(vector.REQUEST_POINT, vector.SECRET, vector.SALTS)
    assert keys.request_encryption + keys.request_tag == vector.REQUEST_KEYS


def test_token():
    assert COMMAND.signed_text() == b"CRED000001:PING:2023:1:1:0:0:2030:1:1:0:0"
    assert verifies(identity.SIGNATURE_PUBLIC, vector.SIGNATURE, COMMAND.signed_text())
    plaintext = envelope.pad(delimited(command_token(COMMAND, vector.SIGNATURE)))
    assert plaintext == vector.REQUEST_PLAINTEXT


def test_request(exchange):
    payload = exchange.request(command_token(COMMAND, vector.SIGNATURE))
    assert payload == vector.REQUEST_POINT + vector.REQUEST_CIPHERTEXT + vector.REQUEST_TAG
    assert Message(payload).octets()[:6] == vector.REQUEST_HEADER


def test_response_keys():
    keys = envelope.derive(envelope.point(identity.TERMINAL_PUBLIC), vector.SECRET, vector.SALTS)
    material = keys.request_encryption + keys.request_tag + keys.response_encryption + keys.response_tag
    assert material == vector.RESPONSE_KEYS


def test_response(exchange):
    payload = envelope.point(identity.TERMINAL_PUBLIC) + vector.RESPONSE_CIPHERTEXT + vector.RESPONSE_TAG
    assert Message(payload).octets()[:6] == vector.RESPONSE_HEADER
    data = exchange.result(payload)
    assert data == required(read(read_delimited(vector.RESPONSE_PLAINTEXT)), 1, bytes)
    assert VersionInfo.decode(data) == VersionInfo(build_time=1713468604, version=1, test_version=19)


def test_response_with_one_bit_changed_is_refused(exchange):
    payload = envelope.point(identity.TERMINAL_PUBLIC) + vector.RESPONSE_CIPHERTEXT + vector.RESPONSE_TAG
    for position in (65, len(payload) - 1):
        broken = bytearray(payload)
        broken[position] ^= 1
        with pytest.raises(SessionError) as error:
            exchange.result(bytes(broken))
        assert error.value.status == Status.CRYPTO


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
    """Eight different values, and none is 0xFF."""
    assert salt_is_strong(salt) is strong
