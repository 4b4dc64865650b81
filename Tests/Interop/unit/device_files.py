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

FILES = [
    {"mtu": 23},
    {"appearance": 833},
    {"echo-channel": 128},
    {"advertising": {"packet": "0201060303aafe1116aafe20000c1a1a4000000b5600016d47", "interval": "1 s"}},
    {
        "advertising": [
            {
                "packet": [
                    {"flags": ["general-discoverable", "no-br-edr"]},
                    {"services": ["180D", "FEAA"]},
                    {"manufacturer-data": {"company": "004C", "value": "0215"}},
                    {"tx-power": -12},
                    {"type": "2A", "value": "0102"},
                ],
                "scan-response": [{"name": "x"}, {"appearance": 833}, {"connection-interval-range": {"maximum": 16}}],
            },
            {"packet": [{"uri": "https://a.b"}, {"service-data": {"uuid": "0001FEAA"}}], "kind": "non-connectable"},
        ]
    },
]
"""Valid members of a file."""

NO_FILES = [
    {"name": ""},
    {"mtu": 22},
    {"services": []},
    {"titel": 1},
    {"echo-channel": 127},
    {"echo-channel": 256},
    {"echo-channel": "0x80"},
    {"advertising": []},
    {"advertising": {}},
    {"advertising": {"packet": "00" * 32}},
    {"advertising": {"packet": [{}]}},
    {"advertising": {"packet": [{"name": "a", "appearance": 1}]}},
    {"advertising": {"packet": [{"type": "2A"}]}},
    {"advertising": {"packet": [{"value": "00"}]}},
    {"advertising": {"packet": [{"services": []}]}},
    {"advertising": {"packet": [{"tx-power": 128}]}},
    {"advertising": {"packet": [{"flags": ["discoverable"]}]}},
    {"advertising": {"packet": "", "scan-response": "0209", "kind": "non-connectable"}},
    {"advertising": {"packet": "", "kind": "directed"}},
]
"""Invalid members of a file."""

NO_ATTRIBUTES = [{"permissions": ["see"]}, {"handle": 0}, {"handle": 65536}, {"type": "2A"}, {"value": "0g"}, {"x": 1}]
NO_ATTRIBUTES += [
    {"later-values": ["0g"]},
    {"sends": []},
    {"sends": [{"value": "00"}]},
    {"sends": [{"after": "1", "value": "00"}]},
    {"answers": [{"to": "00"}]},
]
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
