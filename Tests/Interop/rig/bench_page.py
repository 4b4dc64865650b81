# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/performance.md that do not depend on a machine: the commands of the page, run as written.

`python -m rig.bench_page` (in `Tests/Interop`) writes the output of each command into the page.
"""

from __future__ import annotations

import glob
import re
import shlex
import subprocess

from rig.emulation import binary
from rig.reader import ROOT

ATTACKS = "readerlab bench attacks lab/Traces/*.csv"
PAGE = ROOT / "docs/performance.md"
BLOCK = re.compile(r"^```console\n\$ (readerlab bench .*)\n((?:.*\n)*?)```", re.MULTILINE)


def blocks() -> dict[str, str]:
    """What the page shows of each command."""
    return dict(BLOCK.findall(PAGE.read_text()))


def output(command: str, *further: str) -> str:
    """What a command of the page prints. Raises CalledProcessError."""
    _, *words = shlex.split(command)
    files = [name for word in words for name in (sorted(glob.glob(word, root_dir=ROOT)) if "*" in word else [word])]
    run = subprocess.run([str(binary()), *files, *further], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return run.stdout


def main() -> None:
    """Writes the page."""
    page = BLOCK.sub(lambda block: f"```console\n$ {block[1]}\n{output(block[1])}```", PAGE.read_text())
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
