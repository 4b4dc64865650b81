# SPDX-License-Identifier: Apache-2.0
"""Sockets of another network namespace: a process there makes them, and hands them over."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

from rig.reader import ROOT

PYTHON = ROOT / ".venv/bin/python"
HAND_OVER_SECONDS = 30.0
"""For a start of Python: a tenth of a second where nothing else runs."""
PROGRAM = """
import array, socket, sys
door, kind, interface, *addresses = sys.argv[1:]
if kind == "packet":
    everything = 3  # ETH_P_ALL: with a protocol, it would see no frames that this host sends
    made = [socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(everything))]
    made[0].bind((interface, everything))
else:
    made = [socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) for _ in addresses]
    for one, address in zip(made, addresses):
        one.bind((address, 0, 0, socket.if_nametoindex(interface)))
number = str(socket.if_nametoindex(interface)).encode()
socket.send_fds(socket.socket(fileno=int(door)), [number], [one.fileno() for one in made])
"""
LIMIT = 250
"""Descriptors in one message of a Unix socket."""


async def sockets(prefix: Sequence[str], interface: str, addresses: Sequence[str]) -> tuple[list[socket.socket], int]:
    """A UDP socket at each IPv6 address of the interface, and the number of the interface there."""
    return await _made(prefix, "udp", interface, *addresses)


async def packets(prefix: Sequence[str], interface: str) -> socket.socket:
    """A socket for all frames of the interface, sent and received."""
    made, _ = await _made(prefix, "packet", interface)
    return made[0]


async def _made(prefix: Sequence[str], *arguments: str) -> tuple[list[socket.socket], int]:
    own, other = socket.socketpair()
    with own, other:
        process = await asyncio.create_subprocess_exec(
            *(*prefix, str(PYTHON), "-c", PROGRAM, str(other.fileno()), *arguments), pass_fds=(other.fileno(),)
        )
        code = await asyncio.wait_for(process.wait(), HAND_OVER_SECONDS)
        if code != 0:
            raise OSError(f"no sockets {arguments}: exit code {code}")
        number, descriptors, *_ = socket.recv_fds(own, 16, LIMIT)
    made = [socket.socket(fileno=descriptor) for descriptor in descriptors]
    for one in made:
        one.setblocking(False)
    return made, int(number)
