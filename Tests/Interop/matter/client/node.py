# SPDX-License-Identifier: Apache-2.0
"""A node as its administrator sees it: requests of the interaction model, and commissioning on the network."""

from __future__ import annotations

import os
from dataclasses import dataclass

from matter.client import tlv
from matter.client.certificates import Fabric
from matter.client.endpoint import Endpoint, Exchange
from matter.client.sessions import case, pase
from matter.client.wire import INTERACTION, Message, Session

STATUS, READ, SUBSCRIBE, SUBSCRIBED, REPORT, WRITE, WRITTEN, INVOKE, INVOKED, TIMED = range(1, 11)
REVISION = 12
COMMISSIONING, CREDENTIALS, ADMINISTRATION, DOOR_LOCK = 0x30, 0x3E, 0x3C, 0x101
DAC, PAI = 1, 2


class Status(Exception):
    """A status that is no success."""

    def __init__(self, status: int, cluster: int | None = None) -> None:
        super().__init__(f"status {status:#04x}" + (f", of the cluster {cluster:#04x}" if cluster is not None else ""))
        self.status, self.cluster = status, cluster


@dataclass(frozen=True, order=True)
class Place:
    """An attribute; None stands for all."""

    endpoint: int | None = None
    cluster: int | None = None
    attribute: int | None = None

    @property
    def path(self) -> tlv.Pairs:
        numbers = ((2, self.endpoint), (3, self.cluster), (4, self.attribute))
        return tlv.Pairs([(tag, number) for tag, number in numbers if number is not None])

    @classmethod
    def of(cls, path: tlv.Pairs) -> Place:
        fields = dict(path)
        return cls(fields.get(2), fields.get(3), fields.get(4))


def request(fields: dict) -> bytes:
    return tlv.encode(fields | {255: REVISION})


def fields_of(message: Message, opcode: int) -> dict:
    """The fields of an answer. Raises Status for another one."""
    fields = tlv.decode(message.payload)
    if message.opcode == STATUS and opcode != STATUS:
        raise Status(fields[0])
    if message.opcode != opcode:
        raise ValueError(f"opcode {message.opcode:#x}")
    return fields


def status_of(information: dict) -> None:
    """Raises Status."""
    if information[0]:
        raise Status(information[0], information.get(1))


class Reports:
    """The attributes of reports, put together: values, and statuses of those that cannot be read."""

    def __init__(self) -> None:
        self.values: dict[Place, object] = {}
        self.statuses: dict[Place, int] = {}
        self.events: list[dict] = []

    def add(self, fields: dict) -> None:
        for one in fields.get(1, []):
            if 0 in one:
                self.statuses[Place.of(one[0][0])] = one[0][1][0]
                continue
            path, value = one[1][1], one[1][2]
            place = Place.of(path)
            if 5 in dict(path):
                self.values[place].append(value)
            else:
                self.values[place] = value
        self.events += [one[1] for one in fields.get(2, []) if 1 in one]


class Node:
    """A node on a session."""

    def __init__(self, endpoint: Endpoint, session: Session) -> None:
        self.endpoint, self.session = endpoint, session

    # Requests

    async def read(self, *places: Place, events: bool = False) -> Reports:
        """Attributes, and perhaps all events."""
        wanted = {0: [place.path for place in places], 3: False} | ({1: [tlv.Pairs()]} if events else {})
        async with self.endpoint.exchange(self.session) as exchange:
            message = await exchange.ask(READ, request(wanted), INTERACTION)
            return await self._collect(exchange, message)

    async def _collect(self, exchange: Exchange, message: Message) -> Reports:
        reports = Reports()
        while True:
            fields = fields_of(message, REPORT)
            reports.add(fields)
            if not fields.get(3):
                return reports
            message = await exchange.ask(STATUS, request({0: 0}), INTERACTION)

    async def value(self, endpoint: int, cluster: int, attribute: int):
        """One attribute. Raises Status."""
        place = Place(endpoint, cluster, attribute)
        reports = await self.read(place)
        if place in reports.statuses:
            raise Status(reports.statuses[place])
        return reports.values[place]

    async def subscribe(self, *places: Place, ceiling: int, keep: bool = True) -> int:
        """Its number; reports come to the endpoint's `reports`."""
        wanted = {0: keep, 1: 0, 2: ceiling, 3: [place.path for place in places], 7: False}
        async with self.endpoint.exchange(self.session) as exchange:
            message = await exchange.ask(SUBSCRIBE, request(wanted), INTERACTION)
            while message.opcode != SUBSCRIBED:
                fields_of(message, REPORT)
                message = await exchange.ask(STATUS, request({0: 0}), INTERACTION)
            return fields_of(message, SUBSCRIBED)[0]

    async def invoke(self, endpoint: int, cluster: int, command: int, fields: dict | None = None, timed: int = 0):
        """The fields of the answer; None for a success without. `timed` in milliseconds. Raises Status."""
        data = {0: tlv.Pairs([(0, endpoint), (1, cluster), (2, command)]), 1: fields or {}}
        async with self.endpoint.exchange(self.session) as exchange:
            if timed:
                answer = await exchange.ask(TIMED, request({0: timed}), INTERACTION)
                status_of(fields_of(answer, STATUS))
            wanted = request({0: False, 1: bool(timed), 2: [data]})
            answer = fields_of(await exchange.ask(INVOKE, wanted, INTERACTION), INVOKED)
        (one,) = answer[1]
        if 0 in one:
            return one[0].get(1, {})
        status_of(one[1][1])
        return None

    async def write(self, place: Place, value) -> None:
        """One attribute. Raises Status."""
        wanted = request({0: False, 1: False, 2: [{1: place.path, 2: value}]})
        async with self.endpoint.exchange(self.session) as exchange:
            answer = fields_of(await exchange.ask(WRITE, wanted, INTERACTION), WRITTEN)
        (one,) = answer[0]
        status_of(one[1])

    # The node's own clusters

    async def fabrics(self) -> int:
        """CommissionedFabrics."""
        return await self.value(0, CREDENTIALS, 3)

    async def lock(self, command: int = 0) -> None:
        """LockDoor, UnlockDoor (1)."""
        await self.invoke(1, DOOR_LOCK, command, timed=5000)

    async def open_window(self) -> None:
        """A basic window: the label's code."""
        await self.invoke(0, ADMINISTRATION, 1, {0: 180}, timed=5000)

    async def remove(self, index: int) -> None:
        """A fabric."""
        answer = await self.invoke(0, CREDENTIALS, 10, {0: index})
        assert answer[0] == 0, answer

    async def lock_state(self) -> int | None:
        return await self.value(1, DOOR_LOCK, 0)

    async def arm(self, seconds: int, breadcrumb: int = 1) -> None:
        """Arms the fail-safe. Raises Status."""
        answer = await self.invoke(0, COMMISSIONING, 0, {0: seconds, 1: breadcrumb})
        if answer[0]:
            raise Status(1, answer[0])


