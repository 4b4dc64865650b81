# SPDX-License-Identifier: Apache-2.0
"""The packets a reader sends, as published, and how a phone distinguishes the modes."""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass

from access import identity

ACCESS_SERVICE = "FCBA"
RX = "58920001-0BB5-4F7D-ADA1-988C7FEC44E4"
TX = "A0150002-4C92-496C-9CF1-007367D7E838"
MF = "BB650003-6479-4BD3-9629-F68CCB395D81"

_COMPANY = 0x0C5E
_TX_POWER_AT_1M = -77
_IBEACON = uuid.UUID("3ABE6601-D90D-4975-88B7-8E3FE83A687A")

COMPLETE_16_BIT, COMPLETE_128_BIT, COMPLETE_NAME, TX_POWER, MANUFACTURER = 0x03, 0x07, 0x09, 0x0A, 0xFF


def fields(packet: bytes) -> dict[int, bytes]:
    """The AD structures of a packet by type (Core 5.4, Vol 3, Part C, 11). A cut one ends the list."""
    found, offset = {}, 0
    while offset < len(packet) and packet[offset]:
        end = offset + 1 + packet[offset]
        if end > len(packet):
            break
        found[packet[offset + 1]] = packet[offset + 2 : end]
        offset = end
    return found


@dataclass(frozen=True)
class Mode:
    """One way to advertise, with the service a phone finds behind it."""

    name: str
    service: str

    @property
    def service_octets(self) -> bytes:
        """The UUID in its encoding on the air, least significant octet first."""
        text = self.service.replace("-", "")
        return bytes.fromhex(text)[::-1]

    def packet(self, device_id: str = identity.DEVICE_ID) -> bytes:
        """The exact advertising data."""
        name = b"\x09\x09" + device_id.encode()
        if self is CLASSIC or self is ON_TOUCH:
            return bytes.fromhex("0201061107") + self.service_octets + name
        service = b"\x03\x03" + self.service_octets
        if self is ACCESS:
            power = struct.pack("<BBb", 2, TX_POWER, _TX_POWER_AT_1M)
            return service + struct.pack("<BBH10x", 13, MANUFACTURER, _COMPANY) + name + power
        beacon = _IBEACON.bytes + device_id[:4].encode() + struct.pack("b", _TX_POWER_AT_1M)
        return service + bytes.fromhex("1aff4c000215") + beacon

    def matches(self, packet: bytes) -> bool:
        """Whether a phone that scans for this mode accepts the packet."""
        found = fields(packet)
        services = found.get(COMPLETE_16_BIT, b"") if len(self.service) == 4 else found.get(COMPLETE_128_BIT, b"")
        width = len(self.service_octets)
        if self.service_octets not in (services[i : i + width] for i in range(0, len(services), width)):
            return False
        return len(self.service) != 4 or (found.get(MANUFACTURER, b"")[:4] == b"\x4c\x00\x02\x15") == (self is IBEACON)


CLASSIC = Mode("classic", "00005301-0000-002A-426C-756549442A00")
ON_TOUCH = Mode("on-touch", "00005301-0010-002A-426C-756549442A00")
ACCESS = Mode("access", ACCESS_SERVICE)
IBEACON = Mode("access-ibeacon", ACCESS_SERVICE)
MODES = (CLASSIC, ON_TOUCH, ACCESS, IBEACON)


@dataclass(frozen=True)
class ManufacturerRecord:
    """The 19 octets of the scan response and of the MF characteristic, company included."""

    is_factory: bool
    hardware_type: int
    battery_level: int
    application_version: int
    local_midnight: int

    _LAYOUT = struct.Struct("<H?BBxHI7x")
    LENGTH = _LAYOUT.size

    @classmethod
    def decode(cls, octets: bytes) -> ManufacturerRecord:
        """Raises ValueError when it is none; the bytes that must be zero are checked."""
        if len(octets) != cls.LENGTH:
            raise ValueError(f"a manufacturer record has {cls.LENGTH} octets, not {len(octets)}")
        company, factory, hardware, battery, version, midnight = cls._LAYOUT.unpack(octets)
        if company != _COMPANY:
            raise ValueError(f"company {company:#06x} is not {_COMPANY:#06x}")
        record = cls(factory, hardware, battery, version, midnight)
        if record.octets() != octets:
            raise ValueError(f"octets that must be zero are not, in {octets.hex()}")
        return record

    def octets(self) -> bytes:
        """The record in its encoding on the air."""
        return self._LAYOUT.pack(
            _COMPANY,
            self.is_factory,
            self.hardware_type,
            self.battery_level,
            self.application_version,
            self.local_midnight,
        )

    def scan_response(self, device_id: str = identity.DEVICE_ID) -> bytes:
        """The exact scan response around it."""
        return b"\x14\xff" + self.octets() + b"\x09\x09" + device_id.encode()
