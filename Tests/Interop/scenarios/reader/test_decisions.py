# SPDX-License-Identifier: Apache-2.0
"""The decision on a credential, row by row: the published protocol's decision table, in its order, over one link.

A row that a step turns away is wrong for every later step as well, so that the order shows. The reader's clock is the
test's: Wednesday, 5 June 2030, and a phone sets it on. Results are compared octet for octet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from access.oss import (
    DEFAULT,
    EXTENDED,
    FRIDAY,
    LOCKED,
    MONDAY,
    NO_ACCESS,
    NO_ACCESS_BLACKLISTED,
    NO_ACCESS_VALIDITY,
    SUNDAY,
    THURSDAY,
    TOGGLE,
    UNLOCKED,
    UNSET,
    WEDNESDAY,
    AccessEventsResult,
    AccessResult,
    Data,
    Day,
    Door,
    Info,
    SecureIdentifier,
    StandardOffline,
    blacklist_file,
    extension_file,
    minute,
)
from access.status import Status
from access.tokens import Command, Timestamp, command_token
from access.wire import delimited, message
from rig import clock, reader
from rig.asking import ask
from rig.bench import Bench
from rig.phone import Link, Refused
from rig.rows import UNGATED, Log, Played, outcomes, ping, play, stored

NOON = datetime(2030, 6, 5, 12, tzinfo=UTC)

BANNED = "BANNED0001"
"""On the blacklist from the start."""

CAPACITY = 16
"""Of the blacklist: as many as one credential carries."""

LISTED = "SID0000001"
"""The one Secure Identifier that opens."""

SETTINGS = {
    **UNGATED,
    # Every row counts; and a pulse lasts until the phone ends it.
    "door": {"re-arm-ms": 0, "pulse-s": 300},
    "credentials": {
        "groups": ["7", "12 mon-fri 08:00-18:00", "13 sat,sun 00:00-24:00"],
        "sid-allow": [LISTED],
        "blacklist-capacity": CAPACITY,
        "intervention-media": True,
    },
}


@dataclass(frozen=True)
class Decision:
    """A phone's credential, and the outcome according to the table."""

    token: bytes
    expected: AccessResult | Status
    events: list[str] = field(default_factory=list)
    """`event/information` of what is recorded."""
    at: Timestamp | None = None
    """The reader's clock, set before."""
    is_bare: bool = False
    """The result is an OSS-SID credential's."""
    stays: bool = False
    """The door is left unchanged for the next row."""


def at(hours: int, minutes: int, day: int = 5, seconds: int = 0) -> Timestamp:
    return Timestamp(2030, 6, day, hours, minutes, seconds)


def packed(time: Timestamp) -> bytes:
    return minute(time.year, time.month, time.day, time.hours, time.minutes)


PAST = minute(2030, 6, 5, 11, 59)
LATER = minute(2030, 12, 31, 23, 58)
ELSEWHERE = (Door(2),)


def so(
    *doors: Door,
    info: Info | bytes | None = None,
    schedules: tuple[tuple[Day, ...], ...] = (),
    end: bytes = LATER,
    site: int = 1,
    start: bytes | None = minute(2023, 1, 1),
    blacklist: tuple[tuple[str, bytes], ...] | bytes = (),
    **files: bytes,
) -> bytes:
    """A token with an OSS-SO credential, for this reader's door unless `doors` say otherwise."""
    data = Data(end, site, doors or (Door(1),), schedules, has_extensions=True)
    info = info or Info()
    made = {
        "info": info if isinstance(info, bytes) else info.octets(),
        "data": data.octets(),
        "blacklist": blacklist if isinstance(blacklist, bytes) else blacklist_file(blacklist),
        "extensions": extension_file(start),
    }
    return StandardOffline(**{**made, **files}).token()


def day(weekdays: int, *periods: tuple[int, int, int, int]) -> tuple[Day, ...]:
    """A schedule of one day."""
    return (Day(weekdays, periods),)


def data(**parts) -> bytes:
    return Data(**{"end": LATER, **parts}).octets()


def with_octet(octets: bytes, offset: int, value: int) -> bytes:
    return octets[:offset] + bytes((value,)) + octets[offset + 1 :]


