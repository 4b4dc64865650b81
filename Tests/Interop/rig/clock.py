# SPDX-License-Identifier: Apache-2.0
"""A system clock that only the reader sees: what it shows, and whether something keeps it synchronised, is the test's.

The reader asks the C library for the time (`clock_gettime`, `time`) and whether a service keeps it (`adjtimex`). A
library that is loaded before the C library answers these, so that a test knows what time it is at the door, whatever
machine it is on.
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
ARM64 = "RIG_ARM64"
"""In the environment, if READERD is a program for arm64, which qemu-user runs: the headers and libraries of arm64. The
library is for the program then, and not for qemu."""

_SOURCE = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static struct timespec began;
static time_t shown;

__attribute__((constructor)) static void begin(void) {
    const char *start = getenv("RIG_CLOCK_SECONDS");
    shown = start ? atoll(start) : 0;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &began);
}

/* A second begins at the start of the process. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    if (clock != CLOCK_REALTIME) return syscall(SYS_clock_gettime, clock, now);
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, now);
    now->tv_sec += shown - began.tv_sec;
    now->tv_nsec -= began.tv_nsec;
    if (now->tv_nsec < 0) {
        now->tv_sec -= 1;
        now->tv_nsec += 1000000000;
    }
    return 0;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}

int adjtimex(struct timex *request) {
    (void)request;
    return getenv("RIG_CLOCK_SYNCHRONISED") ? TIME_OK : TIME_ERROR;
}
"""


def _compiler() -> list[str]:
    """Raises FileNotFoundError with the remedy."""
    root = os.environ.get(ARM64)
    names, remedy = ("cc", "gcc", "clang"), "run script/bootstrap"
    if root:
        names, remedy = ("clang",), "put the Swift toolchain's on PATH"
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise FileNotFoundError(f"there is no C compiler ({names[0]}): {remedy}")
    return [found, *(["--target=aarch64-linux-gnu", f"--sysroot={root}", "-fuse-ld=lld"] if root else [])]


@cache
def _library() -> Path:
    """The library, compiled once per run. Raises FileNotFoundError with the remedy."""
    compiler = _compiler()
    directory = tempfile.TemporaryDirectory(prefix="rig-clock-")
    _kept.append(directory)
    source = Path(directory.name) / "clock.c"
    library = Path(directory.name) / "clock.so"
    source.write_text(_SOURCE)
    subprocess.run([*compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True, timeout=60)
    return library


_kept: list[tempfile.TemporaryDirectory] = []
"""Removed when the run ends."""


def showing(time: datetime, is_synchronised: bool = False) -> dict[str, str]:
    """The environment of a reader whose system clock shows `time` at its start, and continues from there."""
    shown = {**_loading(_library()), _SECONDS: str(int(time.timestamp()))}
    return {**shown, _SYNCHRONISED: "1"} if is_synchronised else shown


def _loading(library: Path) -> dict[str, str]:
    """The variables that load it first."""
    if ARM64 in os.environ:
        return {"QEMU_SET_ENV": f"LD_PRELOAD={library}"}
    before = os.environ.get("LD_PRELOAD")
    return {"LD_PRELOAD": ":".join([str(library), *([before] if before else [])])}
