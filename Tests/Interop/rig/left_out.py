# SPDX-License-Identifier: Apache-2.0
"""Says what `script/test --all` adds to a run without it.

python -m rig.left_out WORKERS [FOLDER…]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rig.progress import LEAST_SECONDS, function_of, read_durations

INTEROP = Path(__file__).resolve().parents[1]


def thorough_tests(folders: list[str]) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-m", "thorough", *folders]
    listed = subprocess.run(command, cwd=INTEROP, capture_output=True, text=True, check=False)
    return [line for line in listed.stdout.splitlines() if "::" in line]


def line(tests: list[str], durations: dict[str, float], workers: int) -> str:
    """The number of tests and their time, if so many run at once."""
    seconds = sum(durations.get(function_of(test), LEAST_SECONDS / 2) for test in tests)
    return (
        f"test: left out: {len(tests)} thorough tests, about {seconds / workers / 60:.0f} min more; "
        "script/test --all runs them, and so does .ci/run"
    )


if __name__ == "__main__":
    if found := thorough_tests(sys.argv[2:]):
        print(line(found, read_durations(), int(sys.argv[1])))
