# SPDX-License-Identifier: Apache-2.0
"""Devices from captures: a Bumble client reads the original, and the device that `readerlab emulate gatt --from` plays
from a capture of it; both have to serve equal octets."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from bumble import hci
from bumble.att import ATT_Error
from bumble.device import Device, Peer
from bumble.gatt import Characteristic
from bumble.snoop import BtSnooper
from bumble.transport import open_transport
from jsonschema import Draft202012Validator

from rig.bumble_devices import GAP_SECONDS, ORIGINALS
from rig.emulation import LINE_SECONDS, Emulation, binary
from rig.processes import Child
from rig.radio_process import RadioProcess
from rig.reader import ROOT
from rig.tshark import tool

ADDRESS = "C3:00:00:00:00:01"
FIND_SECONDS = 20.0
SCANNED_REPORTS = 10
"""Packets of the device, each with its response to a scan."""
MTU = 185
READS = 3
"""Of each value that can be read: it may change."""
SEND_SECONDS = 4 * GAP_SECONDS + 1.0
GAP_TOLERANCE = 0.25
"""Of a sent value's time, on a machine that is busy with other tests."""
USAGE = 2
SECURITY, SECURITY_ERRORS = 0x05, (0x05, 0x0F)

SCHEMA = Draft202012Validator(json.loads((ROOT / "docs/gatt-device.schema.json").read_text()))


@dataclass
class Seen:
    """All that a client finds of a device."""

    packets: set[tuple[bool, bool, bytes]] = field(default_factory=set)
    services: list[tuple[int, int, str]] = field(default_factory=list)
    attributes: list[tuple[int, str]] = field(default_factory=list)
    characteristics: list[tuple[int, int, str]] = field(default_factory=list)
    reads: dict[int, list[bytes | int]] = field(default_factory=dict)
    mtu: int = 0
    sent: dict[int, list[tuple[float, bytes]]] = field(default_factory=dict)


@contextlib.asynccontextmanager
async def host(name: str, transport: str, address: str, capture: Path | None = None):
    """A Bumble host at the controller; its HCI traffic goes to `capture`."""
    opened = await open_transport(transport)
    device = Device.with_hci(name, hci.Address(address), opened.source, opened.sink)
    device.classic_enabled = False
    with capture.open("wb") if capture else contextlib.nullcontext() as file:
        if file:
            device.host.snooper = BtSnooper(file)
        await device.power_on()
        try:
            yield device
        finally:
            await opened.close()


async def packets(client: Device) -> set[tuple[bool, bool, bytes]]:
    """The packets of the device: connectable, a scan response, the octets."""
    kinds = hci.HCI_LE_Extended_Advertising_Report_Event.EventType
    seen: set[tuple[bool, bool, bytes]] = set()
    reports = 0
    found = asyncio.Event()

    def note(report) -> None:
        nonlocal reports
        if str(report.address).split("/")[0] != ADDRESS:
            return
        response = bool(report.event_type & kinds.SCAN_RESPONSE)
        connectable = bool(report.event_type & kinds.CONNECTABLE_ADVERTISING)
        seen.add((connectable and not response, response, bytes(report.data)))
        reports += not response
        if reports > SCANNED_REPORTS:
            found.set()

    client.host.on("advertising_report", note)
    await client.start_scanning(filter_duplicates=False)
    await asyncio.wait_for(found.wait(), FIND_SECONDS)
    await client.stop_scanning()
    client.host.remove_listener("advertising_report", note)
    return seen


async def read(peer: Peer, handle: int) -> bytes | int:
    """The value, or the error."""
    try:
        return bytes(await peer.gatt_client.read_value(handle))
    except ATT_Error as error:
        # Without a bond 0x05 is right (Core 5.4, Vol 3, Part C, 10.3.1), and Bumble's server sends 0x0F.
        return SECURITY if error.error_code in SECURITY_ERRORS else int(error.error_code)


async def examine(client: Device) -> Seen:
    """Scans, connects, discovers, reads all, subscribes to all, and waits for the values."""
    seen = Seen(packets=await packets(client))
    connection = await client.connect(hci.Address(ADDRESS), timeout=FIND_SECONDS)
    peer = Peer(connection)
    seen.mtu = await peer.request_mtu(MTU)
    for service in await peer.discover_services():
        seen.services.append((service.handle, service.end_group_handle, str(service.uuid)))
        await peer.discover_included_services(service)
        for characteristic in await service.discover_characteristics():
            seen.characteristics.append(
                (characteristic.handle, int(characteristic.properties), str(characteristic.uuid))
            )
            await characteristic.discover_descriptors()
    seen.attributes = [(a.handle, str(a.type)) for a in await peer.gatt_client.discover_attributes()]
    readable = Characteristic.Properties.READ
    unread = {handle for handle, properties, _ in seen.characteristics if not properties & readable}
    for handle, _ in seen.attributes:
        if handle in unread:
            continue
        seen.reads[handle] = [await read(peer, handle) for _ in range(READS)]

    loop = asyncio.get_running_loop()
    for service in peer.services:
        for characteristic in service.characteristics:
            if not characteristic.properties & (Characteristic.Properties.NOTIFY | Characteristic.Properties.INDICATE):
                continue
            values = seen.sent[characteristic.handle] = []
            begin = loop.time()
            await characteristic.subscribe(
                lambda value, values=values, begin=begin: values.append((loop.time() - begin, bytes(value)))
            )
    await asyncio.sleep(SEND_SECONDS)
    await connection.disconnect()
    return seen


