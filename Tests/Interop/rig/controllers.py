# SPDX-License-Identifier: Apache-2.0
"""Bumble's virtual controllers on one link: every H4 client of a listener is one more controller.

    python -m rig.controllers --control unix:/tmp/control

The other kind of controller next to RootCanal's: larger packets, no timing, no loss, and keys that are compared when a
link is encrypted. The control port is a part of `rig.radio`'s. Omissions and faults of Bumble 0.0.236 that a host or a
second link would notice are repaired here; each repair says what it is.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import logging
import socket
import sys

from bumble import hci, ll
from bumble.controller import Connection, Controller
from bumble.link import LocalLink

from rig.control import Control
from rig.h4 import Framer, frame

ACL_OCTETS, ACL_PACKETS = 251, 20
"""The buffers of current controllers; Bumble's own 27 octets are also RootCanal's."""

RSSI_DBM = -50
TERMINATED = hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR
SUCCESS = hci.HCI_ErrorCode.SUCCESS


class Link(LocalLink):
    """The packet transport between the controllers."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: set[hci.Address] = set()
        """Advertisers whose packet a central has answered already, until they hear it."""

    def send_acl_data(self, sender_controller, destination_address, transport, data) -> None:
        """Repair: data comes from the connection's own address, not from the controller's random one."""
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection is not None and receiver is not None:
            loop = asyncio.get_running_loop()
            loop.call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)


class RepairedController(Controller):
    """A controller that a host can start twice, and that implements the commands it lists as supported."""

    def __init__(self, name: str, host, link: Link, public_address: str) -> None:
        super().__init__(name, host_sink=host, link=link, public_address=public_address)
        self.le_acl_data_packet_length, self.total_num_le_acl_data_packets = ACL_OCTETS, ACL_PACKETS

    def leave(self, reason: int) -> None:
        """Ends the links at their other ends, and everything under way."""
        for connection in list(self.le_connections.values()):
            # The other end may be on its way out as well.
            with contextlib.suppress(Exception):
                connection.send_ll_control_pdu(ll.TerminateInd(reason))
        self.le_connections.clear()
        self.le_legacy_advertiser.stop()
        for advertising_set in self.advertising_sets.values():
            advertising_set.stop()
        self.advertising_sets.clear()
        self.le_scan_enable = False
        self.pending_le_connection = None

    def on_hci_reset_command(self, _command):
        """Repair: nothing survives a reset."""
        self.leave(TERMINATED)
        return hci.HCI_StatusReturnParameters(SUCCESS)

    def on_hci_command(self, command):
        """Repair: a command that is answered with Command Status gets one when it is unknown."""
        if isinstance(command, hci.HCI_SyncCommand):
            return super().on_hci_command(command)
        self._send_hci_command_status(hci.HCI_ErrorCode.UNKNOWN_HCI_COMMAND_ERROR, command.op_code)
        return None

    # Links

    def create_le_connection(self, peer_address: hci.Address) -> None:
        """Repair: of all who heard a packet, one central connects."""
        if peer_address not in self.link.answered:
            self.link.answered.add(peer_address)
            super().create_le_connection(peer_address)

    def on_le_connect_ind(self, packet: ll.ConnectInd) -> None:
        """Repair: an advertiser that has heard a central can be answered again when it advertises again."""
        known = len(self.le_connections)
        super().on_le_connect_ind(packet)
        if len(self.le_connections) > known:
            self.link.answered.discard(packet.advertiser_address)

    def on_hci_le_create_connection_cancel_command(self, command):
        """Repair: a pending connection is cancelled, and the host is notified (Core 5.4, Vol 4, Part E, 7.8.13)."""
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        event = hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            connection_handle=0,
            role=hci.Role.CENTRAL,
            peer_address_type=pending.peer_address.address_type,
            peer_address=pending.peer_address,
            connection_interval=0,
            peripheral_latency=0,
            supervision_timeout=0,
            central_clock_accuracy=0,
        )
        asyncio.get_running_loop().call_soon(self.send_hci_packet, event)
        return hci.HCI_StatusReturnParameters(SUCCESS)

    def on_link_acl_data(self, sender_address, transport, data: bytes) -> None:
        """Repair: the host receives packets of the announced size."""
        connection = self.le_connections.get(sender_address)
        if connection is None:
            return
        for offset in range(0, len(data), ACL_OCTETS):
            part = data[offset : offset + ACL_OCTETS]
            boundary = 1 if offset else 2
            self.send_hci_packet(hci.HCI_AclDataPacket(connection.handle, boundary, 0, len(part), part))

    def on_le_disconnected(self, connection: Connection, reason: int) -> None:
        """Repair: both ends may hang up at once."""
        if self.le_connections.get(connection.peer_address) is connection:
            super().on_le_disconnected(connection, reason)

    # Commands that it lists and does not have

    def on_hci_read_rssi_command(self, command):
        """Repair."""
        known = self.find_le_connection_by_handle(command.handle) is not None
        status = SUCCESS if known else hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
        return hci.HCI_Read_RSSI_ReturnParameters(status=status, handle=command.handle, rssi=RSSI_DBM)

    def on_hci_le_set_data_length_command(self, command):
        """Repair."""
        event = hci.HCI_LE_Data_Length_Change_Event(
            connection_handle=command.connection_handle,
            max_tx_octets=command.tx_octets,
            max_tx_time=command.tx_time,
            max_rx_octets=251,
            max_rx_time=2120,
        )
        asyncio.get_running_loop().call_soon(self.send_hci_packet, event)
        return hci.HCI_StatusAndConnectionHandleReturnParameters(SUCCESS, command.connection_handle)

    def on_hci_le_set_phy_command(self, command) -> None:
        """Repair."""
        self._send_hci_command_status(SUCCESS, command.op_code)
        self.send_hci_packet(
            hci.HCI_LE_PHY_Update_Complete_Event(
                status=SUCCESS,
                connection_handle=command.connection_handle,
                tx_phy=2 if command.tx_phys & 2 else 1,
                rx_phy=2 if command.rx_phys & 2 else 1,
            )
        )


