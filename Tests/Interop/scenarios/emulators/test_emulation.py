# SPDX-License-Identifier: Apache-2.0
"""A phone on Bumble against devices that readerlab plays from files."""

import asyncio
import contextlib
import json
import os
import signal
import struct

import pytest
from bumble.att import ATT_Error
from bumble.core import UUID
from lxml import etree

from rig.capture import check_capture
from rig.emulation import Advertised, Emulation
from rig.phone import Phone
from rig.radio_process import RadioProcess
from rig.reader import ROOT
from unit.device_files import (
    CHARACTERISTICS,
    FILES,
    FRIENDLY,
    NO_ATTRIBUTES,
    NO_CHARACTERISTICS,
    NO_FILES,
    changed,
    with_attribute,
)

EXAMPLES = ROOT / "emulators" / "Examples"
VECTORS = ROOT / "Tests/PeripheralTests/Vectors/gatt_vectors.json"
UART = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
UART_RX, UART_TX = UART.replace("0001-", "0002-", 1), UART.replace("0001-", "0003-", 1)

RHYTHM_SECONDS = 1.0
RHYTHM_TOLERANCE = 0.3
"""Of a notification each second, on a machine that is busy with other tests."""

FIND_SECONDS = VALUE_SECONDS = 20.0
"""For what has to come, where nothing is measured, on a machine that is busy."""

INSUFFICIENT_AUTHENTICATION, INVALID_LENGTH = 0x05, 0x0D
FINDINGS = 3
"""The exit code of a run with findings."""

GENERIC_ATTRIBUTE = {"2A05", "2B29", "2B2A", "2B3A"}
"""Service Changed and robust caching, of devices that keep bonds."""

TAKEN, REFUSED = 1, 2
"""Exit codes where no controller is: the file is read before one is looked for."""


@contextlib.asynccontextmanager
async def played(directory, table, octets, *options):
    """The emulation and a phone's connection to it."""
    radio = await RadioProcess.start(directory)
    try:
        emulation = await Emulation.start(await radio.listen_tcp("device"), table, *options)
        await emulation.event("ready")
        phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
        try:
            sighting = await phone.find(Advertised(table.name, octets), FIND_SECONDS)
            link = await phone.connect(sighting.address, FIND_SECONDS)
            yield emulation, phone, link
        finally:
            await phone.close()
            code = await emulation.stop()
        assert code == 0, emulation.child.tail()
    finally:
        await radio.stop()


async def found(peer):
    """Every characteristic by UUID; 16-bit UUIDs as four digits."""
    await peer.discover_services()
    characteristics = {}
    for service in peer.services:
        for characteristic in await service.discover_characteristics():
            characteristics[str(characteristic.uuid.to_hex_str("-")).upper()] = characteristic
    return characteristics


