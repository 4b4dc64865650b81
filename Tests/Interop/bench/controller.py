# SPDX-License-Identifier: Apache-2.0
"""A controller that answers each command at once: what is measured is then the host's time, not the controller's."""

from __future__ import annotations

import socket
import struct
import time
from dataclasses import dataclass

from rig.h4 import Framer

COMMAND, DATA, EVENT = 1, 2, 4
DISCONNECTION_COMPLETE, COMMAND_COMPLETE, PACKETS_COMPLETED, LE_META = 0x05, 0x0E, 0x13, 0x3E
ATT_CHANNEL = 4
ENHANCED_CONNECTION_COMPLETE, SET_TERMINATED = 0x0A, 0x12
REMOTE_ENDED = 0x13
ADVERTISING_ENABLE, READ_RSSI = 0x2039, 0x1405
RETURNED = {
    # Read Local Version: 5.4. Supported commands: Read RSSI, and the commands of extended advertising. Buffers of
    # today.
    0x1001: bytes.fromhex("0d00000d0f000000"),
    0x1002: bytes(0x20 if octet == 15 else 0xBE if octet == 36 else 0 for octet in range(64)),
    0x1009: bytes.fromhex("665544332211"),
    0x2002: bytes.fromhex("fb0014"),
    0x2003: bytes(8),
    0x2036: bytes([0]),
    0x203B: bytes([8]),
}
"""Return parameters behind the status (Core 5.4, Vol 4, Part E, 7); none for the other commands."""


@dataclass(frozen=True)
class Enabled:
    """LE Set Extended Advertising Enable, as it was read."""

    on: bool
    sets: list[int]
    came: float
    """The time of arrival of its octets."""
    taken: float
    """Seconds the controller had taken until then, since it was last asked."""


class Gone(Exception):
    """The host went away."""


class QuickController:
    """One connection of a host."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._framer = Framer()
        self._taken = 0.0
        self._enables: list[Enabled] = []
        self._received: list[bytes] = []

    @property
    def taken(self) -> float:
        """Seconds that the controller has taken since it was last asked."""
        return self._taken

    def enabled(self, on: bool, seconds: float = 30) -> Enabled:
        """Answers until advertising is switched on, or off. Raises Gone, and TimeoutError."""
        deadline = time.monotonic() + seconds
        while True:
            while self._enables:
                if (enable := self._enables.pop(0)).on == on:
                    return enable
            self._connection.settimeout(max(deadline - time.monotonic(), 0.001))
            self._answer()

    def serve(self, seconds: float) -> None:
        """Answers for that long."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._connection.settimeout(left)
            try:
                self._answer()
            except TimeoutError:
                return

    def _answer(self) -> None:
        octets = self._connection.recv(4096)
        came = time.perf_counter()
        if not octets:
            raise Gone
        reply = b""
        for kind, packet in self._framer.feed(octets):
            if kind == DATA:
                handle = int.from_bytes(packet[:2], "little") & 0xFFF
                self._received.append(packet[8:])
                reply += self._event(PACKETS_COMPLETED, struct.pack("<BHH", 1, handle, 1))
            if kind != COMMAND:
                continue
            opcode, parameters = int.from_bytes(packet[:2], "little"), packet[3:]
            if opcode == ADVERTISING_ENABLE:
                sets = [parameters[2 + 4 * index] for index in range(parameters[1])]
                self._enables.append(Enabled(parameters[0] == 1, sets, came, self._taken))
            # The level is of a phone that holds the reader in its hand.
            returned = parameters[:2] + bytes([0xE2]) if opcode == READ_RSSI else RETURNED.get(opcode, b"")
            reply += self._event(COMMAND_COMPLETE, b"\x01" + packet[:2] + b"\0" + returned)
        self._connection.sendall(reply)
        self._taken += time.perf_counter() - came

    def connect(self, handle: int, peer: bytes, advertised: int) -> None:
        """A phone connects to an advertising set."""
        connected = struct.pack("<BBHBB6s6x6xHHHB", ENHANCED_CONNECTION_COMPLETE, 0, handle, 1, 1, peer, 24, 0, 500, 0)
        terminated = struct.pack("<BBBHB", SET_TERMINATED, 0, advertised, handle, 1)
        self._connection.sendall(self._event(LE_META, connected) + self._event(LE_META, terminated))

    def send_att(self, handle: int, packet: bytes) -> None:
        """Octets of the phone's attribute protocol, in one packet."""
        data = struct.pack("<HH", len(packet), ATT_CHANNEL) + packet
        self._connection.sendall(bytes([DATA]) + struct.pack("<HH", handle | 0x2000, len(data)) + data)

    def receive_att(self, seconds: float = 30) -> bytes:
        """The next octets for the phone. The reader's are in one packet each. Raises Gone, and TimeoutError."""
        self._connection.settimeout(seconds)
        while not self._received:
            self._answer()
        return self._received.pop(0)

    def disconnect(self, handle: int) -> float:
        """The phone goes; when that was."""
        packet = self._event(DISCONNECTION_COMPLETE, struct.pack("<BHB", 0, handle, REMOTE_ENDED))
        self._taken = 0.0
        self._enables.clear()
        went = time.perf_counter()
        self._connection.sendall(packet)
        return went

    def _event(self, code: int, parameters: bytes) -> bytes:
        return bytes([EVENT, code, len(parameters)]) + parameters
