# SPDX-License-Identifier: Apache-2.0
"""No scenario sleeps for a literal time: it waits for a condition, or the time has a name and a reason."""

from __future__ import annotations

import ast
from pathlib import Path

INTEROP = Path(__file__).resolve().parents[1]


def literal_sleeps(source: str) -> list[int]:
    """The lines with a call of `sleep` with a number that is written out."""
    return sorted(
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "sleep"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    )


def test_a_literal_sleep_is_found() -> None:
    assert literal_sleeps("await asyncio.sleep(0.5)\npause(1)\ntime.sleep(2)\nawait asyncio.sleep(PAUSE)") == [1, 3]


def test_no_scenario_sleeps_for_a_literal_time() -> None:
    found = [
        f"{path.relative_to(INTEROP)}:{line}"
        for path in sorted((INTEROP / "scenarios").rglob("*.py"))
        for line in literal_sleeps(path.read_text())
    ]
    assert found == []
