# SPDX-License-Identifier: Apache-2.0
"""OSS credentials: their files, the tokens that carry them, and what a reader answers.

Standard Offline (OSS-SO) says which doors open when; a Secure Identifier (OSS-SID) has a name and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from access import identity
from access.tokens import Timestamp, sign
from access.wire import delimited, message, read, read_delimited, required

UNSET = bytes(6)
"""The timestamp of which all octets are zero."""

DEFAULT, EXTENDED, TOGGLE, NO_ACCESS, NO_ACCESS_VALIDITY, NO_ACCESS_BLACKLISTED = 1, 2, 4, 6, 7, 8
"""Access types of a result."""

LOCKED, UNLOCKED = 2, 3
"""States of the lock, in a result's access information."""

MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = (1 << day for day in range(7))

_EVENT_IDS = 12
"""`supportedEventIds` has an octet for each event of the standard."""


def decimal(number: int) -> int:
    """Two decimal digits in one octet."""
    return number // 10 << 4 | number % 10


def minute(year: int, month: int, day: int, hour: int = 0, minutes: int = 0) -> bytes:
    """A timestamp of six octets, packed decimal."""
    return bytes(map(decimal, (year // 100, year % 100, month, day, hour, minutes)))


def name(credential: str) -> bytes:
    """A credential's name in ten octets: the characters last, zeros before them."""
    return credential.encode().rjust(10, b"\0")


@dataclass(frozen=True)
class Info:
    """The info file of an OSS-SO credential, 15 octets; `kind` is 1 for an intervention medium."""

    credential: str = "CRED000001"
    major: int = 1
    minor: int = 1
    kind: int = 0
    events: int = 0
    blacklist: int = 16

    def octets(self) -> bytes:
        """The file."""
        return bytes((self.major, self.minor, self.kind)) + name(self.credential) + bytes((self.events, self.blacklist))


@dataclass(frozen=True)
class Door:
    """An entry of the data file: a door, or a group of doors. Schedule 0 is always.

    Group 0 is the master group, every door of the site; door 0 ends the list.
    """

    number: int
    schedule: int = 0
    is_door: bool = True
    toggle: bool = False
    extended: bool = False

    def octets(self) -> bytes:
        """Three octets."""
        flags = self.schedule << 4 | self.is_door << 3 | self.toggle << 2 | self.extended << 1
        return self.number.to_bytes(2, "big") + bytes((flags,))


@dataclass(frozen=True)
class Day:
    """Weekdays, as bits, and the parts of the day: hours and minutes from and to."""

    weekdays: int
    periods: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class Data:
    """The data file: until when, where, which doors, and their schedules."""

    end: bytes = minute(2090, 12, 31, 23, 58)
    site: int = 1
    doors: tuple[Door, ...] = (Door(1),)
    schedules: tuple[tuple[Day, ...], ...] = ()
    has_extensions: bool = True
    days: int = 4
    periods: int = 4
    room: int = 0
    """The minimum number of schedules with room."""

    def octets(self) -> bytes:
        """The file: header, doors, schedules."""
        count = max(len(self.schedules), self.room)
        shape = count << 4 | (self.days - 1) << 2 | (self.periods - 1)
        header = self.end + self.site.to_bytes(2, "big")
        header += bytes((0, shape, len(self.doors), self.has_extensions)) + bytes(4)
        schedules = b"".join(map(self._schedule, self.schedules))
        empty = bytes((count - len(self.schedules)) * self.days * (1 + 4 * self.periods))
        return header + b"".join(door.octets() for door in self.doors) + schedules + empty

    def _schedule(self, days: Sequence[Day]) -> bytes:
        octets = b""
        for day in days:
            periods = b"".join(bytes(map(decimal, period)) for period in day.periods)
            octets += bytes((day.weekdays,)) + periods.ljust(4 * self.periods, b"\0")
        return octets.ljust(self.days * (1 + 4 * self.periods), b"\0")


def blacklist_file(entries: Sequence[tuple[str, bytes]]) -> bytes:
    """A count, and each name with the time through which it is refused."""
    return bytes((len(entries),)) + b"".join(name(credential) + until for credential, until in entries)


def extension_file(start: bytes | None) -> bytes:
    """The size, itself included, and the start of the validity with tag and length.

    Without a start it is the header alone, which the access system's client writes although nothing announces it.
    """
    features = b"" if start is None else b"\x01\x06" + start
    return (2 + len(features)).to_bytes(2, "big") + features


@dataclass(frozen=True)
class StandardOffline:
    """The four files as a phone carries them, and what it asks for, which is not signed."""

    info: bytes = Info().octets()
    data: bytes = Data().octets()
    blacklist: bytes = blacklist_file(())
    extensions: bytes = extension_file(minute(2023, 1, 1))
    requested_events: int | None = None
    supported_events: Sequence[int] | None = None

    def signed(self) -> bytes:
        """The octets that the signature covers."""
        return self.info + self.data + self.blacklist + self.extensions

    def body(self) -> bytes:
        """OssSoMobile."""
        fields = list(enumerate((self.info, self.data, self.blacklist, self.extensions), start=1))
        if self.requested_events is not None:
            fields.append((5, self.requested_events))
        if self.supported_events is not None:
            known = bytes(number in self.supported_events for number in range(1, _EVENT_IDS + 1))
            fields.append((6, known))
        return message(*fields)

    def token(self, signature: bytes | None = None) -> bytes:
        """SPToken, signed by the demo backend unless a signature is given."""
        if signature is None:
            signature = sign(identity.SIGNATURE_PRIVATE, self.signed())
        return message((1, signature), (3, self.body()))

    def changed(self, **parts: bytes) -> StandardOffline:
        """The same with other files."""
        return replace(self, **parts)


@dataclass(frozen=True)
class SecureIdentifier:
    """The info file of an OSS-SID credential: 13 octets, with no other file."""

    credential: str = "CRED000001"
    major: int = 1
    minor: int = 0
    kind: int = 0
    cut: int = 0
    """Octets that are missing at the end."""

    def info(self) -> bytes:
        """The file, and what the signature covers."""
        octets = bytes((self.major, self.minor, self.kind)) + name(self.credential)
        return octets[: len(octets) - self.cut]

    def token(self, signature: bytes | None = None) -> bytes:
        """SPToken, signed by the demo backend unless a signature is given."""
        if signature is None:
            signature = sign(identity.SIGNATURE_PRIVATE, self.info())
        return message((1, signature), (4, message((1, self.info()))))


@dataclass(frozen=True)
class AccessResult:
    """The decision."""

    granted: bool
    access_type: int
    access_info: int = 0
    end: Timestamp = field(default_factory=lambda: Timestamp(0, 0, 0))
    mismatch: bool = False

    def body(self) -> bytes:
        """OssAccessResult."""
        return message(
            (1, int(self.granted)),
            (2, self.access_type),
            (3, self.access_info),
            (4, self.end.body()),
            (5, int(self.mismatch)),
        )

    @staticmethod
    def of(body: bytes) -> AccessResult:
        """From OssAccessResult; every field must be there."""
        fields = read(body)
        granted, kind, info, mismatch = (required(fields, number, int) for number in (1, 2, 3, 5))
        return AccessResult(bool(granted), kind, info, timestamp(required(fields, 4, bytes)), bool(mismatch))

    @staticmethod
    def decode(data: bytes) -> AccessResult:
        """From the result of an OSS-SID credential."""
        return AccessResult.of(read_delimited(data))


@dataclass(frozen=True)
class Event:
    """One event of the reader's log, as phones read it."""

    number: int
    time: Timestamp
    event: int
    info: int
    credential: str | None
    command: str | None

    @staticmethod
    def of(body: bytes) -> Event:
        """From Event."""
        fields = read(body)
        credential = required(read(required(fields, 5, bytes)), 1, bytes).decode() if 5 in fields else None
        return Event(
            required(fields, 1, int),
            timestamp(required(fields, 2, bytes)),
            required(fields, 3, int),
            _signed(required(fields, 4, int)),
            credential,
            required(fields, 6, bytes).decode() if 6 in fields else None,
        )

    @property
    def text(self) -> str:
        """Event and information, as `11/128`."""
        return f"{self.event}/{self.info}"


@dataclass(frozen=True)
class AccessEventsResult:
    """The result of an OSS-SO credential: what was decided, and events to take along."""

    access: AccessResult
    events: tuple[Event, ...] = ()

    @staticmethod
    def decode(data: bytes) -> AccessEventsResult:
        """From the delimited message."""
        fields = read(read_delimited(data))
        return AccessEventsResult(
            AccessResult.of(required(fields, 1, bytes)), tuple(Event.of(body) for body in fields.get(2, []))
        )

    def octets(self) -> bytes:
        """The delimited message, for a result without events."""
        assert not self.events
        return delimited(message((1, self.access.body())))


def event_query(first: int, count: int = 40) -> bytes:
    """The data of EV_QUERY: events from number `first` on."""
    return delimited(message((1, count), (2, first)))


def events(data: bytes) -> list[Event]:
    """The result of EV_QUERY."""
    return [Event.of(body) for body in read(read_delimited(data)).get(1, [])]


def timestamp(body: bytes) -> Timestamp:
    """From LocalTimestamp."""
    fields = read(body)
    return Timestamp(*(required(fields, number, int) for number in range(1, 7)))


def _signed(value: int) -> int:
    """A number of 64 bits that came as a varint, with its sign."""
    return value - (1 << 64) if value >= 1 << 63 else value
