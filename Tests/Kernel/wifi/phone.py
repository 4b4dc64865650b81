# SPDX-License-Identifier: Apache-2.0
"""A phone on BlueZ that brings a gateway into a network: phone.py absent | joins LOG | fails LOG."""

from __future__ import annotations

import asyncio
import sys

from bleak import BleakClient, BleakScanner

import nordic
from central import check, find, main, note, refusal
from pairing_agent import forget, register

TASK = sys.argv[1]
LOOK_SECONDS = 6.0
ANSWER_SECONDS = 20.0
"""An answer, on an emulated machine."""
JOIN_SECONDS = 90.0
"""A join: scans of all channels, three attempts with a wrong password, a lease."""


class Gateway:
    """A connection to it."""

    def __init__(self, client: BleakClient) -> None:
        self.client = client
        self.answers: asyncio.Queue[bytes] = asyncio.Queue()
        self.results: asyncio.Queue[bytes] = asyncio.Queue()

    async def subscribe(self) -> None:
        """As the stock app for Android does."""
        await self.client.start_notify(nordic.CONTROL_POINT, lambda _, value: self.answers.put_nowait(bytes(value)))
        await self.client.start_notify(nordic.DATA_OUT, lambda _, value: self.results.put_nowait(bytes(value)))

    async def ask(self, request: bytes) -> nordic.Fields:
        """Writes a request, and waits for its answer."""
        await self.client.write_gatt_char(nordic.CONTROL_POINT, request, response=True)
        return nordic.parse(await asyncio.wait_for(self.answers.get(), ANSWER_SECONDS))

    async def status(self) -> nordic.Fields:
        """DeviceStatus."""
        answer = await self.ask(nordic.message((1, nordic.GET_STATUS)))
        check("GET_STATUS succeeds", answer[1] == [nordic.GET_STATUS] and answer[2] == [0], answer)
        return nordic.parse(bytes(answer[10][0]))

    async def scan(self) -> dict[bytes, nordic.Fields]:
        """The networks found, by name."""
        answer = await self.ask(nordic.message((1, nordic.START_SCAN)))
        check("START_SCAN succeeds", answer == {1: [nordic.START_SCAN], 2: [0]}, answer)
        found: dict[bytes, nordic.Fields] = {}
        deadline = asyncio.get_running_loop().time() + 30
        while not {b"Home", b"Office", b"Cafe", b"Silent"} <= found.keys():
            left = deadline - asyncio.get_running_loop().time()
            record = nordic.parse(bytes(nordic.parse(await asyncio.wait_for(self.results.get(), left))[1][0]))
            network = nordic.parse(bytes(record[1][0]))
            found[bytes(network[1][0])] = network
        answer = await self.ask(nordic.message((1, nordic.STOP_SCAN)))
        check("STOP_SCAN succeeds", answer == {1: [nordic.STOP_SCAN], 2: [0]}, answer)
        while not self.results.empty():
            self.results.get_nowait()
        return found

    async def join(self, ssid: bytes, passphrase: bytes, network: nordic.Fields | None, auth: int) -> list[str]:
        """Names a network; the states that follow, up to the last one."""
        bssid, channel = (bytes(network[2][0]), int(network[4][0])) if network else (bytes(6), 6)
        answer = await self.ask(nordic.set_config(ssid, bssid, channel, auth, passphrase))
        check(f"SET_CONFIG {ssid.decode()} succeeds", answer == {1: [nordic.SET_CONFIG], 2: [0]}, answer)
        states: list[str] = []
        while not states or not states[-1].startswith(("connected", "failed")):
            told = nordic.state(nordic.parse(await asyncio.wait_for(self.results.get(), JOIN_SECONDS)))
            note(f"{ssid.decode()}: {told}")
            states.append(str(told))
        return states


async def absent() -> None:
    """Outside of its window it is not to be found, and the reader's own table has nothing of it."""
    seen: set[str] = set()
    async with BleakScanner(lambda device, data: seen.update(data.service_uuids)):
        await asyncio.sleep(LOOK_SECONDS)
    check("outside the window nothing of it is on the air", nordic.SERVICE not in seen, seen)
    check("the reader is", bool(seen), seen)
    device, _ = await find(lambda data: bool(data.service_uuids))
    async with BleakClient(device) as client:
        services = [service.uuid for service in client.services]
        check("the reader's table has nothing of it", bool(services) and nordic.SERVICE not in services, services)


