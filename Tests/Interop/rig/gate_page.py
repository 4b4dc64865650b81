# SPDX-License-Identifier: Apache-2.0
"""docs/operate/gate.md and its picture: the commands of the page, run as written.

`python -m rig.gate_page` (in `Tests/Interop`) writes the output of each command into the page, and the picture again.
"""

from __future__ import annotations

import csv
import shlex
import subprocess
import tempfile
from pathlib import Path

from rig.emulation import binary as lab
from rig.page_blocks import beginning
from rig.reader import ROOT
from rig.reader import binary as reader

PAGE = ROOT / "docs/operate/gate.md"
PICTURE = ROOT / "docs/operate/gate.svg"
TRACES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "lab/Traces").glob("*.csv"))
SITES = {"hands.csv": ("hand",), "bodies.csv": ("pocket", "backpack")}
"""The places of the first phone, for each file of walks that the page makes of the recordings of two people."""
NEAR_METRES, FAR_METRES = 0.5, 3.0
"""Up to which distance such a trace is at the door, and from which it is away."""


def blocks() -> list[tuple[str, str]]:
    """Each command of the page with its output there."""
    found = beginning("gate.md", "$ readerlab gate ", "$ readerd calibrate --door 0 ")
    return [(command.removeprefix("$ "), shown) for command, _, shown in (block.partition("\n") for block in found)]


def make_site(name: str, directory: Path) -> None:
    """The walks of a site, of `ng-two-people-carried.csv`: the traces near and far, as door and away."""
    with (ROOT / "lab/Traces/ng-two-people-carried.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["condition"].split("/")[0] in SITES[name]]
    lines = ["trace,seconds,distance_m,condition,rssi_dbm"]
    for row in rows:
        metres = float(row["distance_m"])
        if metres <= NEAR_METRES or metres >= FAR_METRES:
            place = "door" if metres <= NEAR_METRES else "away"
            lines.append(f"{row['trace']},{row['seconds']},,{place},{row['rssi_dbm']}")
    (directory / name).write_text("\n".join(lines) + "\n")


def output(command: str, *further: str) -> str:
    """The output of a command of the page. Raises CalledProcessError."""
    program, *words = shlex.split(command)
    with tempfile.TemporaryDirectory() as place:
        for name in SITES:
            make_site(name, Path(place))
        run = subprocess.run(
            [lab() if program == "readerlab" else str(reader()), *words, *further],
            cwd=ROOT if program == "readerlab" else place,
            check=True,
            capture_output=True,
            text=True,
        )
    return run.stdout


def picture(path: Path) -> None:
    """Draws the picture."""
    output(f"readerlab gate --packets --plot {shlex.quote(str(path))}", *TRACES)


def main() -> None:
    """Writes page and picture."""
    page = PAGE.read_text()
    for command, shown in blocks():
        page = page.replace(f"$ {command}\n{shown}```", f"$ {command}\n{output(command)}```")
    PAGE.write_text(page)
    picture(PICTURE)


if __name__ == "__main__":
    main()
