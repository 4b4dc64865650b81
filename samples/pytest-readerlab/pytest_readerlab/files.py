# SPDX-License-Identifier: Apache-2.0
"""The files of a failed test: its packets, and the page, transcript and findings of each device."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

DIRECTORY = "readerlab-files"
REPEAT = "repeat.txt"
"""In each test's directory: the command that repeats the test."""
NAME_COUNT = 80
"""The characters of a test's name in its directory's name: file systems limit a name to 255 octets."""


def root_of(config: pytest.Config) -> Path:
    """The directory of all tests' files."""
    return config.rootpath / (config.getoption("readerlab_files") or config.getini("readerlab_files"))


class RunFiles:
    """The directory of one test, made when the first program writes to it."""

    def __init__(self, item: pytest.Item) -> None:
        self.keeps = item.config.getoption("readerlab_keep")
        self.failed = False
        name = re.sub(r"[^\w.-]+", "-", item.nodeid)[-NAME_COUNT:].strip("-")
        digest = hashlib.sha256(item.nodeid.encode()).hexdigest()[:6]
        self.directory = root_of(item.config) / f"{name}-{digest}"
        self.repeat = f"pytest {shlex.quote(item.nodeid)}"
        self._is_made = False

    def path(self, name: str) -> str:
        """The path of a file, in a directory without the files of an earlier run."""
        if not self._is_made:
            if (self.directory / REPEAT).exists():
                shutil.rmtree(self.directory)
            # Packets and transcripts may have secrets of the app.
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self.directory / REPEAT).write_text(self.repeat + "\n")
            self._is_made = True
        return str(self.directory / name)

    def of_air(self) -> tuple[str, ...]:
        """The options of `readerlab air`."""
        return () if self.keeps == "none" else ("--capture", self.path("air.pcapng"))

    def of_device(self, name: str) -> tuple[str, ...]:
        """The options of `readerlab emulate` for the device of this name."""
        if self.keeps == "none":
            return ()
        files = {"--report": f"{name}.html", "--transcript": f"{name}.json", "--junit": f"{name}.junit.xml"}
        return tuple(word for option, file in files.items() for word in (option, self.path(file)))

    @property
    def section(self) -> str:
        """The text of a failure's report."""
        return f"{self.directory}\nrepeat: {self.repeat}"

    def end(self) -> None:
        """Removes the files of a test that did not fail, unless all are kept."""
        if self._is_made and not self.failed and self.keeps != "all":
            shutil.rmtree(self.directory, ignore_errors=True)


FILES = pytest.StashKey[RunFiles]()


def files_of(item: pytest.Item) -> RunFiles:
    """The files of a test."""
    if FILES not in item.stash:
        item.stash[FILES] = RunFiles(item)
    return item.stash[FILES]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("readerlab")
    group.addoption("--readerlab-files", metavar="DIR", help="where the files of failed tests go")
    group.addoption(
        "--readerlab-keep",
        choices=("failed", "all", "none"),
        default="failed",
        help="the tests whose packets, transcripts, findings and pages are kept (failed)",
    )
    parser.addini("readerlab_files", "where the files of failed tests go, from the root directory", default=DIRECTORY)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Removes the directory if no test has left files. A worker of pytest-xdist does not: others may begin a test."""
    if not hasattr(session.config, "workerinput"):
        with contextlib.suppress(OSError):
            root_of(session.config).rmdir()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Names the directory of a failed test."""
    report = yield
    files = item.stash.get(FILES, None)
    if report.failed and files is not None and files.keeps != "none":
        files.failed = True
        report.sections.append(("readerlab files", files.section))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item):
    """After a test's fixtures have ended, and the devices have written their files."""
    try:
        return (yield)
    finally:
        if (files := item.stash.get(FILES, None)) is not None:
            files.end()
