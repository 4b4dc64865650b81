# SPDX-License-Identifier: Apache-2.0
"""Every call of script/build has options that it or `swift build` knows."""

from __future__ import annotations

import re
import subprocess

from rig.reader import ROOT

OWN = {"--packages", "--package-of", "--all", "--help", "--whole-modules", "--incremental", "--options"}
SWIFT = {"--product", "--target", "--build-tests", "--configuration", "--show-bin-path", "--static-swift-stdlib"}
CALL = re.compile(r"script/build[`\"']?,? +((?:[^|;&()`\n]|\\\n)*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def unknown(text: str) -> list[str]:
    return [option for call in CALL.findall(text) for option in OPTION.findall(call) if option not in OWN | SWIFT]


def test_an_option_that_is_gone_is_found() -> None:
    assert unknown("script/build --in lab --build-tests") == ["--in"]
    assert unknown('"script/build", "--lab", "--product", name') == ["--lab"]


def test_every_call_has_known_options() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "script", ".ci", "board/virt", "docs", "Tests/Interop", "Tests/Kernel", "*.md"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    places = [ROOT / name for name in listed.stdout.splitlines() if not name.endswith("unit/test_build_calls.py")]
    texts = {place.name: place.read_text(errors="ignore") for place in places if place.is_file()}
    assert {name: found for name, text in texts.items() if (found := unknown(text))} == {}
