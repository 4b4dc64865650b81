"""Exchanges over the air: results, and the status for everything that is wrong with a request."""

import asyncio
import contextlib

import pytest

from access import tokens
from access.frames import Message
from access.results import SystemStatus, VersionInfo
from access.session import Transponder
from access.status import Status
from access.tokens import Command, Timestamp, command_token
from rig.bench import Bench
from rig.phone import Refused
from rig.reader import UNLOCKED

SILENCE_SECONDS = 0.3
"""No answer within it counts as silence; a good answer takes a tenth."""

TOKEN = "tokn"


@pytest.mark.parametrize("frame_size", [None, 7, 20, 185])
async def test_every_frame_size_is_served(frame_size):
    async with Bench() as bench:
        link = await bench.ready()
        assert VersionInfo.decode(await link.run("PING", frame_size=frame_size)).build_time > 0


async def test_a_phone_that_never_asks_for_a_larger_mtu():
    async with Bench() as bench:
        _, link = await bench.connected()
        await link.prepare(mtu=None)
        assert VersionInfo.decode(await link.run("PING")).build_time > 0
        assert link.notifications > 5, "20 octets at a time"


async def test_status_says_who_and_when():
    async with Bench() as bench:
        link = await bench.ready()
        status = SystemStatus.decode(await link.run("STATUS"))
        assert status.device_id == "wa0y1YwS"
        assert status.local_time[1][0] >= 2025
        assert status.lock_state in (None, SystemStatus.LOCKED)


async def test_maintenance_tokens_stand_for_their_commands():
    async with Bench() as bench:
        link = await bench.ready()
        assert VersionInfo.decode(await link.run("PING", group="MAINTC")).build_time > 0
        assert SystemStatus.decode(await link.run("STATUS", group="MAINTC")).device_id == "wa0y1YwS"
        with pytest.raises(Refused) as refusal:
            await link.run(TOKEN, group="MAINTC")
        assert refusal.value.status == Status.SIGNATURE


WRONG_REQUESTS = {
    "wrong signature": (lambda e: e.request(command_token(Command(TOKEN), group="PING")), Status.SIGNATURE),
    "signature that is no DER": (
        lambda e: e.request(command_token(Command(TOKEN), signature=bytes(70))),
        Status.SIGNATURE,
    ),
    "empty signature": (lambda e: e.request(command_token(Command(TOKEN), signature=b"")), Status.INVALID_ARGUMENTS),
    "expired": (lambda e: e.request(command_token(Command(TOKEN, end=Timestamp(2024)))), Status.VALIDITY),
    "not yet valid": (lambda e: e.request(command_token(Command(TOKEN, start=Timestamp(2089)))), Status.VALIDITY),
    "unknown command": (lambda e: e.request(command_token(Command("FLY"))), Status.NOT_SUPPORTED),
    "no payload choice": (lambda e: e.request(tokens.message((1, bytes(70)))), Status.NOT_SUPPORTED),
    "bad MAC": (lambda e: e.request(command_token(Command(TOKEN)), damage_tag=True), Status.DECRYPT),
    "empty payload": (lambda e: b"", Status.DECRYPT),
    "too short": (lambda e: e.request(command_token(Command(TOKEN)))[: 65 + 16 + 31], Status.DECRYPT),
    "no whole block": (lambda e: e.request(command_token(Command(TOKEN)))[:-1], Status.DECRYPT),
    "point off the curve": (
        lambda e: b"\x04" + bytes(63) + b"\x01" + e.request(command_token(Command(TOKEN)))[65:],
        Status.DECRYPT,
    ),
    "handshake instead": (lambda e: Transponder().handshake(), Status.DECRYPT),
    "garbage": (lambda e: e.request_plaintext(bytes.fromhex("08ffffffffffffffffff")), Status.DECODE),
    "required field missing": (
        lambda e: e.request(tokens.message((1, bytes(70)), (2, tokens.message((4, TOKEN))))),
        Status.DECODE,
    ),
    "command of nine characters": (lambda e: e.request(command_token(Command("NINECHARS"))), Status.DECODE),
    "credential of eleven characters": (
        lambda e: e.request(command_token(Command(TOKEN, credential="CRED0000011"))),
        Status.DECODE,
    ),
    "data of 1793 octets": (lambda e: e.request(command_token(Command(TOKEN, data=bytes(1793)))), Status.DECODE),
}


