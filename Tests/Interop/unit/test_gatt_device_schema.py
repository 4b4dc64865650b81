# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of device files: the examples are valid, and slips are not."""

import json

import pytest
from jsonschema import Draft202012Validator

from rig.reader import ROOT
from unit.device_files import (
    CHARACTERISTICS,
    FILES,
    FRIENDLY,
    NO_ATTRIBUTES,
    NO_CHARACTERISTICS,
    NO_FILES,
    changed,
    with_attribute,
)

SCHEMA = json.loads((ROOT / "docs/gatt-device.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
EXAMPLES = sorted((ROOT / "emulators" / "Examples").glob("*.json"))
VECTORS = json.loads((ROOT / "Tests/PeripheralTests/Vectors/gatt_vectors.json").read_text())["databases"]


def test_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_valid(path):
    VALIDATOR.validate(json.loads(path.read_text()))


def test_the_example_of_a_reader_is_valid():
    schema = json.loads((ROOT / "docs/emulated-reader.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    example = json.loads((ROOT / "lab/Examples/Scenarios/unlucky-reader.json").read_text())
    Draft202012Validator(schema).validate(example)
    assert not Draft202012Validator(schema).is_valid({**example, "event": []})


def test_there_are_examples_of_both_forms():
    texts = [path.read_text() for path in EXAMPLES]
    assert any('"characteristics"' in text for text in texts) and any('"attributes"' in text for text in texts)


@pytest.mark.parametrize("name", VECTORS)
def test_databases_of_the_vectors_are_valid(name):
    VALIDATOR.validate({"name": name, "mtu": 512, **VECTORS[name]})


@pytest.mark.parametrize("change", CHARACTERISTICS)
def test_what_a_characteristic_can_have(change):
    VALIDATOR.validate(changed(change))


@pytest.mark.parametrize("change", NO_CHARACTERISTICS)
def test_what_a_characteristic_cannot_have(change):
    assert not VALIDATOR.is_valid(changed(change))


@pytest.mark.parametrize("change", FILES)
def test_what_a_file_can_have(change):
    VALIDATOR.validate({**FRIENDLY, **change})


@pytest.mark.parametrize("change", NO_FILES)
def test_what_a_file_cannot_have(change):
    assert not VALIDATOR.is_valid({**FRIENDLY, **change})


@pytest.mark.parametrize("change", NO_ATTRIBUTES)
def test_what_an_attribute_cannot_have(change):
    VALIDATOR.validate(with_attribute({}))
    assert not VALIDATOR.is_valid(with_attribute(change))
