# SPDX-License-Identifier: Apache-2.0
"""A phone: Bumble's central with the phone's side of the access protocol on it. It knows published facts only."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from bumble import hci
from bumble.core import UUID, BaseBumbleError
from bumble.core import TimeoutError as BumbleTimeout
from bumble.device import Connection, ConnectionParametersPreferences, Device, Peer
from bumble.gatt import GATT_DEVICE_NAME_CHARACTERISTIC, GATT_GENERIC_ACCESS_SERVICE
from bumble.l2cap import LeCreditBasedChannel, LeCreditBasedChannelSpec
from bumble.transport import open_transport

from access.advertising import ACCESS_SERVICE, MF, RX, TX, Mode
from access.frames import Assembler, Message, cut
from access.session import Exchange, Transponder
from access.status import Status
from access.tokens import Command, command_token
from rig.link_end import end_of_next_link

T = TypeVar("T")

ANSWER_SECONDS = float(os.environ.get("RIG_ANSWER_SECONDS") or 10.0)
"""For one answer, as the real phone waits; on this rig an answer takes milliseconds, on a busy machine a second."""

CONNECTION_INTERVAL_MS = 15.0
"""The shortest that iOS takes. RootCanal does not time connection events, but the reader's sampling follows it."""

SUPERVISION_MS = 720
"""A supervision time-out that iOS commonly requests."""

WANTED_MTU = 247


REARM_SECONDS = 0.4
"""Two phones may answer one advertisement; a real controller that was not heard says so (0x3E, after six intervals) and
its phone tries again. RootCanal's waits for ever, so the phone gives up and asks again."""


class NotReached(Exception):
    """No connection within the time."""


class LinkLost(Exception):
    """The link ended during the operation."""

    def __init__(self, reason: int) -> None:
        super().__init__(f"the link ended, reason {reason:#04x}")
        self.reason = reason


