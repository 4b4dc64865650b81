# SPDX-License-Identifier: Apache-2.0
"""The reader's reactions to all faults, row by row, on one link that keeps serving.

The rows of the published protocol's table of reactions, each with its text: the answer, and the event.
The phone's next handshake goes out at once after a row that has to be met with silence, so an answer to the row would
come in the place of the handshake's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from access import identity, tokens
from access.frames import Message, cut
from access.oss import SecureIdentifier, StandardOffline
from access.session import Exchange, Transponder
from access.status import Status
from access.tokens import Command, Timestamp, command_token
from access.wire import delimited
from rig import clock
from rig.bench import Bench
from rig.phone import Refused
from rig.reader import UNLOCKED
from rig.rows import UNGATED, Log, Played, outcomes, ping, play, set_clock

ANSWER_SECONDS = 10.0
"""A phone's time limit for one response."""

SILENCE, SERVED = "silence", "served"

MTU = 517
"""The largest that the reader takes: frames may be longer than the 512 octets that both sides have room for."""

NOON = datetime(2030, 6, 5, 12, tzinfo=UTC)
"""The reader's clock at the start: a Wednesday."""

TOKEN = "tokn"


@dataclass(frozen=True)
class Reaction:
    """The phone's message, and the reaction according to the table."""

    expected: Status | str
    """A status, SILENCE, or SERVED."""
    frames: Callable[[int], list[bytes]] | None = None
    """Sent in the place of a handshake, for frames of that size at most."""
    request: Callable[[Exchange], bytes] | None = None
    """The payload of the second message, after a good handshake."""
    events: list[str] = field(default_factory=list)
    """`event/information` of what is recorded."""
    at: tuple[int, ...] | None = None
    """The reader's clock, hours and minutes, set before."""


def octets(message: bytes) -> Callable[[int], list[bytes]]:
    """The frames of one message, header included."""
    return lambda size: cut(message, size)


def handshake(salt: bytes | None = None) -> bytes:
    return Message(Transponder(salt).handshake()).octets()


def token(made: bytes) -> Callable[[Exchange], bytes]:
    """A token in a request that is as it should be."""
    return lambda exchange: exchange.request(made)


def command(name: str, **fields) -> Callable[[Exchange], bytes]:
    return token(command_token(Command(name, **fields)))


def without(number: int, missing_in: str) -> Callable[[Exchange], bytes]:
    """A good token without one field of the message `missing_in`."""
    good = Command(TOKEN)
    start = tokens.message(*list(enumerate((2023, 1, 1, 0, 0, 0), start=1)))
    parts = {"timestamp": start, "credential": tokens.message((1, good.credential))}
    if missing_in == "timestamp":
        parts["timestamp"] = tokens.message(
            *(part for part in enumerate((2023, 1, 1, 0, 0, 0), 1) if part[0] != number)
        )
    if missing_in == "credential":
        parts["credential"] = b""
    body = [(1, parts["credential"]), (2, parts["timestamp"]), (3, good.end.body()), (4, TOKEN), (5, b"")]
    if missing_in == "command":
        body = [part for part in body if part[0] != number]
    signature = tokens.sign(identity.SIGNATURE_PRIVATE, good.signed_text())
    fields = [(1, signature), (2, tokens.message(*body))]
    if missing_in == "token":
        fields = [part for part in fields if part[0] != number]
    return token(tokens.message(*fields))


def damaged(change: Callable[[bytes], bytes]) -> Callable[[Exchange], bytes]:
    """A good request, changed after it was sealed."""
    return lambda exchange: change(exchange.request(command_token(Command(TOKEN))))


def padded(exchange: Exchange) -> bytes:
    """As PKCS#7 does it, in the place of zeros."""
    plaintext = delimited(command_token(Command("PING")))
    count = 16 - len(plaintext) % 16
    return exchange.request_plaintext(plaintext + bytes((count,)) * count)


def at(hours: int, minutes: int, seconds: int = 0) -> Timestamp:
    return Timestamp(2030, 6, 5, hours, minutes, seconds)


