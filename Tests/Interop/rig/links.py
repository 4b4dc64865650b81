# SPDX-License-Identifier: Apache-2.0
"""Functions of real radio links that RootCanal lacks: connection events and supervision.

RootCanal measures RSSI on data packets only and never misses a peer. Here every link exchanges an empty packet
each connection interval, so that Read RSSI follows a phone that walks and says nothing, and an end that hears
none for the supervision time-out loses the link with reason 0x08 (Core 5.4, Vol 6, Part B, 4.5).
A value: link-layer packets and time go in, packets to deliver come out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# RootCanal's own link-layer packets: type, source address, destination address, then the packet's fields.
ACL, DISCONNECT, CONNECT, CONNECT_COMPLETE = 0x01, 0x05, 0x0C, 0x0D
_SOURCE, _DESTINATION = slice(1, 7), slice(7, 13)
_COMPLETE_INTERVAL, _COMPLETE_TIMEOUT = slice(15, 17), slice(19, 21)
_INTERVAL_UNIT_SECONDS, _TIMEOUT_UNIT_SECONDS = 0.00125, 0.010

CONNECTION_TIMEOUT = 0x08

_CONTINUATION = bytes((0x01, 0x00))
"""Packet boundary and broadcast flags of an empty ACL packet. The host never sees it: Radio filters it."""


@dataclass(frozen=True)
class Delivery:
    """A packet for one station, as if `sender` had sent it."""

    sender: str
    receiver: str
    octets: bytes


@dataclass
class _End:
    """One end of a link. `heard` is None once the link is over for it."""

    station: str
    address: bytes
    heard: float | None


@dataclass
class _Link:
    advertiser: _End
    initiator: _End
    interval: float
    timeout: float
    next_event: float
    ways: tuple[tuple[_End, _End], ...] = field(init=False)

    def __post_init__(self) -> None:
        self.ways = ((self.initiator, self.advertiser), (self.advertiser, self.initiator))


class Links:
    """Every link on the air, by the addresses of advertiser and initiator."""

    def __init__(self) -> None:
        self._links: dict[tuple[bytes, bytes], _Link] = {}
        self._asking: dict[bytes, str] = {}

    def sent(self, station: str, octets: bytes, now: float) -> None:
        """Looks at a packet that `station` sends."""
        source, destination = octets[_SOURCE], octets[_DESTINATION]
        if octets[0] == CONNECT:
            self._asking[source] = station
        elif octets[0] == CONNECT_COMPLETE and destination in self._asking:
            interval = int.from_bytes(octets[_COMPLETE_INTERVAL], "little") * _INTERVAL_UNIT_SECONDS
            self._links[source, destination] = _Link(
                _End(station, source, now),
                _End(self._asking[destination], destination, now),
                interval,
                int.from_bytes(octets[_COMPLETE_TIMEOUT], "little") * _TIMEOUT_UNIT_SECONDS,
                now + interval,
            )
        elif octets[0] == DISCONNECT:
            self._over(station, source, destination)

    def heard(self, station: str, octets: bytes) -> None:
        """Looks at a packet that reaches `station`."""
        if octets[0] == DISCONNECT:
            self._over(station, octets[_SOURCE], octets[_DESTINATION])

    def lost(self, station: str) -> None:
        """The host of `station` is gone or has reset it: nothing comes from there any more."""
        for link in self._links.values():
            for end in link.advertiser, link.initiator:
                if end.station == station:
                    end.heard = None

    def events(self, now: float) -> list[Delivery]:
        """The empty packets of the connection events that are due; report those that arrive to `kept_alive`."""
        due = []
        for link in self._links.values():
            if now < link.next_event:
                continue
            link.next_event = max(link.next_event + link.interval, now)
            for sender, receiver in link.ways:
                if sender.heard is not None and receiver.heard is not None:
                    packet = bytes((ACL,)) + sender.address + receiver.address + _CONTINUATION
                    due.append(Delivery(sender.station, receiver.station, packet))
        return due

    def kept_alive(self, delivery: Delivery, now: float) -> None:
        """This packet of a connection event arrived."""
        source, destination = delivery.octets[_SOURCE], delivery.octets[_DESTINATION]
        for end in self._ends(source, destination):
            if end.address == destination and end.heard is not None:
                end.heard = now

    def endings(self, now: float) -> list[Delivery]:
        """The ends of links whose supervision time-out is over, once each."""
        due = []
        for key, link in list(self._links.items()):
            for sender, receiver in link.ways:
                if receiver.heard is not None and now - receiver.heard >= link.timeout:
                    receiver.heard = None
                    packet = bytes((DISCONNECT,)) + sender.address + receiver.address + bytes((CONNECTION_TIMEOUT,))
                    due.append(Delivery(sender.station, receiver.station, packet))
            if link.advertiser.heard is None and link.initiator.heard is None:
                del self._links[key]
        return due

    def _ends(self, one: bytes, other: bytes) -> tuple[_End, ...]:
        link = self._links.get((one, other)) or self._links.get((other, one))
        return (link.advertiser, link.initiator) if link else ()

    def _over(self, station: str, one: bytes, other: bytes) -> None:
        for end in self._ends(one, other):
            if end.station == station:
                end.heard = None
