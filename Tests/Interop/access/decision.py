# SPDX-License-Identifier: Apache-2.0
"""The decision about OSS credentials, from the published facts (access protocol, 7.1).

Where these leave it open, it is what docs/protocol/access-profile.md says (§7). The calendar is Python's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from access import reading
from access.reading import Data, Unreadable


@dataclass(frozen=True)
class GroupSchedule:
    """A group's own schedule: days of the year, weekdays as bits from Monday, minutes of the day, all ends included."""

    first: int
    last: int
    weekdays: int
    start: int
    end: int

    def covers(self, now: datetime) -> bool:
        """Whether it covers the time, to the minute."""
        # Each year has the numbers of a leap year.
        day = now.replace(year=2000).timetuple().tm_yday
        in_year = self.first <= day <= self.last if self.first <= self.last else day >= self.first or day <= self.last
        return in_year and self.weekdays >> now.weekday() & 1 == 1 and self.start <= minute_of(now) <= self.end


@dataclass(frozen=True)
class Reader:
    """The reader's side of a decision."""

    site: int = 1
    door: int = 1
    groups: dict[int, tuple[GroupSchedule, ...]] = field(default_factory=dict)
    master_group: bool = True
    intervention_media: bool = False
    held_open: bool = False
    listed: frozenset[str] = frozenset()
    """Secure Identifiers that open."""
    blacklist: frozenset[str] = frozenset()
    capacity: int = 1600
    """The room of the blacklist."""


@dataclass(frozen=True)
class Files:
    """The files of a Standard Offline credential."""

    info: bytes
    data: bytes
    blacklist: bytes
    extensions: bytes


@dataclass
class Verdict:
    """The outcome: a status, or a result with status 0."""

    status: int = 0
    granted: bool = False
    kind: int = 1
    mismatch: bool = False
    end: tuple[int, ...] = (0, 0, 0, 0, 0)
    """The end of the schedule, year to minute."""
    events: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    """Credentials that are refused from this time."""


def minute_of(now: datetime) -> int:
    """The minute of the day."""
    return now.hour * 60 + now.minute


def fields(now: datetime) -> tuple[int, ...]:
    """Year to second."""
    return now.year, now.month, now.day, now.hour, now.minute, now.second


def decide(files: Files, reader: Reader, now: datetime | None) -> Verdict:
    """The decision about a Standard Offline credential at a local time, None while the clock is not set."""
    try:
        verdict = _steps(files, reading.info(files.info), reader, now)
    except Unreadable as fault:
        return Verdict(fault.status, events=[f"15/{fault.status}"])
    _take_over(files, reader, now, verdict)
    return verdict


def decide_identifier(info: bytes, reader: Reader, now: datetime | None) -> Verdict:
    """The decision about a Secure Identifier, the reader's own."""
    try:
        name = reading.identifier(info)
    except Unreadable as fault:
        return Verdict(fault.status, events=[f"15/{fault.status}"])
    if now is None:
        return Verdict(kind=6)
    if name in reader.blacklist:
        return Verdict(kind=8, events=["8/0", "11/130"])
    if name not in reader.listed:
        return Verdict(kind=6, events=["11/128"])
    return Verdict(granted=True, events=["10/2"])


def _steps(files: Files, name: str, reader: Reader, now: datetime | None) -> Verdict:
    """Steps 2 to 8."""
    kind = files.info[2]
    if kind not in (0, 1) or (kind == 1 and not reader.intervention_media):
        raise Unreadable(-231)
    if kind == 1 and name in reader.blacklist:
        return Verdict(kind=8, events=["8/0"])
    if now is None:
        return Verdict(kind=6)
    if kind == 1:
        return _intervention(files, reader, now)
    data = Data(files.data)
    if data.site != reader.site:
        return Verdict(kind=6, events=["11/128"])
    if name in reader.blacklist:
        return Verdict(kind=8, events=["8/0", "11/130"])
    begun = _has_begun(files, data.announces_extensions, now)
    if not begun or data.end is None or fields(now) > (*data.end, 0):
        return Verdict(kind=7, events=["11/131"])
    data.check()
    return _doors(data, reader, now)


