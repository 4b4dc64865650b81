# SPDX-License-Identifier: Apache-2.0
"""Commands of pages in docs/, for scripts in a machine that carry them out unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from machine import Machine


def hand_in(machine: Machine, sections: Mapping[str, Sequence[str]]) -> None:
    """The blocks of each section, as /out/NAME.sh in a machine that is off."""
    machine.directory.mkdir(parents=True, exist_ok=True)
    for name, blocks in sections.items():
        (machine.directory / f"{name}.sh").write_text("".join(blocks))
