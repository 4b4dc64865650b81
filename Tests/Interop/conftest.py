# SPDX-License-Identifier: Apache-2.0
"""The way tests run here: coroutines with a time limit, each with its own directory for sockets."""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

TEST_SECONDS = 30.0
"""For one test; `@pytest.mark.seconds(n)` gives it another."""
SECONDS_FACTOR = float(os.environ.get("RIG_SECONDS_FACTOR") or 1)
"""All of these times this: a program under an emulator takes that much longer."""


pytest_plugins = ["rig.progress"]


def accept_signals() -> None:
    """Replaces an inherited SIG_IGN, as of nohup, which the programs under test would inherit, by a handler.

    A handler does not pass exec(2): the programs start with the default. The tests themselves go on.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_configure(config: pytest.Config) -> None:
    accept_signals()
    config.addinivalue_line("markers", "seconds(n): this test may take n seconds")
    config.addinivalue_line(
        "markers", "thorough(reason): script/test leaves it out without --all; the reason names what tries the same"
    )
    config.addinivalue_line("markers", "alone: this test measures time, and runs after all others, on its own core")


def permitted_seconds(item: pytest.Item) -> float:
    """Its time limit."""
    mark = item.get_closest_marker("seconds")
    return mark.args[0] if mark else TEST_SECONDS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        mark = item.get_closest_marker("thorough")
        if mark and not (mark.args and isinstance(mark.args[0], str)):
            raise pytest.UsageError(f"{item.nodeid}: thorough needs a reason")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a test that is a coroutine function, bounded in time."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    seconds = permitted_seconds(pyfuncitem) * SECONDS_FACTOR
    wanted = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in wanted}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**arguments), seconds))
    return True


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that needs something missing must fail: a skipped test proves nothing, so the run fails."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return  # a worker of pytest-xdist: the process that began it has all results
    unproven = sum(len(reporter.stats.get(kind, [])) for kind in ("skipped", "xfailed", "xpassed"))
    if unproven and session.exitstatus == pytest.ExitCode.OK:
        reporter.write_line(f"{unproven} tests were skipped or expected to fail: each must run and pass", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def directory():
    """A short path: a Unix socket's has at most 107 octets, and pytest's own directories may be longer."""
    path = Path(tempfile.mkdtemp(prefix="rig-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)
