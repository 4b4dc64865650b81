# SPDX-License-Identifier: Apache-2.0
"""A radio in one process: every H4 client is a controller, and all of them share one air.

As a library: `Radio().listen(...)` inside an asyncio program.
As a command:

    python -m rig.radio --listen reader=tcp:127.0.0.1:9100 --listen phone=unix:/tmp/phone.sock \
        --control tcp:127.0.0.1:9101

A client is named after its listener: `phone`, the next one at the same time `phone.2`, and so on.
Control protocol: one line in, one line out, `ok …` or `error …` (the method names of `_Control` say the rest).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import socket
import sys
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field

from rig.air import Air
from rig.control import Control
from rig.h4 import Framer, FramingError, frame
from rig.links import Delivery, Links
from rig.profiles import FULL, PROFILES, Profile
from rig.rootcanal import ACL, COMMAND, EVENT, HCI_RESET, AirPacket, Controller
from rig.troubles import Troubles

TICK_SECONDS = 0.001
"""The period of the controllers' timers: a tenth of their shortest interval (connection events, 7.5 ms)."""

LE_PHY = 0

ACL_HEADER_LENGTH = 4
"""An empty packet of a connection event, which no controller passes to its host."""


@dataclass
class Station:
    """One controller on the air."""

    name: str
    controller: Controller
    transport: asyncio.Transport
    address: str
    profile: Profile = FULL


@dataclass
class Listener:
    """One place where hosts attach."""

    name: str
    transport: str
    server: asyncio.Server = field(repr=False)