class _Client(asyncio.Protocol):
    """The host's end of one H4 connection: the sink of a controller's packets."""

    def __init__(self, controllers: Controllers, name: str) -> None:
        self._controllers = controllers
        self._name = name
        self._framer = Framer()
        self.controller: RepairedController | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        endpoint = transport.get_extra_info("socket")
        if endpoint.family in (socket.AF_INET, socket.AF_INET6):
            endpoint.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._transport = transport
        self.controller = self._controllers.add(self._name, self)

    def on_packet(self, packet: bytes) -> None:
        """A packet for the host."""
        self._transport.write(packet)

    def data_received(self, octets: bytes) -> None:
        for kind, packet in self._framer.feed(octets):
            self.controller.on_packet(frame(kind, packet))

    def connection_lost(self, _error: Exception | None) -> None:
        self._controllers.remove(self.controller)

    def close(self) -> None:
        self._transport.close()


class Controllers:
    """All that share the link."""

    def __init__(self) -> None:
        self.link = Link()
        self.by_name: dict[str, RepairedController] = {}
        self._serials = itertools.count(1)

    def add(self, name: str, client: _Client) -> RepairedController:
        """A new controller for that host."""
        names = itertools.chain([name], (f"{name}.{n}" for n in itertools.count(2)))
        free = next(candidate for candidate in names if candidate not in self.by_name)
        serial = next(self._serials)
        address = f"DA:4C:10:DE:{serial >> 8:02X}:{serial & 0xFF:02X}"
        self.by_name[free] = RepairedController(free, client, self.link, address)
        return self.by_name[free]

    def remove(self, controller: RepairedController) -> None:
        """Its host is gone: the other ends of its links hear no more of it."""
        if self.by_name.get(controller.name) is controller:
            del self.by_name[controller.name]
            controller.leave(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
            self.link.remove_controller(controller)

    def restart(self, name: str) -> None:
        """Power comes back: the controller has lost its state, and its host is not notified."""
        old = self.by_name[name]
        old.leave(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        self.link.remove_controller(old)
        client = old.host
        self.by_name[name] = client.controller = RepairedController(name, client, self.link, str(old.public_address))

    async def listen(self, name: str, transport: str) -> str:
        """A place for hosts, `tcp:HOST:PORT` or `unix:PATH`; returns what it is."""
        loop = asyncio.get_running_loop()
        kind, _, place = transport.partition(":")
        if kind == "tcp":
            host, _, port = place.rpartition(":")
            server = await loop.create_server(lambda: _Client(self, name), host, int(port))
            return "tcp:{}:{}".format(*server.sockets[0].getsockname()[:2])
        await loop.create_unix_server(lambda: _Client(self, name), place)
        return transport


class _Control(Control):
    """The commands."""

    def __init__(self, controllers: Controllers) -> None:
        self._controllers = controllers

    async def list(self) -> str:
        """NAME=ADDRESS of every controller."""
        return " ".join(f"{name}={item.public_address}" for name, item in self._controllers.by_name.items())

    async def listen(self, name: str, transport: str = "tcp:127.0.0.1:0", profile: str = "full") -> str:
        """Opens one more place to attach; answers with what it is."""
        if profile != "full":
            raise ValueError(f"Bumble's controllers have no profile {profile}")
        return await self._controllers.listen(name, transport)

    async def restart(self, name: str) -> None:
        """Restarts a controller."""
        self._controllers.restart(name)

    async def drop(self, name: str) -> None:
        """Cuts the host of this controller off, as a pulled cable does."""
        self._controllers.by_name[name].host.close()


async def _run(control: str) -> None:
    controllers = Controllers()
    await _Control(controllers).open(control)
    print("ready", flush=True)
    await asyncio.get_running_loop().create_future()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="rig.controllers", description=__doc__.splitlines()[0])
    parser.add_argument("--control", required=True, metavar="tcp:HOST:PORT|unix:PATH")
    parser.add_argument("--log", metavar="FILE", help="what Bumble says")
    options = parser.parse_args()
    stream = open(options.log, "a", buffering=1) if options.log else sys.stderr  # noqa: SIM115 - until the process ends
    logging.basicConfig(level=logging.WARNING, stream=stream)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(options.control))


if __name__ == "__main__":
    main()
