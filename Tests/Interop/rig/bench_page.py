# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/develop/performance.md that do not depend on a machine: the commands of the page, run as written.

`python -m rig.bench_page` (in `Tests/Interop`) writes the output of each command into the page.
"""

from __future__ import annotations

import glob
import shlex
import subprocess

from rig.emulation import binary
from rig.page_blocks import beginning
from rig.reader import ROOT

ATTACKS = "readerlab bench attacks"
PAGE = ROOT / "docs/develop/performance.md"


def blocks() -> dict[str, str]:
    """The output of each command on the page."""
    found = [block.partition("\n") for block in beginning("performance.md", "$ readerlab bench ")]
    return {command.removeprefix("$ "): shown for command, _, shown in found}


def output(command: str, *further: str) -> str:
    """The output of a command of the page. Raises CalledProcessError."""
    _, *words = shlex.split(command)
    files = [name for word in words for name in (sorted(glob.glob(word, root_dir=ROOT)) if "*" in word else [word])]
    run = subprocess.run([str(binary()), *files, *further], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return run.stdout


def main() -> None:
    """Writes the page."""
    page = PAGE.read_text()
    for command, shown in blocks().items():
        page = page.replace(f"$ {command}\n{shown}```", f"$ {command}\n{output(command)}```")
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
