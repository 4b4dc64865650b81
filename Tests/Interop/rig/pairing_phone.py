# SPDX-License-Identifier: Apache-2.0
"""A phone that pairs: Bumble's central with a user, keys in memory and, optionally, private addresses."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bumble import hci
from bumble.att import ATT_Error
from bumble.core import UUID
from bumble.device import Connection, Device, DeviceConfiguration, Peer
from bumble.l2cap import LeCreditBasedChannel, LeCreditBasedChannelSpec
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.smp import OobContext, OobSharedData
from bumble.transport import open_transport

from rig.association import Side
from rig.link_end import end_of_next_link
from rig.phone import LinkLost

STEP_SECONDS = 5.0
"""For connecting, pairing, encrypting or one request."""


@dataclass
class User:
    """The person with the phone: what they answer, and what they were shown and asked."""

    passkey: int = 271828
    """The passkey that the phone displays, and that the user types if no other is known."""

    read_passkey: Callable[[], Awaitable[int]] | None = None
    """Reads it off the peripheral's display; None where nothing can be read there."""

    says_same: Callable[[int], Awaitable[bool]] | None = None
    """Compares a number with the peripheral's display."""

    seen: list[str] = field(default_factory=list)
    """`confirm`, `compare`, `enter`, `show`, in their order."""


class _Delegate(PairingDelegate):
    """Bumble's questions, answered by the user."""

    def __init__(self, side: Side, user: User) -> None:
        super().__init__(PairingDelegate.IoCapability(int(side.io)), maximum_encryption_key_size=side.key_size)
        self._user = user

    async def confirm(self, auto: bool = False) -> bool:
        self._user.seen.append("confirm")
        return True

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self._user.seen.append("compare")
        return self._user.says_same is not None and await self._user.says_same(number)

    async def get_number(self) -> int | None:
        self._user.seen.append("enter")
        return await self._user.read_passkey() if self._user.read_passkey else self._user.passkey

    async def display_number(self, number: int, digits: int) -> None:
        self._user.seen.append("show")

    async def generate_passkey(self) -> int:
        return self._user.passkey


class PairingPhone:
    """One phone with its own controller and its own identity."""

    def __init__(self, device: Device, transport, user: User) -> None:
        self._device = device
        self._transport = transport
        self.user = user

    @classmethod
    async def open(cls, transport: str, side: Side, user: User | None = None, private: bool = False) -> PairingPhone:
        """Powers up a phone with the pairing features of `side`; `private` gives it resolvable private addresses."""
        opened = await open_transport(transport)
        configuration = DeviceConfiguration(
            name="phone",
            address=hci.Address.generate_static_address(),
            irk=secrets.token_bytes(16),
            le_privacy_enabled=private,
            le_rpa_timeout=0,
        )
        device = Device.from_config_with_hci(configuration, opened.source, opened.sink)
        phone = cls(device, opened, user or User())
        phone.pairs_as(side)
        await device.power_on()
        return phone

    def pairs_as(self, side: Side) -> None:
        """The features of its next pairings."""
        configuration = PairingConfig(
            sc=side.secure,
            mitm=side.mitm,
            bonding=side.bonding,
            delegate=_Delegate(side, self.user),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )
        self._device.pairing_config_factory = lambda _: configuration

    def was_given(self, confirm: str, random: str) -> None:
        """The user has read the device's out-of-band data off a code: the next pairings use it."""
        configuration = self._device.pairing_config_factory(None)
        shared = OobSharedData(c=bytes.fromhex(confirm), r=bytes.fromhex(random))
        configuration.oob = PairingConfig.OobConfig(our_context=OobContext(), peer_data=shared, legacy_context=None)

    def uses_debug_key(self) -> None:
        """Pairs with the key pair that anyone knows (Core 5.4, Vol 3, Part H, 2.3.5.6.1)."""
        self._device.smp_manager.debug_mode = True

    @property
    def identity(self) -> str:
        """Its identity address."""
        return str(self._device.static_address).removesuffix("/P")

    @property
    def address(self) -> str:
        """The address it uses on the air now."""
        return str(self._device.random_address).removesuffix("/P")

    async def change_address(self) -> None:
        """A new resolvable private address. (Bumble's own `update_rpa` sends the controller the old one.)"""
        fresh = hci.Address.generate_private_address(self._device.irk)
        await self._device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=fresh))
        self._device.random_address = fresh

    async def use_address(self, address: str) -> None:
        """Takes any random address, including another device's."""
        taken = hci.Address(address)
        await self._device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=taken))
        self._device.random_address = self._device.static_address = taken

    # Keys

    @property
    def keys(self):
        """The keys of the devices that it has bonded with."""
        return self._device.keystore

    async def take_keys(self, keys) -> None:
        """Continues with the keys of another start of the same phone."""
        self._device.keystore = keys
        await self._device.refresh_resolving_list()

    async def forget(self) -> None:
        """The user has removed the device from the phone's list."""
        await self._device.keystore.delete_all()

    async def spoil_keys(self) -> Callable[[], None]:
        """Makes the kept long-term keys wrong; what is returned puts them right again."""
        kept = [keys.ltk or keys.ltk_central for _, keys in await self._device.keystore.get_all()]
        right = [key.value for key in kept]
        for key in kept:
            key.value = bytes(octet ^ 0x5A for octet in key.value)

        def restore() -> None:
            for key, value in zip(kept, right, strict=True):
                key.value = value

        return restore

    # Links

    async def find(self, octets: bytes) -> str:
        """The address of a device whose advertising data contain these octets."""
        return str((await self._report(octets)).address).removesuffix("/P")

    async def hear(self, octets: bytes) -> bytes:
        """The advertising data, or scan response, that contain these octets."""
        return bytes((await self._report(octets)).data)

    async def _report(self, octets: bytes):
        found: asyncio.Future = asyncio.get_running_loop().create_future()

        def note(report) -> None:
            if octets in bytes(report.data) and not found.done():
                found.set_result(report)

        self._device.host.on("advertising_report", note)
        await self._device.start_scanning(filter_duplicates=False)
        try:
            return await asyncio.wait_for(found, STEP_SECONDS)
        finally:
            await self._device.stop_scanning()
            self._device.host.remove_listener("advertising_report", note)

    async def connect(self, address: str) -> PairingLink:
        """Connects to the random address."""
        with end_of_next_link(self._device) as lost:
            connection = await asyncio.wait_for(
                self._device.connect(hci.Address(address), own_address_type=hci.OwnAddressType.RANDOM), STEP_SECONDS
            )
        return PairingLink(connection, lost)

    async def close(self) -> None:
        """Off the air."""
        await self._transport.close()


