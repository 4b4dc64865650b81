# SPDX-License-Identifier: Apache-2.0
"""Residue of an exchange in readerd's memory: all memory that the process can read is searched.

To read another process's memory takes CAP_SYS_PTRACE, since readerd has closed its own: these tests need root.
"""

import contextlib
from pathlib import Path

import pytest

from access import envelope, identity
from access.frames import Message
from access.oss import SecureIdentifier
from access.session import Exchange
from access.tokens import Command, command_token
from access.wire import read, required
from contactless.aliro_reader import GROUP
from contactless.field import READY, Field, touching
from panel.panel import KEY as PANEL_KEY
from panel.panel import key_file
from panel.wire import wire
from rig.bench import Bench
from rig.matrix import some_of
from rig.memory import forms, found
from rig.operation import Operator
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


CARD_KEY = bytes.fromhex("71e4086dc93a5fb21d87f60249be35ca")
UID_KEY = bytes.fromhex("2bd9457016ef8ac35e90a74b13f86c2d")
"""Others than those of the pages, which are in the program's help."""
SECONDS = 20.0
"""For a line of the log: some tenths of a second where nothing else runs."""


def keyed(state: Path) -> None:
    """A state directory with the key of a panel's line."""
    state.mkdir(exist_ok=True)
    key_file(state / "osdp.key")


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


def text_of(key: Path) -> dict[str, bytes]:
    """The lines of a private key in PEM that have its octets."""
    lines = key.read_bytes().splitlines()
    assert lines[0] == b"-----BEGIN PRIVATE KEY-----" and len(lines) > 3
    return {f"{key.name}, line {number}": line for number, line in enumerate(lines[1:-1], 2)}


async def test_no_text_of_a_key_file_is_left_in_memory(directory: Path) -> None:
    """What a reader needs of its keys is octets: their digits, and PEM, are not left of reading or writing a file."""
    digits = {
        name: needle
        for key, octets in (("DESFire", CARD_KEY), ("DESFire UID", UID_KEY), ("panel", PANEL_KEY))
        for name, needle in forms(key, octets).items()
        if needle != octets
    }
    tables = {
        "credentials": {"card-kinds": ["desfire", "aliro"]},
        "aliro": {"group": GROUP, "door": GROUP},
        "desfire": {"application": "F51BC0", "file": 1, "count": 8, "diversification": "00"}
        | {"key-file": str(key_file(directory / "desfire.key", CARD_KEY))}
        | {"uid-key-file": str(key_file(directory / "uid.key", UID_KEY)), "uid-key-number": 1},
    }
    with wire(directory) as line:
        async with Field() as field:
            tables |= {"nfc": {"connection": field.connection, "role": "poll"}, "osdp": {"line": str(line.path)}}
            async with Bench(prepare=keyed, **tables) as bench:
                # At first it makes the keys of Aliro, and then it reads them.
                for start in "first", "second":
                    await bench.reader.child.line(READY, SECONDS)
                    status = await Operator(bench).status()
                    assert status["aliro"]["state"] == "ready" and status["osdp"]["key"]
                    assert not {fault["code"] for fault in status["faults"]} & {"desfire-key-unreadable"}
                    pid = bench.reader.child.pid
                    assert_searched(pid)
                    assert found(pid, digits | text_of(bench.state / "aliro.key")) == set(), start
                    if start == "first":
                        await bench.restart()
