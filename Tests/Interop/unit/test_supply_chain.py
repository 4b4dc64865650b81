# SPDX-License-Identifier: Apache-2.0
"""Downloads of builds and tests are fixed by their content: actions by commit, images by digest, Python packages by
hash."""

import re
import subprocess

import pytest

from rig.reader import ROOT

WORKFLOWS = [*sorted((ROOT / ".github/workflows").glob("*.yml")), ROOT / "samples/pytest-readerlab/app-tests.yml"]
TRACKED = subprocess.run(
    ["git", "ls-files", "*requirements.txt"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.split()
REQUIREMENTS = [ROOT / name for name in TRACKED]
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(\[[a-z,]+\])?==(?P<version>[^\s;\\]+)", re.MULTILINE)


def normalized(name):
    """PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(path):
    """The packages of a file of requirements, with their versions."""
    return {normalized(found["name"]): found["version"] for found in PIN.finditer(path.read_text())}


def test_there_is_something_to_look_at():
    assert WORKFLOWS
    assert len(REQUIREMENTS) >= 6


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_commit(workflow):
    for line in workflow.read_text().splitlines():
        if found := re.search(r"^[ -]*\buses: *(\S+)(.*)", line):
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", found[1]), line
            assert re.fullmatch(r" +# v\d+(\.\d+)*", found[2]), f"{line}: of which version?"


def test_images_are_named_by_digest_or_listed():
    images = {
        found[1] for path in WORKFLOWS for found in re.finditer(r"^ *image: *(\S+)", path.read_text(), re.MULTILINE)
    }
    listed = {
        line
        for line in (ROOT / ".github/unpinned-images").read_text().splitlines()
        if line and not line.startswith("#")
    }
    assert {image for image in images if not re.search(r"@sha256:[0-9a-f]{64}$", image)} == listed


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_requirements_have_hashes(path):
    lines = re.sub(r"\\\n *", " ", path.read_text()).splitlines()
    entries = [line for line in lines if line.strip() and not line.strip().startswith("#")]
    for entry in entries:
        assert PIN.match(entry), entry
        assert re.search(r" --hash=sha256:[0-9a-f]{64}\b", entry), entry
    asked, pinned = pins(path.with_suffix(".in")), pins(path)
    assert asked
    assert {name: pinned.get(name) for name in asked} == asked, "script/pin-requirements writes it again"


def test_pip_installs_nothing_else():
    for name in "script/bootstrap", "Tests/Interop/home/install":
        text = re.sub(r"\\\n *", " ", (ROOT / name).read_text())
        calls = [line for line in text.splitlines() if re.search(r"(-m pip|\$pip\") (install|download)", line)]
        assert calls
        for call in calls:
            assert "--require-hashes" in call or "${options[@]}" in call, call
    assert "--require-hashes" in (ROOT / "Tests/Interop/home/install").read_text()