class PairingLink:
    """One connection."""

    def __init__(self, connection: Connection, lost: asyncio.Future[int]) -> None:
        self._connection = connection
        self.peer = Peer(connection)
        self.lost = lost

    async def pair(self) -> None:
        """Pairs. Raises ProtocolError with the reason when the peer refuses."""
        await asyncio.wait_for(self._connection.pair(), STEP_SECONDS)

    async def encrypt(self) -> None:
        """Encrypts with the kept key. Raises LinkLost when the link ends instead.

        Bumble waits for ever where the link ends together with the command's status.
        """
        work = asyncio.ensure_future(self._connection.encrypt())
        await asyncio.wait({work, self.lost}, timeout=STEP_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if self.lost.done():
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            raise LinkLost(self.lost.result())
        if not work.done():
            work.cancel()
            raise TimeoutError(f"the link is not encrypted after {STEP_SECONDS} s")
        work.result()

    @property
    def is_encrypted(self) -> bool:
        """Whether the link is encrypted according to the phone's controller."""
        return bool(self._connection.is_encrypted)

    async def find(self) -> None:
        """Discovers every characteristic."""
        await asyncio.wait_for(self.peer.discover_services(), STEP_SECONDS)
        for service in self.peer.services:
            await asyncio.wait_for(service.discover_characteristics(), STEP_SECONDS)

    def characteristic(self, uuid: str):
        """The characteristic with that UUID."""
        return self.peer.get_characteristics_by_uuid(UUID(uuid))[0]

    async def read(self, uuid: str) -> bytes | int:
        """The value, or the ATT error's code."""
        try:
            return bytes(await asyncio.wait_for(self.characteristic(uuid).read_value(), STEP_SECONDS))
        except ATT_Error as error:
            return int(error.error_code)

    async def read_handle(self, handle: int) -> bytes | int:
        """The same without discovery."""
        try:
            return bytes(
                await asyncio.wait_for(self.peer.gatt_client.read_value(handle, no_long_read=True), STEP_SECONDS)
            )
        except ATT_Error as error:
            return int(error.error_code)

    async def open_channel(self, spsm: int, mtu: int, mps: int, credits: int) -> LeCreditBasedChannel:
        """An LE credit-based channel."""
        spec = LeCreditBasedChannelSpec(psm=spsm, mtu=mtu, mps=mps, max_credits=credits)
        return await asyncio.wait_for(self._connection.create_l2cap_channel(spec), STEP_SECONDS)

    async def disconnect(self) -> None:
        """Disconnects, if the link is still open."""
        if not self.lost.done():
            await asyncio.wait_for(self._connection.disconnect(), STEP_SECONDS)