async def test_heart_rate_is_read_written_and_notified(directory):
    capture = directory / "device.btsnoop"
    table = EXAMPLES / "heart-rate.json"
    async with played(directory, table, b"\x0d\x18", "--btsnoop", str(capture)) as (emulation, _, link):
        assert await link.exchange_mtu(185) == 185
        characteristics = await found(link.peer)
        own = {"2A00", "2A01", "2A37", "2A38", "2A39", "2A29", UART_RX, UART_TX}
        assert set(characteristics) == own | GENERIC_ATTRIBUTE
        assert await characteristics["2A00"].read_value() == b"heart"
        assert await characteristics["2A01"].read_value() == struct.pack("<H", 833)
        assert await characteristics["2A38"].read_value() == b"\x01"
        descriptors = await characteristics["2A38"].discover_descriptors()
        assert [descriptor.type for descriptor in descriptors] == [UUID.from_16_bits(0x2901)]
        assert await descriptors[0].read_value() == b"worn on the chest"

        await characteristics["2A39"].write_value(b"\x01", with_response=True)
        with pytest.raises(ATT_Error):
            await characteristics["2A39"].write_value(b"\x01\x02", with_response=True)

        loop = asyncio.get_running_loop()
        rates: list[tuple[float, bytes]] = []
        await characteristics["2A37"].subscribe(lambda value: rates.append((loop.time(), bytes(value))))
        begin = loop.time()
        echoes: asyncio.Queue[bytes] = asyncio.Queue()
        await characteristics[UART_TX].subscribe(lambda value: echoes.put_nowait(bytes(value)))
        for octets in b"", b"hello", bytes(range(180)):
            await characteristics[UART_RX].write_value(octets, with_response=True)
            assert await asyncio.wait_for(echoes.get(), 2.0) == octets
        await characteristics[UART_RX].write_value(b"command", with_response=False)
        assert await asyncio.wait_for(echoes.get(), 2.0) == b"command"

        await asyncio.sleep(2 * RHYTHM_SECONDS + RHYTHM_TOLERANCE - (loop.time() - begin))
        assert [value for _, value in rates] == [b"\x00\x3c", b"\x00\x3e"]
        gap = rates[1][0] - rates[0][0]
        print(f"notifications {gap:.3f} s apart")
        assert abs(gap - RHYTHM_SECONDS) < RHYTHM_TOLERANCE
        await link.disconnect()
        await emulation.event("disconnected")
    told = [event for event in emulation.events if event not in ("notified", "state")]
    assert told[:4] == ["device", "ready", "connected", "mtu"]
    assert "left-out" not in emulation.events
    check_capture(capture)


async def test_several_phones_and_one_after_the_other(directory):
    radio = await RadioProcess.start(directory)
    emulation = await Emulation.start(
        await radio.listen_tcp("device"), EXAMPLES / "heart-rate.json", "--name", "another"
    )
    try:
        await emulation.event("ready")
        wanted = Advertised("heart rate", b"\x0d\x18")
        phones, links = [], []
        for number in range(3):
            phones.append(await Phone.open(f"phone{number}", "unix:" + await radio.listen_unix(f"phone{number}")))
            links.append(await phones[-1].connect((await phones[-1].find(wanted)).address))
        for link in links:
            assert await (await found(link.peer))["2A00"].read_value() == b"another"
        await links[0].disconnect()
        again = await phones[0].connect((await phones[0].find(wanted)).address)
        assert (await (await found(again.peer))["2A38"].read_value()) == b"\x01"
        for phone in phones:
            await phone.close()
        assert await emulation.stop() == 0
    finally:
        await emulation.stop()
        await radio.stop()


async def test_raw_table_has_its_handles_and_permissions(directory):
    async with played(directory, EXAMPLES / "thermometer-raw.json", b"\x09\x18") as (_, _, link):
        characteristics = await found(link.peer)
        assert [(service.handle, service.end_group_handle) for service in link.peer.services] == [(1, 5), (16, 31)]
        assert {uuid: item.handle for uuid, item in characteristics.items()} == {
            "2A00": 3,
            "2A01": 5,
            "2A1E": 18,
            "2A21": 21,
            "2A1D": 23,
        }
        await characteristics["2A21"].write_value(b"\x0a\x00", with_response=True)
        assert await characteristics["2A21"].read_value() == b"\x0a\x00"
        with pytest.raises(ATT_Error) as refusal:
            await characteristics["2A1D"].read_value()
        assert refusal.value.error_code == INSUFFICIENT_AUTHENTICATION


@pytest.mark.parametrize("name", ["service_db_1", "service_db_2", "service_db_3", "ts_small_db"])
async def test_tables_of_the_vectors_are_read_back(directory, name):
    database = json.loads(VECTORS.read_text())["databases"][name]
    table = directory / "table.json"
    table.write_text(json.dumps({"name": name, "mtu": 512, **database}))
    readable = {
        attribute["handle"]: bytes.fromhex(attribute["value"])
        for service in database["services"]
        for attribute in service["attributes"]
        if "read" in attribute["permissions"]
    }
    async with played(directory, table, b"\x02\x01\x06") as (_, _, link):
        for handle, value in readable.items():
            assert await link.peer.read_value(handle) == value, handle


