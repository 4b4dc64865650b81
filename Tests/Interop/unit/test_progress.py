# SPDX-License-Identifier: Apache-2.0
"""A run's own reports: tests done, time left, and the tests that take long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rig import progress
from rig.progress import Progress

DURATIONS = {"a.py::long": 60.0, "a.py::middle": 10.0}
TESTS = ["a.py::long", "a.py::middle[x]", "a.py::middle[y]", "a.py::short"]


def a_run(workers: int = 2) -> Progress:
    run = Progress(DURATIONS, workers, 0.0)
    run.collected(TESTS)
    return run


def test_before_a_test_ends_the_recorded_times_are_the_estimate() -> None:
    # 80.5 s among two, and the longest takes 60 s.
    assert a_run().seconds_left(0) == 60
    assert a_run(workers=1).seconds_left(0) == 80.5


def test_the_pace_of_the_run_counts() -> None:
    run = a_run(workers=1)
    run.started("a.py::long", 0)
    run.ended("a.py::long", 120)
    # Twice as long as recorded.
    assert run.seconds_left(120) == pytest.approx(2 * 20.5)
    assert run.line(120) == "== 1 of 4 tests, less than a minute left"


def test_a_long_test_is_named() -> None:
    run = a_run()
    run.started("scenarios/a.py::long", 0)
    run.started("a.py::short", 12)
    assert run.line(14).endswith("left")
    assert run.line(20).endswith("left; running: a.py::long (20 s)")


def test_the_mean_of_the_cases_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DURATIONS", tmp_path / "durations.json")
    done = {"a.py::middle[x]": 4.0, "a.py::middle[y]": 8.0, "a.py::short": 0.2}
    progress.write_durations({"a.py::long": 60.0, "a.py::short": 2.0}, done)
    assert json.loads((tmp_path / "durations.json").read_text()) == {"a.py::long": 60.0, "a.py::middle": 6.0}
