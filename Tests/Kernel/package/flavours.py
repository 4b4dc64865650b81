# SPDX-License-Identifier: Apache-2.0
"""The flavours of a board, by the commands of their pages: docs/gateway.md, docs/wall-reader.md."""

from __future__ import annotations

from bench import Bench, case
from machine import ROOT
from package.case import beside, package
from package.system import System, of_this_architecture
from page import commands

SECONDS = 900


def board(bench: Bench, flavour: str, headings: dict[str, str], packages: list[str], system: System) -> None:
    """A board that its page's commands make, a section to a file of /out, with these packages beside the reader's."""
    machine = bench.machine(memory=1024, system=system.root, arm64=system.arm64)
    machine.directory.mkdir()
    for name, heading in headings.items():
        (machine.directory / f"{name}.sh").write_text(commands(ROOT / f"docs/{flavour}.md", heading))
    names = " ".join(f"/host{path}" for path in [package(), *map(beside, packages)])
    script = (ROOT / f"Tests/Kernel/package/{flavour}.sh").read_text()
    result = machine.run(script, SECONDS, {**system.values, "PACKAGES": names})
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")


@case("gateway", seconds=SECONDS, is_slow=True)
def gateway(bench: Bench) -> None:
    """docs/gateway.md as it stands: packages, a phone names a network, and the board is in it with an address."""
    gateway_on(bench, of_this_architecture())


def gateway_on(bench: Bench, system: System) -> None:
    """The same, on a system of either architecture."""
    headings = {"install": "### The packages", "start": "### The start", "open": "### The network"}
    board(bench, "gateway", headings, ["readerd-gateway"], system)


@case("wall-reader", seconds=SECONDS, is_slow=True)
def wall_reader(bench: Bench) -> None:
    """docs/wall-reader.md as it stands: package, lines, identity, a phone opens; it says what it lacks until then."""
    names = ("package", "door", "identity", "start")
    headings = {name: f"## The {name}" for name in names} | {"phone": "## A phone"}
    board(bench, "wall-reader", headings, [], of_this_architecture())