def granted(kind: int = DEFAULT, lock: int = UNLOCKED, end: Timestamp | None = None) -> AccessResult:
    return AccessResult(True, kind, lock, end or Timestamp(0, 0, 0))


def denied(kind: int, mismatch: bool = False) -> AccessResult:
    return AccessResult(False, kind, mismatch=mismatch)


def opened(token: bytes, **more) -> Decision:
    return Decision(token, granted(), ["10/2"], **more)


OTHER_DOOR = (denied(DEFAULT), ["11/128"])
OUTSIDE = (denied(DEFAULT, mismatch=True), ["11/132"])
INVALID = (denied(NO_ACCESS_VALIDITY), ["11/131"])
REFUSED = (denied(NO_ACCESS_BLACKLISTED), ["8/0", "11/130"])

WORKING = (9, 0, 17, 30)

STEPS = {
    # 1: info major > 1
    "1: info major > 1": Decision(
        so(info=Info(BANNED, major=2, kind=0x81), site=2), Status.SO_MAJOR_VERSION, ["15/-230"]
    ),
    "1: no higher than 1, whatever the minor": opened(so(info=Info(major=0, minor=9))),
    # 2: proprietary type, which this reader does not know how to continue with
    "2: proprietary type": Decision(
        so(info=Info(BANNED, kind=0x80), site=2, end=PAST), Status.SO_CREDENTIAL_TYPE, ["15/-231"]
    ),
    "2: proprietary type with the bit of intervention media": Decision(
        so(info=Info(kind=0x81)), Status.SO_CREDENTIAL_TYPE, ["15/-231"]
    ),
    "2: a type of the standard that is not there yet": Decision(
        so(info=Info(kind=0x02)), Status.SO_CREDENTIAL_TYPE, ["15/-231"]
    ),
    # 3: intervention media
    "3: intervention media and blacklisted": Decision(
        so(*ELSEWHERE, info=Info(BANNED, kind=1), site=2), denied(NO_ACCESS_BLACKLISTED), ["8/0"]
    ),
    "3: intervention media otherwise": opened(so(*ELSEWHERE, info=Info(kind=1))),
    "3: intervention media without an end": opened(so(info=Info(kind=1), end=UNSET)),
    "3: intervention media without a data file": opened(so(info=Info(kind=1), data=b"", extensions=b"\0\2")),
    # Rules stricter than the published ones
    "3: intervention media of another site": Decision(so(info=Info(kind=1), site=2), denied(NO_ACCESS), ["11/128"]),
    "3: intervention media that have ended": Decision(so(info=Info(kind=1), end=PAST), *INVALID),
    "3: intervention media that have not begun": Decision(so(info=Info(kind=1), start=minute(2030, 6, 6)), *INVALID),
    "3: intervention media whose data file is cut": Decision(
        so(info=Info(kind=1), data=data()[:15]), Status.END_OF_FILE, ["15/-6"]
    ),
    # 5: site id differs
    "5: site id differs": Decision(so(*ELSEWHERE, info=Info(BANNED), site=2, end=PAST), denied(NO_ACCESS), ["11/128"]),
    "5: site id differs in its high octet": Decision(so(site=257), denied(NO_ACCESS), ["11/128"]),
    # 6: blacklisted
    "6: blacklisted": Decision(so(*ELSEWHERE, info=Info(BANNED), end=PAST), *REFUSED),
    "6: blacklisted, for commands too": Decision(
        command_token(Command("PING", credential=BANNED)), Status.VALIDITY, ["14/-13"]
    ),
    # 7: start extension unreadable or in the future, or validity end < now (all-zero end counts as past)
    "7: validity end < now": Decision(so(*ELSEWHERE, end=PAST), *INVALID),
    "7: all-zero end": Decision(so(*ELSEWHERE, end=UNSET), *INVALID),
    "7: start in the future": Decision(so(*ELSEWHERE, start=minute(2030, 6, 6)), *INVALID),
    "7: start unreadable": Decision(so(start=minute(2023, 13, 1)), *INVALID),
    "7: start of another length": Decision(so(extensions=b"\0\x09\1\5" + minute(2023, 1, 1)[:5]), *INVALID),
    "7: a feature with tag 0": Decision(
        so(extensions=b"\0\x0c\0\0\1\6" + minute(2023, 1, 1)), Status.EXTENSION_TAG, ["15/-248"]
    ),
    "7: a feature with tag 0 behind the start": Decision(
        so(extensions=b"\0\x0c\1\6" + minute(2023, 1, 1) + b"\0\0"), Status.EXTENSION_TAG, ["15/-248"]
    ),
    "7: a feature with tag 0 in three octets": Decision(
        so(extensions=b"\0\6\x82\0\0\0"), Status.EXTENSION_TAG, ["15/-248"]
    ),
    "7: a tag that begins with 0x80": Decision(so(extensions=b"\0\4\x80\0"), Status.EXTENSION_TAG, ["15/-248"]),
    "7: a length that begins with 0x80": Decision(so(extensions=b"\0\4\5\x80"), Status.EXTENSION_LENGTH, ["15/-247"]),
    "7: a value of 65 octets": Decision(so(extensions=b"\0\4\5\x41"), Status.EXTENSION_VALUE_TOO_LARGE, ["15/-246"]),
    "7: nine features": Decision(
        so(extensions=b"\0\x14" + 9 * b"\5\0"), Status.EXTENSION_TOO_MANY_FEATURES, ["15/-245"]
    ),
    "7: a value longer than the file": Decision(so(extensions=b"\0\4\5\1"), Status.OVERFLOW, ["15/-7"]),
    "7: a tag without a length": Decision(so(extensions=b"\0\3\5"), Status.OVERFLOW, ["15/-7"]),
    "7: a feature that means nothing here": opened(so(extensions=b"\0\4\5\0")),
    "7: start not announced, and there": Decision(so(data=data(has_extensions=False)), *INVALID),
    "7: start not announced, and an empty file longer than its header": Decision(
        so(data=data(has_extensions=False), extensions=b"\0\2\0"), *INVALID
    ),
    "7: all-zero start": opened(so(start=UNSET)),
    "7: no start": opened(so(start=None)),
    "7: no start, as the access system's client has it": opened(so(data=data(has_extensions=False), start=None)),
    "7: no extension file": opened(so(data=data(has_extensions=False), extensions=b"")),
    # 8: no door entry matches
    "8: no door entry matches": Decision(so(*ELSEWHERE, Door(258), Door(3, is_door=False)), *OTHER_DOOR),
    "8: no door entry": Decision(so(data=data(doors=())), *OTHER_DOOR),
    "8: the list ends at the first door 0": Decision(so(Door(0), Door(1)), *OTHER_DOOR),
    "8: the list ends at the first door 0, before the master group": Decision(
        so(Door(0), Door(0, is_door=False)), *OTHER_DOOR
    ),
    "8: outside the master group's schedule": Decision(
        so(Door(0, 1, is_door=False), schedules=(day(FRIDAY, WORKING),)), *OUTSIDE
    ),
    "8: a group with the door's number": Decision(so(Door(1, is_door=False)), *OTHER_DOOR),
    "8: a door with a group's number": Decision(so(Door(7)), *OTHER_DOOR),
    # 8: entry matches, outside its schedule or the group schedule
    "8: outside its schedule": Decision(so(Door(1, 1), schedules=(day(WEDNESDAY, (13, 0, 14, 0)),)), *OUTSIDE),
    "8: outside its schedule: another weekday": Decision(
        so(Door(1, 1), schedules=(day(0x7F & ~WEDNESDAY, WORKING),)), *OUTSIDE
    ),
    "8: outside its schedule: an all-zero period ends the day's list": Decision(
        so(Door(1, 1), schedules=(day(WEDNESDAY, (0, 0, 0, 0), WORKING),)), *OUTSIDE
    ),
    "8: outside its schedule: the door's, and not another's": Decision(
        so(Door(1, 2), schedules=(day(WEDNESDAY, WORKING), day(MONDAY, WORKING))), *OUTSIDE
    ),
    "8: outside the group schedule": Decision(so(Door(13, is_door=False)), *OUTSIDE),
    "8: within the group schedule, outside its own": Decision(
        so(Door(12, 1, is_door=False), schedules=(day(FRIDAY, WORKING),)), *OUTSIDE
    ),
    # 8: match
    "8: match, default": opened(so()),
    "8: match, extended": Decision(so(Door(1, extended=True)), granted(EXTENDED), ["10/3"]),
    "8: match, toggle": Decision(so(Door(1, toggle=True)), granted(TOGGLE), ["10/4"], stays=True),
    "8: match, toggle of a door that is held open": Decision(
        so(Door(1, toggle=True)), granted(TOGGLE, LOCKED), ["10/5"]
    ),
    "8: match by group": opened(so(Door(7, is_door=False))),
    "8: match by the master group": opened(so(Door(0, is_door=False))),
    "8: match by the master group, extended, within its schedule": Decision(
        so(Door(0, 1, is_door=False, extended=True), schedules=(day(WEDNESDAY, WORKING),)),
        granted(EXTENDED, end=at(17, 30)),
        ["10/3"],
    ),
    "8: match behind the master group, which does not end the list": Decision(
        so(Door(0, 1, is_door=False), Door(1, extended=True), schedules=(day(FRIDAY, WORKING),)),
        granted(EXTENDED),
        ["10/3"],
    ),
    "8: several matches, toggle > extended > default": Decision(
        so(Door(1), Door(1, toggle=True), Door(1, extended=True)), granted(TOGGLE), ["10/4"]
    ),
    "8: several matches, extended > default": Decision(
        so(Door(2, toggle=True), Door(1, extended=True), Door(1)), granted(EXTENDED), ["10/3"]
    ),
    "8: several matches, the highest outside its schedule": opened(
        so(Door(1, 1, toggle=True), Door(1), schedules=(day(SUNDAY, WORKING),))
    ),
    # 8: the end of the schedule
    "8: within its schedule": Decision(
        so(Door(1, 1), schedules=(day(WEDNESDAY, WORKING),)), granted(end=at(17, 30)), ["10/2"]
    ),
    "8: within its schedule's second day and second period": Decision(
        so(Door(1, 1), schedules=((Day(MONDAY, (WORKING,)), Day(WEDNESDAY, ((6, 0, 7, 0), (11, 15, 16, 45)))),)),
        granted(end=at(16, 45)),
        ["10/2"],
    ),
    "8: within the group schedule, whose end is not told": opened(so(Door(12, is_door=False))),
    "8: within both schedules, the end of its own": Decision(
        so(Door(12, 1, is_door=False), schedules=(day(WEDNESDAY, WORKING),)), granted(end=at(17, 30)), ["10/2"]
    ),
    "8: several matches, the longest end": Decision(
        so(Door(1, 1), Door(1, 2), schedules=(day(WEDNESDAY, WORKING), day(WEDNESDAY, (0, 0, 12, 58)))),
        granted(end=at(17, 30)),
        ["10/2"],
    ),
    "8: several matches, one without a schedule: the other's end": Decision(
        so(Door(1, 1), Door(1), schedules=(day(WEDNESDAY, WORKING),)), granted(end=at(17, 30)), ["10/2"]
    ),
    "8: several matches, the first without a schedule": Decision(
        so(Door(0, is_door=False), Door(1, 1), schedules=(day(WEDNESDAY, WORKING),)), granted(end=at(17, 30)), ["10/2"]
    ),
    "8: several matches, one without a schedule, and the other outside": opened(
        so(Door(1, 1), Door(1), schedules=(day(FRIDAY, WORKING),))
    ),
    # Files that cannot be read, when their step comes
    "files: credential id of zeros": Decision(
        so(info=b"\1\1\0" + bytes(10) + b"\0\x10"), Status.CREDENTIAL_ID, ["15/-200"]
    ),
    "files: a zero after a character": Decision(
        so(info=with_octet(Info().octets(), 5, 0)), Status.CREDENTIAL_ID, ["15/-200"]
    ),
    "files: info file cut": Decision(so(info=Info().octets()[:-1]), Status.END_OF_FILE, ["15/-6"]),
    "files: info file with an octet too many": Decision(so(info=Info().octets() + b"\1"), Status.DECODE, ["15/-32"]),
    "files: info file padded as on a card": opened(so(info=Info().octets() + bytes(17))),
    "files: data file cut": Decision(so(data=data()[:15]), Status.END_OF_FILE, ["15/-6"]),
    "files: month 13 in the end": Decision(so(data=with_octet(data(), 2, 0x13)), Status.SO_TIMESTAMP, ["15/-233"]),
    "files: site 0": Decision(so(site=0), Status.SO_SITE, ["15/-235"]),
    "files: a door's schedule above the schedule count": Decision(
        so(Door(1, 2), schedules=(day(WEDNESDAY, WORKING),)), Status.SO_DOOR_SCHEDULE, ["15/-237"]
    ),
    "files: the schedule of door 0 above the schedule count": Decision(
        so(Door(1), Door(0, 1)), Status.SO_DOOR_SCHEDULE, ["15/-237"]
    ),
    "files: the schedule of an entry behind door 0 above the schedule count": Decision(
        so(Door(1), Door(0), Door(2, 2), schedules=(day(WEDNESDAY, WORKING),)), Status.SO_DOOR_SCHEDULE, ["15/-237"]
    ),
    "files: minute 59 in a period": Decision(
        so(Door(1, 1), schedules=(day(WEDNESDAY, (9, 0, 17, 59)),)), Status.SO_PERIOD, ["15/-234"]
    ),
    "files: a period that ends before it begins": Decision(
        so(Door(1, 1), schedules=(day(WEDNESDAY, (17, 0, 9, 0)),)), Status.SO_PERIOD, ["15/-234"]
    ),
    "files: 24:01": Decision(so(Door(1, 1), schedules=(day(WEDNESDAY, (9, 0, 24, 1)),)), Status.SO_PERIOD, ["15/-234"]),
    "files: extension file cut": Decision(
        so(extensions=extension_file(minute(2023, 1, 1))[:-1]), Status.END_OF_FILE, ["15/-6"]
    ),
    "files: extension file announced, and missing": Decision(so(extensions=b""), Status.END_OF_FILE, ["15/-6"]),
    "files: extension file larger than any": Decision(
        so(extensions=b"\x20\x0a\1\6" + minute(2023, 1, 1)), Status.EXTENSION_TOO_LARGE, ["15/-243"]
    ),
    "files: extension file without room for its size": Decision(
        so(extensions=b"\0\1"), Status.EXTENSION_SIZE, ["15/-244"]
    ),
    "files: extension file with an octet too many": Decision(
        so(extensions=extension_file(minute(2023, 1, 1)) + b"\1"), Status.EXTENSION_SIZE, ["15/-244"]
    ),
    # The same signed octets, cut elsewhere: a start at 00:02 ends like an empty extension file
    "files: the start of the validity moved into the blacklist": Decision(
        so(blacklist=b"\0" + extension_file(minute(2031, 1, 1, 0, 2))[:-2], extensions=b"\0\2"),
        Status.DECODE,
        ["15/-32"],
    ),
    "files: 0002 moved into the blacklist": Decision(
        so(
            data=data(has_extensions=False),
            blacklist=blacklist_file((("CARRIED008", UNSET),)) + b"\0\2",
            extensions=b"",
        ),
        Status.DECODE,
        ["15/-32"],
    ),
    "files: blacklist file cut": Decision(
        so(blacklist=b"\2" + blacklist_file((("CARRIED006", UNSET),))[1:]), Status.END_OF_FILE, ["15/-6"]
    ),
    # 9: take over the carried blacklist; failures never change the decision
    "9: the carried blacklist": opened(so(blacklist=(("CARRIED001", packed(at(15, 0))),))),
    "9: the carried blacklist, taken over": Decision(so(info=Info("CARRIED001")), *REFUSED),
    "9: the carried blacklist, for intervention media": Decision(
        so(info=Info("CARRIED001", kind=1)), denied(NO_ACCESS_BLACKLISTED), ["8/0"]
    ),
    "9: the carried blacklist, for OSS-SID": Decision(SecureIdentifier("CARRIED001").token(), *REFUSED, is_bare=True),
    "9: the carried blacklist, for commands": Decision(
        command_token(Command("tokn", credential="CARRIED001")), Status.VALIDITY, ["14/-13"]
    ),
    "9: carried by one that is denied": Decision(so(*ELSEWHERE, blacklist=(("CARRIED002", UNSET),)), *OTHER_DOOR),
    "9: carried by one that is denied, taken over": Decision(so(info=Info("CARRIED002")), *REFUSED),
    "9: carried by intervention media": opened(so(info=Info(kind=1), blacklist=(("CARRIED003", UNSET),))),
    "9: carried by intervention media, taken over": Decision(so(info=Info("CARRIED003")), *REFUSED),
    "9: what has ended is not taken over": opened(so(blacklist=(("CARRIED004", PAST),))),
    "9: what has ended was not taken over": opened(so(info=Info("CARRIED004"))),
    "9: carried by one whose signature is wrong": Decision(
        StandardOffline(blacklist=blacklist_file((("CARRIED005", UNSET),))).token(bytes(70)),
        Status.SIGNATURE,
        ["15/-12"],
    ),
    "9: carried by one whose signature is wrong, not taken over": opened(so(info=Info("CARRIED005"))),
    "9: unreadable": opened(so(blacklist=blacklist_file((("CARRIED006", UNSET), ("", UNSET))))),
    "9: unreadable, not taken over": opened(so(info=Info("CARRIED006"))),
    "9: storage full": Decision(
        so(blacklist=tuple((f"FULL{number:06}", UNSET) for number in range(CAPACITY))), granted(), ["10/2", "9/0"]
    ),
    "9: storage full, for one that is denied": Decision(
        so(*ELSEWHERE, blacklist=(("CARRIED007", UNSET),)), denied(DEFAULT), ["11/128", "9/0"]
    ),
    "9: storage full, as many as there is room for": Decision(so(info=Info("FULL000000")), *REFUSED),
    "9: storage full, and no more": opened(so(info=Info(f"FULL{CAPACITY - 1:06}"))),
    # OSS-SID: the device's own decision
    "OSS-SID: listed": Decision(SecureIdentifier(LISTED).token(), granted(), ["10/2"], is_bare=True),
    "OSS-SID: not listed": Decision(SecureIdentifier().token(), denied(NO_ACCESS), ["11/128"], is_bare=True),
    "OSS-SID: blacklisted": Decision(SecureIdentifier(BANNED).token(), *REFUSED, is_bare=True),
    "OSS-SID: info major > 1": Decision(
        SecureIdentifier(LISTED, major=2).token(), Status.SID_MAJOR_VERSION, ["15/-280"]
    ),
    "OSS-SID: intervention media": Decision(
        SecureIdentifier(LISTED, kind=1).token(), Status.SID_CREDENTIAL_TYPE, ["15/-281"]
    ),
    "OSS-SID: proprietary type": Decision(
        SecureIdentifier(LISTED, kind=0x80).token(), Status.SID_CREDENTIAL_TYPE, ["15/-281"]
    ),
    "OSS-SID: credential id of zeros": Decision(SecureIdentifier("").token(), Status.CREDENTIAL_ID, ["15/-200"]),
    "OSS-SID: cut": Decision(SecureIdentifier(LISTED, cut=1).token(), Status.END_OF_FILE, ["15/-6"]),
    # Limits, both inclusive, to the minute; the clock continues. Of the end of validity second 00 counts and no more,
    # too short a time for a phone here: its last second is a Swift test's
    "limits: the schedule begins": Decision(
        so(Door(1, 1), schedules=(day(WEDNESDAY, (13, 0, 14, 0)),)), granted(end=at(14, 0)), ["10/2"], at=at(13, 0)
    ),
    "limits: the schedule's last minute": Decision(
        so(Door(1, 1), schedules=(day(WEDNESDAY, (13, 0, 14, 0)),)), granted(end=at(14, 0)), ["10/2"], at=at(14, 0)
    ),
    "limits: the schedule has ended": Decision(
        so(Door(1, 1), schedules=(day(WEDNESDAY, (13, 0, 14, 0)),)), *OUTSIDE, at=at(14, 1)
    ),
    "limits: the validity ends in a minute": opened(so(end=packed(at(14, 11))), at=at(14, 10)),
    "limits: the validity has ended, in its last minute": Decision(
        so(end=packed(at(14, 20))), *INVALID, at=at(14, 20, seconds=1)
    ),
    "limits: the validity begins": opened(so(start=packed(at(14, 30))), at=at(14, 30)),
    "limits: the validity begins in a minute": Decision(so(start=packed(at(14, 41))), *INVALID, at=at(14, 40)),
    "limits: the last minute of a carried blacklist": Decision(so(info=Info("CARRIED001")), *REFUSED, at=at(15, 0)),
    "limits: a carried blacklist has ended": opened(so(info=Info("CARRIED001")), at=at(15, 1)),
    "limits: the group schedule's last minute": opened(so(Door(12, is_door=False)), at=at(18, 0)),
    "limits: the group schedule has ended": Decision(so(Door(12, is_door=False)), *OUTSIDE, at=at(18, 1)),
    "limits: a period to 24:00 goes on in the next weekday's from 00:00": Decision(
        so(Door(1, 1), schedules=((Day(WEDNESDAY, ((20, 0, 24, 0),)), Day(THURSDAY, ((0, 0, 2, 30),))),)),
        granted(end=at(2, 30, day=6)),
        ["10/2"],
        at=at(21, 0),
    ),
    "limits: a period to 24:00 that does not go on": Decision(
        so(Door(1, 1), schedules=((Day(WEDNESDAY, ((20, 0, 24, 0),)), Day(THURSDAY, ((0, 1, 2, 30),))),)),
        granted(end=at(0, 0, day=6)),
        ["10/2"],
        at=at(21, 10),
    ),
    "limits: the part after midnight": Decision(
        so(Door(1, 1), schedules=((Day(WEDNESDAY, ((20, 0, 24, 0),)), Day(THURSDAY, ((0, 0, 2, 30),))),)),
        granted(end=at(2, 30, day=6)),
        ["10/2"],
        at=at(0, 0, day=6),
    ),
}


