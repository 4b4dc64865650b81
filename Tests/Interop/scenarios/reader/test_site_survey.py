# SPDX-License-Identifier: Apache-2.0
"""`readerd calibrate` on recorded walks, against a second computation that shares no code with it.

The gate as configuration.md and gate.md (docs/operate) describe it: in a window after connecting, a reading each
25 ms, but
not more often than the connection interval, of the last packet; near when the median of the last three reaches the
threshold, far after three readings in a row that are 15 dB below it.
"""

import csv
import json
import subprocess

import pytest

from rig.gate_page import SITES, make_site
from rig.operation import COMMAND_SECONDS
from rig.reader import binary

INTERVAL = 30
"""The connection interval in milliseconds that the evaluation takes."""
SAMPLES, WELL_UNDER, WELL_UNDER_COUNT = 3, 15, 3
DEFAULT_WINDOW, WINDOWS = 400, (400, 600, 1000)
WORTHWHILE = 0.1
"""How much less often another window has to open away from the door to be proposed."""


def _windows(walk: list[tuple[int, int]], window: int) -> list[list[int]]:
    """The readings that the gate would take in each window of a walk; windows with too few packets are left out."""
    found, first = [], 0
    while first < len(walk):
        start = walk[first][0]
        end = start + max(window, INTERVAL * (SAMPLES + 1))
        if walk[-1][0] < end:
            break
        inside = [packet for packet in walk[first:] if packet[0] < end]
        if len(inside) >= SAMPLES:
            times = range(start + INTERVAL, end, INTERVAL)
            found.append([[dbm for at, dbm in inside if at <= time][-1] for time in times])
        first += len(inside)
    return found


def _opens(readings: list[int], threshold: int) -> bool:
    for count in range(1, len(readings) + 1):
        last = readings[max(0, count - SAMPLES) : count]
        if len(last) == SAMPLES and sorted(last)[SAMPLES // 2] >= threshold:
            return True
        if len(last) == WELL_UNDER_COUNT and all(dbm <= threshold - WELL_UNDER for dbm in last):
            return False
    return False


def _reached(readings: list[int]) -> int:
    """The highest threshold that opens in the window."""
    return next(threshold for threshold in range(max(readings), -128, -1) if _opens(readings, threshold))


def _highest(windows: list[int], share: float) -> int | None:
    for threshold in range(-20, -111, -1):
        if windows and sum(reached >= threshold for reached in windows) / len(windows) >= share:
            return threshold
    return None


def _proposal(door, away, window: int, share: float):
    near, far = ([[_reached(one) for one in _windows(walk, window)] for walk in walks] for walks in (door, away))
    near = [windows for windows in near if windows]
    threshold = _highest([reached for windows in near for reached in windows], share)
    if threshold is None:
        return None
    opened = 0
    for index, windows in enumerate(near):
        others = near[:index] + near[index + 1 :]
        judged = _highest([reached for windows in others for reached in windows], share)
        opened += sum(reached >= (threshold if judged is None else judged) for reached in windows)
    distant = [reached for windows in far for reached in windows]
    return {
        "threshold": threshold,
        "window": window,
        "door": (opened, sum(map(len, near))),
        "away": (sum(reached >= threshold for reached in distant), len(distant)),
    }


@pytest.mark.parametrize("share", [80, 90])
@pytest.mark.parametrize("site", SITES)
def test_the_proposal_is_that_of_a_second_computation(site, share, tmp_path):
    make_site(site, tmp_path)
    walks: dict[str, list[list[tuple[int, int]]]] = {"door": [], "away": []}
    takes: dict[str, list[tuple[int, int]]] = {}
    with (tmp_path / site).open() as file:
        for row in csv.DictReader(file):
            if row["trace"] not in takes:
                takes[row["trace"]] = []
                walks[row["condition"]].append(takes[row["trace"]])
            takes[row["trace"]].append((round(float(row["seconds"]) * 1000), int(row["rssi_dbm"])))

    def away(proposal) -> float:
        opened, count = proposal["away"]
        return opened / count

    found = {window: _proposal(walks["door"], walks["away"], window, share / 100) for window in WINDOWS}
    expected = found[DEFAULT_WINDOW]
    best = min((found[window] for window in WINDOWS[1:] if found[window]), key=away)
    if away(expected) - away(best) >= WORTHWHILE:
        expected = best

    words = ["calibrate", "--door", "0", "--away", "0", "--traces", site, "--share", str(share), "--json"]
    run = subprocess.run(
        [str(binary()), *words], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=COMMAND_SECONDS
    )
    proposed = json.loads(run.stdout)["proposed"]
    assert (proposed["threshold-dbm"], proposed["window-ms"]) == (expected["threshold"], expected["window"])
    for place in ("door", "away"):
        assert (proposed[place]["opened"], proposed[place]["windows"]) == expected[place]
        low, high = proposed[place]["interval"]
        assert low <= proposed[place]["share"] <= high
