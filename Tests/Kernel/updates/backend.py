# SPDX-License-Identifier: Apache-2.0
"""RAUC's custom boot loader backend (packaging/rauc/grub-slots) alone, on an environment in a file of the host."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from bench import Bench
from machine import ROOT
from updates.disk import ENVIRONMENT, ENVIRONMENT_OCTETS, run

BACKEND = ROOT / "packaging/rauc/grub-slots"


class Backend:
    """The backend, and its environment."""

    def __init__(self, directory: Path) -> None:
        self.environment = directory / ENVIRONMENT
        run("grub-editenv", self.environment, "create")

    def __call__(self, *words: str) -> str:
        """Its answer to these arguments; its complaint if it fails."""
        variables = {**os.environ, "READERD_GRUB_ENVIRONMENT": str(self.environment)}
        done = subprocess.run(["sh", str(BACKEND), *words], env=variables, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else f"failed: {done.stderr.strip()}"


def check_backend(bench: Bench) -> None:
    """Its answers, and that it writes in place, also where there is no environment any more."""
    directory = bench.directory / "backend"
    directory.mkdir()
    backend = Backend(directory)
    before = backend.environment.stat()
    bench.check("without variables both slots are good", backend("get-state", "B") == "good")
    backend("set-state", "A", "bad")
    found = [backend("get-state", "A"), backend("get-primary")]
    bench.check("a bad slot is not the first one", found == ["bad", "B"], found)
    backend("set-primary", "A")
    found = [backend("get-state", "A"), backend("get-primary")]
    bench.check("one that is made the first is good", found == ["good", "A"], found)
    # By another block or another inode GRUB, which replays no journal, would not find it.
    after = backend.environment.stat()
    is_same = (after.st_ino, after.st_size) == (before.st_ino, ENVIRONMENT_OCTETS)
    bench.check("the environment is written in place", is_same, after)
    backend.environment.write_bytes(b"")
    editor = subprocess.run(["grub-editenv", backend.environment, "set", "A_OK=0"], capture_output=True)
    bench.check("grub-editenv does not write one that was cut off", editor.returncode != 0)
    backend("set-state", "A", "bad")
    found = [backend("get-state", "A"), backend("get-state", "B")]
    bench.check("the backend does", found == ["bad", "good"], found)
    found = [backend("set-state", "C", "good"), backend("set-state", "A", "great"), backend()]
    before = backend.environment.read_bytes()
    injected = [
        backend(*words)
        for words in (
            ("set-primary", "A B_OK=1"),
            ("set-primary", "A\nB_OK=1"),
            ("set-primary", "A;touch injected"),
            ("set-primary", "$(touch injected)"),
            ("set-state", "B_OK=1\nA", "good"),
            ("set-state", "A", "good\nbad"),
            ("set-state", "A", "good B_OK=1"),
            ("set-state", "--help", "good"),
            ("get-state", "A.*"),
            ("get-state", ""),
        )
    ]
    bench.check(
        "no argument becomes a variable, a command or a pattern",
        all(said.startswith("failed: grub-slots: ") for said in injected)
        and backend.environment.read_bytes() == before
        and not Path("injected").exists(),
        injected,
    )
    bench.check(
        "what it does not know it refuses", all(said.startswith("failed: grub-slots: ") for said in found), found
    )
