# SPDX-License-Identifier: Apache-2.0
"""A reader in Home Assistant: its discovery against the members that are taken there, its states and its events."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from pathlib import Path

import jsonschema
import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from fleet.broker import ACCESS, SECONDS, Broker
from fleet.door import DEVICE, Door
from rig.reader import ROOT
from rig.waiting import until

pytestmark = [
    pytest.mark.seconds(120),
    pytest.mark.thorough("FleetSessionTests build the announcements"),
]

HOME = "user homeassistant\ntopic read homeassistant/#\ntopic read acc/v1/#\ntopic write homeassistant/status\n"
CONFIG = f"homeassistant/device/{DEVICE}/config"
STATE = f"acc/v1/{DEVICE}/up/state"
ONLINE = f"acc/v1/{DEVICE}/up/online"
FIRMWARE = f"acc/v1/{DEVICE}/up/firmware"
OCCASIONS = f"acc/v1/{DEVICE}/up/ha"
ANSWER_SECONDS = 40.0
"""Readers answer to its start within 10 s."""

HOME_ASSISTANT = ROOT / ".cache/home-assistant/python"
"""Home Assistant's Python, which has it (`home/install`)."""

TEXT = {"type": "string", "minLength": 1}
TEMPLATE = {"type": "string", "pattern": r"^\{\{.+\}\}$"}
CATEGORY = {"enum": ["config", "diagnostic"]}


def closed(required: dict, optional: dict | None = None) -> dict:
    """An object with these members and no other: Home Assistant refuses unknown ones."""
    properties = required | (optional or {})
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def component(platform: str, required: dict, optional: dict | None = None) -> dict:
    """An entity: its platform and its unique identifier are always needed."""
    common = {"platform": {"const": platform}, "unique_id": {"type": "string", "pattern": f"^{DEVICE}_[a-z]+$"}}
    named = {"name": {"type": ["string", "null"]}, "entity_category": CATEGORY, "json_attributes_topic": TEXT}
    return closed(common | required, named | (optional or {}))


COMPONENTS = [
    component(
        "binary_sensor",
        {"device_class": {"enum": ["lock", "door", "tamper", "problem"]}, "value_template": TEMPLATE},
    ),
    component("event", {"state_topic": {"const": OCCASIONS}, "event_types": {"type": "array", "items": TEXT}}),
    component("sensor", {"value_template": TEMPLATE}),
]
DISCOVERY = closed(
    {
        "device": closed(
            {
                "identifiers": {"const": [f"readerd_{DEVICE}"]},
                "name": {"const": "Front door"},
                "manufacturer": {"const": "readerd"},
                "sw_version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
            }
        ),
        "origin": closed({"name": TEXT, "sw_version": TEXT}),
        "availability": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": closed(
                {
                    "topic": {"const": ONLINE},
                    "payload_available": {"const": "1"},
                    "payload_not_available": {"const": "0"},
                }
            ),
        },
        "state_topic": {"const": STATE},
        "qos": {"const": 1},
        "components": {"type": "object", "minProperties": 1, "additionalProperties": {"oneOf": COMPONENTS}},
    }
)


EXAMPLE = {
    "device": {"identifiers": ["a"], "name": "A", "manufacturer": "readerd"},
    "origin": {"name": "readerd"},
    "state_topic": STATE,
    "components": {
        "contact": {"platform": "binary_sensor", "unique_id": "a_1", "device_class": "door"},
        "access": {"platform": "event", "unique_id": "a_2", "state_topic": OCCASIONS, "event_types": ["granted"]},
        "last": {"platform": "sensor", "unique_id": "a_3", "value_template": "{{value_json.sequence}}"},
    },
}
"""A device that Home Assistant takes."""


class Home:
    """A client in Home Assistant's place."""

    def __init__(self, broker: Broker) -> None:
        self.messages: list[mqtt.MQTTMessage] = []
        identity = broker.authority.issue("homeassistant")
        self._ready = asyncio.Event()
        self._port = broker.port
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.tls_set(str(broker.authority.file), str(identity.certificate), str(identity.key))
        self.client.on_message = lambda _client, _data, message: self.messages.append(message)

    async def __aenter__(self) -> Home:
        loop = asyncio.get_running_loop()
        self.client.on_connect = lambda client, *_: client.subscribe([("homeassistant/#", 1), ("acc/v1/#", 1)])
        self.client.on_subscribe = lambda *_: loop.call_soon_threadsafe(self._ready.set)
        self.client.connect("localhost", self._port)
        self.client.loop_start()
        await asyncio.wait_for(self._ready.wait(), SECONDS)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.client.disconnect()
        await asyncio.to_thread(self.client.loop_stop)

    def of(self, topic: str) -> list[mqtt.MQTTMessage]:
        """The messages of a topic so far."""
        return [message for message in self.messages if message.topic == topic]


def taken(config: bytes, topic: str = CONFIG) -> subprocess.CompletedProcess[str]:
    """The verdict of Home Assistant's own schemas on a discovery message."""
    assert HOME_ASSISTANT.exists(), "Home Assistant is not there: script/bootstrap"
    command = [HOME_ASSISTANT, ROOT / "Tests/Interop/home/schemas.py", topic]
    return subprocess.run(command, input=config.decode(), capture_output=True, text=True, check=False)