SALT_LENGTH = 16
GOOD = handshake(bytes(range(SALT_LENGTH)))
EXPIRED = {"end": Timestamp(2024)}

REACTIONS = {
    # Handshake salt with < 8 distinct values: status -150
    "salt with < 8 distinct values: one value": Reaction(Status.SALT, octets(handshake(bytes(16)))),
    "salt with < 8 distinct values: 7": Reaction(Status.SALT, octets(handshake(bytes(range(7)) * 2 + b"\0\1"))),
    "salt with < 8 distinct values: 7 and FF": Reaction(
        Status.SALT, octets(handshake(bytes(range(7)) * 2 + b"\xff\xff"))
    ),
    # Handshake salt 8 or 18 bytes long, garbage, or empty message: silence
    "salt 8 bytes long": Reaction(SILENCE, octets(handshake(bytes(range(8))))),
    "salt 18 bytes long": Reaction(SILENCE, octets(handshake(bytes(range(18))))),
    "garbage": Reaction(SILENCE, octets(Message(b"\x05abc").octets())),
    "empty message": Reaction(SILENCE, octets(bytes(6))),
    "handshake without its salt": Reaction(SILENCE, octets(Message(b"\x00").octets())),
    # Handshake with CRC error, or surplus bytes: silence
    "CRC error": Reaction(SILENCE, octets(GOOD[:2] + bytes((GOOD[2] ^ 1,)) + GOOD[3:])),
    "CRC of zero": Reaction(SILENCE, octets(GOOD[:2] + b"\0\0" + GOOD[4:])),
    "changed payload": Reaction(SILENCE, octets(GOOD[:-1] + bytes((GOOD[-1] ^ 1,)))),
    "surplus bytes": Reaction(SILENCE, octets(GOOD + b"\0")),
    # Handshake message with non-zero status: silence
    "non-zero status: -1": Reaction(SILENCE, octets(Message(Transponder().handshake(), status=-1).octets())),
    "non-zero status: 1": Reaction(SILENCE, octets(Message(Transponder().handshake(), status=1).octets())),
    "an error of the phone's": Reaction(SILENCE, octets(Message(status=Status.SIGNATURE).octets())),
    # First frame of 5 bytes: silence
    "first frame of 5 bytes": Reaction(SILENCE, octets(GOOD[:5])),
    "first frame of 1 byte": Reaction(SILENCE, octets(GOOD[:1])),
    # Length field above 2048: status -7 at the header, whatever follows of the message (published: silence)
    "length field 5000, > 2048 bytes sent": Reaction(
        Status.OVERFLOW, lambda size: cut(bytes.fromhex("138800000000") + bytes(2049), size)
    ),
    "length field 5000, > 2048 bytes sent that are no header": Reaction(
        Status.OVERFLOW, lambda size: cut(bytes.fromhex("138800000000") + 2049 * b"\x42", size)
    ),
    "length field 2049, a header alone": Reaction(Status.OVERFLOW, octets(bytes.fromhex("080100000000"))),
    "length field 65535, a header alone": Reaction(Status.OVERFLOW, octets(bytes.fromhex("ffff00000000"))),
    "length field in little endian": Reaction(Status.OVERFLOW, octets(GOOD[1::-1] + GOOD[2:])),
    "length field in little endian, once more": Reaction(Status.OVERFLOW, octets(GOOD[1::-1] + GOOD[2:])),
    "length field 2049 and a status": Reaction(Status.OVERFLOW, octets(bytes.fromhex("08010000fff4"))),
    # Length fields that are too small, and two messages in one frame: surplus bytes
    "length field 0": Reaction(SILENCE, octets(bytes(2) + GOOD[2:])),
    "length field 18": Reaction(SILENCE, octets(b"\0\x12" + GOOD[2:])),
    "two messages in one frame": Reaction(SILENCE, octets(GOOD + GOOD)),
    "header cut after 3 octets, and continued": Reaction(SILENCE, lambda size: [GOOD[:3], GOOD[3:8]]),
    "frame of 513 bytes": Reaction(SILENCE, lambda size: [bytes.fromhex("020000000000") + bytes(507)]),
    # Request: MAC wrong, too short, not a multiple of 16, bad point, empty, or a handshake instead: status -156
    "request: MAC wrong": Reaction(Status.DECRYPT, request=damaged(lambda r: r[:-1] + bytes((r[-1] ^ 1,)))),
    "request: ciphertext changed": Reaction(
        Status.DECRYPT, request=damaged(lambda r: r[:65] + bytes((r[65] ^ 1,)) + r[66:])
    ),
    "request: too short": Reaction(Status.DECRYPT, request=damaged(lambda r: r[: 65 + 16 + 31])),
    "request: no ciphertext": Reaction(Status.DECRYPT, request=damaged(lambda r: r[:65] + r[-32:])),
    "request: not a multiple of 16": Reaction(Status.DECRYPT, request=damaged(lambda r: r[:-1])),
    "request: bad point": Reaction(Status.DECRYPT, request=damaged(lambda r: b"\x04" + bytes(63) + b"\1" + r[65:])),
    "request: point of zeros": Reaction(Status.DECRYPT, request=damaged(lambda r: bytes(65) + r[65:])),
    "request: compressed point": Reaction(Status.DECRYPT, request=damaged(lambda r: b"\x02" + r[1:])),
    "request: empty": Reaction(Status.DECRYPT, request=lambda _: b""),
    "request: a handshake instead": Reaction(Status.DECRYPT, request=lambda _: Transponder().handshake()),
    # Request decrypts but is no valid token; required field missing; command 9 chars; credential id 11 chars; data
    # 1793 bytes: status -32
    "no valid token": Reaction(Status.DECODE, request=lambda e: e.request_plaintext(b"\x0a" + bytes(31))),
    "no valid token: a length without end": Reaction(
        Status.DECODE, request=lambda e: e.request_plaintext(b"\xff" * 16)
    ),
    "no valid token: longer than the request": Reaction(
        Status.DECODE, request=lambda e: e.request_plaintext(b"\x7f" + bytes(15))
    ),
    "required field missing: signature": Reaction(Status.DECODE, request=without(1, "token")),
    "required field missing: credential": Reaction(Status.DECODE, request=without(1, "command")),
    "required field missing: credential's id": Reaction(Status.DECODE, request=without(1, "credential")),
    "required field missing: start": Reaction(Status.DECODE, request=without(2, "command")),
    "required field missing: end": Reaction(Status.DECODE, request=without(3, "command")),
    "required field missing: command": Reaction(Status.DECODE, request=without(4, "command")),
    "required field missing: data": Reaction(Status.DECODE, request=without(5, "command")),
    "required field missing: seconds": Reaction(Status.DECODE, request=without(6, "timestamp")),
    "required field missing: an OSS file": Reaction(
        Status.DECODE, request=token(tokens.message((1, bytes(70)), (3, tokens.message((1, bytes(15))))))
    ),
    "command 9 chars": Reaction(Status.DECODE, request=command("NINECHARS")),
    "credential id 11 chars": Reaction(Status.DECODE, request=command(TOKEN, credential="CRED0000011")),
    "data 1793 bytes": Reaction(Status.DECODE, request=command("PING", data=bytes(1793))),
    "signature 75 bytes": Reaction(Status.DECODE, request=token(command_token(Command(TOKEN), bytes(75)))),
    "OSS info file 33 bytes": Reaction(Status.DECODE, request=token(StandardOffline(info=bytes(33)).token())),
    # Request without payload choice: status -5
    "without payload choice": Reaction(Status.NOT_SUPPORTED, request=token(tokens.message((1, bytes(70))))),
    "without a payload that is known": Reaction(
        Status.NOT_SUPPORTED, request=token(tokens.message((1, bytes(70)), (9, b"later")))
    ),
    # Empty signature: status -3, event with info -12
    "empty signature": Reaction(
        Status.INVALID_ARGUMENTS, request=token(command_token(Command(TOKEN), b"")), events=["14/-12"]
    ),
    "empty signature: OSS-SO": Reaction(
        Status.INVALID_ARGUMENTS, request=token(StandardOffline().token(b"")), events=["15/-12"]
    ),
    "empty signature: OSS-SID": Reaction(
        Status.INVALID_ARGUMENTS, request=token(SecureIdentifier().token(b"")), events=["15/-12"]
    ),
    # Wrong signature: status -12, event with info -12
    "wrong signature: another command's": Reaction(
        Status.SIGNATURE, request=token(command_token(Command(TOKEN), group="PING")), events=["14/-12"]
    ),
    "wrong signature: the group's, of a command that has none": Reaction(
        Status.SIGNATURE, request=token(command_token(Command(TOKEN), group="MAINTC")), events=["14/-12"]
    ),
    "wrong signature: no DER": Reaction(
        Status.SIGNATURE, request=token(command_token(Command(TOKEN), bytes(70))), events=["14/-12"]
    ),
    "wrong signature: before the time is looked at": Reaction(
        Status.SIGNATURE, request=token(command_token(Command(TOKEN, **EXPIRED), group="PING")), events=["14/-12"]
    ),
    "wrong signature: OSS-SO": Reaction(
        Status.SIGNATURE, request=token(StandardOffline().token(bytes(70))), events=["15/-12"]
    ),
    "wrong signature: OSS-SO without its extension file": Reaction(
        Status.SIGNATURE,
        request=token(
            StandardOffline().token(
                tokens.sign(identity.SIGNATURE_PRIVATE, StandardOffline().changed(extensions=b"").signed())
            )
        ),
        events=["15/-12"],
    ),
    "wrong signature: OSS-SID": Reaction(
        Status.SIGNATURE, request=token(SecureIdentifier().token(bytes(70))), events=["15/-12"]
    ),
    # Before start or after end: status -13, event with info -13
    "after end": Reaction(Status.VALIDITY, request=command(TOKEN, **EXPIRED), events=["14/-13"]),
    "before start": Reaction(Status.VALIDITY, request=command(TOKEN, start=Timestamp(2089)), events=["14/-13"]),
    "before start, by a minute": Reaction(
        Status.VALIDITY, request=command(TOKEN, start=at(12, 41)), events=["14/-13"], at=(12, 40)
    ),
    "after end, by a minute": Reaction(
        Status.VALIDITY, request=command(TOKEN, end=at(12, 49)), events=["14/-13"], at=(12, 50)
    ),
    # now = start: accepted; now = end: its second 00, too short a time for a phone here, and no more
    "now = start": Reaction(SERVED, request=command("PING", start=at(13, 0)), at=(13, 0)),
    "end in a minute": Reaction(SERVED, request=command("PING", end=at(13, 11)), at=(13, 10)),
    "after end, by a second": Reaction(
        Status.VALIDITY, request=command("PING", end=at(13, 20)), events=["14/-13"], at=(13, 20, 1)
    ),
    "after end, by a second, whatever seconds the token gives it": Reaction(
        Status.VALIDITY, request=command("PING", end=at(13, 30, 59)), events=["14/-13"], at=(13, 30, 1)
    ),
    # Unknown command: status -5, event with info -5
    "unknown command": Reaction(Status.NOT_SUPPORTED, request=command("FLY"), events=["14/-5"]),
    "unknown command: after the time is looked at": Reaction(
        Status.VALIDITY, request=command("FLY", **EXPIRED), events=["14/-13"]
    ),
    # And what is accepted: an extra unknown field, padding other than zeros, fields at their limits
    "handshake with an extra unknown field": Reaction(
        SERVED, octets(Message(delimited(tokens.message((1, bytes(range(16))), (9, b"later")))).octets())
    ),
    "salt with 8 distinct values": Reaction(SERVED, octets(handshake(bytes(range(8)) * 2))),
    "PKCS#7 padding": Reaction(SERVED, request=padded),
    "data 1792 bytes": Reaction(SERVED, request=command("PING", data=bytes(1792))),
    "a token with an extra unknown field": Reaction(
        SERVED, request=token(command_token(Command("PING")) + tokens.message((9, b"later")))
    ),
}


