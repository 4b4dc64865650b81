# SPDX-License-Identifier: Apache-2.0
"""Device files, right ones and wrong ones, that the schema and readerlab have to agree on."""

import copy

FRIENDLY = {
    "name": "x",
    "services": [{"uuid": "180D", "characteristics": [{"uuid": "2A39", "properties": ["write", "notify"]}]}],
}

CHARACTERISTICS = [
    {"on-write": "store", "max-length": 20, "security": "encrypted"},
    {"security": "authenticated"},
    {"security": "secure-connections"},
    {"on-write": "echo"},
    {"on-write": "echo", "properties": ["read", "write", "notify"], "value": "00", "max-length": 4},
    {"on-write": "echo", "properties": ["write", "indicate"]},
    {"notify-every": "1 s", "value": "00", "properties": ["indicate"]},
    {"on-write": "notify", "on-write-to": "2A39"},
    {"on-write": "notify", "notify-every": "250 ms", "values": ["00", "01"]},
    {"text": "hello", "descriptors": [{"uuid": "2901", "text": "a"}]},
]
"""Valid members of a characteristic."""

NO_CHARACTERISTICS = [
    {"uuid": "2A3"},
    {"properties": []},
    {"properties": ["reed"]},
    {"security": "high"},
    {"value": "0"},
    {"value": "00", "text": "a"},
    {"on-write": "reply"},
    {"on-write-to": "2A39"},
    {"on-write": "store", "properties": ["read"]},
    {"max-length": 0},
    {"max-length": 1, "properties": ["read"]},
    {"values": ["00"]},
    {"notify-every": "1 s"},
    {"notify-every": "1 h", "value": "00"},
    {"notify-every": "1 s", "value": "00", "properties": ["read"]},
    {"descriptors": [{"uuid": "2902", "value": "0000"}]},
    {"colour": "red"},
]
"""Invalid members of a characteristic."""

FILES = [{"mtu": 23}, {"appearance": 833}, {"echo-channel": 128}]
"""Valid members of a file."""

NO_FILES = [
    {"name": ""},
    {"mtu": 22},
    {"services": []},
    {"titel": 1},
    {"echo-channel": 127},
    {"echo-channel": 256},
    {"echo-channel": "0x80"},
]
"""Invalid members of a file."""

NO_ATTRIBUTES = [{"permissions": ["see"]}, {"handle": 0}, {"handle": 65536}, {"type": "2A"}, {"value": "0g"}, {"x": 1}]
"""Invalid members of an attribute."""


def changed(change):
    """The friendly file, with that in its characteristic."""
    table = copy.deepcopy(FRIENDLY)
    table["services"][0]["characteristics"][0].update(change)
    return table


def with_attribute(change):
    """A raw file, with that in its attribute."""
    attribute = {"handle": 1, "type": "2800", "permissions": ["read"], "value": "0118", **change}
    return {"name": "x", "services": [{"uuid": "1801", "start": 1, "end": 4, "attributes": [attribute]}]}
