# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that shows how far a run is: tests done, minutes left, and the tests that take long.

The estimate follows `durations.json`, seconds of each test function on a quiet machine with three workers a core;
functions of less than LEAST_SECONDS are not in it. `--record-durations` writes the file. Tests that take long begin
first, so that none is alone at the end.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

DURATIONS = Path(__file__).resolve().parents[1] / "durations.json"
EVERY_SECONDS = 20.0
LONG_SECONDS = 15.0
"""A test that has run this long is named."""
LEAST_SECONDS = 1.0
"""A function of less is not recorded, and counts half of it."""
WARM_UP_SECONDS = 30.0
"""Of recorded time, before which the pace of the run is not known."""


def function_of(nodeid: str) -> str:
    """A test's function, without its parameters."""
    return nodeid.partition("[")[0]


def name_of(nodeid: str) -> str:
    return nodeid.rpartition("/")[2]


class Progress:
    """The progress of a run. `now` is in seconds."""

    def __init__(self, durations: dict[str, float], workers: int, now: float) -> None:
        self._durations = durations
        self._workers = workers
        self._start = now
        self.waiting: dict[str, float] = {}
        self.running: dict[str, float] = {}
        self.done: dict[str, float] = {}
        self._done_estimate = 0.0

    def estimate(self, nodeid: str) -> float:
        return self._durations.get(function_of(nodeid), LEAST_SECONDS / 2)

    def collected(self, nodeids: list[str]) -> None:
        self.waiting = {nodeid: self.estimate(nodeid) for nodeid in nodeids}

    def started(self, nodeid: str, now: float) -> None:
        self.waiting.pop(nodeid, None)
        self.running[nodeid] = now

    def ended(self, nodeid: str, now: float) -> None:
        if (start := self.running.pop(nodeid, None)) is not None:
            self.done[nodeid] = now - start
            self._done_estimate += self.estimate(nodeid)

    def seconds_left(self, now: float) -> float:
        """By the recorded durations and the pace of this run; no less than the longest of the tests that run needs."""
        own = [max(self.estimate(nodeid) - (now - start), 0) for nodeid, start in self.running.items()]
        left = sum(self.waiting.values()) + sum(own)
        pace = 1.0
        if self._done_estimate >= WARM_UP_SECONDS:
            under_way = sum(now - start for start in self.running.values())
            pace = (now - self._start) * self._workers / (self._done_estimate + under_way)
        longest = max([*self.waiting.values(), *own], default=0.0)
        return max(left / self._workers, longest) * pace

    def line(self, now: float) -> str:
        total = len(self.waiting) + len(self.running) + len(self.done)
        minutes = self.seconds_left(now) / 60
        left = "less than a minute" if minutes < 1 else f"about {minutes:.0f} min"
        long = sorted(
            ((now - start, name_of(nodeid)) for nodeid, start in self.running.items() if now - start >= LONG_SECONDS),
            reverse=True,
        )
        names = ", ".join(f"{name} ({seconds:.0f} s)" for seconds, name in long[:3])
        more = f" and {len(long) - 3} more" if len(long) > 3 else ""
        return f"== {len(self.done)} of {total} tests, {left} left{f'; running: {names}{more}' if names else ''}"


class ProgressPlugin:
    """Reports from the process that sees all results: with pytest-xdist, the process that began the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._durations = read_durations()
        workers = getattr(config.option, "numprocesses", None) or 1
        self.progress = Progress(self._durations, workers, time.monotonic())
        self._over = threading.Event()
        self._lock = threading.Lock()

    def _begin(self, nodeids: list[str]) -> None:
        if nodeids and not self.progress.waiting:
            self.progress.collected(nodeids)
            threading.Thread(target=self._report, daemon=True).start()

    def _report(self) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        while not self._over.wait(EVERY_SECONDS):
            with self._lock:
                line = self.progress.line(time.monotonic())
            reporter.write_line(line)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._begin([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._begin(ids)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        with self._lock:
            self.progress.started(nodeid, time.monotonic())

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        with self._lock:
            self.progress.ended(nodeid, time.monotonic())

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No dot for each test that passes: the lines above say as much."""
        if report.passed:
            return ("passed", "", "PASSED") if report.when == "call" else ("", "", "")
        return None

    def pytest_sessionfinish(self) -> None:
        self._over.set()
        if self._config.getoption("--record-durations"):
            write_durations(self._durations, self.progress.done)


def read_durations() -> dict[str, float]:
    return json.loads(DURATIONS.read_text()) if DURATIONS.exists() else {}


def write_durations(before: dict[str, float], done: dict[str, float]) -> None:
    """The mean of each function's cases; functions that did not run keep theirs."""
    cases: dict[str, list[float]] = {}
    for nodeid, seconds in done.items():
        cases.setdefault(function_of(nodeid), []).append(seconds)
    means = before | {name: round(sum(seconds) / len(seconds), 1) for name, seconds in cases.items()}
    kept = {name: seconds for name, seconds in sorted(means.items()) if seconds >= LEAST_SECONDS}
    DURATIONS.write_text(json.dumps(kept, indent=1) + "\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-durations", action="store_true", help=f"write {DURATIONS.name}")


def pytest_configure(config: pytest.Config) -> None:
    # A worker of pytest-xdist has no other results than its own.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(ProgressPlugin(config), "progress-of-the-run")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    durations = read_durations()
    items.sort(key=lambda item: durations.get(function_of(item.nodeid), 0.0), reverse=True)