class Refused(Exception):
    """The device answered with a status instead of a result."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the device answered {status}")
        self.status = status


@dataclass(frozen=True)
class Sighting:
    """One advertising report."""

    time: float
    address: hci.Address
    data: bytes
    rssi: int
    connectable: bool
    scan_response: bool


class Phone:
    """One phone with its own controller, on the air under `name`."""

    def __init__(self, name: str, device: Device, transport) -> None:
        self.name = name
        self._device = device
        self._transport = transport
        self._watchers: list[Callable[[Sighting], None]] = []
        device.host.on("advertising_report", self._on_report)

    @classmethod
    async def open(cls, name: str, transport: str, address: str | None = None) -> Phone:
        """Powers a phone up behind a Bumble transport name, with a static random address (a fresh one by default)."""
        opened = await open_transport(transport)
        own = hci.Address(address) if address else hci.Address.generate_static_address()
        device = Device.with_hci(name, own, opened.source, opened.sink)
        device.classic_enabled = False
        await device.power_on()
        return cls(name, device, opened)

    async def close(self) -> None:
        """Off the air."""
        await self._transport.close()

    # Scanning

    def _on_report(self, report) -> None:
        kinds = hci.HCI_LE_Extended_Advertising_Report_Event.EventType
        sighting = Sighting(
            time.monotonic(),
            report.address,
            bytes(report.data),
            report.rssi,
            bool(report.event_type & kinds.CONNECTABLE_ADVERTISING),
            bool(report.event_type & kinds.SCAN_RESPONSE),
        )
        for watcher in list(self._watchers):
            watcher(sighting)

    async def watch(self, seconds: float, enough: Callable[[list[Sighting]], bool] = lambda _: False) -> list[Sighting]:
        """Active scan, all reports, until `enough` returns true or the time has passed."""
        seen: list[Sighting] = []
        done = asyncio.Event()

        def note(sighting: Sighting) -> None:
            seen.append(sighting)
            if enough(seen):
                done.set()

        self._watchers.append(note)
        await self._device.start_scanning(filter_duplicates=False)
        try:
            await asyncio.wait_for(done.wait(), seconds)
        except TimeoutError:
            pass
        finally:
            self._watchers.remove(note)
            await self._device.stop_scanning()
        return seen

    async def find(self, mode: Mode, seconds: float = 5.0) -> Sighting:
        """The first connectable packet of that mode. Raises NotReached."""

        def wanted(sighting: Sighting) -> bool:
            return sighting.connectable and not sighting.scan_response and mode.matches(sighting.data)

        seen = await self.watch(seconds, lambda sightings: wanted(sightings[-1]))
        for sighting in seen:
            if wanted(sighting):
                return sighting
        raise NotReached(f"no {mode.name} packet within {seconds} s, but {len(seen)} other reports")

    # Links

    async def connect(self, address: hci.Address, seconds: float = 5.0) -> Link:
        """Connects, asking again each REARM_SECONDS. Raises NotReached when nothing answers within the time."""
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            try:
                return await self._connect_once(address, min(left, REARM_SECONDS))
            except NotReached:
                if left <= REARM_SECONDS:
                    raise

    async def _connect_once(self, address: hci.Address, seconds: float) -> Link:
        preferences = ConnectionParametersPreferences(
            connection_interval_min=CONNECTION_INTERVAL_MS,
            connection_interval_max=CONNECTION_INTERVAL_MS,
            supervision_timeout=SUPERVISION_MS,
        )
        with end_of_next_link(self._device) as lost:
            try:
                connection = await self._device.connect(
                    address,
                    connection_parameters_preferences={hci.HCI_LE_1M_PHY: preferences},
                    own_address_type=hci.OwnAddressType.RANDOM,
                    timeout=seconds,
                )
            except (BumbleTimeout, BaseBumbleError) as error:
                raise NotReached(f"no connection to {address} within {seconds} s: {error!r}") from error
        return Link(connection, lost)


class Link:
    """One connection to a reader."""

    def __init__(self, connection: Connection, lost: asyncio.Future[int]) -> None:
        self.opened = time.monotonic()
        self.closed: float | None = None
        self.lost = lost
        self.peer = Peer(connection)
        self.mtu = 23
        self._connection = connection
        self._assembler = Assembler()
        self.answers: asyncio.Queue[Message] = asyncio.Queue()
        self.notifications = 0
        self._rx = self._tx = self._mf = None
        self.lost.add_done_callback(self._on_lost)

    def _on_lost(self, _) -> None:
        self.closed = time.monotonic()

    async def until_lost(self, work: Awaitable[T], seconds: float = ANSWER_SECONDS) -> T:
        """The result of `work`. Raises LinkLost when the link ends first, TimeoutError after the time."""
        task = asyncio.ensure_future(work)
        await asyncio.wait({task, self.lost}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if self.lost.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise LinkLost(self.lost.result())
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise TimeoutError(f"nothing within {seconds} s")
        return task.result()

    async def exchange_mtu(self, mtu: int = WANTED_MTU) -> int:
        """Asks for a larger MTU; returns what both agreed on."""
        self.mtu = await self.until_lost(self.peer.request_mtu(mtu))
        return self.mtu

    async def discover(self, service: str = ACCESS_SERVICE) -> None:
        """Finds the service and its three characteristics, as the real phone does. Raises LookupError."""
        services = await self.until_lost(self.peer.discover_service(UUID(service)))
        if not services:
            raise LookupError(f"there is no service {service}")
        await self.until_lost(services[0].discover_characteristics())
        found = {str(c.uuid.to_hex_str("-")).upper(): c for c in services[0].characteristics}
        for uuid in RX, TX, MF:
            if uuid not in found:
                raise LookupError(f"service {service} has no characteristic {uuid}, only {sorted(found)}")
        self._rx, self._tx, self._mf = found[RX], found[TX], found[MF]

    @property
    def properties(self) -> tuple[int, int, int]:
        """Properties of RX, TX and MF."""
        return int(self._rx.properties), int(self._tx.properties), int(self._mf.properties)

    async def subscribe(self) -> None:
        """Enables notifications of TX."""
        await self.until_lost(self._tx.subscribe(self._on_notification))

    async def prepare(self, service: str = ACCESS_SERVICE, mtu: int | None = WANTED_MTU) -> Link:
        """Everything before the first frame."""
        if mtu:
            await self.exchange_mtu(mtu)
        await self.discover(service)
        await self.subscribe()
        return self

    async def manufacturer_record(self) -> bytes:
        """The value of MF."""
        return await self.until_lost(self._mf.read_value())

    async def device_name(self) -> str:
        """The GAP device name."""
        services = await self.until_lost(self.peer.discover_service(GATT_GENERIC_ACCESS_SERVICE))
        await self.until_lost(services[0].discover_characteristics())
        name = services[0].get_characteristics_by_uuid(GATT_DEVICE_NAME_CHARACTERISTIC)[0]
        return (await self.until_lost(name.read_value())).decode()

    def _on_notification(self, value: bytes) -> None:
        self.notifications += 1
        if message := self._assembler.feed(bytes(value)):
            self.answers.put_nowait(message)

    async def send_frame(self, octets: bytes) -> None:
        """One write without response."""
        await self.until_lost(self._rx.write_value(octets, with_response=False))

    async def send(self, message: Message, frame_size: int | None = None) -> None:
        """A message in frames of the link's size."""
        for octets in cut(message.octets(), frame_size or self.mtu - 3):
            await self.send_frame(octets)

    async def answer(self, seconds: float = ANSWER_SECONDS) -> Message:
        """The next message of the device."""
        return await self.until_lost(self.answers.get(), seconds)

    async def ask(self, message: Message, frame_size: int | None = None) -> bytes:
        """Sends and returns the payload of the answer. Raises Refused for a status."""
        await self.send(message, frame_size)
        answer = await self.answer()
        if answer.status != Status.OK:
            raise Refused(answer.status)
        return answer.payload

    async def handshake(self, salt: bytes | None = None, frame_size: int | None = None) -> Exchange:
        """The first half of an exchange."""
        transponder = Transponder(salt)
        return transponder.accept(await self.ask(Message(transponder.handshake()), frame_size))

    async def exchange(self, request: Callable[[Exchange], bytes], frame_size: int | None = None) -> bytes:
        """A whole exchange; `request` makes the second payload. Returns the result's data."""
        agreed = await self.handshake(frame_size=frame_size)
        return agreed.result(await self.ask(Message(request(agreed)), frame_size))

    async def run(self, command: Command | str, frame_size: int | None = None, **signing) -> bytes:
        """A whole exchange with a command token (see `command_token` for wrong ways to sign)."""
        command = Command(command) if isinstance(command, str) else command
        return await self.show(command_token(command, **signing), frame_size)

    async def show(self, token: bytes, frame_size: int | None = None) -> bytes:
        """A whole exchange with a token (SPToken, not delimited)."""
        return await self.exchange(lambda agreed: agreed.request(token), frame_size)

    async def open_channel(self, spsm: int, mtu: int, mps: int = 64, credits: int = 16) -> LeCreditBasedChannel:
        """Opens an LE credit-based channel. Raises L2capError for a refusal."""
        spec = LeCreditBasedChannelSpec(psm=spsm, mtu=mtu, mps=mps, max_credits=credits)
        return await self.until_lost(self._connection.create_l2cap_channel(spec))

    async def pair(self) -> None:
        """Requests pairing. Raises the resulting error with a device that does not pair."""
        await self.until_lost(self._connection.pair())

    async def wait_for_end(self, seconds: float) -> int:
        """The reason with which the device ended the link. Raises TimeoutError while it is open."""
        await asyncio.wait({self.lost}, timeout=seconds)
        if not self.lost.done():
            raise TimeoutError(f"the link still stands after {seconds} s")
        return self.lost.result()

    async def disconnect(self, reason: int = hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR) -> None:
        """Disconnects, if the link is still open."""
        if not self.lost.done():
            try:
                await asyncio.wait_for(self._connection.disconnect(reason), ANSWER_SECONDS)
            except (BaseBumbleError, hci.HCI_Error):
                if not self.lost.done():
                    raise