async def test_indications_writes_and_reads_are_told(directory):
    table = directory / "table.json"
    # An indication that is not confirmed by the next beat leaves that out: the client has a second for it.
    rhythm = {"uuid": "2A1C", "properties": ["read", "indicate"], "values": ["01", "02"], "notify-every": "1 s"}
    stored = {"uuid": "2A21", "properties": ["read", "write"], "value": "0a00", "max-length": 60}
    table.write_text(json.dumps({"name": "told", "services": [{"uuid": "1809", "characteristics": [rhythm, stored]}]}))
    async with played(directory, table, b"\x09\x18", "--show-reads") as (emulation, _, link):
        characteristics = await found(link.peer)
        values: asyncio.Queue[bytes] = asyncio.Queue()
        await characteristics["2A1C"].subscribe(lambda value: values.put_nowait(bytes(value)), prefer_notify=False)
        assert [await asyncio.wait_for(values.get(), VALUE_SECONDS) for _ in range(3)] == [b"\x01", b"\x02", b"\x01"]
        confirmed = await emulation.event("confirmed")
        indicated = await emulation.event("indicated")
        assert confirmed["uuid"] == indicated["uuid"] == "2A1C"
        assert indicated["value"] == "01"

        await characteristics["2A21"].write_value(b"\x0b\x00", with_response=True)
        assert (await emulation.event("written"))["value"] == "0b00"
        mark = emulation.mark
        assert await characteristics["2A21"].read_value() == b"\x0b\x00"
        assert (await emulation.event("read", mark))["value"] == "0b00"
        long = bytes(range(60))
        await link.exchange_mtu(100)
        await characteristics["2A21"].write_value(long, with_response=True)
        assert await characteristics["2A21"].read_value() == long
        with pytest.raises(ATT_Error) as refusal:
            await characteristics["2A21"].write_value(bytes(61), with_response=True)
        assert refusal.value.error_code == INVALID_LENGTH
        told = await emulation.event("refused")
        assert (told["uuid"], told["error"]) == ("2A21", INVALID_LENGTH)


async def test_a_fault_is_typed_and_is_not_the_apps_mistake(directory):
    async with played(directory, EXAMPLES / "heart-rate.json", b"\x0d\x18") as (emulation, _, link):
        characteristics = await found(link.peer)
        await emulation.child.type("fault error read-2A38 0x05")
        assert (await emulation.event("answer"))["lines"] == ["error 0x05 at read-2A38, the next time"]
        with pytest.raises(ATT_Error) as refusal:
            await characteristics["2A38"].read_value()
        assert refusal.value.error_code == INSUFFICIENT_AUTHENTICATION
        assert (await emulation.event("fault"))["text"] == "error 0x05"
        assert (await emulation.event("refused"))["text"] == "read request: as a fault"
        assert await characteristics["2A38"].read_value() == b"\x01"
        storm: asyncio.Queue[bytes] = asyncio.Queue()
        await characteristics["2A37"].subscribe(lambda value: storm.put_nowait(bytes(value)))
        await emulation.child.type("values storm")
        seen = [await asyncio.wait_for(storm.get(), VALUE_SECONDS) for _ in range(20)]
        assert set(seen) <= {b"\x00\x3c", b"\x00\x3e", b"\x00\x41"}
        assert "finding" not in emulation.events


