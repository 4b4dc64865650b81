# SPDX-License-Identifier: Apache-2.0
"""The Debian systems that a board is made of, and where the programs next to its packages are."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from bench import program
from bluetooth.case import phone_packages
from machine import CACHE, Failure
from package.case import debian


@dataclass(frozen=True)
class System:
    """One of them. `values` are what a script finds the other programs by."""

    root: Path
    values: dict[str, str]
    arm64: bool = False


def of_this_architecture() -> System:
    """Controllers, access points, Python and readerlab are the host's. Raises Failure with how to make it."""
    programs = {"PROGRAMS": "/host", "PYTHON": sys.executable, "READERLAB": str(program("readerlab"))}
    return System(debian(), {**programs, "PHONE_PACKAGES": phone_packages()})


def of_arm64() -> System:
    """All of them are its own, and readerlab is not there. Raises Failure with how to make it."""
    root = CACHE / "arm64/root"
    if not root.is_dir():
        raise Failure(f"there is no {root}: script/bootstrap --kernel-arm64 makes it, as root")
    programs = {"PROGRAMS": "/", "PYTHON": "/usr/bin/python3", "PHONE_PACKAGES": f"/host{phone_packages()}"}
    return System(root.resolve(), programs, arm64=True)
