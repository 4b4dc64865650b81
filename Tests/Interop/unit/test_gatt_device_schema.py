"""The JSON Schema of device files: the examples are valid, and slips are not."""

import copy
import json

import pytest
from jsonschema import Draft202012Validator

from rig.reader import ROOT

SCHEMA = json.loads((ROOT / "docs/gatt-device.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
EXAMPLES = sorted((ROOT / "Examples").glob("*.json"))
VECTORS = json.loads((ROOT / "Tests/PeripheralTests/Vectors/gatt_vectors.json").read_text())["databases"]

FRIENDLY = {
    "name": "x",
    "services": [{"uuid": "180D", "characteristics": [{"uuid": "2A39", "properties": ["write", "notify"]}]}],
}


def test_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_valid(path):
    VALIDATOR.validate(json.loads(path.read_text()))


def test_there_are_examples_of_both_forms():
    texts = [path.read_text() for path in EXAMPLES]
    assert any('"characteristics"' in text for text in texts) and any('"attributes"' in text for text in texts)


@pytest.mark.parametrize("name", VECTORS)
def test_databases_of_the_vectors_are_valid(name):
    VALIDATOR.validate({"name": name, "mtu": 512, **VECTORS[name]})


@pytest.mark.parametrize(
    "change",
    [
        {"on-write": "store", "max-length": 20, "security": "encrypted"},
        {"on-write": "echo"},
        {"on-write": "notify", "on-write-to": "2A39"},
        {"on-write": "notify", "notify-every": "250 ms", "values": ["00", "01"]},
        {"text": "hello", "descriptors": [{"uuid": "2901", "text": "a"}]},
    ],
)
def test_what_a_characteristic_can_have(change):
    VALIDATOR.validate(changed(change))


@pytest.mark.parametrize(
    "change",
    [
        {"uuid": "2A3"},
        {"properties": []},
        {"properties": ["reed"]},
        {"security": "high"},
        {"value": "0"},
        {"value": "00", "text": "a"},
        {"on-write": "reply"},
        {"on-write-to": "2A39"},
        {"on-write": "echo", "properties": ["read", "write", "notify"]},
        {"on-write": "store", "properties": ["read"]},
        {"max-length": 0},
        {"max-length": 1, "properties": ["read"]},
        {"values": ["00"]},
        {"notify-every": "1 s"},
        {"notify-every": "1 h", "value": "00"},
        {"notify-every": "1 s", "value": "00", "properties": ["read"]},
        {"descriptors": [{"uuid": "2902", "value": "0000"}]},
        {"colour": "red"},
    ],
)
def test_what_a_characteristic_cannot_have(change):
    assert not VALIDATOR.is_valid(changed(change))


@pytest.mark.parametrize("change", [{"name": ""}, {"mtu": 22}, {"services": []}, {"titel": 1}])
def test_what_a_file_cannot_have(change):
    assert not VALIDATOR.is_valid({**FRIENDLY, **change})


@pytest.mark.parametrize(
    "change", [{"permissions": ["see"]}, {"handle": 0}, {"handle": 65536}, {"type": "2A"}, {"value": "0g"}, {"x": 1}]
)
def test_what_an_attribute_cannot_have(change):
    attribute = {"handle": 1, "type": "2800", "permissions": ["read"], "value": "0118"}
    service = {"uuid": "1801", "start": 1, "end": 4, "attributes": [attribute]}
    VALIDATOR.validate({"name": "x", "services": [service]})
    assert not VALIDATOR.is_valid({"name": "x", "services": [{**service, "attributes": [{**attribute, **change}]}]})


def changed(change):
    """The friendly file, with that in its characteristic."""
    table = copy.deepcopy(FRIENDLY)
    table["services"][0]["characteristics"][0].update(change)
    return table