async def test_every_wrong_request_has_its_status_and_the_door_stays_shut():
    """On one link, with a good exchange after each: an error leaves the device at the start of an exchange."""
    async with Bench() as bench:
        link = await bench.ready()
        got = {}
        for name, (request, _) in WRONG_REQUESTS.items():
            with pytest.raises(Refused) as refusal:
                await link.exchange(request)
            got[name] = refusal.value.status
            assert VersionInfo.decode(await link.run("PING")).build_time > 0
        assert got == {name: status for name, (_, status) in WRONG_REQUESTS.items()}
        assert not bench.reader.child.matching(UNLOCKED)


async def test_weak_salt():
    async with Bench() as bench:
        link = await bench.ready()
        for salt in bytes(16), bytes(range(7)) * 2 + b"\xff\xff":
            with pytest.raises(Refused) as refusal:
                await link.handshake(salt)
            assert refusal.value.status == Status.SALT
        assert await link.handshake(bytes(range(8)) * 2)


def _handshake(salt: bytes | None = None) -> bytes:
    return Message(Transponder(salt).handshake()).octets()


SILENT = {
    "salt of 8 octets": lambda: [_handshake(bytes(range(8)))],
    "salt of 18 octets": lambda: [_handshake(bytes(range(18)))],
    "garbage": lambda: [Message(b"\x05abc").octets()],
    "empty message": lambda: [bytes(6)],
    "checksum wrong": lambda: [_handshake()[:2] + b"\0\0" + _handshake()[4:]],
    "surplus octets": lambda: [_handshake() + b"\0"],
    "status in a handshake": lambda: [Message(Transponder().handshake(), status=-1).octets()],
    "first frame of five octets": lambda: [bytes(5)],
    "more than 2048 octets": lambda: [bytes.fromhex("138800000000")] + [bytes(240)] * 9,
}


async def test_what_is_no_handshake_is_met_with_silence():
    async with Bench(links={"max-connection-ms": 10_000}) as bench:
        link = await bench.ready()
        answered = []
        for name, frames in SILENT.items():
            for frame in frames():
                await link.send_frame(frame)
            with contextlib.suppress(TimeoutError):
                answered.append((name, await link.answer(SILENCE_SECONDS)))
            assert VersionInfo.decode(await link.run("PING")).build_time > 0, f"nothing works after: {name}"
        assert answered == []


async def test_an_unknown_field_in_a_handshake_is_read_over():
    async with Bench() as bench:
        link = await bench.ready()
        body = tokens.message((1, bytes(range(16))), (9, b"later"))
        assert (await link.ask(Message(bytes((len(body),)) + body))) != b""


async def test_slow_octets_do_not_keep_a_link():
    """One octet each 300 ms is no completed exchange: the link ends at max-connection."""
    async with Bench(links={"max-connection-ms": 1500}) as bench:
        link = await bench.ready()
        octets = Message(Transponder().handshake()).octets()
        await link.send_frame(octets[:6])
        for octet in octets[6:]:
            if link.lost.done():
                break
            await link.send_frame(bytes((octet,)))
            await asyncio.sleep(0.3)
        assert link.lost.done()
        assert 1.4 <= link.closed - link.opened <= 1.8
        assert link.notifications == 0


async def test_completed_exchanges_keep_a_link():
    async with Bench(links={"max-connection-ms": 1000}) as bench:
        link = await bench.ready()
        for _ in range(5):
            await link.run("PING")
            await asyncio.sleep(0.5)
        assert not link.lost.done()
        await link.wait_for_end(1.5)
