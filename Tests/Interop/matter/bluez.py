# SPDX-License-Identifier: Apache-2.0
"""As much of BlueZ on a D-Bus as the CHIP controller uses, with a Bumble central behind it: so the controller reaches a
peripheral at any H4 transport, on a machine whose kernel has no Bluetooth.

python -m matter.bluez TRANSPORT --bus unix:path=SOCKET [--mtu 247]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import time

from bumble.core import AdvertisingData
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.transport import open_transport
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

ADAPTER = "/org/bluez/hci0"
PROPERTIES, OBJECTS = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
ADAPTER1, DEVICE1 = "org.bluez.Adapter1", "org.bluez.Device1"
SERVICE1, CHARACTERISTIC1 = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
OWN = "F0:F1:F2:F3:F4:F5"
FLAGS = {
    "read": "READ",
    "write-without-response": "WRITE_WITHOUT_RESPONSE",
    "write": "WRITE",
    "notify": "NOTIFY",
    "indicate": "INDICATE",
}
CONNECT_SECONDS = 10
DEFAULT_MTU = 23


def log(*words: object) -> None:
    print(f"{time.time():.3f}", *words, flush=True)


def variants(**values: tuple[str, object]) -> dict[str, Variant]:
    """Properties; the value of each is (signature, value)."""
    return {name: Variant(*value) for name, value in values.items()}


def full_uuid(uuid) -> str:
    """The long form, as BlueZ writes it."""
    octets = bytes(uuid.to_bytes())
    if len(octets) < 16:
        return f"{int.from_bytes(octets, 'little'):08x}-0000-1000-8000-00805f9b34fb"
    text = octets[::-1].hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


class BlueZ:
    """The objects, and the calls on them."""

    def __init__(self, transport: str, bus: str, mtu: int) -> None:
        self._transport, self._address, self._mtu = transport, bus, mtu
        self._connections: dict = {}
        self._peers: dict = {}
        self._characteristics: dict = {}
        self._found: dict = {}
        self._tasks: set[asyncio.Task] = set()
        adapter = variants(
            Address=("s", OWN),
            AddressType=("s", "public"),
            Name=("s", "phone"),
            Alias=("s", "phone"),
            Class=("u", 0x1C010C),
            Powered=("b", True),
            Discoverable=("b", False),
            Pairable=("b", False),
            Discovering=("b", False),
            UUIDs=("as", []),
        )
        self._tree = {ADAPTER: {ADAPTER1: adapter}}

    async def run(self) -> None:
        """Until it is ended."""
        self._bus = await MessageBus(bus_address=self._address, negotiate_unix_fd=False).connect()
        self._bus.add_message_handler(self._handle)
        await self._bus.request_name("org.bluez")
        transport = await open_transport(self._transport)
        self._host = Device.with_hci("phone", Address(OWN), transport.source, transport.sink)
        self._host.on("advertisement", self._advertisement)
        await self._host.power_on()
        log("ready")
        await asyncio.Event().wait()

    # The tree of objects

    def _signal(self, path: str, interface: str, member: str, signature: str, body: list) -> None:
        self._bus.send(Message.new_signal(path, interface, member, signature, body))

    def _add(self, path: str, interface: str, properties: dict[str, Variant]) -> None:
        self._tree[path] = {interface: properties}
        self._signal("/", OBJECTS, "InterfacesAdded", "oa{sa{sv}}", [path, self._tree[path]])

    def _remove(self, path: str) -> None:
        """An object, and everything below it."""
        for gone in [p for p in self._tree if p == path or p.startswith(path + "/")]:
            self._signal("/", OBJECTS, "InterfacesRemoved", "oas", [gone, list(self._tree.pop(gone))])
            self._characteristics.pop(gone, None)

    def _change(self, path: str, interface: str, **values: tuple[str, object]) -> None:
        if path in self._tree:
            changed = variants(**values)
            self._tree[path][interface].update(changed)
            self._signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface, changed, []])

    def _advertisement(self, seen) -> None:
        """A device with service data."""
        data = seen.data.get_all(AdvertisingData.SERVICE_DATA_16_BIT_UUID) if seen.data else []
        services = {full_uuid(uuid): Variant("ay", bytes(value)) for uuid, value in data}
        if not services:
            return
        address = str(seen.address).split("/")[0]
        path = f"{ADAPTER}/dev_{address.replace(':', '_')}"
        rssi = ("n", seen.rssi or -50)
        if path in self._tree:
            self._change(path, DEVICE1, RSSI=rssi, ServiceData=("a{sv}", services))
            return
        self._found[path] = seen.address
        log("found", address, {uuid: value.value.hex() for uuid, value in services.items()})
        properties = variants(
            Address=("s", address),
            AddressType=("s", "public" if seen.address.is_public else "random"),
            Alias=("s", address),
            Adapter=("o", ADAPTER),
            Paired=("b", False),
            Trusted=("b", False),
            Blocked=("b", False),
            LegacyPairing=("b", False),
            Connected=("b", False),
            ServicesResolved=("b", False),
            UUIDs=("as", []),
            RSSI=rssi,
            ServiceData=("a{sv}", services),
        )
        self._add(path, DEVICE1, properties)

    # Calls

    def _handle(self, message: Message) -> bool | None:
        if message.message_type != MessageType.METHOD_CALL:
            return None
        if message.destination not in ("org.bluez", self._bus.unique_name):
            return None
        self._keep(self._answer(message))
        return True

    def _keep(self, work) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, message: Message) -> None:
        try:
            signature, body = await self._call(message.path, message.interface, message.member, message.body)
        except Exception as error:  # the caller gets what failed, as from BlueZ
            log("failed", message.path, message.member, repr(error))
            self._bus.send(Message.new_error(message, "org.bluez.Error.Failed", str(error) or repr(error)))
            return
        self._bus.send(Message.new_method_return(message, signature, body))

    async def _call(self, path: str, interface: str, member: str, body: list) -> tuple[str, list]:
        if (interface, member) == (OBJECTS, "GetManagedObjects"):
            return "a{oa{sa{sv}}}", [self._tree]
        if interface == PROPERTIES:
            if member == "GetAll":
                return "a{sv}", [self._tree.get(path, {}).get(body[0], {})]
            if member == "Get":
                return "v", [self._tree[path][body[0]][body[1]]]
            self._change(path, body[0], **{body[1]: (body[2].signature, body[2].value)})
            return "", []
        run = getattr(self, f"{interface.rsplit('.', 1)[-1]}_{member}", None)
        if run is None:
            raise NotImplementedError(f"{interface}.{member}")
        return await run(path, *body) or ("", [])

    async def Adapter1_SetDiscoveryFilter(self, _path, _filter) -> None:
        """All devices are reported in any case."""

    async def Adapter1_StartDiscovery(self, _path) -> None:
        await self._host.start_scanning(filter_duplicates=False)
        self._change(ADAPTER, ADAPTER1, Discovering=("b", True))

    async def Adapter1_StopDiscovery(self, _path) -> None:
        await self._host.stop_scanning()
        self._change(ADAPTER, ADAPTER1, Discovering=("b", False))

    async def Adapter1_RemoveDevice(self, _path, device) -> None:
        self._remove(device)

    async def Device1_Connect(self, path) -> None:
        connection = await self._host.connect(self._found[path], timeout=CONNECT_SECONDS)
        self._connections[path] = connection
        connection.on("disconnection", lambda reason: self._disconnected(path, reason))
        self._change(path, DEVICE1, Connected=("b", True))
        self._keep(self._resolve(path, connection))

    async def Device1_Disconnect(self, path) -> None:
        if path in self._connections:
            await self._connections[path].disconnect()

    async def GattCharacteristic1_WriteValue(self, path, value, _options) -> None:
        device, characteristic = self._characteristics[path]
        log("write", bytes(value).hex())
        await self._peers[device].write_value(characteristic, bytes(value), with_response=True)

    async def GattCharacteristic1_ReadValue(self, path, _options) -> tuple[str, list]:
        device, characteristic = self._characteristics[path]
        return "ay", [bytes(await self._peers[device].read_value(characteristic))]

    async def GattCharacteristic1_StartNotify(self, path) -> None:
        """Indications, or notifications if there are no indications."""
        device, characteristic = self._characteristics[path]

        def came(value: bytes) -> None:
            log("indication", bytes(value).hex())
            self._change(path, CHARACTERISTIC1, Value=("ay", bytes(value)))

        await self._peers[device].subscribe(characteristic, came, prefer_notify=False)
        self._change(path, CHARACTERISTIC1, Notifying=("b", True))

    async def GattCharacteristic1_StopNotify(self, path) -> None:
        device, characteristic = self._characteristics[path]
        try:
            await self._peers[device].unsubscribe(characteristic)
        finally:
            self._change(path, CHARACTERISTIC1, Notifying=("b", False))

    def _disconnected(self, path: str, reason: int) -> None:
        log("disconnected", path, reason)
        self._connections.pop(path, None)
        self._change(path, DEVICE1, Connected=("b", False), ServicesResolved=("b", False))
        for below in [p for p in self._tree if p.startswith(path + "/")]:
            self._remove(below)

    async def _resolve(self, path: str, connection) -> None:
        """Finds the services and their characteristics."""
        try:
            self._peers[path] = peer = Peer(connection)
            mtu = await peer.request_mtu(self._mtu) if self._mtu > DEFAULT_MTU else DEFAULT_MTU
            await peer.discover_services()
            for service in peer.services:
                await service.discover_characteristics()
                place = f"{path}/service{service.handle:04x}"
                uuid = ("s", full_uuid(service.uuid))
                self._add(
                    place, SERVICE1, variants(UUID=uuid, Device=("o", path), Primary=("b", True), Includes=("ao", []))
                )
                for one in service.characteristics:
                    self._characteristic(path, place, one, mtu)
            self._change(path, DEVICE1, ServicesResolved=("b", True))
            log("resolved, MTU", mtu)
        except Exception as error:  # the caller sees the end of the link
            log("not resolved", repr(error))
            await connection.disconnect()

    def _characteristic(self, path: str, place: str, one, mtu: int) -> None:
        flags = [flag for flag, name in FLAGS.items() if one.properties & getattr(type(one.properties), name)]
        below = f"{place}/char{one.handle:04x}"
        self._characteristics[below] = (path, one)
        properties = variants(
            UUID=("s", full_uuid(one.uuid)),
            Service=("o", place),
            Value=("ay", b""),
            Flags=("as", flags),
            Notifying=("b", False),
            WriteAcquired=("b", False),
            NotifyAcquired=("b", False),
            MTU=("q", mtu),
        )
        self._add(below, CHARACTERISTIC1, properties)


def main() -> None:
    parser = argparse.ArgumentParser(prog="matter.bluez", description=__doc__.splitlines()[0])
    parser.add_argument("transport", help="the controller, as Bumble names it")
    parser.add_argument("--bus", required=True, help="D-Bus address")
    parser.add_argument("--mtu", type=int, default=247, help=f"ATT_MTU to ask for; {DEFAULT_MTU} asks for none")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(BlueZ(options.transport, options.bus, options.mtu).run())


if __name__ == "__main__":
    main()
