# SPDX-License-Identifier: Apache-2.0
"""The flavours of a board, by the commands of their pages: docs/operate/gateway.md, docs/operate/wall-reader.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench import Bench, case
from machine import ROOT
from package.case import beside, package
from package.system import System, of_this_architecture
from page import hand_in
from rig.page_blocks import commands

SECONDS = 900


def board(
    bench: Bench, script: str, sections: Mapping[str, Sequence[str]], packages: Sequence[str], system: System
) -> None:
    """A board that the commands of pages make, a section to a file of /out, with these packages and the reader's."""
    machine = bench.machine(memory=1024, system=system.root, arm64=system.arm64)
    hand_in(machine, sections)
    names = " ".join(f"/host{path}" for path in [package(), *map(beside, packages)])
    text = (ROOT / f"Tests/Kernel/package/{script}.sh").read_text()
    result = machine.run(text, SECONDS, {**system.values, "PACKAGES": names})
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")


@case("gateway", seconds=SECONDS, is_slow=True)
def gateway(bench: Bench) -> None:
    """docs/operate/gateway.md unchanged: packages, a phone names a network, and the board is in it with an address."""
    gateway_on(bench, of_this_architecture())


def gateway_on(bench: Bench, system: System) -> None:
    """The same, on a system of either architecture."""
    sections = {
        "install": commands("gateway.md", "### The packages"),
        "start": commands("gateway.md", "### The start"),
        "open": commands("gateway.md", "### The network"),
    }
    board(bench, "gateway", sections, ["readerd-gateway"], system)


@case("wall-reader", seconds=SECONDS, is_slow=True)
def wall_reader(bench: Bench) -> None:
    """docs/operate/wall-reader.md unchanged: package, lines, identity, a phone opens; says what lacks until then."""
    sections = {
        "package": commands("wall-reader.md", "## The package"),
        "door": commands("wall-reader.md", "## The door"),
        "identity": commands("wall-reader.md", "## The identity"),
        "start": commands("wall-reader.md", "## The start"),
        "phone": commands("wall-reader.md", "## A phone"),
    }
    board(bench, "wall-reader", sections, [], of_this_architecture())
