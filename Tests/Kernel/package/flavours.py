# SPDX-License-Identifier: Apache-2.0
"""The flavours of a board, by the commands of their pages: docs/gateway.md, docs/wall-reader.md."""

from __future__ import annotations

import sys

from bench import Bench, case, program
from bluetooth.case import phone_packages
from machine import ROOT
from package.case import beside, debian, package
from page import commands

SECONDS = 900


def board(bench: Bench, flavour: str, headings: dict[str, str], packages: list[str]) -> None:
    """A board that its page's commands make, a section to a file of /out, with these packages beside the reader's."""
    machine = bench.machine(memory=1024, system=debian())
    machine.directory.mkdir()
    for name, heading in headings.items():
        (machine.directory / f"{name}.sh").write_text(commands(ROOT / f"docs/{flavour}.md", heading))
    values = {
        "PACKAGES": " ".join(f"/host{path}" for path in [package(), *map(beside, packages)]),
        "PYTHON": sys.executable,
        "PHONE_PACKAGES": phone_packages(),
        "READERLAB": str(program("readerlab")),
    }
    result = machine.run((ROOT / f"Tests/Kernel/package/{flavour}.sh").read_text(), SECONDS, values)
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")


@case("gateway", seconds=SECONDS, is_slow=True)
def gateway(bench: Bench) -> None:
    """docs/gateway.md as it stands: packages, a phone names a network, and the board is in it with an address."""
    headings = {"install": "### The packages", "start": "### The start", "open": "### The network"}
    board(bench, "gateway", headings, ["readerd-gateway"])


@case("wall-reader", seconds=SECONDS, is_slow=True)
def wall_reader(bench: Bench) -> None:
    """docs/wall-reader.md as it stands: package, lines, identity, a phone opens; it says what it lacks until then."""
    names = ("package", "door", "identity", "start")
    headings = {name: f"## The {name}" for name in names} | {"phone": "## A phone"}
    board(bench, "wall-reader", headings, [])
