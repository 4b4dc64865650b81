# SPDX-License-Identifier: Apache-2.0
"""`docs/readerd.schema.json`, by which editors complete and check a configuration."""

import json
import re
import tomllib

import pytest
from jsonschema import Draft7Validator

from rig.reader import ROOT

SCHEMA = json.loads((ROOT / "docs/readerd.schema.json").read_text())
VALIDATOR = Draft7Validator(SCHEMA)
FILES = [ROOT / "docs/readerd.toml", *sorted((ROOT / "board").rglob("readerd.toml"))]


def test_it_is_a_schema():
    Draft7Validator.check_schema(SCHEMA)


def test_there_are_configurations_to_be_checked():
    assert len(FILES) > 1


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_it_takes_the_configurations_that_are_here(file):
    VALIDATOR.validate(tomllib.loads(file.read_text()))


def test_it_takes_every_key_that_the_reference_has_in_a_comment():
    text = re.sub(r"(?m)^#(?! )", "", (ROOT / "docs/readerd.toml").read_text())
    VALIDATOR.validate(tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        "[door]\npuls-s = 5",
        "[doors]\npulse-s = 5",
        "[door]\npulse-s = 0",
        "[door]\npulse-s = 301",
        '[door]\npulse-s = "5"',
        '[door]\nfail-mode = "open"',
        'log-level = "loud"',
        'advertising = {modes = ["acces"]}',
        'advertising = {modes = "access"}',
        "hci-take = 1",
    ],
)
def test_it_refuses_what_the_reader_refuses(text):
    assert not VALIDATOR.is_valid(tomllib.loads(text))
