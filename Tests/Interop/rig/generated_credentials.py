# SPDX-License-Identifier: Apache-2.0
"""Credentials, readers and times, the same for the same seed: most of them sound and near the limits of their times.

Some are broken in one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from access.decision import Files, GroupSchedule, Reader, minute_of
from access.oss import UNSET, Data, Day, Door, Info, SecureIdentifier, blacklist_file, extension_file, minute

OWN_DOOR, OWN_SITE = 7, 3
NAMES = ("CRED000001", "CRED000002", "EVIL", "A")

DATES = [
    datetime(year, month, day)
    for year in (2026, 2027, 2028)
    for month, day in ((1, 1), (2, 28), (3, 1), (6, 5), (10, 26), (12, 30), (12, 31))
] + [datetime(2028, 2, 29), datetime(2100, 3, 1), datetime(2100, 12, 31)]


@dataclass(frozen=True)
class Case:
    """One decision."""

    files: Files
    reader: Reader
    now: datetime | None
    pushed: bool
    """Whether a backend has pushed the groups."""


class Generator:
    """Cases from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.now = DATES[0]

    def chance(self, percent: float) -> bool:
        """Whether this time."""
        return self.random.random() * 100 < percent

    def one(self, *choices):
        """One of these."""
        return choices[self.random.randrange(len(choices))]

    def case(self) -> Case:
        """The next about a Standard Offline credential."""
        limit = self.one(0, 1, 359, 360, 361, 720, 1199, 1200, 1438, 1439, self.random.randrange(1440))
        self.now = self.random.choice(DATES) + timedelta(minutes=limit, seconds=self.one(0, 0, 1, 59))
        intervention = self.chance(8)
        announced = self.chance(60)
        info = Info(
            self.one(NAMES[0], NAMES[0], NAMES[0], *NAMES),
            major=2 if self.chance(2) else self.one(0, 1),
            kind=self.one(2, 0x80, 0x81) if self.chance(2) else int(intervention),
            blacklist=self.one(16, 16, 16, 1),
        ).octets()
        data = self._data(intervention, announced)
        carried = self._blacklist()
        extensions = self._extensions() if announced else self.one(b"", b"\0\2", b"\0\2", b"\0\2\0", b"\0")
        if intervention and self.chance(20):
            data = b""
        parts = [info, data, carried, extensions]
        if self.chance(12):
            parts = self._broken(parts)
        return Case(Files(*parts), self._reader(), None if self.chance(2) else self.now, self.chance(50))

    def identifier(self) -> tuple[bytes, Reader, datetime | None]:
        """The next about a Secure Identifier."""
        info = SecureIdentifier(
            self.one(*NAMES),
            major=self.one(0, 1, 1, 1, 2),
            minor=self.one(0, 0, 9),
            kind=self.one(0, 0, 0, 0, 0, 1, 0x80),
            cut=self.one(0, 0, 0, 0, 0, self.random.randrange(14)),
        ).info()
        info += self.one(b"", b"", b"", bytes(19), b"\0", bytes(18) + b"\1")
        if self.chance(5) and info:
            info = _changed(info, self.random)
        listed = frozenset(name for name in NAMES if self.chance(50))
        blacklist = frozenset(name for name in NAMES if self.chance(20))
        return info, Reader(listed=listed, blacklist=blacklist), None if self.chance(5) else DATES[0]

    def _reader(self) -> Reader:
        groups: dict[int, tuple[GroupSchedule, ...]] = {}
        if self.chance(80):
            groups[12] = ()
        if self.chance(80):
            groups[13] = tuple(self._group_schedule() for _ in range(self.one(1, 1, 2, 4)))
        revoked = self.one((), ("EVIL",), ("EVIL", "CRED000002"), ("CRED000001",)) if self.chance(40) else ()
        blacklist = frozenset(revoked)
        return Reader(
            self.one(*[OWN_SITE] * 15, 4, 256 + OWN_SITE),
            OWN_DOOR,
            groups,
            self.chance(80),
            self.chance(85),
            self.chance(40),
            blacklist=blacklist,
            capacity=len(blacklist) + self.one(0, 1) if self.chance(10) else 64,
        )

    def _group_schedule(self) -> GroupSchedule:
        number = self.now.replace(year=2000).timetuple().tm_yday
        first, last = self.one(
            (1, 366), (1, 366), (number, number), (number, 366), (1, number), (max(1, number - 1),) * 2,
            (min(366, number + 1),) * 2, (60, 60), (61, 61), (366, 366), (1, 365), (360, 5), (300, 60),
        )  # fmt: skip
        start, end = self._period()
        return GroupSchedule(first, last, self._weekdays() or 1, start, end)

    def _weekdays(self) -> int:
        today = 1 << self.now.weekday()
        return self.one(0x7F, 0x7F, 0x7F, today, 0x7F & ~today, self.random.randrange(128))

    def _period(self) -> tuple[int, int]:
        """In minutes of the day; no minute is 59."""
        at = minute_of(self.now)
        choices = [
            (0, 1440), (0, 1440), (1200, 1440), (1200, 1440), (0, 360), (0, 360), (0, 720), (720, 1440),
            (at - 30, at + 45), (at, at + 10), (at - 60, at), (at - 90, at - 1), (at + 1, at + 90),
        ]  # fmt: skip
        start, end = (max(0, min(1440, edge)) for edge in self.random.choice(choices))
        start, end = start - (start % 60 == 59), end - (end % 60 == 59)
        return (start, end) if end > start and end >= 60 and start < 1440 else (480, 1020)

    def _data(self, intervention: bool, announced: bool) -> bytes:
        count = self.one(0, 1, 1, 2)
        days, periods = self.one(1, 2, 2, 4), self.one(1, 2, 4)
        schedules = tuple(
            tuple(
                Day(self._weekdays(), tuple(self._octets_of_period() for _ in range(self.random.randint(0, periods))))
                for _ in range(days)
            )
            for _ in range(count)
        )
        at = self.now.replace(second=0)
        end = self.one(
            *[minute(2190, 12, 31, 23, 59)] * 8, *[_packed(at + timedelta(minutes=more)) for more in (-1, 0, 0, 1)]
        )
        if self.chance(30 if intervention else 2):
            end = UNSET
        doors = tuple(self._door(count) for _ in range(self.one(0, 1, 1, 1, 2, 2, 3, 4)))
        site = 0 if self.chance(1) else OWN_SITE
        return Data(end, site, doors, schedules, announced, days, periods).octets()

    def _octets_of_period(self) -> tuple[int, int, int, int]:
        if self.chance(4):
            return 0, 0, 0, 0
        start, end = self._period()
        return *divmod(start, 60), *divmod(end, 60)

    def _door(self, schedules: int) -> Door:
        number, is_door = self.one(
            (OWN_DOOR, True), (OWN_DOOR, True), (OWN_DOOR, True), (8, True), (0, True), (0, False), (0, False),
            (12, False), (13, False), (13, False), (14, False), (OWN_DOOR, False), (12, True),
        )  # fmt: skip
        schedule = schedules + 1 if self.chance(2) else self.random.randint(0, schedules)
        return Door(number, schedule, is_door, self.chance(20), self.chance(25))

    def _blacklist(self) -> bytes:
        if self.chance(25):
            return self.one(b"", b"\0", bytes(3))
        names = self.random.sample(["EVIL", "CRED000001", "X1", "X2", "X3"], self.random.randint(1, 3))
        ends = (UNSET, minute(2190, 1, 1, 0, 2), _packed(self.now), _packed(self.now - timedelta(minutes=1)))
        return blacklist_file([(name, self.one(*ends)) for name in names]) + self.one(b"", b"", bytes(2))

    def _extensions(self) -> bytes:
        starts = [_packed(self.now + timedelta(minutes=more)) for more in (-1, 0, 0, 1)]
        start = self.one(None, *starts, minute(2020, 1, 1), UNSET)
        file = extension_file(start)
        if not self.chance(25):
            return file
        features = self.one(
            b"\5\0", b"\x81\xff\2ab", b"\x82\1\0\1a", b"\5\x81\1a", b"\5\x82\0\1a", b"\1\5abcde", b"\1\0",
            b"\0\0", b"\x81\0\0", b"\x82\0\0\0", b"\x80\0", b"\x83\0", b"\5\x80", b"\5\x83", b"\5\x41",
            b"\5\x82\1\0", b"\5\1", b"\5", b"\x81", b"\x82\1", b"\5\x81", b"\5\x82\0", b"\5\0" * 7, b"\5\0" * 8,
            b"\1\6" + minute(2023, 12, 1)[:2] + b"\x13\1\0\0", b"\1\6" + starts[0],
        )  # fmt: skip
        body = file[2:] + features if self.chance(70) else features + file[2:]
        return (len(body) + 2).to_bytes(2, "big") + body[:30]

    def _broken(self, parts: list[bytes]) -> list[bytes]:
        """One of the files, cut, longer, or changed in one octet."""
        index = self.random.randrange(4)
        part = parts[index]
        broken = self.one(
            part[: self.random.randrange(len(part) + 1)],
            part + self.one(b"\0", b"\1", bytes(5), bytes(17)),
            _changed(part, self.random) if part else part,
        )
        limits = 32, 291, 257, 32
        return [*parts[:index], broken[: limits[index]], *parts[index + 1 :]]


def _changed(octets: bytes, random: Random) -> bytes:
    at = random.randrange(len(octets))
    return octets[:at] + bytes((random.randrange(256),)) + octets[at + 1 :]


def _packed(time: datetime) -> bytes:
    return minute(time.year, time.month, time.day, time.hour, time.minute)