def epoch(local: Timestamp) -> int:
    """The reader's local time is UTC here."""
    parts = local.year, local.month, local.day, local.hours, local.minutes, local.seconds
    return int(datetime(*parts, tzinfo=UTC).timestamp())


async def show(link: Link, row: Decision) -> AccessResult | Status:
    """The reader's answer, with a check of the encoding of a result's octets."""
    try:
        result = await link.show(row.token)
    except Refused as refusal:
        return Status(refusal.status)
    decoded = AccessResult.decode(result) if row.is_bare else AccessEventsResult.decode(result).access
    assert result == (delimited(decoded.body()) if row.is_bare else AccessEventsResult(decoded).octets())
    return decoded


async def _push(link: Link, *credentials: str) -> None:
    entries = [(1, message((1, message((1, name))), (2, Timestamp(2089).body()))) for name in credentials]
    assert await stored(link, Command("BL_PUSH", data=delimited(message(*entries)))) == b""


async def _decisions() -> Played:
    async with Bench(environment=clock.showing(NOON), **SETTINGS) as bench:
        link = await bench.ready()
        await _push(link, BANNED)
        log = await Log.open(link)

        async def one(row: Decision) -> tuple[AccessResult | Status, list[str]]:
            assert not link.lost.done(), "the link ended before"
            if row.at:
                # By an operator: what phones put the clock ahead is not believed by the ends of the blacklist.
                assert (await ask(bench.control, {"set-time": epoch(row.at)}))["ok"]
                await log.news()
            decided = await show(link, row)
            events = [event.text for event in await log.news()]
            if isinstance(decided, AccessResult) and decided.granted and not row.stays:
                assert await link.run("diof") == b""
            return decided, events

        played = await outcomes(STEPS.items(), one)
        grants = [row.expected for row in STEPS.values() if isinstance(row.expected, AccessResult)]
        openings = [grant for grant in grants if grant.access_info == UNLOCKED]
        assert len(bench.reader.child.matching(reader.UNLOCKED)) == len(openings), "the lock's line is another matter"
        return played