async def test_an_apps_mistakes_are_found_and_end_with_their_code(directory):
    transcript, report = directory / "run.json", directory / "findings.xml"
    options = ("--fail-on-findings", "--transcript", str(transcript), "--junit", str(report))
    radio = await RadioProcess.start(directory)
    try:
        emulation = await Emulation.start(await radio.listen_tcp("device"), EXAMPLES / "heart-rate.json", *options)
        await emulation.event("ready")
        phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
        sighting = await phone.find(Advertised("heart", b"\x0d\x18"), FIND_SECONDS)
        link = await phone.connect(sighting.address, FIND_SECONDS)
        characteristics = await found(link.peer)
        with pytest.raises(ATT_Error):
            await characteristics["2A37"].read_value()
        with pytest.raises(ATT_Error):
            await characteristics["2A39"].write_value(b"\x01\x02", with_response=True)
        await characteristics[UART_RX].write_value(b"hello", with_response=True)
        await emulation.event("left-out")
        await phone.close()
        await emulation.event("disconnected")
        await emulation.child.type("quit")
        assert await emulation.ended() == FINDINGS
    finally:
        await emulation.stop()
        await radio.stop()
    run = json.loads(transcript.read_text())
    rules = ["not-readable", "wrong-length", "not-subscribed"]
    assert [finding["rule"] for finding in run["findings"]] == rules
    entries = {entry["entry"]: entry for entry in run["entries"]}
    assert entries[run["findings"][0]["entry"]]["event"] == "refused"
    assert [case.get("name") for case in etree.parse(report).iter("testcase")] == rules


async def test_a_refused_request_is_told(directory):
    table = directory / "table.json"
    secret = {"uuid": "2A21", "properties": ["read", "write"], "value": "00", "security": "encrypted", "max-length": 2}
    table.write_text(json.dumps({"name": "told", "services": [{"uuid": "1809", "characteristics": [secret]}]}))
    async with played(directory, table, b"\x09\x18", "--no-bonding") as (emulation, _, link):
        characteristics = await found(link.peer)
        assert set(characteristics) == {"2A00", "2A01", "2A21"}, "there are no bonds for a Service Changed"
        with pytest.raises(ATT_Error):
            await characteristics["2A21"].read_value()
        told = await emulation.event("refused")
        assert (told["uuid"], told["handle"]) == ("2A21", characteristics["2A21"].handle)
        assert told["error"] == INSUFFICIENT_AUTHENTICATION and "pair" in told["text"]


async def test_a_file_that_changes_is_played_at_once(directory):
    table = directory / "table.json"

    def write(name: str, value: str) -> None:
        level = {"uuid": "2A19", "properties": ["read"], "value": value}
        extra = {"uuid": "2A1A", "properties": ["read"], "value": "07"}
        services = [{"uuid": "180F", "characteristics": [level] if value == "01" else [extra, level]}]
        fresh = directory / "fresh.json"
        fresh.write_text(json.dumps({"name": name, "services": services}))
        fresh.rename(table)

    write("before", "01")
    async with played(directory, table, b"\x0f\x18") as (emulation, phone, link):
        characteristics = await found(link.peer)
        assert await characteristics["2A19"].read_value() == b"\x01"
        changed: asyncio.Queue[bytes] = asyncio.Queue()
        await characteristics["2A05"].subscribe(lambda value: changed.put_nowait(bytes(value)), prefer_notify=False)
        table.write_text("{")
        await emulation.child.line(r"^readerlab: .*table.json:1: ", FIND_SECONDS)
        assert "replaced" not in emulation.events
        write("after", "02")
        assert (await emulation.event("replaced"))["device"] == 1
        # Service Changed: the range of handles that is affected (Core 5.4, Vol 3, Part G, 7.1).
        assert len(await asyncio.wait_for(changed.get(), VALUE_SECONDS)) == 4
        # Bumble keeps what it has discovered on a link.
        await link.disconnect()
        link = await phone.connect((await phone.find(Advertised("after", b"\x0f\x18"), FIND_SECONDS)).address)
        again = await found(link.peer)
        assert await again["2A1A"].read_value() == b"\x07"
        assert await again["2A19"].read_value() == b"\x02"


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
async def test_it_ends_in_order_at_every_signal_that_can_be_heard(directory, number):
    """SIGHUP is that of a terminal that is closed."""
    radio = await RadioProcess.start(directory)
    try:
        emulation = await Emulation.start(await radio.listen_tcp("device"), EXAMPLES / "heart-rate.json")
        await emulation.event("ready")
        os.kill(emulation.child.pid, number)
        assert await emulation.ended() == 0, emulation.child.tail()
    finally:
        await radio.stop()