async def _reactions() -> Played:
    async with Bench(environment=clock.showing(NOON), **UNGATED) as bench:
        _, link = await bench.connected()
        await link.prepare(mtu=MTU)
        assert link.mtu == MTU
        log = await Log.open(link)

        async def one(row: Reaction) -> tuple[Status | str, list[str]]:
            assert not link.lost.done(), "the link ended before"
            if row.at:
                local = at(*row.at)
                time = NOON.replace(hour=local.hours, minute=local.minutes, second=local.seconds)
                await set_clock(link, int(time.timestamp()), local)
            if row.frames:
                for frame in row.frames(link.mtu - 3):
                    await link.send_frame(frame)
            else:
                agreed = await link.handshake()
                await link.send(Message(row.request(agreed)))
            reaction = SILENCE
            if row.expected != SILENCE:
                answer = await link.answer(ANSWER_SECONDS)
                reaction = Status(answer.status) if answer.status else SERVED
                if row.request and not answer.status:
                    agreed.result(answer.payload)
                elif not row.request and not answer.status:
                    # The reader waits for a request now: after another message it waits for a handshake again.
                    with pytest.raises(Refused):
                        await link.ask(Message())
            await ping(link)
            assert link.answers.empty()
            return reaction, [event.text for event in await log.news()]

        played = await outcomes(REACTIONS.items(), one)
        assert not bench.reader.child.matching(UNLOCKED), "something of this has opened the door"
        return played


