# SPDX-License-Identifier: Apache-2.0
"""`script/bootstrap` next to another apt, with an apt-get of the test's."""

import os
import subprocess
from pathlib import Path

import pytest

from rig.reader import ROOT

LOCKS = [
    "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (unattended-upgr)",
    "E: Unable to lock directory /var/lib/apt/lists/",
    "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?",
]


def bootstrap(directory: Path, failures: int, complaint: str) -> tuple[subprocess.CompletedProcess, list[str]]:
    """Runs it where all packages are missing and `failures` runs of apt-get fail first; also apt-get's arguments."""
    commands = {
        "dpkg-query": "exit 1",
        "id": "echo 0",
        "sleep": "exit 0",
        "swift": "echo 'Swift version 6.3.1'",
        "apt-get": f"""echo "$@" >>'{directory}/calls'
            [ "$(wc -l <'{directory}/calls')" -gt {failures} ] && exit 0
            echo '{complaint}' >&2
            exit 100""",
    }
    (directory / "bin").mkdir()
    for name, body in commands.items():
        file = directory / "bin" / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)
    environment = {**os.environ, "PATH": f"{directory}/bin:{os.environ['PATH']}"}
    run = subprocess.run(
        [ROOT / "script/bootstrap", "--build-only"], check=False, capture_output=True, text=True, env=environment
    )
    return run, (directory / "calls").read_text().splitlines()


@pytest.mark.parametrize("complaint", LOCKS, ids=["dpkg", "lists", "frontend"])
def test_it_waits_for_another_apt(tmp_path, complaint):
    run, calls = bootstrap(tmp_path, 3, complaint)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("waiting for another apt or dpkg, which has the lock") == 1
    assert complaint not in run.stderr
    assert [call.split()[-1] == "update" for call in calls] == [True] * 4 + [False]


def test_another_fault_is_shown_at_once(tmp_path):
    run, calls = bootstrap(tmp_path, 1, "E: Unable to locate package nonesuch")
    assert run.returncode == 1
    assert "E: Unable to locate package nonesuch" in run.stderr
    assert "apt-get update failed" in run.stderr
    assert len(calls) == 1
