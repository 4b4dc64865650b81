# SPDX-License-Identifier: Apache-2.0
"""pytest-readerlab, installed as its users install it, and its example project: right apps pass, wrong apps fail."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from junitparser import JUnitXml

from rig.emulation import binary
from rig.reader import ROOT

PLUGIN = ROOT / "samples" / "pytest-readerlab"
RUN_SECONDS = 280.0
"""For a run of the example: 20 s of two processors in a debug build."""

WRONG = {
    "test_door_app": "not-subscribed, entry 12: sent a message before it had subscribed to TX",
    "test_camera_app": "write-without-response",
    "test_wifi_app": "not-subscribed, entry 6: wrote without having subscribed to control-point",
    "test_thermostat_app": "invalid-target, entry 4: wrote a target of 1 octets: write 5 to 30 °C as two octets",
    "test_action_camera_app": "unknown-resource, entry 2: GET /api/2/video",
    "test_fitness_app": "no-control, entry 5: wrote op code 4",
    "test_softap_app": "unknown-path, entry 4: asked for /prov/scan",
}
"""The finding about each wrong app of the example."""

EXAMPLES = {
    "reader": "test_door_app",
    "smarter-ai": "test_camera_app",
    "nordic-wifi": "test_wifi_app",
    "thermostat": "test_thermostat_app",
    "bandit": "test_action_camera_app",
    "gatt": "test_fitness_app",
    "nordic-softap": "test_softap_app",
}
"""The example for each kind of device."""
WITHOUT_EXAMPLE = {"matter"}
"""An app for it is a Matter controller: scenarios/matter has one."""

ON_A_NETWORK = {"action-camera", "softap-device"}
"""Devices without a place on the air."""

EXPECTATIONS = """
import pytest
from pytest_readerlab import CommandRefused, Setup

TARGET = "7E2F5A00-4D1C-4B57-9C39-6F1F6D0C1A01"

def break_rule(phone, thermostat):
    with pytest.raises(Exception):
        phone.connect(thermostat).write(TARGET, b"x")

def test_expected(thermostat, phone, findings):
    findings.expect("invalid-target")
    break_rule(phone, thermostat)

def test_allowed(thermostat, phone, findings):
    findings.allow("invalid-target")
    break_rule(phone, thermostat)
    assert [finding.rule for finding in findings.all] == ["invalid-target"]

def test_expected_and_not_found(thermostat, findings):
    findings.expect("invalid-target")

def test_no_such_fault(thermostat):
    with pytest.raises(CommandRefused, match="drop nothing"):
        thermostat.fault("drop nothing")

@pytest.mark.parametrize("thermostat", [Setup("--name", "attic")], indirect=True)
def test_options(thermostat, phone):
    assert phone.find(name="attic") and thermostat.name == "attic"

