# SPDX-License-Identifier: Apache-2.0
"""The files of OSS credentials, read from octets as the published facts have them (access protocol, 7).

Where these leave it open, it is what docs/protocol/access-profile.md says (§7).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

DAY_MINUTES = 24 * 60
MOST_FEATURES, MOST_VALUE = 8, 64
"""Limits of an extension file."""
ROOM_FOR_EXTENSIONS = 2 + MOST_FEATURES * (3 + 3 + MOST_VALUE)

Minute = tuple[int, ...]
"""Year, month, day, hour, minute. Compared by fields: the day is not checked."""


class Unreadable(Exception):
    """A file that cannot be read: the status of the answer."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def name(octets: bytes) -> str:
    """A credential's name: ten octets, the characters last."""
    characters = octets.lstrip(b"\0")
    if not characters or 0 in characters or max(characters) > 0x7F:
        raise Unreadable(-200)
    return characters.decode()


def timestamp(octets: bytes) -> Minute | None:
    """Six octets of decimals; None for all zeros."""
    if not any(octets):
        return None
    century, years, month, day, hour, minute = (_decimal(octet, -233) for octet in octets)
    if not 1 <= month <= 12 or hour > 23 or minute > 59:
        raise Unreadable(-233)
    return century * 100 + years, month, day, hour, minute


def _decimal(octet: int, status: int) -> int:
    if octet >> 4 > 9 or octet & 15 > 9:
        raise Unreadable(status)
    return (octet >> 4) * 10 + (octet & 15)


def info(octets: bytes) -> str:
    """The name in the info file of a Standard Offline credential."""
    return _info(octets, too_new=-230, length=15)


def identifier(octets: bytes) -> str:
    """The name in the info file of a Secure Identifier."""
    found = _info(octets, too_new=-280, length=13)
    if octets[2] != 0:
        raise Unreadable(-281)
    return found


def _info(octets: bytes, too_new: int, length: int) -> str:
    if octets and octets[0] > 1:
        raise Unreadable(too_new)
    if len(octets) < 13:
        raise Unreadable(-6)
    found = name(octets[3:13])
    if len(octets) < length:
        raise Unreadable(-6)
    # Cards fill a file up with zeros.
    if len(octets) not in (length, 32) or any(octets[length:]):
        raise Unreadable(-32)
    return found


@dataclass(frozen=True)
class Entry:
    """A door or a group."""

    number: int
    is_door: bool
    schedule: int
    kind: int
    """Of access: 4 toggle, 2 extended, 1 default."""


class Data:
    """A data file, whose header is read at once."""

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        if len(octets) < 6:
            raise Unreadable(-6)
        self.end = timestamp(octets[:6])
        if len(octets) < 16:
            raise Unreadable(-6)
        self.site = int.from_bytes(octets[6:8], "big")
        if self.site == 0:
            raise Unreadable(-235)
        shape = octets[9]
        self.schedules, self.days, self.periods = shape >> 4, (shape >> 2 & 3) + 1, (shape & 3) + 1
        self.count = octets[10]
        self.announces_extensions = octets[11] & 1 == 1

    def check(self) -> None:
        """Reads all that follows the header."""
        length = self._day(self.schedules, 0)
        if len(self.octets) < length:
            raise Unreadable(-6)
        if any(self._entry(index).schedule > self.schedules for index in range(self.count)):
            raise Unreadable(-237)
        for schedule in range(self.schedules):
            for day in range(self.days):
                list(self._periods(schedule, day))
        if any(self.octets[length:]):
            raise Unreadable(-32)

    def entries(self) -> Iterator[Entry]:
        """The entries before door 0, which ends the list."""
        for index in range(self.count):
            entry = self._entry(index)
            if entry.is_door and entry.number == 0:
                return
            yield entry

    def on(self, schedule: int, weekday: int) -> Iterator[tuple[int, int]]:
        """The periods of a schedule (1 is the first) on a weekday (0 Monday), in minutes of the day."""
        for day in range(self.days):
            if self.octets[self._day(schedule - 1, day)] >> weekday & 1:
                yield from self._periods(schedule - 1, day)

    def _entry(self, index: int) -> Entry:
        at = 16 + 3 * index
        flags = self.octets[at + 2]
        kind = 4 if flags & 4 else 2 if flags & 2 else 1
        return Entry(int.from_bytes(self.octets[at : at + 2], "big"), flags & 8 != 0, flags >> 4, kind)

    def _day(self, schedule: int, day: int) -> int:
        return 16 + 3 * self.count + (schedule * self.days + day) * (1 + 4 * self.periods)

    def _periods(self, schedule: int, day: int) -> Iterator[tuple[int, int]]:
        at = self._day(schedule, day) + 1
        for start in range(at, at + 4 * self.periods, 4):
            octets = self.octets[start : start + 4]
            if not any(octets):
                return
            from_hour, from_minute, to_hour, to_minute = (_decimal(octet, -234) for octet in octets)
            first, last = from_hour * 60 + from_minute, to_hour * 60 + to_minute
            # Minute 59 is refused, as published.
            if from_hour > 23 or not 1 <= to_hour <= 24 or max(from_minute, to_minute) > 58:
                raise Unreadable(-234)
            if last > DAY_MINUTES or last <= first:
                raise Unreadable(-234)
            yield first, last


def blacklist(octets: bytes) -> list[tuple[str, Minute | None]]:
    """The entries of a blacklist file; None is for ever."""
    check_blacklist(octets)
    starts = range(1, 1 + 16 * octets[0], 16) if octets else ()
    return [(name(octets[at : at + 10]), timestamp(octets[at + 10 : at + 16])) for at in starts]


def check_blacklist(octets: bytes) -> None:
    """Requires the length that the count implies."""
    if not octets:
        return
    length = 1 + 16 * octets[0]
    if len(octets) < length:
        raise Unreadable(-6)
    if any(octets[length:]):
        raise Unreadable(-32)


def features(octets: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and value of each feature of an extension file."""
    if len(octets) < 2:
        raise Unreadable(-6)
    size = int.from_bytes(octets[:2], "big")
    if size > ROOM_FOR_EXTENSIONS:
        raise Unreadable(-243)
    if size < 2:
        raise Unreadable(-244)
    if size > len(octets):
        raise Unreadable(-6)
    if any(octets[size:]):
        raise Unreadable(-244)
    at = 2
    count = 0
    while at < size:
        count += 1
        if count > MOST_FEATURES:
            raise Unreadable(-245)
        tag, at = _number(octets[:size], at, -248)
        if tag == 0:
            raise Unreadable(-248)
        length, at = _number(octets[:size], at, -247)
        if length > MOST_VALUE:
            raise Unreadable(-246)
        if at + length > size:
            raise Unreadable(-7)
        yield tag, octets[at : at + length]
        at += length


def _number(octets: bytes, at: int, invalid: int) -> tuple[int, int]:
    """A number of one to three octets, and where the next begins."""
    if at >= len(octets):
        raise Unreadable(-7)
    if octets[at] <= 0x7F:
        return octets[at], at + 1
    if octets[at] not in (0x81, 0x82):
        raise Unreadable(invalid)
    end = at + 1 + (octets[at] & 3)
    if end > len(octets):
        raise Unreadable(-7)
    return int.from_bytes(octets[at + 1 : end], "big"), end
