# SPDX-License-Identifier: Apache-2.0
"""The meaning of the commands' results."""

from __future__ import annotations

from dataclasses import dataclass

from access.wire import read, read_delimited, required


@dataclass(frozen=True)
class VersionInfo:
    """The result of PING."""

    build_time: int
    version: int
    test_version: int

    @staticmethod
    def decode(data: bytes) -> VersionInfo:
        """From the delimited message."""
        fields = read(read_delimited(data))
        return VersionInfo(*(required(fields, number, int) for number in (1, 2, 3)))


@dataclass(frozen=True)
class SystemStatus:
    """The part of the result of STATUS that tests look at."""

    device_id: str
    hardware_type: int
    battery_level: int
    local_time: dict[int, list]
    lock_state: int | None

    LOCKED, UNLOCKED = 2, 3

    @staticmethod
    def decode(data: bytes) -> SystemStatus:
        """From the delimited message; every required field must be there."""
        fields = read(read_delimited(data))
        for number in 1, 2, 3, 7, 8:
            required(fields, number, bytes)
        required(fields, 6, int)
        lock = read(required(fields, 9, bytes)) if 9 in fields else None
        return SystemStatus(
            device_id=required(fields, 2, bytes).decode(),
            hardware_type=required(fields, 4, int),
            battery_level=required(fields, 5, int),
            local_time=read(required(fields, 7, bytes)),
            lock_state=required(lock, 1, int) if lock else None,
        )
