# SPDX-License-Identifier: Apache-2.0
"""Link Layer privacy of the air's controllers, with Bumble as the host on both sides.

Bumble leaves the generation and the resolution of private addresses to the controllers, as Android does.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets

from bumble import hci
from bumble.device import AdvertisingParameters, Device, DeviceConfiguration
from bumble.pairing import PairingConfig
from bumble.transport import open_transport

from rig.air_process import AirProcess

SECONDS = 20
PRIVATE = hci.OwnAddressType.RESOLVABLE_OR_RANDOM


class Host:
    """A host with an identity and its key, whose private addresses are the controller's."""

    def __init__(self, device: Device, transport) -> None:
        self.device = device
        self.transport = transport

    @classmethod
    async def open(cls, place: str) -> Host:
        transport = await open_transport(place)
        configuration = DeviceConfiguration(
            name="host",
            address=hci.Address.generate_static_address(),
            irk=secrets.token_bytes(16),
            address_resolution_offload=True,
            address_generation_offload=True,
        )
        device = Device.from_config_with_hci(configuration, transport.source, transport.sink)
        device.pairing_config_factory = lambda _: PairingConfig(
            sc=True, mitm=False, bonding=True, identity_address_type=PairingConfig.AddressType.RANDOM
        )
        await device.power_on()
        return cls(device, transport)

    @property
    def identity(self) -> hci.Address:
        return self.device.static_address

    async def reload(self) -> None:
        """Gives the controller the list of the bonded peers, while the radio is idle."""
        enable = hci.HCI_LE_Set_Address_Resolution_Enable_Command
        await self.device.send_sync_command(enable(address_resolution_enable=0))
        await self.device.refresh_resolving_list()
        await self.device.send_sync_command(enable(address_resolution_enable=1))

    async def advertise(self, peer: hci.Address = hci.Address.ANY) -> asyncio.Future:
        """Advertises under a private address; the connection that it leads to."""
        connected = asyncio.get_running_loop().create_future()
        self.device.once("connection", connected.set_result)
        parameters = AdvertisingParameters(own_address_type=PRIVATE, peer_address=peer)
        parameters.advertising_event_properties.is_legacy = True
        parameters.advertising_event_properties.is_scannable = True
        await self.device.create_advertising_set(advertising_parameters=parameters)
        return connected

    async def first_seen(self) -> hci.Address:
        """The address of the first advertisement."""
        seen = asyncio.get_running_loop().create_future()
        self.device.on("advertisement", lambda report: seen.done() or seen.set_result(report.address))
        await self.device.start_scanning(filter_duplicates=False)
        address = await asyncio.wait_for(seen, SECONDS)
        await self.device.stop_scanning()
        return address


@contextlib.asynccontextmanager
async def two_hosts():
    air = await AirProcess.start("door=tcp:127.0.0.1:0", "phone=tcp:127.0.0.1:0")
    hosts: list[Host] = []
    try:
        for name in ("door", "phone"):
            hosts.append(await Host.open(f"tcp-client:{await air.listen_tcp(name)}"))
        yield hosts
        assert air.events("violation") == []
    finally:
        for host in hosts:
            await host.transport.close()
        await air.stop()


async def test_bonded_hosts_meet_under_private_addresses_that_the_controllers_resolve(directory):
    async with two_hosts() as (door, phone):
        connected = await door.advertise()
        stranger = await phone.first_seen()
        assert stranger.is_resolvable and stranger != door.identity, "without the key it is any private address"
        first = await asyncio.wait_for(phone.device.connect(stranger, own_address_type=PRIVATE), SECONDS)
        atdoor = await asyncio.wait_for(connected, SECONDS)
        assert atdoor.peer_address == phone.identity, "towards a peer that its list lacks"
        await asyncio.wait_for(first.pair(), SECONDS)
        await first.disconnect()

        await door.reload()
        await phone.reload()
        connected = await door.advertise(phone.identity)
        assert (await phone.first_seen()).to_string(False) == door.identity.to_string(False)
        again = await asyncio.wait_for(phone.device.connect(door.identity, own_address_type=PRIVATE), SECONDS)
        atdoor = await asyncio.wait_for(connected, SECONDS)
        assert atdoor.peer_address.to_string(False) == phone.identity.to_string(False)
        for one, other in ((again, atdoor), (atdoor, again)):
            assert one.self_resolvable_address == other.peer_resolvable_address
            assert one.self_resolvable_address.is_resolvable
        await asyncio.wait_for(again.encrypt(), SECONDS)
        await again.disconnect()