@pytest.fixture(scope="module")
def decisions() -> Played:
    return play(_decisions)


@pytest.mark.parametrize("row", STEPS)
def test_step(row, decisions):
    assert decisions.of(row) == (STEPS[row].expected, STEPS[row].events)


async def test_events_travel_with_a_result_as_the_phone_asks():
    """At most 16, the newest, of the kinds that the phone knows; with a strict audit a grant's own among them.

    A refused phone takes only events of its own credential along.
    """
    known = (8, 9, 10, 11)

    def asking(count: int | None, kinds: tuple[int, ...] | None = known, door: int = 2) -> bytes:
        return StandardOffline(data=data(doors=(Door(door),)), requested_events=count, supported_events=kinds).token()

    async with Bench(environment=clock.showing(NOON), **SETTINGS) as bench:
        link = await bench.ready()
        await _push(link, BANNED)
        log = await Log.open(link)

        async def carried(token: bytes) -> list[str]:
            result = AccessEventsResult.decode(await link.show(token))
            # When this query is answered, the events are in the log, and equal the result's.
            told = {event.number: event for event in await log.news()}
            for event in result.events:
                assert told.get(event.number, event) == event
            numbers = [event.number for event in result.events]
            assert numbers == sorted(set(numbers))
            return [event.text for event in result.events]

        for shown in so(), so(*ELSEWHERE), so(info=Info(BANNED)):
            assert await carried(shown) == [], "a phone that asks for none gets none"
        assert await carried(asking(0)) == []
        assert await carried(asking(16)) == ["10/2", "11/128", "11/128"]
        assert await carried(asking(2)) == ["11/128", "11/128"]
        assert await carried(asking(16, (8, 10))) == ["10/2"]
        assert await carried(asking(16, ())) == []
        assert "4/1" not in await carried(asking(16, None))
        everything = await carried(asking(16, None, door=1))
        assert "4/1" in everything and everything[-1] == "10/2", "the start of the reader among them"
        assert {"8/0", "11/130"} <= set(everything), "other people's too: it goes to the backend"
        assert not any(text.startswith("14/") for text in everything), "commands are no events of the standard"
        assert await carried(asking(1, door=1)) == ["10/2"]
        for _ in range(16):
            await link.show(asking(None))
        await log.news()
        assert await carried(asking(40)) == ["11/128"] * 16