async def original(radio: RadioProcess, name: str, at_client: Path | None, at_device: Path | None) -> Seen:
    """The device as it is, with captures at either end."""
    async with host(name, "unix:" + await radio.listen_unix("original"), ADDRESS, at_device) as device:
        # The end of the link is in the captures of both ends.
        left = asyncio.Event()
        device.on("connection", lambda link: link.on("disconnection", lambda _: left.set()))
        made = ORIGINALS[name](device)
        device.add_services(made.services)
        made.begin(device)
        await device.start_advertising(
            advertising_data=made.advertising,
            scan_response_data=made.scan_response,
            advertising_interval_min=100,
            advertising_interval_max=100,
            auto_restart=True,
        )
        transport = "unix:" + await radio.listen_unix("client")
        async with host("client", transport, "C4:00:00:00:00:02", at_client) as client:
            seen = await examine(client)
            await asyncio.wait_for(left.wait(), LINE_SECONDS)
            return seen


@contextlib.asynccontextmanager
async def played(radio: RadioProcess, capture: Path, *options: str):
    """The capture's device."""
    hci_name = "tcp-client:" + await radio.listen_tcp("played")
    command = [*(str(binary()), "emulate", "gatt", "--from", str(capture), "--address", ADDRESS, "--hci", hci_name)]
    child = await Child.start("readerlab", [*command, "--json", *options], stdin=asyncio.subprocess.PIPE)
    try:
        await child.line('"event":"ready"', LINE_SECONDS)
        yield child
    finally:
        await child.stop()


async def copy(radio: RadioProcess, capture: Path, *options: str) -> tuple[Seen, list[str]]:
    """The capture's device, as the same client sees it; its remarks."""
    async with played(radio, capture, *options) as child:
        transport = "unix:" + await radio.listen_unix("second")
        async with host("client", transport, "C4:00:00:00:00:02") as client:
            seen = await examine(client)
        lines = [json.loads(line.text) for line in child.lines if line.text.startswith("{")]
        return seen, [line["text"] for line in lines if line["event"] == "remark"]


def compare(one: Seen, other: Seen, *, reads: bool = True) -> None:
    """Equal in all octets. Sent values begin equally, at equal times, and are repeated."""
    assert other.packets == one.packets
    assert (other.mtu, other.services) == (one.mtu, one.services)
    assert other.attributes == one.attributes
    assert other.characteristics == one.characteristics
    if reads:
        assert other.reads == one.reads
    assert other.sent.keys() == one.sent.keys()
    for handle, values in one.sent.items():
        again = other.sent[handle][: len(values)]
        assert [octets for _, octets in again] == [octets for _, octets in values]
        for (at, _), (then, _) in zip(values, again, strict=True):
            assert abs(at - then) < GAP_TOLERANCE


@pytest.mark.parametrize("name", ORIGINALS)
async def test_a_clients_capture_is_served_octet_for_octet(directory, name):
    capture, description = directory / "client.btsnoop", directory / "device.json"
    radio = await RadioProcess.start(directory)
    try:
        one = await original(radio, name, capture, None)
        assert len(one.attributes) > 5 and one.packets
        other, remarks = await copy(radio, capture, "--write", str(description))
        compare(one, other)
        print(name, len(one.attributes), "attributes;", "; ".join(remarks))
        SCHEMA.validate(json.loads(description.read_text()))
        assert description.stat().st_mode & 0o777 == 0o600
    finally:
        await radio.stop()


@pytest.mark.parametrize("name", ["heart-rate", "hid-keyboard", "long-values"])
async def test_a_capture_of_the_device_itself_is_served(directory, name):
    """Its own host's traffic has its advertising commands, and the interval."""
    capture = directory / "device.btsnoop"
    radio = await RadioProcess.start(directory)
    try:
        one = await original(radio, name, None, capture)
        other, remarks = await copy(radio, capture)
        compare(one, other)
        assert not any("interval" in remark for remark in remarks)
    finally:
        await radio.stop()


async def test_wireshark_s_pcapng_of_a_capture_is_served(directory):
    btsnoop, pcapng = directory / "client.btsnoop", directory / "client.pcapng"
    radio = await RadioProcess.start(directory)
    try:
        one = await original(radio, "thermometer", btsnoop, None)
        tool("tshark", "-r", str(btsnoop), "-F", "pcapng", "-w", str(pcapng))
        other, _ = await copy(radio, pcapng)
        compare(one, other)
    finally:
        await radio.stop()


async def test_a_written_description_is_played_as_the_capture(directory):
    """What --write leaves is a device of --table, and no file is replaced."""
    capture, description = directory / "client.btsnoop", directory / "device.json"
    radio = await RadioProcess.start(directory)
    try:
        one = await original(radio, "uart", capture, None)
        async with played(radio, capture, "--write", str(description)):
            pass
        command = [str(binary()), "emulate", "gatt", "--from", str(capture), "--write", str(description)]
        again = Emulation(await Child.start("again", [*command, "--hci", "tcp-client:127.0.0.1:1"]))
        assert await again.ended() == USAGE
        assert "exists, and is not replaced; move it away, or name a new file" in again.child.tail()
        table = [str(binary()), "emulate", "gatt", "--table", str(description), "--address", ADDRESS, "--json"]
        transport = "tcp-client:" + await radio.listen_tcp("table")
        child = await Child.start("readerlab", [*table, "--hci", transport], stdin=asyncio.subprocess.PIPE)
        try:
            await child.line('"event":"ready"', LINE_SECONDS)
            async with host("client", "unix:" + await radio.listen_unix("third"), "C4:00:00:00:00:02") as client:
                compare(one, await examine(client))
        finally:
            await child.stop()
    finally:
        await radio.stop()
