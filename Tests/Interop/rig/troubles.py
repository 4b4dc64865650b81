# SPDX-License-Identifier: Apache-2.0
"""Faults between a controller and its host: refused commands, lost events, wrong readings."""

from __future__ import annotations

from dataclasses import dataclass, field

from rig.rootcanal import COMMAND, EVENT, HciPacket

_COMMAND_COMPLETE, _LE_META = 0x0E, 0x3E
_READ_RSSI = 0x1405
_PARAMETERS = 3
"""Of a command, after its opcode and length."""
# Command Complete: event, length, number of packets, opcode, status; with Read RSSI then handle and reading.
_OPCODE, _STATUS, _READING = slice(3, 5), 5, 8


@dataclass
class Troubles:
    """The faults of one controller."""

    refused: dict[bytes, int] = field(default_factory=dict)
    """The status of refused commands, by their opcode and first parameters."""
    lost: set[bytes] = field(default_factory=set)
    """Events that do not arrive: the event code, with LE Meta the subevent code as well."""
    reading: int | None = None
    """The RSSI of every link in dBm."""
    is_hung: bool = False
    """Commands and data of the host are ignored."""

    def refusal(self, kind: int, octets: bytes) -> HciPacket | None:
        """The answer to a command that is refused."""
        if kind != COMMAND:
            return None
        named = octets[:2] + octets[_PARAMETERS:]
        for command, status in self.refused.items():
            if named.startswith(command):
                return HciPacket(EVENT, bytes((_COMMAND_COMPLETE, 4, 1)) + octets[:2] + bytes((status,)))
        return None

    def passed(self, packet: HciPacket) -> HciPacket | None:
        """The part of a packet that arrives at the host."""
        if packet.kind != EVENT:
            return packet
        event = packet.octets[:1] + (packet.octets[2:3] if packet.octets[0] == _LE_META else b"")
        if event in self.lost:
            return None
        if self.reading is None or event[0] != _COMMAND_COMPLETE or packet.octets[_STATUS]:
            return packet
        if int.from_bytes(packet.octets[_OPCODE], "little") != _READ_RSSI:
            return packet
        reading = self.reading.to_bytes(1, "little", signed=True)
        return HciPacket(EVENT, packet.octets[:_READING] + reading + packet.octets[_READING + 1 :])
