# SPDX-License-Identifier: Apache-2.0
"""Each link between pages leads to a file, and to a heading of it."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from rig.reader import ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGES = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    # DocC checks its own catalogues.
    if ".docc/" not in name
]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as forges make them."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    return frozenset(anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE))


def anchor(heading: str) -> str:
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", words).strip().lower()).replace(" ", "-")


def broken(page: Path, text: str) -> list[str]:
    """The page's links that lead nowhere."""
    found = []
    for link in LINK.findall(text):
        name, _, heading = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (heading and target.suffix == ".md" and heading not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_each_link_leads_somewhere(page: Path) -> None:
    assert broken(page, page.read_text()) == []


@pytest.mark.parametrize(
    "link", ["none.md", "docs/none.md", "README.md#no-such-heading", "#no-such-heading", "docs/web.md"]
)
def test_a_broken_link_is_found(link: str) -> None:
    assert broken(ROOT / "README.md", f"[x]({link}), [y](docs/README.md#words)") == [link]