@pytest.mark.parametrize("thermostat", [Setup("--target", "90")], indirect=True)
def test_wrong_options(thermostat):
    pass
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin without its dependencies, which these tests have."""
    place = tmp_path_factory.mktemp("plugin")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--no-build-isolation", "--no-index", "--target", place, PLUGIN], check=True)
    return place


def run(installed: Path, tests: Path, directory: Path, *options: str) -> dict[str, str]:
    """The failure of each test of a project, empty for none: its message and its text."""
    report = directory / "report.xml"
    environment = os.environ | {"READERLAB": str(binary()), "PYTHONPATH": str(installed)}
    for name in [name for name in environment if name.startswith("PYTEST")]:
        del environment[name]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={tests.parent}", *options]
    done = subprocess.run(
        [*command, f"--junitxml={report}", tests], cwd=directory, env=environment, timeout=RUN_SECONDS,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    cases = [case for suite in JUnitXml.fromfile(str(report)) for case in suite]
    return {
        f"{case.classname.rpartition('.')[2]}.{case.name}": "\n".join(
            f"{one.message}\n{one.text}" for one in case.result
        )
        for case in cases
    }


def test_each_kind_of_device_has_an_example():
    shown = subprocess.run([binary(), "emulate", "--help"], capture_output=True, text=True, check=True).stdout
    kinds = set(re.findall(r"^  ([a-z-]+)  ", shown.partition("SUBCOMMANDS:")[2], re.MULTILINE))
    assert kinds - {"devices", "faults"} == EXAMPLES.keys() | WITHOUT_EXAMPLE
    assert set(EXAMPLES.values()) == set(WRONG)
    assert {path.stem for path in (PLUGIN / "example").glob("test_*.py")} == set(WRONG)


@pytest.mark.seconds(300)
def test_right_apps_pass_and_wrong_apps_fail_with_the_finding(installed, directory):
    kept = directory / "kept"
    results = run(installed, PLUGIN / "example", directory, "--numprocesses", "2", f"--readerlab-files={kept}")
    wrong = {name: text for name, text in results.items() if ".test_wrong_app_" in name}
    assert {name: text for name, text in results.items() if text and name not in wrong} == {}
    assert len(results) - len(wrong) >= 20
    assert {name.partition(".")[0] for name in wrong} == set(WRONG)
    for name, text in wrong.items():
        assert "the app got something wrong:" in text and WRONG[name.partition(".")[0]] in text, (name, text)
    assert len(list(kept.iterdir())) == len(wrong)
    for place in kept.iterdir():
        are_the_files_of_a_failure(place)


def are_the_files_of_a_failure(place: Path) -> None:
    """Packets, page, transcript and findings; and the command that repeats the test."""
    (junit,) = place.glob("*.junit.xml")
    device = junit.name.removesuffix(".junit.xml")
    rules = {one["rule"] for one in json.loads((place / f"{device}.json").read_text())["findings"]}
    cases = [case for suite in JUnitXml.fromfile(str(junit)) for case in suite]
    assert rules
    assert {case.name for case in cases if case.result} == rules
    assert all(rule in (place / f"{device}.html").read_text() for rule in rules)
    assert (place / "repeat.txt").read_text().startswith("pytest ")
    assert "::test_wrong_app_" in (place / "repeat.txt").read_text()
    assert place.stat().st_mode & 0o777 == 0o700
    captures = list(place.glob("*.pcapng"))
    assert [capture.name for capture in captures] == ([] if device in ON_A_NETWORK else ["air.pcapng"])
    for capture in captures:
        # A section header block, and more than that.
        assert capture.read_bytes()[:4] == bytes.fromhex("0a0d0d0a")
        assert capture.stat().st_size > 1000


@pytest.mark.seconds(120)
def test_expectations_options_and_refusals(installed, directory):
    tests = directory / "test_expectations.py"
    tests.write_text(EXPECTATIONS)
    results = run(installed, tests, directory)
    kept = sorted((directory / "readerlab-files").iterdir())
    assert [place.name.rpartition("test_")[2][:-7] for place in kept] == [
        "expected_and_not_found", "wrong_options-thermostat0"
    ]  # fmt: skip
    # A run replaces the files of the last one, unless it keeps none; with all it keeps those of a test that passes.
    for place in kept:
        (place / "old").touch()
    run(installed, tests, directory, "-k", "not_found", "--readerlab-keep=none")
    assert [(place / "old").exists() for place in kept] == [True, True]
    run(installed, tests, directory, "-k", "not_found or allowed", "--readerlab-keep=all")
    assert [(place / "old").exists() for place in kept] == [False, True]
    (more,) = set((directory / "readerlab-files").iterdir()) - set(kept)
    assert "test_allowed" in more.name
    assert (more / "air.pcapng").exists()
    failed = {name.partition(".test_")[2]: text for name, text in results.items() if text}
    assert set(failed) == {"expected_and_not_found", "wrong_options[thermostat0]"}, failed
    assert "expected, and not found: invalid-target" in failed["expected_and_not_found"]
    assert "--target is 5 to 30" in failed["wrong_options[thermostat0]"]
