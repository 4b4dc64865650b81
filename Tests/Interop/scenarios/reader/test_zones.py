# SPDX-License-Identifier: Apache-2.0
"""The reader's local time against the system's: every zone of tzdata, at every transition to 2040."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zoneinfo
from datetime import UTC, datetime
from pathlib import Path

import pytest

from access.results import SystemStatus
from rig import clock
from rig.bench import Bench
from rig.probe import ask
from rig.rows import UNGATED

DIRECTORY = Path("/usr/share/zoneinfo")
END = int(datetime(2041, 1, 1, tzinfo=UTC).timestamp())
START = int(datetime(1900, 1, 1, tzinfo=UTC).timestamp())
WEEK = 7 * 86_400

PROBE_SECONDS = 120.0
"""For all zones: 5 s on an idle machine."""


def offset(zone: zoneinfo.ZoneInfo, epoch: int) -> int:
    """Seconds ahead of UTC, as Python's library has it."""
    return round(datetime.fromtimestamp(epoch, zone).utcoffset().total_seconds())


def times(zone: zoneinfo.ZoneInfo) -> list[int]:
    """The last second before and the first after each change that a sample for each week shows, and the samples.

    No two changes within a week restore the offset in any zone; those that the files list are in `listed` as well.
    """
    samples = range(int(datetime(2024, 1, 1, tzinfo=UTC).timestamp()), END, WEEK)
    found = list(samples)
    for sample in samples:
        before, after = sample, sample + WEEK
        if offset(zone, before) == offset(zone, after):
            continue
        while after - before > 1:
            middle = (before + after) // 2
            if offset(zone, middle) == offset(zone, before):
                before = middle
            else:
                after = middle
        found += [before, after]
    return found


def listed(file: bytes) -> list[int]:
    """The transitions in the 64-bit block of a file (RFC 8536, 3), and the seconds before them."""

    def counts(at: int) -> list[int]:
        return [int.from_bytes(file[at + 20 + 4 * index :][:4], "big") for index in range(6)]

    isut, isstd, leap, time, types, characters = counts(0)
    second = 44 + time * 5 + types * 6 + characters + leap * 8 + isstd + isut
    count = counts(second)[3]
    found = [int.from_bytes(file[second + 44 + 8 * index :][:8], "big", signed=True) for index in range(count)]
    return [time for change in found if START < change < END for time in (change - 1, change)]


@pytest.fixture(scope="module")
def zones() -> dict[str, list[int]]:
    """Each zone of the system, and the times to try."""
    names = sorted(zoneinfo.available_timezones())
    assert len(names) > 400, "tzdata is not complete"
    return {name: sorted({*times(zoneinfo.ZoneInfo(name)), *listed((DIRECTORY / name).read_bytes())}) for name in names}


def offsets(files: dict[str, bytes], zones: dict[str, list[int]]) -> dict[str, list[int]]:
    """The result of the reader's code for each file at the times."""
    requests = []
    for name, times in zones.items():
        requests += [["zone", files[name].hex()], ["at", ",".join(map(str, times))]]
    answers = ask(requests, PROBE_SECONDS)
    refused = {name: answer for name, answer in zip(zones, answers[::2], strict=True) if answer != "ok"}
    assert not refused, f"files that are not read: {refused}"
    return {name: list(map(int, answer.split(","))) for name, answer in zip(zones, answers[1::2], strict=True)}


GLIBC = """
import json, os, sys, time
answers = {}
for name, times in json.load(sys.stdin).items():
    os.environ["TZ"] = ":" + name
    time.tzset()
    answers[name] = [time.localtime(epoch).tm_gmtoff for epoch in times]
json.dump(answers, sys.stdout)
"""


@pytest.mark.seconds(PROBE_SECONDS)
def test_every_transition_of_every_zone(zones):
    """As Python's zoneinfo and as the C library have them, which read the same files on their own."""
    got = offsets({name: (DIRECTORY / name).read_bytes() for name in zones}, zones)
    libc = subprocess.run(
        [sys.executable, "-c", GLIBC],
        input=json.dumps(zones), capture_output=True, text=True, check=True, timeout=PROBE_SECONDS,
        env={**os.environ, "TZDIR": str(DIRECTORY)},
    )  # fmt: skip
    glibc = json.loads(libc.stdout)
    wrong = []
    for name, times in zones.items():
        zone = zoneinfo.ZoneInfo(name)
        for index, time in enumerate(times):
            expected = offset(zone, time), glibc[name][index]
            if (got[name][index],) * 2 != expected:
                wrong.append(f"{name} at {time}: {got[name][index]} in place of {expected}")
    print(f"{len(zones)} zones, {sum(map(len, zones.values()))} times")
    assert not wrong, f"{len(wrong)} differ: " + "; ".join(wrong[:10])


@pytest.mark.seconds(PROBE_SECONDS)
def test_files_whose_times_count_leap_seconds(zones):
    """The system clock counts none: a zone in `right` is the zone of the same name (RFC 8536, 3.2)."""
    right = {name: (DIRECTORY / "right" / name) for name in zones}
    files = {name: path.read_bytes() for name, path in right.items() if path.exists()}
    # Debian 13 has them in tzdata-legacy: the unit tests have such a file.
    assert files or not (DIRECTORY / "right").exists()
    # They end with the list of leap seconds, and have no rule for later.
    ends = {name: max(listed(file), default=END) - 60 for name, file in files.items()}
    found = {name: [time for time in zones[name] if time < end] for name, end in ends.items()}
    with_leaps = offsets(files, found)
    without = offsets({name: (DIRECTORY / name).read_bytes() for name in found}, found)
    wrong = [name for name in found if with_leaps[name] != without[name]]
    print(f"{len(found)} zones, {sum(map(len, found.values()))} times")
    assert not wrong, f"{len(wrong)} of {len(found)} differ: {wrong[:10]}"


async def test_the_door_keeps_to_ramadan():
    """Morocco in Ramadan of 2027: one hour back, which no rule for all years says."""
    now = datetime(2027, 2, 10, 7, 30, tzinfo=UTC)
    async with Bench(environment=clock.showing(now), reader={"time-zone": "Africa/Casablanca"}, **UNGATED) as bench:
        link = await bench.ready()
        status = SystemStatus.decode(await link.run("STATUS"))
        hours, minutes = (status.local_time[number][0] for number in (4, 5))
        assert (hours, minutes) == (7, 30)
