# SPDX-License-Identifier: Apache-2.0
"""A reader with its own identity, tokens from `readerlab credentials`, and a phone that has only the bundle."""

import base64
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_der_public_key

from access.frames import Message
from access.oss import (
    DEFAULT,
    EXTENDED,
    NO_ACCESS,
    UNLOCKED,
    AccessEventsResult,
    AccessResult,
    Door,
    Info,
    SecureIdentifier,
    minute,
)
from access.session import Transponder
from access.status import Status
from access.wire import read, read_delimited, required
from rig import reader
from rig.backend import CREDENTIAL, KINDS, provision
from rig.bench import Bench
from rig.phone import Refused


async def _show(link, entry: dict) -> bytes:
    """One exchange with the first token of the reader's entry; the result's data."""
    transponder = Transponder(terminal=load_der_public_key(base64.b64decode(entry["terminal-public-key"])))
    agreed = transponder.accept(await link.ask(Message(transponder.handshake())))
    return agreed.result(await link.ask(Message(agreed.request(_token(entry)))))


def _token(entry: dict) -> bytes:
    """The first token of a reader's entry."""
    return read_delimited(base64.b64decode(entry["tokens"][0]["token"]))


@pytest.mark.parametrize("kind", KINDS)
async def test_a_phone_opens_with_what_the_backend_gave_it(kind):
    bundles = []
    credentials = {"sid-allow": [CREDENTIAL]}
    async with Bench(
        prepare=lambda state: bundles.append(provision(state, "front", kind)), credentials=credentials
    ) as bench:
        entry = bundles[0]["readers"][0]
        assert entry["tokens"][0]["kind"] == kind
        result = await _show(await bench.ready(), entry)
        await bench.reader.unlocked()
        # The files are as the facts have them, and so is the result.
        fields = read(_token(entry))
        if kind == "oss-so":
            body = read(required(fields, 3, bytes))
            assert required(body, 1, bytes) == Info(CREDENTIAL).octets()
            data = required(body, 2, bytes)
            assert data[:8] == minute(2090, 12, 31, 23, 59) + b"\0\1"
            assert data[16:19] == Door(7, schedule=1, extended=True).octets()
            access = AccessEventsResult.decode(result).access
            assert (access.granted, access.access_type, access.access_info) == (True, EXTENDED, UNLOCKED)
            assert access.end.year > 0, "the schedule's end"
        if kind == "oss-sid":
            info = required(read(required(fields, 4, bytes)), 1, bytes)
            assert info == SecureIdentifier(CREDENTIAL).info()
            assert AccessResult.decode(result) == AccessResult(True, DEFAULT, UNLOCKED)


async def test_a_secure_identifier_opens_no_reader_that_does_not_list_it():
    bundles = []
    async with Bench(prepare=lambda state: bundles.append(provision(state, "front", "oss-sid"))) as bench:
        result = await _show(await bench.ready(), bundles[0]["readers"][0])
        assert AccessResult.decode(result) == AccessResult(False, NO_ACCESS)
        assert not bench.reader.child.matching(reader.UNLOCKED)


async def test_a_token_for_another_reader_does_not_open():
    bundles = []

    def prepare(state: Path) -> None:
        bundles.append(provision(state, "front", "command"))
        bundles.append(provision(state.with_name("other"), "other", "command"))

    async with Bench(prepare=prepare) as bench:
        front, other = (bundle["readers"][0] for bundle in bundles)
        with pytest.raises(Refused) as refusal:
            await _show(await bench.ready(), {**front, "tokens": other["tokens"]})
        assert refusal.value.status == Status.SIGNATURE
        assert not bench.reader.child.matching(reader.UNLOCKED)
