# SPDX-License-Identifier: Apache-2.0
"""The behaviour of a hostile commissioner: wrong codes, attempts that it leaves, floods, replays."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import secrets
import socket
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec

from matter.client import tlv
from matter.client.certificates import CURVE, public
from matter.client.endpoint import Endpoint, Unanswered
from matter.client.sessions import expect, pbkdf_request, sigma1
from matter.client.wire import (
    PAKE1,
    PAKE2,
    PAKE3,
    PBKDF_REQUEST,
    PBKDF_RESPONSE,
    PORT,
    SIGMA1,
    STATUS_REPORT,
    Message,
    Session,
    StatusReport,
)

SILENCE_SECONDS = 2.0
"""After this time no answer is expected. A late answer is a failure all the same, so a busy machine passes."""
BURST, PAUSE_SECONDS = 32, 0.002
QUEUED_OCTETS = 48 * 1024
"""In the device's socket, a quarter of its room: a flood fills the device's time, and loses no one's datagrams. To
fill the wire takes no knowledge of Matter, and nothing in a device helps."""


async def room(device: int, port: int = PORT) -> None:
    """Returns when the UDP socket of the process has room."""
    while True:
        for line in Path(f"/proc/{device}/net/udp6").read_text().splitlines()[1:]:
            _, local, _, _, queues, *_ = line.split()
            if int(local.rpartition(":")[2], 16) == port and int(queues.partition(":")[2], 16) > QUEUED_OCTETS:
                break
        else:
            return
        await asyncio.sleep(PAUSE_SECONDS)


def point() -> bytes:
    """A point on the curve."""
    return public(ec.generate_private_key(CURVE))


# PASE


async def wrong_code(endpoint: Endpoint) -> StatusReport:
    """One guess, to its end; the device's report."""
    async with endpoint.exchange(endpoint.plain()) as exchange:
        expect(await exchange.ask(PBKDF_REQUEST, pbkdf_request(endpoint.number())), PBKDF_RESPONSE)
        expect(await exchange.ask(PAKE1, tlv.encode({1: point()})), PAKE2)
        answer = await exchange.ask(PAKE3, tlv.encode({1: os.urandom(32)}))
        assert answer.opcode == STATUS_REPORT, answer
        return StatusReport.parsed(answer.payload)


async def half_open(endpoint: Endpoint, to_pake2: bool = False) -> None:
    """Begins, and goes away: before Pake1, or with the device's answer to it. Raises Refused."""
    async with endpoint.exchange(endpoint.plain()) as exchange:
        expect(await exchange.ask(PBKDF_REQUEST, pbkdf_request(endpoint.number())), PBKDF_RESPONSE)
        if to_pake2:
            expect(await exchange.ask(PAKE1, tlv.encode({1: point()})), PAKE2)


async def is_silent(endpoint: Endpoint) -> bool:
    """True if PBKDFParamRequest has no answer."""
    async with endpoint.exchange(endpoint.plain()) as exchange:
        try:
            await exchange.ask(PBKDF_REQUEST, pbkdf_request(endpoint.number()), seconds=SILENCE_SECONDS)
        except Unanswered:
            return True
        return False


# Floods


def datagram(opcode: int, payload: bytes, counter: int | None = None) -> bytes:
    """A message of an initiator that was never heard of."""
    session = Session(counter=counter)
    return session.sealed(Message(opcode, payload, secrets.randbits(16), reliable=True))[1]


def garbage() -> bytes:
    """Sigma1 by its opcode alone, of any length."""
    return datagram(SIGMA1, random.randbytes(random.randrange(1100)))


def nonsense() -> bytes:
    """Invalid octets, or a message of a session that does not exist."""
    return random.randbytes(random.randrange(1, 1280))


def foreign_sigma1() -> bytes:
    """A whole Sigma1 for a node of another fabric."""
    return datagram(SIGMA1, sigma1(secrets.randbelow(0xFFFF) + 1, os.urandom(32), os.urandom(32), POINT))


POINT = point()


class Flood:
    """`async with Flood(device, endpoints, makers) as flood:` datagrams of each maker from each endpoint until the end
    of the block, as fast as the process `device` takes them."""

    def __init__(self, device: int, endpoints: Sequence[Endpoint], makers: Sequence[Callable[[], bytes]]) -> None:
        self._device, self._endpoints, self._makers = device, endpoints, makers
        self.count = 0

    async def __aenter__(self) -> Flood:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_error) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _run(self) -> None:
        while True:
            for _ in range(BURST):
                random.choice(self._endpoints).send(random.choice(self._makers)())
                self.count += 1
            await asyncio.sleep(PAUSE_SECONDS)
            await room(self._device)

    async def sent(self, count: int) -> None:
        """Returns when so many more are sent."""
        wanted = self.count + count
        while self.count < wanted:
            await asyncio.sleep(PAUSE_SECONDS)


# Recordings

ETHERNET, IPV6, UDP = 14, 40, 8


class Recording:
    """The frames that a packet socket sees to UDP port 5540, and their replays."""

    def __init__(self, device: int, packets: socket.socket) -> None:
        self._device, self._packets = device, packets
        self.frames: list[bytes] = []

    async def __aenter__(self) -> Recording:
        asyncio.get_running_loop().add_reader(self._packets, self._ready)
        return self

    async def __aexit__(self, *_error) -> None:
        asyncio.get_running_loop().remove_reader(self._packets)
        self._packets.close()

    def _ready(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                frame = self._packets.recv(2048)
                kind, following, port = frame[12:14], frame[ETHERNET + 6], frame[ETHERNET + IPV6 + 2 :][:2]
                if (kind, following, port) == (b"\x86\xdd", socket.IPPROTO_UDP, PORT.to_bytes(2, "big")):
                    self.frames.append(frame)

    @property
    def datagrams(self) -> list[bytes]:
        return [frame[ETHERNET + IPV6 + UDP :] for frame in self.frames]

    def sigma1(self) -> list[bytes]:
        """The datagrams with Sigma1."""
        return [one for one in self.datagrams if one[1:3] == b"\0\0" and one[17] == SIGMA1]

    async def replay(self, frames: Sequence[bytes]) -> None:
        """The frames as they were, with the addresses of whoever sent them."""
        for number, frame in enumerate(frames):
            with contextlib.suppress(BlockingIOError):
                self._packets.send(checked(frame))
            if number % BURST == 0:
                await asyncio.sleep(PAUSE_SECONDS)
                await room(self._device)

    async def replay_always(self, frames: Sequence[bytes]) -> None:
        """The frames again and again."""
        while True:
            await self.replay(frames)
            await asyncio.sleep(PAUSE_SECONDS)


def checked(frame: bytes) -> bytes:
    """A frame with its UDP checksum: the kernel leaves that to hardware, which a recording has not seen."""
    datagram = bytearray(frame[ETHERNET + IPV6 :])
    datagram[6:8] = b"\0\0"
    addresses = frame[ETHERNET + 8 : ETHERNET + IPV6]
    summed = addresses + struct.pack(">II", len(datagram), socket.IPPROTO_UDP) + datagram
    summed += b"\0" * (len(summed) % 2)
    total = sum(struct.unpack(f">{len(summed) // 2}H", summed))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    datagram[6:8] = struct.pack(">H", ~total & 0xFFFF or 0xFFFF)
    return frame[: ETHERNET + IPV6] + bytes(datagram)
