# SPDX-License-Identifier: Apache-2.0
"""A system clock that only the reader sees: what it shows, and whether something keeps it synchronised, is the test's.

The reader asks the C library for the time (`time`) and whether a service keeps it (`adjtimex`). A small library that is
loaded before the C library answers both, so that a test knows what time it is at the door, whatever machine it is on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

UNSET = datetime(1970, 1, 1, tzinfo=UTC)
"""The start value of a board's clock without a battery: before the build of the firmware, so it counts as not set."""

_SECONDS, _SYNCHRONISED = "RIG_CLOCK_SECONDS", "RIG_CLOCK_SYNCHRONISED"

_SOURCE = """
#include <stdlib.h>
#include <sys/timex.h>
#include <time.h>

static time_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static time_t ahead;

__attribute__((constructor)) static void begin(void) {
    const char *start = getenv("RIG_CLOCK_SECONDS");
    ahead = (start ? atoll(start) : 0) - monotonic();
}

time_t time(time_t *where) {
    time_t now = monotonic() + ahead;
    if (where) *where = now;
    return now;
}

int adjtimex(struct timex *request) {
    (void)request;
    return getenv("RIG_CLOCK_SYNCHRONISED") ? TIME_OK : TIME_ERROR;
}
"""


@cache
def _library() -> Path:
    """The library, compiled once per run. Raises FileNotFoundError with what to do."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise FileNotFoundError("there is no C compiler (cc): run script/bootstrap")
    directory = tempfile.TemporaryDirectory(prefix="rig-clock-")
    _kept.append(directory)
    source = Path(directory.name) / "clock.c"
    library = Path(directory.name) / "clock.so"
    source.write_text(_SOURCE)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True, timeout=60)
    return library


_kept: list[tempfile.TemporaryDirectory] = []
"""Removed when the run ends."""


def showing(time: datetime, is_synchronised: bool = False) -> dict[str, str]:
    """The environment of a reader whose system clock shows `time` at its start, and goes on from there."""
    before = os.environ.get("LD_PRELOAD")
    libraries = [str(_library()), *([before] if before else [])]
    shown = {"LD_PRELOAD": ":".join(libraries), _SECONDS: str(int(time.timestamp()))}
    return {**shown, _SYNCHRONISED: "1"} if is_synchronised else shown