def _intervention(files: Files, reader: Reader, now: datetime) -> Verdict:
    """Step 3, with the profile's own checks."""
    announced = ended = False
    if files.data:
        data = Data(files.data)
        data.check()
        if data.site != reader.site:
            return Verdict(kind=6, events=["11/128"])
        announced = data.announces_extensions
        ended = data.end is not None and fields(now) > (*data.end, 0)
    if not _has_begun(files, announced, now) or ended:
        return Verdict(kind=7, events=["11/131"])
    return Verdict(granted=True, events=["10/2"])


def _has_begun(files: Files, announced: bool, now: datetime) -> bool:
    """Step 7, the start of the validity."""
    reading.check_blacklist(files.blacklist)
    if not announced:
        return files.extensions in (b"", b"\0\2")
    starts = [value for tag, value in list(reading.features(files.extensions)) if tag == 1]
    return all(_is_past(value, now) for value in starts)


def _is_past(start: bytes, now: datetime) -> bool:
    try:
        time = reading.timestamp(start) if len(start) == 6 else (9999,)
    except Unreadable:
        return False
    return time is None or (*time, 0) <= fields(now)


def _doors(data: Data, reader: Reader, now: datetime) -> Verdict:
    """Step 8."""
    named = False
    kinds: list[int] = []
    ends: list[datetime] = []
    for entry in data.entries():
        if entry.is_door:
            schedules = () if entry.number == reader.door else None
        elif entry.number == 0:
            schedules = () if reader.master_group else None
        else:
            schedules = reader.groups.get(entry.number)
        if schedules is None:
            continue
        named = True
        if schedules and not any(schedule.covers(now) for schedule in schedules):
            continue
        if entry.schedule:
            end = _schedule_end(data, entry.schedule, now)
            if end is None:
                continue
            ends.append(end)
        kinds.append(entry.kind)
    if not named:
        return Verdict(events=["11/128"])
    if not kinds:
        return Verdict(mismatch=True, events=["11/132"])
    kind = max(kinds)
    verdict = Verdict(granted=True, kind=kind)
    verdict.events = [{1: "10/2", 2: "10/3", 4: "10/5" if reader.held_open else "10/4"}[kind]]
    # An entry without a schedule hides no end, and a group's own schedules have none to tell.
    if ends:
        verdict.end = fields(max(ends))[:5]
    return verdict


def _schedule_end(data: Data, schedule: int, now: datetime) -> datetime | None:
    """When the schedule that covers the time ends; None if it does not cover it."""
    ends = [end for start, end in data.on(schedule, now.weekday()) if start <= minute_of(now) <= end]
    if not ends:
        return None
    end = now.replace(hour=0, minute=0, second=0) + timedelta(minutes=max(ends))
    # A period to 24:00 continues in one of the next weekday from 00:00, for a week at most.
    for _ in range(7):
        later = [to for start, to in data.on(schedule, end.weekday()) if start == 0] if minute_of(end) == 0 else []
        if not later:
            break
        end += timedelta(minutes=max(later))
    return end


def _take_over(files: Files, reader: Reader, now: datetime | None, verdict: Verdict) -> None:
    """Step 9: the carried blacklist, all of it or, if it cannot be read, nothing."""
    try:
        if files.blacklist[:1] > files.info[14:15]:
            return
        carried = reading.blacklist(files.blacklist)
    except Unreadable:
        return
    refused = set(reader.blacklist)
    full = False
    for name, end in carried:
        # An entry's last minute belongs to it.
        is_over = now is not None and end is not None and (*end, 59) < fields(now)
        if is_over or name in refused:
            continue
        if len(refused) >= reader.capacity:
            full = True
        else:
            refused.add(name)
            verdict.added.append(name)
    if full:
        verdict.events.append("9/0")
