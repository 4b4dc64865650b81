# SPDX-License-Identifier: Apache-2.0
"""The reader's decisions and local times without a reader around them: `decision-probe`, one line for each request."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence

from access.decision import Files, GroupSchedule, Reader, Verdict
from access.wire import message
from rig.reader import ROOT

PROGRAM = ROOT / ".build/debug/decision-probe"
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def ask(requests: Sequence[Sequence[str]], seconds: float) -> list[str]:
    """The answer to each request. Raises FileNotFoundError with the remedy."""
    if not PROGRAM.exists():
        raise FileNotFoundError(f"there is no {PROGRAM}: run script/build --product decision-probe")
    lines = "".join("\t".join(request) + "\n" for request in requests)
    done = subprocess.run([PROGRAM], input=lines, capture_output=True, text=True, check=True, timeout=seconds)
    answers = done.stdout.splitlines()
    assert len(answers) == len(requests), f"{len(answers)} answers to {len(requests)} requests: {done.stderr}"
    return answers


def standard_offline(files: Files, reader: Reader, now: Sequence[int] | None, pushed: bool) -> list[str]:
    """The request for a decision; groups are pushed by a backend, or lines of the configuration file."""
    flags = "m" * reader.master_group + "i" * reader.intervention_media + "o" * reader.held_open
    parts = files.info, files.data, files.blacklist, files.extensions
    return [
        "so",
        str(reader.site),
        str(reader.door),
        flags or "-",
        _list(_groups(reader, pushed)),
        _list(sorted(reader.blacklist)),
        str(reader.capacity),
        _time(now),
        *(part.hex() or "-" for part in parts),
    ]


def secure_identifier(info: bytes, reader: Reader, now: Sequence[int] | None) -> list[str]:
    """The request for a decision about a Secure Identifier."""
    return ["sid", _list(sorted(reader.listed)), _list(sorted(reader.blacklist)), _time(now), info.hex() or "-"]


def verdict(answer: str) -> Verdict:
    """From an answer."""
    status, granted, kind, mismatch, end, events, added = answer.split("\t")
    return Verdict(
        int(status),
        granted == "1",
        int(kind),
        mismatch == "1",
        tuple(map(int, end.split())),
        [] if events == "-" else events.split(","),
        [] if added == "-" else [bytes.fromhex(name).decode() for name in added.split(",")],
    )


def _list(items: Iterable[str]) -> str:
    return ",".join(items) or "-"


def _time(now: Sequence[int] | None) -> str:
    return "-" if now is None else " ".join(map(str, now))


def _groups(reader: Reader, pushed: bool) -> Iterable[str]:
    for number, schedules in reader.groups.items():
        if not schedules:
            yield str(number)
        for schedule in schedules:
            yield f"{number}={_pushed(schedule).hex()}" if pushed else f"{number} {_line(schedule)}"


def _line(schedule: GroupSchedule) -> str:
    """As in `credentials.groups`; weekdays are separated by `+`, since commas separate the groups."""
    days = [name for day, name in enumerate(WEEKDAYS) if schedule.weekdays >> day & 1]
    start, end = (f"{minute // 60:02}:{minute % 60:02}" for minute in (schedule.start, schedule.end))
    return f"{'+'.join(days)} {start}-{end} {schedule.first}-{schedule.last}"


def _pushed(schedule: GroupSchedule) -> bytes:
    """LocalTimeSchedule."""
    period = message(*enumerate((*divmod(schedule.start, 60), *divmod(schedule.end, 60)), start=1))
    days = [(3, schedule.weekdays >> day & 1) for day in range(7)]
    return message((1, schedule.first), (2, schedule.last), *days, (4, period))
