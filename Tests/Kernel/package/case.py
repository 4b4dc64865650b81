# SPDX-License-Identifier: Apache-2.0
"""The Debian package, installed into a Debian system that systemd has started."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bench import Bench, case, program
from bluetooth.case import phone_packages
from machine import CACHE, ROOT, Failure

SECONDS = 900


def package() -> Path:
    """The .deb of the reader: $READERD_PACKAGE, or what script/package has left. Raises Failure without it."""
    named = os.environ.get("READERD_PACKAGE")
    found = [Path(named)] if named else sorted((ROOT / ".build/package").glob("readerd_*.deb"))
    if len(found) != 1 or not found[0].exists():
        raise Failure(
            f"there is {'no' if not found else 'more than one'} package of the reader: script/package builds it"
        )
    return found[0].resolve()


def beside(name: str) -> Path:
    """The .deb of that name which was built with the reader's. Raises Failure without it."""
    found = sorted(package().parent.glob(f"{name}_*.deb"))
    if len(found) != 1:
        raise Failure(f"there is {'no' if not found else 'more than one'} package {name} beside {package()}")
    return found[0].resolve()


def debian() -> Path:
    """The root of the system. Raises Failure with how to make it."""
    directory = CACHE / "debian"
    if not directory.is_dir():
        raise Failure(f"there is no {directory}: script/bootstrap --kernel-debian makes it, as root")
    return directory.resolve()


@case("package", seconds=SECONDS)
def installed(bench: Bench) -> None:
    """The Debian packages in a Debian system: start under systemd, hardened, serve, fail safe, and are removed."""
    machine = bench.machine(memory=1024, system=debian())
    values = {
        "PROGRAMS": "/host",
        "PACKAGE": f"/host{package()}",
        "LINK_PACKAGE": f"/host{beside('readerd-link')}",
        "MATTER_PACKAGE": f"/host{beside('readerd-matter')}",
        "READERLAB": str(program("readerlab")),
        "PYTHON": sys.executable,
        "PHONE_PACKAGES": phone_packages(),
    }
    result = machine.run((ROOT / "Tests/Kernel/package/package.sh").read_text(), SECONDS, values)
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")