async def in_window() -> None:
    """The steps of an app, from finding the device on."""
    bus = await register()
    device, data = await find(lambda data: nordic.SERVICE in data.service_uuids)
    service_data = data.service_data.get(nordic.SERVICE, b"")
    check("it is found by its service, with service data of version 2", service_data[:1] == b"\x02", service_data.hex())
    is_provisioned = TASK == "fails"
    check(
        "its flags are right",
        len(service_data) == 4 and service_data[1] == (3 if is_provisioned else 0),
        service_data.hex(),
    )
    async with BleakClient(device) as client:
        note("connected")
        version = bytes(await client.read_gatt_char(nordic.INFORMATION))
        check("the version is 2, readable by anyone", version == b"\x08\x02", version.hex())
        error = await refusal(client.write_gatt_char(nordic.CONTROL_POINT, b"\x08\x01", response=True))
        note(f"before pairing: {error!r}" if error else "written, since BlueZ has paired")
    # Nothing of that link or its pairing is used again.
    await forget(bus, device)
    device, _ = await find(lambda data: nordic.SERVICE in data.service_uuids)
    async with BleakClient(device) as client:
        await client.pair()
        note("connected again, and paired")
        gateway = Gateway(client)
        await gateway.subscribe()
        await (joins(gateway) if TASK == "joins" else fails(gateway))
    bus.disconnect()


def address_of(status: nordic.Fields) -> str:
    """The IPv4 address of a DeviceStatus."""
    if 11 not in status:
        return "none"
    return ".".join(str(octet) for octet in bytes(nordic.parse(bytes(status[11][0]))[1][0]))


async def joins(gateway: Gateway) -> None:
    """The right passphrase."""
    status = await gateway.status()
    check("it is in no network yet", status.get(1) == [0] and 10 not in status, status)
    found = await gateway.scan()
    home = found[b"Home"]
    place = (home[3], home[4], home[5])
    check("Home is WPA2 on channel 6 of 2.4 GHz", place == ([1], [6], [nordic.WPA2_PSK]), home)
    check("Office is WPA3", found[b"Office"][5] == [nordic.WPA3_PSK], found[b"Office"])
    check("Cafe is open", found[b"Cafe"].get(5) == [nordic.OPEN], found[b"Cafe"])
    states = await gateway.join(b"Home", b"correct horse", found[b"Home"], nordic.WPA2_PSK)
    check(
        "it joins, and reports each step",
        states == ["authentication", "association", "obtaining-ip", "connected"],
        states,
    )
    status = await gateway.status()
    check("the status says connected", status[1] == [4], status)
    network = nordic.parse(bytes(status[10][0]))
    check("and to what", network[1] == [b"Home"] and network[2] == found[b"Home"][2], network)
    check("and its address is from the DHCP server", address_of(status).startswith("192.168.77.1"), address_of(status))


async def fails(gateway: Gateway) -> None:
    """Operations that fail while it is in a network."""
    before = await gateway.status()
    check("it is connected to Home", before[1] == [4] and nordic.parse(bytes(before[10][0]))[1] == [b"Home"], before)
    found = await gateway.scan()
    for ssid, passphrase, network, auth, wanted in [
        (b"Home", b"wrong horse", found[b"Home"], nordic.WPA2_PSK, "failed auth-error"),
        (b"Office", b"wrong horse", found[b"Office"], nordic.WPA3_PSK, "failed auth-error"),
        (b"Nowhere", b"correct horse", None, nordic.WPA2_PSK, "failed network-not-found"),
        (b"Silent", b"correct horse", found[b"Silent"], nordic.WPA2_PSK, "failed fail-ip"),
    ]:
        states = await gateway.join(ssid, passphrase, network, auth)
        check(f"{ssid.decode()} with {passphrase.decode()} ends as it should", states[-1] == wanted, states)
    for _ in range(60):
        status = await gateway.status()
        if status[1] == [4]:
            break
        await asyncio.sleep(1)
    network = nordic.parse(bytes(status[10][0]))
    check("it is back in the network before", status[1] == [4] and network[1] == [b"Home"], status)
    check("with an address", address_of(status).startswith("192.168.77.1"), address_of(status))


main(absent if TASK == "absent" else in_window)
