# SPDX-License-Identifier: Apache-2.0
"""`docs/scenario.schema.json`: what readerlab takes is valid, and what it refuses is not."""

import copy
import json
import re
import subprocess

import pytest
from jsonschema import Draft202012Validator

from rig.emulation import binary
from rig.reader import ROOT

SCHEMA = json.loads((ROOT / "docs/scenario.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
PAGE = (ROOT / "docs/scenarios.md").read_text()
EXAMPLE = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])
SECONDS = 120
"""For a run: a second where nothing else runs."""


def scenario(*arguments):
    command = [binary(), "scenario", *map(str, arguments)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def changed(path, value):
    """The page's example with another value at this place."""
    example = copy.deepcopy(EXAMPLE)
    *parents, last = path
    place = example
    for name in parents:
        place = place[name]
    place[last] = value
    return example


def test_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


def test_the_library_is_valid_and_on_the_page():
    names = [line.split()[0] for line in scenario("--list").stdout.splitlines()]
    assert len(names) > 10
    for name in names:
        VALIDATOR.validate(json.loads(scenario("--print", name).stdout))
        assert f"`{name}`" in PAGE, name


def test_the_example_of_the_page_runs_as_it_says(tmp_path):
    VALIDATOR.validate(EXAMPLE)
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(EXAMPLE))
    runs = scenario(file, "--seeds", 3, "--json")
    assert runs.returncode == 0, runs.stdout + runs.stderr
    assert [json.loads(line)["phones"][0]["result"] for line in runs.stdout.splitlines()] == ["opened"] * 3
    # In one process and in another: the same run.
    assert scenario(file, "--seed", 2, "--json").stdout == runs.stdout.splitlines(keepends=True)[1]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["people"], []),
        (["seconds"], 0),
        (["start"], "noon"),
        (["reader"], {"links": 8}),
        (["phones", 0, "path"], []),
        (["phones", 0, "path", 0], {"at-ms": 0, "metres": 1, "dbm": -40}),
        (["phones", 0, "carry"], "hat"),
        (["phones", 0, "expect"], "open"),
        (["phones", 0, "credential", "id"], "ELEVEN CHARS"),
        (["events"], [{"after-ms": 0, "do": "door ajar"}]),
        (["expect", "openings"], -1),
    ],
)
def test_what_the_program_refuses_is_not_valid(tmp_path, path, value):
    example = changed(path, value)
    assert not VALIDATOR.is_valid(example)
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(example, indent=1))
    told = scenario(file)
    assert told.returncode == 2 and told.stdout == ""
    assert re.fullmatch(rf"readerlab scenario: {re.escape(str(file))}:\d+: .+\n", told.stderr), told.stderr


def test_an_expectation_that_fails_names_the_command_that_repeats_it(tmp_path):
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(changed(["expect", "openings"], 7)))
    told = scenario(file, "--seed", 4)
    assert told.returncode == 1
    assert "FAILED, seed 4: the lock was released 1 times, and 7 were expected" in told.stdout
    assert f"repeat: readerlab scenario {file} --seed 4 --timeline" in told.stdout


def test_a_wrong_command_is_told_in_a_line():
    for arguments in (["nowhere"], ["--print", "nowhere"], ["/nowhere.json"]):
        told = scenario(*arguments)
        assert told.returncode == 2 and told.stderr.count("\n") == 1, told.stderr
