# SPDX-License-Identifier: Apache-2.0
"""Controllers with fewer functions than RootCanal: those that a profile lacks are not listed, and refused when used."""

from __future__ import annotations

from dataclasses import dataclass, field

from rig.rootcanal import COMMAND, EVENT, HciPacket

UNKNOWN_COMMAND = 0x01
_COMMAND_COMPLETE, _COMMAND_STATUS = 0x0E, 0x0F
_SUPPORTED_COMMANDS, _LE_FEATURES = 0x1002, 0x2003
_READ_RSSI = 0x1405
# Command Complete: event, length, number of packets, opcode, status, then the mask.
_OPCODE, _MASK = slice(3, 5), 6


@dataclass(frozen=True)
class Profile:
    """The missing functions: opcodes, and bits of the masks that a host reads (offset: bits)."""

    name: str
    opcodes: frozenset[int] = frozenset()
    commands: dict[int, int] = field(default_factory=dict, hash=False)
    le_features: dict[int, int] = field(default_factory=dict, hash=False)

    def refusal(self, kind: int, octets: bytes) -> HciPacket | None:
        """The answer to a packet of the host that uses what is not there."""
        if kind != COMMAND or int.from_bytes(octets[:2], "little") not in self.opcodes:
            return None
        return HciPacket(EVENT, bytes((_COMMAND_STATUS, 4, UNKNOWN_COMMAND, 1)) + octets[:2])

    def shown(self, packet: HciPacket) -> HciPacket:
        """A packet for the host, with the missing features taken out of the masks."""
        if packet.kind != EVENT or packet.octets[0] != _COMMAND_COMPLETE:
            return packet
        opcode = int.from_bytes(packet.octets[_OPCODE], "little")
        gone = {_SUPPORTED_COMMANDS: self.commands, _LE_FEATURES: self.le_features}.get(opcode)
        if not gone:
            return packet
        octets = bytearray(packet.octets)
        for offset, bits in gone.items():
            octets[_MASK + offset] &= ~bits & 0xFF
        return HciPacket(EVENT, bytes(octets))


FULL = Profile("full")

LEGACY = Profile(
    "legacy",
    opcodes=frozenset(range(0x2035, 0x204B)),
    # LE Set Advertising Set Random Address to the periodic commands (Core 5.4, Vol 4, Part E, 6.27).
    commands={36: 0xFE, 37: 0xFF, 38: 0x7F},
    # LE Extended and LE Periodic Advertising (Vol 6, Part B, 4.6).
    le_features={1: 0x30},
)
"""A controller of Bluetooth 4.2: one advertiser."""

NO_RSSI = Profile("no-rssi", opcodes=frozenset({_READ_RSSI}), commands={15: 0x20})
"""A controller that cannot report the RSSI of a link."""

PROFILES = {profile.name: profile for profile in (FULL, LEGACY, NO_RSSI)}
