# SPDX-License-Identifier: Apache-2.0
"""The user of the phone (org.bluez.Agent1), who accepts every request: for Just Works pairing."""

from bleak.backends.device import BLEDevice
from dbus_fast import Message
from dbus_fast.aio import MessageBus
from dbus_fast.constants import BusType
from dbus_fast.service import ServiceInterface, dbus_method

PATH = "/agent"


class Agent(ServiceInterface):
    """Says yes."""

    def __init__(self) -> None:
        super().__init__("org.bluez.Agent1")

    @dbus_method()
    def RequestConfirmation(self, device: "o", passkey: "u") -> None:  # noqa: F821
        pass

    @dbus_method()
    def RequestAuthorization(self, device: "o") -> None:  # noqa: F821
        pass

    @dbus_method()
    def AuthorizeService(self, device: "o", uuid: "s") -> None:  # noqa: F821
        pass

    @dbus_method()
    def Cancel(self) -> None:
        pass

    @dbus_method()
    def Release(self) -> None:
        pass


async def register() -> MessageBus:
    """Makes BlueZ ask the agent; who disconnects the bus takes it back."""
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    bus.export(PATH, Agent())
    node = await bus.introspect("org.bluez", "/org/bluez")
    manager = bus.get_proxy_object("org.bluez", "/org/bluez", node).get_interface("org.bluez.AgentManager1")
    await manager.call_register_agent(PATH, "NoInputNoOutput")
    await manager.call_request_default_agent(PATH)
    return bus


async def forget(bus: MessageBus, device: BLEDevice) -> None:
    """Removes the device and its keys from BlueZ, if it still knows it."""
    path = device.details["path"]
    adapter = path.rpartition("/")[0]
    await bus.call(Message("org.bluez", adapter, "org.bluez.Adapter1", "RemoveDevice", signature="o", body=[path]))
