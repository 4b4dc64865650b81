# SPDX-License-Identifier: Apache-2.0
"""Commands of a page in docs/, for tests that carry them out as they stand."""

from __future__ import annotations

import re
from pathlib import Path

from machine import Failure


def commands(page: Path, heading: str) -> str:
    """The `sh` blocks of the section, up to the next heading. Raises Failure if there are none."""
    _, _, section = page.read_text().partition(f"\n{heading}\n")
    section = re.split(r"^#{2,3} ", section, maxsplit=1, flags=re.MULTILINE)[0]
    found = "".join(re.findall(r"^```sh\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL))
    if not found:
        raise Failure(f'{page.name} has no commands below "{heading}"')
    return found