STEPS = ("PASE", "ArmFailSafe", "SetRegulatoryConfig", "CertificateChainRequest", "AttestationRequest", "CSRRequest")
STEPS += ("AddTrustedRootCertificate", "AddNOC", "CommissioningComplete")


class Commissioning:
    """One commissioning on the network, step by step or whole."""

    def __init__(self, endpoint: Endpoint, passcode: int, fabric: Fabric, node: int) -> None:
        self._endpoint, self._passcode, self._fabric, self._number = endpoint, passcode, fabric, node
        self.node: Node
        self._request: dict

    async def step(self, name: str) -> None:
        """One of `STEPS`, in their order."""
        await getattr(self, f"_{name}")()

    async def _PASE(self) -> None:
        self.node = Node(self._endpoint, await pase(self._endpoint, self._passcode))

    async def _ArmFailSafe(self) -> None:
        await self.node.arm(60)

    async def _SetRegulatoryConfig(self) -> None:
        answer = await self.node.invoke(0, COMMISSIONING, 2, {0: 2, 1: "XX", 2: 2})
        assert answer[0] == 0, answer

    async def _CertificateChainRequest(self) -> None:
        self._attestation = [await self.node.invoke(0, CREDENTIALS, 2, {0: kind}) for kind in (PAI, DAC)]

    async def _AttestationRequest(self) -> None:
        nonce = os.urandom(32)
        answer = await self.node.invoke(0, CREDENTIALS, 0, {0: nonce})
        assert tlv.decode(answer[0])[2] == nonce

    async def _CSRRequest(self) -> None:
        nonce = os.urandom(32)
        answer = await self.node.invoke(0, CREDENTIALS, 4, {0: nonce})
        elements = tlv.decode(answer[0])
        assert elements[2] == nonce
        self._request = elements

    async def _AddTrustedRootCertificate(self) -> None:
        await self.node.invoke(0, CREDENTIALS, 11, {0: self._fabric.root})

    async def _AddNOC(self) -> None:
        request = self._request[1]
        # The public key is the only point of a certificate request.
        at = request.index(bytes.fromhex("03420004")) + 3
        point = request[at : at + 65]
        fabric = self._fabric
        certificate = fabric.certify(point, self._number)
        fields = {0: certificate, 2: fabric.epoch_key, 3: fabric.node, 4: fabric.vendor}
        answer = await self.node.invoke(0, CREDENTIALS, 6, fields)
        if answer[0]:
            raise Status(1, answer[0])

    async def _CommissioningComplete(self) -> None:
        self.node = Node(self._endpoint, await case(self._endpoint, self._fabric, self._number))
        answer = await self.node.invoke(0, COMMISSIONING, 4)
        assert answer[0] == 0, answer


async def commission(endpoint: Endpoint, passcode: int, fabric: Fabric, node: int) -> Node:
    """The node on its fabric."""
    commissioning = Commissioning(endpoint, passcode, fabric, node)
    for step in STEPS:
        await commissioning.step(step)
    return commissioning.node
