# SPDX-License-Identifier: Apache-2.0
"""The benchmarks' thresholds, and the figures that the last run of each part has measured."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
THRESHOLDS = ROOT / "Tests" / "Benchmarks" / "thresholds.toml"
MEASURED = ROOT / ".build" / "benchmarks"
"""A file a part; script/release makes a row of Tests/Benchmarks/history.jsonl of them."""


def thresholds(part: str) -> dict[str, tuple[float, bool]]:
    """The part's bounds by figure, and whether it has to be at least that much."""
    tables = tomllib.loads(THRESHOLDS.read_text())[part]
    return {name: (bound, kind == "at-least") for kind, table in tables.items() for name, bound in table.items()}


def record(part: str, figures: dict[str, float]) -> None:
    """Keeps what was measured. Each name is a threshold's, or that and a kind behind a dot."""
    unknown = [name for name in figures if name.split(".")[0] not in thresholds(part)]
    assert not unknown, f"{THRESHOLDS.name} has no threshold for {unknown}"
    MEASURED.mkdir(parents=True, exist_ok=True)
    (MEASURED / f"{part}.json").write_text(json.dumps(figures, indent=2) + "\n")