async def test_under_nohup_it_goes_on(directory):
    radio = await RadioProcess.start(directory)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        emulation = await Emulation.start(await radio.listen_tcp("device"), EXAMPLES / "heart-rate.json")
        await emulation.event("ready")
        os.kill(emulation.child.pid, signal.SIGHUP)
        phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
        try:
            await phone.connect((await phone.find(Advertised("heart rate", b"\x0d\x18"), FIND_SECONDS)).address)
            await emulation.event("connected")
        finally:
            await phone.close()
        assert await emulation.stop() == 0
    finally:
        signal.signal(signal.SIGHUP, before)
        await radio.stop()


async def test_fault_in_the_file_is_told_with_its_place(directory):
    table = directory / "broken.json"
    table.write_text('{"name": "x",\n "services": [{"uuid": "180D",\n  "characteristics": [{"uuid": "2A3"}]}]}')
    emulation = await Emulation.start("127.0.0.1:1", table)
    assert await emulation.ended() == 2
    assert [line.text for line in emulation.child.lines] == [
        f'readerlab: {table}:3: services[0].characteristics[0].uuid: "2A3" is no UUID; write four hexadecimal digits, '
        "or 36 characters with hyphens"
    ]


async def test_controller_that_is_not_there_is_told_in_one_line(directory):
    emulation = await Emulation.start("127.0.0.1:1", EXAMPLES / "heart-rate.json")
    assert await emulation.ended() == 1
    complaints = [line.text for line in emulation.child.lines if not line.text.startswith("{")]
    assert len(complaints) == 1 and "cannot connect" in complaints[0], complaints


async def test_controller_that_goes_away_is_told_in_one_line_and_opened_again(directory):
    async with lost_radio(directory) as (radio, emulation):
        await emulation.event("ready")
        for number in range(2):
            phone = await Phone.open(f"phone{number}", "unix:" + await radio.listen_unix(f"phone{number}"))
            link = await phone.connect((await phone.find(Advertised("heart rate", b"\x0d\x18"), FIND_SECONDS)).address)
            assert (await (await found(link.peer))["2A38"].read_value()) == b"\x01"
            mark = emulation.mark
            await radio.drop("device")
            await emulation.event("disconnected", mark)
            await emulation.event("ready", mark)
            await phone.close()
            complaints = [line.text for line in emulation.child.lines[mark:] if not line.text.startswith("{")]
            assert len(complaints) == 1 and complaints[0].startswith("readerlab: tcp-client:127.0.0.1:"), complaints
            assert complaints[0].endswith("; trying again")
        assert await emulation.stop() == 0


@contextlib.asynccontextmanager
async def lost_radio(directory):
    """A radio and an emulation on it, without phones."""
    radio = await RadioProcess.start(directory)
    try:
        yield radio, await Emulation.start(await radio.listen_tcp("device"), EXAMPLES / "heart-rate.json")
    finally:
        await radio.stop()


@pytest.mark.parametrize(
    "table",
    [changed(change) for change in CHARACTERISTICS] + [{**FRIENDLY, **change} for change in FILES],
    ids=range(len(CHARACTERISTICS + FILES)),
)
async def test_what_the_schema_takes_is_taken(directory, table):
    assert await verdict(directory, table) == TAKEN


@pytest.mark.parametrize(
    "table",
    [changed(change) for change in NO_CHARACTERISTICS]
    + [{**FRIENDLY, **change} for change in NO_FILES]
    + [with_attribute(change) for change in NO_ATTRIBUTES],
    ids=range(len(NO_CHARACTERISTICS + NO_FILES + NO_ATTRIBUTES)),
)
async def test_what_the_schema_refuses_is_refused(directory, table):
    assert await verdict(directory, table) == REFUSED


async def verdict(directory, table):
    """The exit of readerlab with that file and without a controller."""
    path = directory / "table.json"
    path.write_text(json.dumps(table))
    emulation = await Emulation.start("127.0.0.1:1", path)
    return await emulation.ended()
