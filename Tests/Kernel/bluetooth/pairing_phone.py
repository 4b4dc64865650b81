# SPDX-License-Identifier: Apache-2.0
"""A phone on BlueZ that pairs: pairing_phone.py NAME LOG [again|refused].

NAME is what the device is called, LOG what readerlab says, where the user reads the passkey that the device shows. The
first time it pairs; with COMES_BACK it has keys, and no one is asked anything."""

import asyncio
import json
import sys
from pathlib import Path

from bleak import BleakClient
from dbus_fast.aio import MessageBus
from dbus_fast.constants import BusType
from dbus_fast.service import ServiceInterface, dbus_method

from central import check, find, main, note, refusal

NAME, LOG = sys.argv[1], Path(sys.argv[2])
COMES_BACK, REFUSED = "again" in sys.argv[3:], "refused" in sys.argv[3:]
SECRET = "0000ff01-0000-1000-8000-00805f9b34fb"
PATH = "/agent"
PASSKEY_SECONDS = 20.0


class Agent(ServiceInterface):
    """The person with the phone (org.bluez.Agent1)."""

    def __init__(self) -> None:
        super().__init__("org.bluez.Agent1")
        self.asked = []

    @dbus_method()
    async def RequestPasskey(self, device: "o") -> "u":  # noqa: F821
        self.asked.append("passkey")
        for _ in range(int(PASSKEY_SECONDS / 0.1)):
            for line in LOG.read_text().splitlines():
                if '"event":"passkey"' in line:
                    return int(json.loads(line)["digits"])
            await asyncio.sleep(0.1)
        raise LookupError("the device shows no passkey")

    @dbus_method()
    def RequestConfirmation(self, device: "o", passkey: "u") -> None:  # noqa: F821
        self.asked.append("confirmation")

    @dbus_method()
    def RequestAuthorization(self, device: "o") -> None:  # noqa: F821
        self.asked.append("authorization")

    @dbus_method()
    def AuthorizeService(self, device: "o", uuid: "s") -> None:  # noqa: F821
        self.asked.append("service")

    @dbus_method()
    def Cancel(self) -> None:
        self.asked.append("cancel")

    @dbus_method()
    def Release(self) -> None:
        pass


async def register(agent: Agent) -> MessageBus:
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    bus.export(PATH, agent)
    node = await bus.introspect("org.bluez", "/org/bluez")
    manager = bus.get_proxy_object("org.bluez", "/org/bluez", node).get_interface("org.bluez.AgentManager1")
    await manager.call_register_agent(PATH, "KeyboardDisplay")
    await manager.call_request_default_agent(PATH)
    return bus


async def expect_refusal(client: BleakClient) -> None:
    """A new pairing is not authenticated either: the value does not come."""
    error = await refusal(client.read_gatt_char(SECRET))
    check(f"{NAME}: the protected value is refused", error is not None, repr(error))


async def phone() -> None:
    agent = Agent()
    bus = await register(agent)
    note(f"looks for {NAME}")
    device, _ = await find(lambda data: data.local_name == NAME)
    async with BleakClient(device) as client:
        note("connected")
        if not COMES_BACK:
            await client.pair()
            note(f"paired, the user was asked for {agent.asked}")
        if REFUSED:
            await expect_refusal(client)
            return
        value = bytes(await client.read_gatt_char(SECRET))
        check(
            f"{NAME}: the protected value is read {'again with the kept key' if COMES_BACK else 'after pairing'}",
            value == b"secret",
            value,
        )
        if COMES_BACK:
            check(f"{NAME}: no person is asked", agent.asked == [], agent.asked)
    note("disconnected")
    bus.disconnect()


main(phone)
