# SPDX-License-Identifier: Apache-2.0
"""The commands of a page in docs/, to be carried out as they stand."""

from __future__ import annotations

import os
import re

from rig.emulation import binary as lab
from rig.reader import ROOT
from rig.reader import binary as reader

README = "../README.md"
"""The page of that name, from docs/."""


def commands(page: str, heading: str, language: str = "sh") -> list[str]:
    """The blocks of a section in that language, up to the next heading. Fails if there are none."""
    _, _, section = (ROOT / "docs" / page).read_text().partition(f"\n{heading}\n")
    section = re.split(r"^#{2,3} ", section, maxsplit=1, flags=re.MULTILINE)[0]
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)
    found = [block for named, block in blocks if named == language]
    assert found, f'docs/{page} has no commands below "{heading}"'
    return found


def path() -> str:
    """The search path with the built programs in front."""
    return f"{reader().parent}:{lab().parent}:{os.environ['PATH']}"
