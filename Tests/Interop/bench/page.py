# SPDX-License-Identifier: Apache-2.0
"""The page of the measurements, docs/develop/performance.md: tables, and a part between marks for each measurement."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

from bench.figures import ROOT

PAGE = ROOT / "docs/develop/performance.md"
HISTORY = ROOT / "docs/develop/performance-history.md"
"""The figures behind those of the page, and earlier ones."""


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]


def measured_on(options: str, load: float) -> str:
    """The first line of a part: date, command and machine."""
    return (
        f"Measured {time.strftime('%Y-%m-%d')} with `script/bench {options}` on {os.cpu_count()} processors, "
        f"{platform.machine()}, load average {load:.1f}."
    )


def put(lines: list[str], part: str, to_page: bool = True, page: Path = PAGE) -> None:
    """Replaces the part of the page, or prints the lines."""
    text = "\n".join(lines)
    if not to_page:
        print(text)
        return
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    before, found, rest = page.read_text().partition(begin)
    if not found:
        raise SystemExit(f"bench: {page.relative_to(ROOT)} has no {begin}")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.split(end, 1)[1]}")
    print(f"bench: wrote {page.relative_to(ROOT)}", file=sys.stderr)


def options(description: str | None) -> argparse.Namespace:
    """The options of a measurement with one budget."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="do not change docs/develop/performance.md")
    parser.add_argument("--gate", action="store_true", help="fail if the budget is missed; changes nothing")
    return parser.parse_args()