class Radio:
    """Controllers and the air between them. Everything runs on the event loop that opened it."""

    def __init__(self, air: Air | None = None, say=lambda line: None) -> None:
        self.air = air or Air()
        self.say = say
        self.stations: dict[str, Station] = {}
        self.listeners: dict[str, Listener] = {}
        self.troubles: defaultdict[str, Troubles] = defaultdict(Troubles)
        self._links = Links()
        self._serials = itertools.count(1)
        self._ticker: asyncio.Task | None = None

    async def __aenter__(self) -> Radio:
        self._ticker = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_) -> None:
        for listener in self.listeners.values():
            listener.server.close()
        for station in list(self.stations.values()):
            self.remove(station)
        if self._ticker:
            self._ticker.cancel()

    async def listen(self, name: str, transport: str = "tcp:127.0.0.1:0", profile: Profile = FULL) -> str:
        """Opens `tcp:HOST:PORT` (0: a free one) or `unix:PATH` for controllers of `profile`; returns the address."""
        if name in self.listeners:
            raise ValueError(f"there is a listener {name} already")
        loop = asyncio.get_running_loop()
        kind, _, place = transport.partition(":")
        if kind == "tcp":
            host, _, port = place.rpartition(":")
            server = await loop.create_server(lambda: _Client(self, name, profile), host, int(port))
            transport = "tcp:{}:{}".format(*server.sockets[0].getsockname()[:2])
        elif kind == "unix":
            server = await loop.create_unix_server(lambda: _Client(self, name, profile), place)
        else:
            raise ValueError(f"transport {transport!r} is neither tcp:HOST:PORT nor unix:PATH")
        self.listeners[name] = Listener(name, transport, server)
        return transport

    def add(self, name: str, transport: asyncio.Transport, profile: Profile) -> Station:
        """A new controller for the host behind `transport`."""
        names = itertools.chain([name], (f"{name}.{n}" for n in itertools.count(2)))
        free = next(candidate for candidate in names if candidate not in self.stations)
        serial = next(self._serials)
        public_address = serial.to_bytes(2, "little") + bytes.fromhex("de104cda")
        station = Station(free, Controller(public_address), transport, public_address[::-1].hex(":"), profile)
        self.stations[free] = station
        self.say(f"station {free} {station.address} up")
        return station

    def remove(self, station: Station) -> None:
        """The controller leaves the air. Its peers notice when their supervision time-outs are over."""
        if self.stations.get(station.name) is not station:
            return
        self._links.lost(station.name)
        del self.stations[station.name]
        station.controller.close()
        station.transport.close()
        self.say(f"station {station.name} {station.address} gone")

    def restart(self, station: Station) -> None:
        """Power comes back: the controller has lost its state, and neither its host nor its peers are notified."""
        self._links.lost(station.name)
        station.controller.close()
        station.controller = Controller(station.controller.public_address)

    def from_host(self, station: Station, kind: int, octets: bytes) -> None:
        """A packet of the host behind `station`."""
        if self.stations.get(station.name) is not station:
            return
        troubles = self.troubles[station.name]
        if troubles.is_hung:
            return
        if refusal := station.profile.refusal(kind, octets) or troubles.refusal(kind, octets):
            station.transport.write(frame(refusal.kind, refusal.octets))
            return
        if kind == COMMAND and octets == HCI_RESET:
            self._links.lost(station.name)
        station.controller.receive_hci(kind, octets)
        station.controller.tick()

    def pump(self) -> None:
        """Carries everything that is under way: to the hosts, and through the air until it is quiet.

        The effect of a packet goes before the next packet sent with it, as an answer follows its packet by 150 us on
        the air
        (Core 5.4, Vol 6, Part B, 4.1.1): otherwise sets that advertise at one instant would hide each other.
        """
        under_way = deque(self._collect())
        while under_way:
            sender, packet = under_way.popleft()
            now = time.monotonic()
            self._links.sent(sender.name, packet.octets, now)
            for receiver in self.stations.values():
                if receiver is sender or not self.air.hears(sender.name, receiver.name):
                    continue
                self._links.heard(receiver.name, packet.octets)
                receiver.controller.receive_air(packet, self.air.rssi(sender.name, receiver.name, now))
                receiver.controller.tick()
            under_way.extendleft(reversed(self._collect()))

    def _collect(self) -> list[tuple[Station, AirPacket]]:
        """Hands each host what is for it, and returns what the controllers send."""
        sent = []
        for station in self.stations.values():
            to_host, to_air = station.controller.collect()
            for packet in to_host:
                if packet.kind != ACL or len(packet.octets) > ACL_HEADER_LENGTH:
                    shown = self.troubles[station.name].passed(station.profile.shown(packet))
                    if shown:
                        station.transport.write(frame(shown.kind, shown.octets))
            sent.extend((station, packet) for packet in to_air)
        return sent

    def _deliver(self, delivery: Delivery, now: float) -> bool:
        receiver = self.stations.get(delivery.receiver)
        if receiver is None:
            return False
        rssi = self.air.rssi(delivery.sender, delivery.receiver, now)
        receiver.controller.receive_air(AirPacket(delivery.octets, LE_PHY), rssi)
        return True

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = time.monotonic()
            for delivery in self._links.events(now):
                if self.air.hears(delivery.sender, delivery.receiver) and self._deliver(delivery, now):
                    self._links.kept_alive(delivery, now)
            for delivery in self._links.endings(now):
                self._deliver(delivery, now)
            for station in self.stations.values():
                station.controller.tick()
            self.pump()


class _Client(asyncio.Protocol):
    """The host's end of one H4 connection."""

    def __init__(self, radio: Radio, name: str, profile: Profile) -> None:
        self._radio = radio
        self._name = name
        self._profile = profile
        self._framer = Framer()
        self._station: Station | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        endpoint = transport.get_extra_info("socket")
        if endpoint.family in (socket.AF_INET, socket.AF_INET6):
            endpoint.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._station = self._radio.add(self._name, transport, self._profile)

    def data_received(self, octets: bytes) -> None:
        try:
            for kind, packet in self._framer.feed(octets):
                self._radio.from_host(self._station, kind, packet)
        except FramingError as error:
            self._radio.say(f"station {self._station.name}: {error}")
            self._radio.remove(self._station)
        self._radio.pump()

    def connection_lost(self, _error: Exception | None) -> None:
        self._radio.remove(self._station)