async def test_nobody_is_listed_and_nothing_taken_over_unless_configured():
    """Without `sid-allow` no Secure Identifier opens; without `carried-blacklist` a credential calls no one back."""
    credentials = {"carried-blacklist": False}
    async with Bench(
        environment=clock.showing(NOON), **UNGATED, door=SETTINGS["door"], credentials=credentials
    ) as bench:
        link = await bench.ready()
        assert await show(link, Decision(SecureIdentifier(LISTED).token(), granted(), is_bare=True)) == denied(
            NO_ACCESS
        )
        assert await show(link, opened(so(blacklist=(("CARRIED001", UNSET),)))) == granted()
        assert await show(link, opened(so(info=Info("CARRIED001")))) == granted()


async def test_master_group_and_intervention_media_as_configured():
    """Intervention media open once they are switched on, and no sooner; the master group until it is switched off."""
    refused = {"master-group": False}
    for credentials, media, master in (
        ({}, Status.SO_CREDENTIAL_TYPE, granted()),
        (refused, Status.SO_CREDENTIAL_TYPE, denied(DEFAULT)),
        ({"intervention-media": True, **refused}, granted(), denied(DEFAULT)),
    ):
        async with Bench(
            environment=clock.showing(NOON), **UNGATED, door=SETTINGS["door"], credentials=credentials
        ) as bench:
            link = await bench.ready()
            assert await show(link, opened(so(info=Info(kind=1)))) == media
            assert await show(link, opened(so(Door(0, is_door=False)))) == master


async def test_standard_offline_switched_off():
    async with Bench(environment=clock.showing(NOON), credentials={"oss-so": False}, **UNGATED) as bench:
        link = await bench.ready()
        assert await show(link, opened(so())) == Status.NOT_SUPPORTED
        await ping(link)
        assert not bench.reader.child.matching(reader.UNLOCKED)


async def test_local_time_is_what_credentials_are_checked_against():
    """The same instant is another day's 02:00 in a zone 14 hours ahead."""
    async with Bench(environment=clock.showing(NOON), reader={"utc-offset-minutes": 14 * 60}, **UNGATED) as bench:
        link = await bench.ready()
        there = NOON + timedelta(hours=14)
        assert there.day == 6 and there.hour == 2
        night = so(Door(1, 1), schedules=(day(THURSDAY, (1, 0, 3, 0)),))
        assert await show(link, opened(night)) == granted(end=at(3, 0, day=6))