@pytest.fixture(scope="module")
def reactions() -> Played:
    return play(_reactions)


@pytest.mark.parametrize("row", REACTIONS)
def test_reaction(row, reactions):
    assert reactions.of(row) == (REACTIONS[row].expected, REACTIONS[row].events)


UNSET = {
    # Clock not readable: silence
    "a command": Reaction(SILENCE, request=command("PING")),
    "a command to open": Reaction(SILENCE, request=command(TOKEN)),
    "OSS-SO": Reaction(SILENCE, request=token(StandardOffline().token())),
    "OSS-SID": Reaction(SILENCE, request=token(SecureIdentifier().token())),
    "wrong signature": Reaction(SILENCE, request=token(command_token(Command(TOKEN), bytes(70)))),
    "without payload choice": Reaction(SILENCE, request=token(tokens.message((1, bytes(70))))),
    # Checks that precede reading the clock
    "MAC wrong": Reaction(Status.DECRYPT, request=damaged(lambda r: r[:-1] + bytes((r[-1] ^ 1,)))),
    "no valid token": Reaction(Status.DECODE, request=lambda e: e.request_plaintext(b"\x0a" + bytes(31))),
    "command 9 chars": Reaction(Status.DECODE, request=command("NINECHARS")),
}


async def _unset() -> Played:
    async with Bench(environment=clock.showing(clock.UNSET), **UNGATED) as bench:
        link = await bench.ready()
        # A request waits until the reader has loaded its policy, and the next handshake would be dropped meanwhile.
        agreed = await link.handshake()
        await link.send(Message(UNSET["MAC wrong"].request(agreed)))
        assert (await link.answer(ANSWER_SECONDS)).status == Status.DECRYPT

        async def one(row: Reaction) -> Status | str:
            agreed = await link.handshake()
            await link.send(Message(row.request(agreed)))
            if row.expected == SILENCE:
                # The next answer is for this handshake, with its salt signed.
                await link.handshake()
                with pytest.raises(Refused):
                    await link.ask(Message())
                return SILENCE
            return Status((await link.answer(ANSWER_SECONDS)).status)

        played = await outcomes(UNSET.items(), one)
        # The same link, once the phone has set the clock.
        await set_clock(link, int(NOON.timestamp()), at(12, 0))
        await ping(link)
        assert not bench.reader.child.matching(UNLOCKED)
        return played


@pytest.fixture(scope="module")
def without_a_clock() -> Played:
    return play(_unset)


@pytest.mark.parametrize("row", UNSET)
def test_clock_not_readable(row, without_a_clock):
    assert without_a_clock.of(row) == UNSET[row].expected
