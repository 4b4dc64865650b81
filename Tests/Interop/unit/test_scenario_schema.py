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
PAGE = (ROOT / "docs/emulators/scenarios.md").read_text()
EXAMPLE, CARDS, SEVERAL = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
"""Scenarios of a single reader, with cards, and of several readers."""
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


def changed(path, value, example=EXAMPLE):
    """An example of the page with another value at this place."""
    example = copy.deepcopy(example)
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


def test_the_example_of_several_readers_runs(tmp_path):
    VALIDATOR.validate(SEVERAL)
    file = tmp_path / "several.json"
    file.write_text(json.dumps(SEVERAL))
    run = scenario(file, "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    assert [phone["reader"] for phone in json.loads(run.stdout)["phones"]] == ["office"]


def test_the_example_of_cards_runs_as_it_says(tmp_path):
    VALIDATOR.validate(CARDS)
    file = tmp_path / "cards.json"
    file.write_text(json.dumps(CARDS))
    run = scenario(file, "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    cards = json.loads(run.stdout)["phones"]
    assert [(card["name"], card["result"]) for card in cards] == [("badge", "opened"), ("phone", "opened")]
    shown = scenario(file, "--timeline").stdout
    assert re.search(r"phone +receives the polling frame 6a02cb0206204220", shown)
    assert re.search(r"phone +shows: opened, standard phase, status 0101", shown)


def test_a_refusal_has_its_reason(tmp_path):
    file = tmp_path / "cards.json"
    file.write_text(json.dumps(changed(["cards", 0, "credential", "signed-by"], "stranger", CARDS)))
    run = scenario(file)
    assert run.returncode == 1
    assert "FAILED, seed 1: badge denied, not listed after" in run.stdout
    (badge, _) = json.loads(scenario(file, "--json").stdout)["phones"]
    assert (badge["result"], badge["reason"]) == ("denied", "not listed")


def test_an_air_without_a_field_is_refused(tmp_path):
    file = tmp_path / "cards.json"
    file.write_text(json.dumps(CARDS))
    run = scenario(file, "--air", "rootcanal:unix:/nowhere")
    assert run.returncode == 2 and "has no NFC field" in run.stderr


def refused(directory, example) -> None:
    """The schema and the program refuse it, the program in one line with the place."""
    assert not VALIDATOR.is_valid(example)
    file = directory / "wrong.json"
    file.write_text(json.dumps(example, indent=1))
    run = scenario(file)
    assert run.returncode == 2 and run.stdout == ""
    assert re.fullmatch(rf"readerlab scenario: {re.escape(str(file))}:\d+: .+\n", run.stderr), run.stderr


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["reader"], {"card-kinds": ["pkoc", "pkoc"]}),
        (["reader"], {"ecp": "transit"}),
        (["cards", 0, "kind"], "mifare"),
        (["cards", 0, "present"], []),
        (["cards", 0, "present", 0], {"for-ms": 5}),
        (["cards", 0, "present", 0], {"at-ms": 5, "leaves-during": 0}),
        (["cards", 0, "present", 0], {"at-ms": 5, "leaves-during": 1, "leaves-after": 1}),
        (["cards", 0, "answer-ms"], 10_001),
        (["cards", 1, "path", 0], {"at-ms": 0, "dbm": -40}),
        (["cards", 1, "waits-for-frame"], 1),
    ],
)
def test_what_the_program_refuses_of_cards_is_not_valid(tmp_path, path, value):
    example = changed(path, value, CARDS)
    refused(tmp_path, example)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["reader"], {}),
        (["readers"], []),
        (["readers", 0, "at"], [0]),
        (["readers", 0, "at"], [0, 101]),
        (["readers", 0], {"at": [0, 0]}),
        (["walls", 0, "db"], 151),
        (["walls", 0], {"from": [0, 0], "to": [0, 1]}),
        (["phones", 0, "path", 0], {"at-ms": 0, "at": [0, 0], "dbm": -50}),
        (["phones", 0, "phone"], "nokia-3310"),
        (["phones", 0, "interval-ms"], 7),
    ],
)
def test_what_the_program_refuses_of_several_readers_is_not_valid(tmp_path, path, value):
    example = changed(path, value, SEVERAL)
    refused(tmp_path, example)


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
        (["events"], [{"after-ms": 0, "do": "clock on"}]),
        (["events"], [{"after-ms": 0, "do": "interference 91"}]),
        (["expect", "openings"], -1),
    ],
)
def test_what_the_program_refuses_is_not_valid(tmp_path, path, value):
    example = changed(path, value)
    refused(tmp_path, example)


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


def test_what_a_swarm_prints_is_a_scenario_that_runs_the_same(tmp_path):
    swarm = scenario("--swarm", 8, "--seed", 5, "--json")
    assert swarm.returncode == 0, swarm.stdout + swarm.stderr
    runs = [json.loads(line) for line in swarm.stdout.splitlines()]
    assert [run["seed"] for run in runs] == list(range(5, 13))
    assert any(run["reached"] for run in runs)
    for run in runs:
        assert run["scenario"] == "swarm" and set(run["reached"]) <= set(run["faults"])
        file = tmp_path / f"{run['seed']}.json"
        file.write_text(scenario("--print-swarm", run["seed"]).stdout)
        VALIDATOR.validate(json.loads(file.read_text()))
        again = json.loads(scenario(file, "--seed", run["seed"], "--json").stdout)
        assert again["fingerprint"] == run["fingerprint"]


def test_a_swarm_that_fails_leaves_a_small_file_and_the_command_that_repeats_it(tmp_path):
    # No phone opens within 20 ms: the first seed fails.
    command = [binary(), "scenario", "--swarm", "3", "--seed", "7", "--within-ms", "20"]
    for name in ("swarm-7.json", "swarm-7-2.json"):
        told = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=tmp_path)
        assert told.returncode == 1, told.stdout + told.stderr
        assert "3 run(s), 3 failed" in told.stdout and "FAILED, seed 7: good opened after " in told.stdout
        assert told.stdout.splitlines()[-1] == f"repeat: readerlab scenario {name} --seed 7 --timeline"
        lines = (tmp_path / name).read_text().splitlines()
        assert len(lines) <= 20
        VALIDATOR.validate(json.loads("\n".join(lines)))
        assert scenario(tmp_path / name, "--seed", 7).returncode == 1


def test_a_swarm_overwrites_no_file(tmp_path):
    file = tmp_path / "kept.json"
    file.write_text("mine")
    told = scenario("--swarm", 1, "--within-ms", 20, "--output", file)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == f"readerlab scenario: {file} exists already; name a new file with --output\n"
    assert file.read_text() == "mine"
    told = scenario("--swarm", 1, "--within-ms", 20, "--output", tmp_path / "none" / "new.json")
    assert told.returncode == 2 and "cannot write it: No such file or directory" in told.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--swarm", 0],
        ["--swarm", 1, "pocket"],
        ["--swarm", 1, "--timeline"],
        ["--swarm", 1, "--within-ms", 0],
        ["pocket", "--output", "x.json"],
        ["--print-swarm", 1, "--list"],
    ],
)
def test_a_wrong_swarm_is_refused(arguments):
    told = scenario(*arguments)
    assert told.returncode == 2 and told.stdout == "" and told.stderr.startswith("readerlab scenario: "), told.stderr
