# SPDX-License-Identifier: Apache-2.0
"""The environment of a kernel test: a directory for its logs, machines, and a place for the results of its checks."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from machine import ROOT, Disk, Failure, Machine


@dataclass(frozen=True)
class Check:
    """One thing that a test has looked at."""

    text: str
    holds: bool
    detail: str


@dataclass
class Bench:
    """One run of one test."""

    name: str
    directory: Path
    seed: int
    checks: list[Check] = field(default_factory=list)
    machines: list[Machine] = field(default_factory=list)

    @property
    def chance(self) -> random.Random:
        """Randomness that the seed and the test's name determine."""
        return self.chance_of("")

    def chance_of(self, part: object) -> random.Random:
        """Random numbers of a part of the test, which other parts do not change."""
        return random.Random(f"{self.seed} {self.name}{part}")

    def machine(
        self,
        name: str = "machine",
        memory: int = 512,
        disks: list[Disk] | None = None,
        network: bool = False,
        system: Path | None = None,
        tpm: Path | None = None,
        boots_itself: bool = False,
        arm64: bool = False,
    ) -> Machine:
        """A machine that is off; `name` names the directory of its logs. It does not outlive the test."""
        machine = Machine(
            self.directory / name,
            memory,
            disks or [],
            network,
            system=system,
            tpm=tpm,
            boots_itself=boots_itself,
            arm64=arm64,
        )
        self.machines.append(machine)
        return machine

    def check(self, text: str, holds: bool, detail: object = "") -> None:
        """Notes what was looked at; the test continues."""
        self.checks.append(Check(text, bool(holds), str(detail)))

    def require(self, text: str, holds: bool, detail: object = "") -> None:
        """Notes it, and ends the test if it does not hold."""
        self.check(text, holds, detail)
        if not holds:
            raise Failure(f"{text}: {detail}")

    def report(self, machine: Machine) -> None:
        """Takes over what a script has looked at: its lines `check: ok TEXT` and `check: FAILED TEXT`."""
        for line in machine.output.splitlines():
            if line.startswith("check: "):
                verdict, _, text = line.removeprefix("check: ").partition(" ")
                text, _, detail = text.partition(" | ")
                self.check(text, verdict == "ok", detail)


@dataclass(frozen=True)
class Case:
    """One test: it fails by an exception or by a check that does not hold."""

    name: str
    summary: str
    seconds: float
    body: Callable[[Bench], None]
    is_slow: bool = False


CASES: list[Case] = []


def case(
    name: str, seconds: float, *, is_slow: bool = False
) -> Callable[[Callable[[Bench], None]], Callable[[Bench], None]]:
    """Registers a function as a test, described by the first line of its docstring. `seconds` is its time limit.

    A slow one is left out by --quick.
    """

    def register(body: Callable[[Bench], None]) -> Callable[[Bench], None]:
        CASES.append(Case(name, (body.__doc__ or "").strip().splitlines()[0], seconds, body, is_slow))
        return body

    return register


def program(name: str) -> Path:
    """A program of ours: $READERD and so on, or what `swift build` leaves. Raises Failure if it is missing."""
    path = Path(os.environ.get(name.upper().replace("-", "_")) or ROOT / ".build/debug" / name)
    if not path.exists():
        raise Failure(f"there is no {path}: script/test-kernel builds it")
    return path


def eventually(holds: Callable[[], bool], seconds: float, what: str) -> None:
    """Waits until it holds. Raises Failure after `seconds`."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise Failure(f"{what}: not within {seconds:g} s")
        time.sleep(0.02)
