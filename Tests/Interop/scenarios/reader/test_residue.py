# SPDX-License-Identifier: Apache-2.0
"""Residue of an exchange in readerd's memory: all memory that the process can read is searched.

To read another process's memory takes CAP_SYS_PTRACE, since readerd has closed its own: these tests need root.
"""

import contextlib

import pytest

from access import envelope, identity
from access.frames import Message
from access.oss import SecureIdentifier
from access.session import Exchange
from access.tokens import Command, command_token
from access.wire import read, required
from contactless.field import Field, touching
from rig.bench import Bench
from rig.matrix import some_of
from rig.memory import found
from rig.phone import Link, Refused


def secrets(agreed: Exchange, token: bytes) -> dict[str, bytes]:
    """The secrets that open a door, or decrypt the recording of an exchange."""
    keys = envelope.derive(agreed.own_point, agreed.secret, agreed.salts)
    answer = envelope.derive(envelope.point(identity.TERMINAL_PUBLIC), agreed.secret, agreed.salts)
    return {
        # Behind what DER has in front of each number.
        "token's signature": required(read(token), 1, bytes)[6:38],
        "shared secret": agreed.secret,
        "request key": keys.request_encryption,
        "request tag key": keys.request_tag,
        "response key": answer.response_encryption,
        "response tag key": answer.response_tag,
    }


async def shown(link: Link, token: bytes) -> dict[str, bytes]:
    """Shows a token, whatever the answer; what is secret of that."""
    agreed = await link.handshake()
    with contextlib.suppress(Refused):
        await link.ask(Message(agreed.request(token)))
    return secrets(agreed, token)


SHOWN = {
    "granted": lambda: command_token(Command("tokn")),
    "a result": lambda: command_token(Command("PING")),
    "credential": lambda: SecureIdentifier("CRED000009").token(),
    "refused": lambda: command_token(Command("PING"), signature=b"\x30\x44\x02\x20" + b"\x5a\xc3\x17" * 22),
}


def assert_searched(pid: int) -> None:
    """Proof that the search works: the reader's public name is in its memory."""
    assert found(pid, {"name": b"wa0y1YwS"})


@pytest.mark.parametrize(
    "audit", some_of(["strict", "relaxed"], "the strict case has the same session, and a record before it")
)
@pytest.mark.parametrize("kind", SHOWN)
async def test_nothing_of_an_exchange_is_left_in_memory(kind, audit):
    async with Bench(events={"audit": audit}) as bench:
        link = await bench.ready()
        pid = bench.reader.child.pid
        assert_searched(pid)
        needles = await shown(link, SHOWN[kind]())
        assert found(pid, needles) == set(), "while the phone is still there"
        await link.disconnect()
        assert found(pid, needles) == set(), "when it has left"


@pytest.mark.parametrize("kind", some_of(SHOWN, "test_nothing_of_an_exchange_is_left_in_memory has the others"))
async def test_nothing_of_a_touch_is_left_in_memory(kind):
    async with Field() as field, touching(field) as bench:
        phone = await field.phone()
        await phone.tap()
        await phone.select()
        agreed = await phone.handshake()
        token = SHOWN[kind]()
        await phone.exchange(agreed.request(token))
        pid, needles = bench.reader.child.pid, secrets(agreed, token)
        assert_searched(pid)
        assert found(pid, needles) == set(), "while the phone is still there"
        await phone.leave()
        assert found(pid, needles) == set(), "when it has left"


async def test_a_phone_that_leaves_in_the_middle_leaves_no_secret():
    async with Bench() as bench:
        link = await bench.ready()
        pid = bench.reader.child.pid
        agreed = await link.handshake()
        token = command_token(Command("tokn"))
        request = Message(agreed.request(token)).octets()
        await link.send_frame(request[: len(request) // 2])
        await link.disconnect()
        assert found(pid, secrets(agreed, token)) == set()