class _Control(Control):
    """The radio's commands."""

    def __init__(self, radio: Radio) -> None:
        self._radio = radio

    async def list(self) -> str:
        """NAME=ADDRESS of every controller."""
        return " ".join(f"{s.name}={s.address}" for s in self._radio.stations.values())

    async def listen(self, name: str, transport: str = "tcp:127.0.0.1:0", profile: str = "full") -> str:
        """Opens one more place to attach; answers with what it is."""
        return await self._radio.listen(name, transport, PROFILES[profile])

    async def rssi(self, sender: str, receiver: str, dbm: str, noise: str = "0") -> None:
        """The level at which the receiver receives the sender; `*` is everyone; noise in dB."""
        self._radio.air.set_level(sender, receiver, float(dbm), float(noise))

    async def walk(self, sender: str, receiver: str, start: str, end: str, seconds: str, noise: str = "0") -> None:
        """A linear change of the level."""
        self._radio.air.walk(sender, receiver, float(start), float(end), float(seconds), time.monotonic(), float(noise))

    async def loss(self, sender: str, receiver: str, share: str) -> None:
        """Drops that share of one direction's packets."""
        self._radio.air.set_loss(sender, receiver, float(share))

    async def restart(self, name: str) -> None:
        """Restarts a controller."""
        self._radio.restart(self._radio.stations[name])

    async def event(self, name: str, octets: str) -> None:
        """Sends an event to the host of a controller, in hexadecimal."""
        self._radio.stations[name].transport.write(frame(EVENT, bytes.fromhex(octets)))

    async def refuse(self, name: str, *refusals: str) -> None:
        """Refuses commands, each by its opcode, first parameters and the status (`3620=12`: LE Set Extended Advertising
        Parameters), and no others; NAME need not be there yet."""
        pairs = (refusal.split("=") for refusal in refusals)
        self._radio.troubles[name].refused = {bytes.fromhex(command): int(status, 16) for command, status in pairs}

    async def lose(self, name: str, *events: str) -> None:
        """Loses these events, in hexadecimal (`05`; LE Meta with the subevent: `3e0a`), and no others."""
        self._radio.troubles[name].lost = {bytes.fromhex(event) for event in events}

    async def reading(self, name: str, dbm: str = "") -> None:
        """Sets the RSSI that the controller reports of its links; without it, the level of the air."""
        self._radio.troubles[name].reading = int(dbm) if dbm else None

    async def hang(self, name: str, is_hung: str = "yes") -> None:
        """Takes the controller off the air; it answers nothing until `no`. Its host may open it again, in vain."""
        self._radio.troubles[name].is_hung = is_hung == "yes"
        if name in self._radio.stations:
            self._radio.restart(self._radio.stations[name])

    async def drop(self, name: str) -> None:
        """Cuts the host of this controller off, as a pulled cable does."""
        self._radio.remove(self._radio.stations[name])


async def _run(options: argparse.Namespace, say) -> None:
    async with Radio(say=say) as radio:
        for listen in options.listen:
            name, _, transport = listen.partition("=") if "=" in listen else ("host", "", listen)
            say(f"listening {name} {await radio.listen(name, transport)}")
        if options.control:
            await _Control(radio).open(options.control)
        say("ready")
        await asyncio.get_running_loop().create_future()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="rig.radio", description=__doc__.splitlines()[0])
    parser.add_argument("--listen", action="append", default=[], metavar="[NAME=]tcp:HOST:PORT|[NAME=]unix:PATH")
    parser.add_argument("--control", metavar="tcp:HOST:PORT|unix:PATH")
    parser.add_argument("--log", default=os.devnull, metavar="FILE", help="what RootCanal prints")
    options = parser.parse_args()
    # The library prints on the standard streams. They become the log; our own lines keep the real one.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    log = os.open(options.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(options, lambda line: print(line, file=out, flush=True)))


if __name__ == "__main__":
    main()
