# SPDX-License-Identifier: Apache-2.0
"""An emulated Matter device answers exactly the claims of its clusters, and has all parts that its features make
mandatory: the lists against each attribute and command, and against the tables of the data model."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from matter.bench import Bench
from matter.client.certificates import Fabric
from matter.client.node import Node, Place, Status, commission
from rig.matrix import some_of

PASSCODE = 20202021
LABEL = {"passcode": PASSCODE, "discriminator": 3840}
HOME = {"ssid": "Home", "passphrase": "open sesame"}
GENERATED, ACCEPTED, ATTRIBUTES, FEATURES, REVISION = 0xFFF8, 0xFFF9, 0xFFFB, 0xFFFC, 0xFFFD
GLOBAL = {GENERATED, ACCEPTED, ATTRIBUTES, FEATURES, REVISION}
UNSUPPORTED_COMMAND, UNSUPPORTED_ATTRIBUTE, NEEDS_TIMED = 0x81, 0x86, 0xC6
TIMED_MS = 5000

pytestmark = pytest.mark.seconds(420)


@dataclass(frozen=True)
class Cluster:
    """A cluster of release 1.4: mandatory and optional attributes, commands with the number of the answer (None: a
    status), and what features add."""

    attributes: set[int]
    commands: dict[int, int | None] = field(default_factory=dict)
    optional: set[int] = field(default_factory=set)
    optional_commands: dict[int, int | None] = field(default_factory=dict)
    features: dict[int, tuple[set[int], dict[int, int | None]]] = field(default_factory=dict)


NETWORK = {0: 1, 4: 5, 6: 7, 8: 5}
LOCK_USERS = {0x1A: None, 0x1B: 0x1C, 0x1D: None, 0x22: 0x23, 0x24: 0x25, 0x26: None}
MODEL = {
    0x03: Cluster({0, 1}, {0: None}, optional_commands={0x40: None}),
    0x04: Cluster({0}, {0: 0, 1: 1, 2: 2, 3: 3, 4: None, 5: None}),
    0x06: Cluster(
        {0}, {0: None}, optional_commands={1: None, 2: None},
        features={0: ({0x4000, 0x4001, 0x4002, 0x4003}, {1: None, 2: None, 0x40: None, 0x41: None, 0x42: None})},
    ),
    0x1D: Cluster({0, 1, 2, 3}),
    0x1F: Cluster({0, 2, 3, 4}, features={0: ({1}, {})}),
    0x28: Cluster({*range(0x0B), 0x12, 0x13, 0x15, 0x16}, optional={*range(0x0B, 0x12), 0x14}),
    0x30: Cluster({0, 1, 2, 3, 4}, {0: 1, 2: 3, 4: 5}),
    0x31: Cluster(
        {0, 1, 4, 5, 6, 7},
        features={0: ({2, 3, 8}, NETWORK | {2: 5}), 1: ({2, 3, 9, 10}, NETWORK | {3: 5}), 2: (set(), {})},
    ),
    0x33: Cluster({0, 1, 2, 8}, {0: None, 1: 2}, optional={3, 4, 5, 6, 7}),
    0x3C: Cluster({0, 1, 2}, {0: None, 2: None}, features={0: (set(), {1: None})}),
    0x3E: Cluster({*range(6)}, {0: 1, 2: 3, 4: 5, 6: 8, 7: 8, 9: 8, 10: 8, 11: None}),
    0x3F: Cluster({0, 1, 2, 3}, {0: None, 1: 2, 3: None, 4: 5}),
    0x45: Cluster({0}),
    0x101: Cluster(
        {0, 1, 2, 0x25, 0x26}, {0: None, 1: None}, optional={0x21, 0x22, 0x23, 0x24, *range(0x27, 0x2D)},
        optional_commands={3: None},
        features={
            0: ({0x12, 0x17, 0x18, 0x30, 0x31}, {}), 5: ({3}, {}), 7: ({0x33}, {}),
            8: ({0x11, 0x1B, 0x1C}, LOCK_USERS), 12: (set(), {0x27: None}),
            13: ({0x80, 0x81, 0x82, 0x83, 0x87, 0x88}, {0x28: None, 0x29: None}),
        },
    ),
}  # fmt: skip
"""Matter 1.4, application clusters and core; features by their bits. What is provisional is left out."""
LOCK_USER_FEATURES = {0, 1, 2, 6, 13}
"""Credentials of any kind, without which users are not to be there, and with which they have to be."""


@dataclass(frozen=True)
class Instance:
    """A cluster on an endpoint, as the wildcard read gave it."""

    endpoint: int
    cluster: int
    values: dict[int, object]

    @property
    def features(self) -> set[int]:
        return {bit for bit in range(32) if self.values[FEATURES] >> bit & 1}


def instances(values: dict[Place, object]) -> list[Instance]:
    places = sorted({(place.endpoint, place.cluster) for place in values})
    return [
        Instance(
            *at, {place.attribute: value for place, value in values.items() if (place.endpoint, place.cluster) == at}
        )
        for at in places
    ]


def faults_of_lists(one: Instance) -> list[str]:
    """The lists against the table."""
    model, place = MODEL[one.cluster], f"{one.endpoint}/{one.cluster:#x}"
    faults = [] if one.features <= set(model.features) else [f"{place}: features {one.features}"]
    mandatory, commands = set(model.attributes), dict(model.commands)
    for feature in one.features & set(model.features):
        mandatory |= model.features[feature][0]
        commands |= model.features[feature][1]
    listed = set(one.values[ATTRIBUTES]) - GLOBAL
    if listed != set(one.values) - GLOBAL or not set(one.values) >= GLOBAL:
        faults.append(f"{place}: lists {sorted(listed)}, gives {sorted(one.values)}")
    if not mandatory <= listed <= mandatory | model.optional:
        faults.append(f"{place}: attributes {sorted(listed ^ mandatory)}")
    accepted = set(one.values[ACCEPTED])
    if not set(commands) <= accepted <= set(commands) | set(model.optional_commands):
        faults.append(f"{place}: commands {sorted(accepted ^ set(commands))}")
    answers = {(commands | model.optional_commands)[number] for number in accepted} - {None}
    if set(one.values[GENERATED]) != answers:
        faults.append(f"{place}: answers {one.values[GENERATED]}, not {sorted(answers)}")
    return faults


async def faults_of_answers(node: Node, one: Instance) -> list[str]:
    """Each attribute and command that is listed answers, and none that is not."""
    place, listed = f"{one.endpoint}/{one.cluster:#x}", set(one.values[ATTRIBUTES])
    asked = sorted({*range(0x90), *range(0x4000, 0x4004)} | listed)
    faults = []
    for number in range(0, len(asked), 9):
        places = [Place(one.endpoint, one.cluster, attribute) for attribute in asked[number : number + 9]]
        reports = await node.read(*places)
        for path in places:
            if path.attribute in listed and path not in reports.values:
                faults.append(f"{place}: attribute {path.attribute:#x} gives {reports.statuses.get(path)}")
            if path.attribute not in listed and reports.statuses.get(path) != UNSUPPORTED_ATTRIBUTE:
                faults.append(f"{place}: attribute {path.attribute:#x} is not listed, and answers")
    for command in range(0x48):
        status = await status_of(node, one, command, TIMED_MS)
        if (status != UNSUPPORTED_COMMAND) != (command in one.values[ACCEPTED]):
            faults.append(f"{place}: command {command:#x} gives {status:#04x}")
    return faults


async def status_of(node: Node, one: Instance, command: int, timed: int = 0) -> int:
    """Without fields: most are then refused for that."""
    try:
        await node.invoke(one.endpoint, one.cluster, command, timed=timed)
    except Status as refused:
        return refused.status
    return 0


DEVICES = [
    ("lock", ()),
    ("light", ()),
    ("lock", ("--latch", "--door-contact", "--relock", "5")),
    ("lock", ("--aliro",)),
    ("lock", ("--pin",)),
    ("plug", ()),
    ("contact", ()),
]


@pytest.mark.parametrize(
    ("kind", "options"),
    some_of(DEVICES, "CommissioningTests read everything of each device", keep=2),
    ids=lambda value: value if isinstance(value, str) else len(value),
)
async def test_lists_are_what_answers(directory: Path, kind: str, options: tuple[str, ...]) -> None:
    async with Bench(directory) as bench:
        await bench.device(*options, kind=kind)
        (endpoint,) = await bench.endpoints()
        async with endpoint:
            node = await commission(endpoint, PASSCODE, Fabric(7, 0x1234), 0x99)
            there = instances((await node.read(Place())).values)
            faults = [fault for one in there for fault in faults_of_lists(one)]
            for one in there:
                faults += await faults_of_answers(node, one)
                # Descriptor's own list of clusters.
                if one.cluster == 0x1D:
                    listed = {other.cluster for other in there if other.endpoint == one.endpoint}
                    assert set(one.values[1]) == listed
            assert faults == []


async def test_lock_commands_have_to_be_timed(directory: Path) -> None:
    async with Bench(directory) as bench:
        await bench.device("--latch")
        (endpoint,) = await bench.endpoints()
        async with endpoint:
            node = await commission(endpoint, PASSCODE, Fabric(7, 0x1234), 0x99)
            for one in instances((await node.read(Place(1, 0x101), Place(0, 0x3C))).values):
                for command in one.values[ACCEPTED]:
                    assert await status_of(node, one, command) == NEEDS_TIMED


@pytest.mark.parametrize("option", ["--door-contact", "--aliro", "--pin"])
async def test_a_lock_has_users_and_codes_wholly_or_not(directory: Path, option: str) -> None:
    """Apps take a feature bit half-way for a fault."""
    async with Bench(directory) as bench:
        await bench.device(option)
        (endpoint,) = await bench.endpoints()
        async with endpoint:
            node = await commission(endpoint, PASSCODE, Fabric(7, 0x1234), 0x99)
            (lock,) = instances((await node.read(Place(1, 0x101))).values)
            assert (8 in lock.features) == bool(lock.features & LOCK_USER_FEATURES)
            assert 7 not in lock.features or 0 in lock.features
            if 8 not in lock.features:
                assert not set(LOCK_USERS) & set(lock.values[ACCEPTED])


@pytest.mark.thorough("NetworkTests configure both networks; test_lists_are_what_answers compares the lists")
@pytest.mark.parametrize("network", ["wifi", "thread"])
async def test_lists_of_a_network_that_is_configured(directory: Path, network: str) -> None:
    """Over BLE, by the CHIP controller and its own tables."""
    async with Bench(directory, ble=True) as bench:
        await bench.device("--network", network)
        controller = await bench.controller()
        await controller.order(f"commission_{network}", **LABEL, **(HOME if network == "wifi" else {}))
        assert (await controller.order("wildcard"))["faults"] == []
        assert await controller.order("claims") == []
        (endpoint,) = await bench.endpoints()
        await controller.order("open_basic_window")
        async with endpoint:
            node = await commission(endpoint, PASSCODE, Fabric(7, 0x1234), 0x99)
            (one,) = instances((await node.read(Place(0, 0x31))).values)
            assert one.features == {0 if network == "wifi" else 1}
            assert faults_of_lists(one) == []


@pytest.mark.parametrize("kind", some_of(["lock", "light"], "test_lists_are_what_answers compares a light's lists"))
async def test_lists_against_the_tables_of_another_controller(directory: Path, kind: str) -> None:
    async with Bench(directory) as bench:
        await bench.device(kind=kind)
        controller = await bench.controller()
        await controller.order("commission", **LABEL)
        assert await controller.order("claims") == []
