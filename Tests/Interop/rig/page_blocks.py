# SPDX-License-Identifier: Apache-2.0
"""The commands of a page in docs/, to be carried out as they stand."""

from __future__ import annotations

import re

from rig.reader import ROOT


def commands(page: str, heading: str) -> list[str]:
    """The `sh` blocks of a section, up to the next heading. Fails if there are none."""
    _, _, section = (ROOT / "docs" / page).read_text().partition(f"\n{heading}\n")
    section = re.split(r"^#{2,3} ", section, maxsplit=1, flags=re.MULTILINE)[0]
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)
    assert blocks, f'docs/{page} has no commands below "{heading}"'
    return blocks
