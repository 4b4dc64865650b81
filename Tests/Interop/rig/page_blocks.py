# SPDX-License-Identifier: Apache-2.0
"""The commands of a page in docs/, to be carried out unchanged. A page has its file's name, without the folder.

`unit/test_page_commands.py` reads the calls of `commands` and `beginning`, of these tests and of those in Tests/Kernel,
for the blocks that are carried out: page, heading, language and words have to be literals there.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from rig.emulation import binary as lab
from rig.reader import ROOT
from rig.reader import binary as reader

README = "../README.md"
"""The page of that name, from docs/."""
FOLDERS = sorted(path for path in (ROOT / "docs").iterdir() if path.is_dir())
"""Those of the pages."""
HEADINGS = re.compile(r"^#{1,4} ")
FENCE = re.compile(r"^ *```(\w*)$")


@dataclass(frozen=True)
class Block:
    """A block of code, and the heading above it. `line` is the number of its first line."""

    heading: str
    language: str
    text: str
    line: int


def page_path(page: str) -> Path:
    """The file of the page. Fails without one, and if several have the name."""
    if page == README:
        return ROOT / "README.md"
    found = [folder / page for folder in FOLDERS if (folder / page).is_file()]
    assert len(found) == 1, f"docs/*/{page}: {len(found)} files"
    return found[0]


def page_names() -> list[str]:
    """Those of all pages for readers, in their order."""
    return [README, *sorted(path.name for folder in FOLDERS for path in folder.glob("*.md"))]


def blocks(page: str) -> list[Block]:
    """All blocks of the page, in their order."""
    found: list[Block] = []
    heading, opened, language = "", 0, ""
    lines = page_path(page).read_text().splitlines()
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if fence and opened:
            text = "".join(f"{each}\n" for each in lines[opened : number - 1])
            found.append(Block(heading, language, text, opened + 1))
            opened = 0
        elif fence:
            opened, language = number, fence[1]
        elif not opened and HEADINGS.match(line):
            heading = line
    return found


def commands(page: str, heading: str, language: str = "sh") -> list[str]:
    """The blocks of a section in that language, up to the next heading. Fails without any."""
    found = [each.text for each in blocks(page) if (each.heading, each.language) == (heading, language)]
    assert found, f'{page} has no commands below "{heading}"'
    return found


def beginning(page: str, *words: str) -> list[str]:
    """The blocks of the page in which a line begins with one of these. Fails without any."""
    found = [each.text for each in blocks(page) if begins(each.text, words)]
    assert found, f"{page} has no command that begins with {' or '.join(words)}"
    return found


def begins(text: str, words: tuple[str, ...]) -> bool:
    """True if a line of the block begins with one of these."""
    return any(line.startswith(words) for line in text.splitlines())


def path() -> str:
    """The search path with the built programs in front."""
    return f"{reader().parent}:{lab().parent}:{os.environ['PATH']}"