def members(template: str) -> set[str]:
    """The members of a state that a template reads."""
    return set(re.findall(r"value_json\.(\w+)", template))


async def test_the_device_is_one_that_home_assistant_takes(directory: Path) -> None:
    async with Broker(directory, access=ACCESS + HOME) as broker, Door(directory / "d") as door:
        await door.join(broker, "--home-assistant")
        async with Home(broker) as home:
            await until("discovery and states", lambda: home.of(CONFIG) and home.of(STATE) and home.of(ONLINE))
            config = json.loads(home.of(CONFIG)[-1].payload)
            jsonschema.validate(config, DISCOVERY, cls=jsonschema.Draft202012Validator)
            components = config["components"]
            identifiers = [each["unique_id"] for each in components.values()]
            assert len(set(identifiers)) == len(identifiers)
            assert identifiers == [f"{DEVICE}_{name}" for name in components]
            assert set(components) == {"lock", "contact", "tamper", "problem", "access", "last"}
            # Nothing of it takes an order: Home Assistant signs nothing.
            assert "command_topic" not in home.of(CONFIG)[-1].payload.decode()
            state = json.loads(home.of(STATE)[-1].payload)
            read = set().union(*(members(each.get("value_template", "")) for each in components.values()))
            assert read == {"lock", "open", "tampered", "faults", "sequence"} and read <= set(state)
            assert home.of(ONLINE)[-1].payload == b"1"


async def test_home_assistants_own_schemas_take_the_device(directory: Path) -> None:
    async with Broker(directory, access=ACCESS + HOME) as broker, Door(directory / "d") as door:
        await door.join(broker, "--home-assistant")
        async with Home(broker) as home:
            await until("discovery", lambda: home.of(CONFIG))
            config = home.of(CONFIG)[-1].payload
    verdict = taken(config)
    assert verdict.returncode == 0, verdict.stderr
    platforms = [component["platform"] for component in json.loads(config)["components"].values()]
    assert verdict.stdout.split() == platforms and len(platforms) == 6


@pytest.mark.parametrize(
    ("found", "instead", "text"),
    [
        (b'"manufacturer"', b'"maker"', "device: extra keys not allowed"),
        (b'"device_class":"door"', b'"device_class":"gate"', "contact (binary_sensor): expected"),
        (b"{{value_json.sequence}}", b"{{value_json.sequence", "last (sensor): invalid template"),
        (b'"event_types"', b'"types"', "access (event): required key not provided"),
    ],
)
def test_home_assistants_own_schemas_refuse_others(found: bytes, instead: bytes, text: str) -> None:
    config = json.dumps(EXAMPLE, separators=(",", ":")).encode()
    assert taken(config).returncode == 0 and found in config
    verdict = taken(config.replace(found, instead))
    assert verdict.returncode == 1 and text in verdict.stderr, verdict


async def test_events_come_as_they_happen_and_none_is_retained(directory: Path) -> None:
    async with Broker(directory, access=ACCESS + HOME) as broker, Door(directory / "d") as door, Home(broker) as home:
        await door.join(broker, "--home-assistant")
        await until("discovery", lambda: home.of(CONFIG))
        listed = json.loads(home.of(CONFIG)[-1].payload)["components"]["access"]["event_types"]
        await door.open(1, 10)
        await until("an event", lambda: home.of(OCCASIONS))
        event = json.loads(home.of(OCCASIONS)[-1].payload)
        assert event["event_type"] == "unlocked" and event["event_type"] in listed
        async with Home(broker) as later:
            await until("what is retained", lambda: later.of(STATE) and later.of(FIRMWARE) and later.of(CONFIG))
            assert not later.of(OCCASIONS)
            version = json.loads(later.of(CONFIG)[-1].payload)["device"]["sw_version"]
            assert json.loads(later.of(FIRMWARE)[-1].payload) == {"installed_version": version}


async def test_a_reader_answers_to_home_assistants_start(directory: Path) -> None:
    async with Broker(directory, access=ACCESS + HOME) as broker, Door(directory / "d") as door, Home(broker) as home:
        await door.join(broker, "--home-assistant")
        await until("discovery", lambda: home.of(CONFIG) and home.of(STATE))
        before = len(home.of(CONFIG))
        home.client.publish("homeassistant/status", "online", qos=1)
        await until("discovery again", lambda: len(home.of(CONFIG)) > before, ANSWER_SECONDS)


async def test_without_the_option_there_is_no_discovery(directory: Path) -> None:
    async with Broker(directory, access=ACCESS + HOME) as broker, Door(directory / "d") as door, Home(broker) as home:
        await door.join(broker)
        await until("the state", lambda: home.of(STATE))
        await door.open(1, 10)
        await until("events", lambda: home.of(f"acc/v1/{DEVICE}/up/ev"))
        assert not home.of(CONFIG) and not home.of(OCCASIONS)
