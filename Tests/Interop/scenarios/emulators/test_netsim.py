# SPDX-License-Identifier: Apache-2.0
"""`--hci netsim`: a device and a reader in the air of the Android Emulator, whose netsim has a stand-in here."""

import asyncio
import contextlib
import os
import time

import pytest
from bumble.core import UUID

from rig.emulation import LINE_SECONDS, Advertised, binary
from rig.netsim_stand_in import GRPC_PORT, NetsimStandIn
from rig.page_blocks import commands, path
from rig.phone import Phone
from rig.processes import Child
from rig.reader import ROOT
from rig.reader import binary as reader

HEART_RATE = ROOT / "emulators" / "Examples" / "heart-rate.json"
LOCATION = UUID("2A38")
SENSOR = Advertised("heart rate", b"\x0d\x18")
FIND_SECONDS = 20.0
ATTEMPTS_SECONDS = 1.5
"""For several attempts: they are 0.25 s, 0.5 s and 1 s apart."""
FAILED, USAGE = 1, 2


def complaints(child: Child, after: int = 0) -> list[str]:
    """The lines for people, without the JSON lines."""
    return [line.text for line in child.lines[after:] if not line.text.startswith("{")]


@contextlib.asynccontextmanager
async def sensor(environment: dict[str, str], *options: str, hci: str = "netsim"):
    """The heart rate sensor at netsim."""
    command = [str(binary()), "emulate", "gatt", "--table", str(HEART_RATE), "--hci", hci, "--json", *options]
    child = await Child.start("readerlab", command, stdin=asyncio.subprocess.PIPE, env=environment)
    try:
        yield child
    finally:
        await child.stop()


async def read_by_a_phone(netsim: NetsimStandIn, name: str) -> None:
    """A Bumble phone on the same air finds the sensor, connects, and reads its location."""
    phone = await Phone.open(name, netsim.hci)
    try:
        link = await phone.connect((await phone.find(SENSOR, FIND_SECONDS)).address)
        await link.peer.discover_services()
        for service in link.peer.services:
            await service.discover_characteristics()
        (location,) = link.peer.get_characteristics_by_uuid(LOCATION)
        assert await location.read_value() == b"\x01"
    finally:
        await phone.close()


async def test_a_device_waits_for_netsim_and_comes_back_after_its_restart(directory):
    netsim = NetsimStandIn(directory)
    try:
        async with sensor(netsim.environment) as child:
            await child.line("trying again", LINE_SECONDS)
            absent = (
                f"readerlab: netsim: no netsim: {netsim.ini} is not there, and port {netsim.port} is closed; start the "
                f'Android Emulator with -netsim-args="--hci-port {netsim.port}"; trying again'
            )
            assert complaints(child) == [absent]
            # A netsim without this port; and one line for all attempts.
            netsim.write_ini()
            await child.line("names a netsim", LINE_SECONDS)
            await asyncio.sleep(ATTEMPTS_SECONDS)
            assert complaints(child)[0] == absent and len(complaints(child)) == 2
            assert f"though {netsim.ini} names a netsim (gRPC {GRPC_PORT})" in complaints(child)[1]
            for number in range(2):
                mark = len(child.lines)
                await netsim.start()
                await child.line('"event":"ready"', LINE_SECONDS, mark)
                await read_by_a_phone(netsim, f"phone{number}")
                mark = len(child.lines)
                await netsim.stop()
                await child.line("^readerlab: netsim: .*; trying again$", LINE_SECONDS, mark)
            assert await child.stop() == 0
    finally:
        await netsim.stop()


async def test_the_second_instance_has_its_own_file(directory):
    netsim = NetsimStandIn(directory, instance=2)
    environment = {**netsim.environment, "XDG_RUNTIME_DIR": str(directory)}
    del environment["TMPDIR"]
    async with sensor(environment, hci="netsim:2") as child:
        line = await child.line("trying again", LINE_SECONDS)
        assert line.text.startswith(f"readerlab: netsim:2: no netsim: {directory}/netsim_2.ini is not there")


async def test_without_netsim_it_ends_after_the_wait_with_one_line(directory):
    netsim = NetsimStandIn(directory)
    started = time.monotonic()
    async with sensor(netsim.environment, "--wait", "2") as child:
        assert await child.ended(LINE_SECONDS) == FAILED
        assert time.monotonic() - started >= 2
        progress, failure = complaints(child)
        assert progress == failure + "; trying again" and failure.startswith("readerlab: netsim: no netsim: ")
    async with sensor(netsim.environment, "--wait", "0") as child:
        assert await child.ended(LINE_SECONDS) == FAILED
        assert complaints(child) == [failure]


@pytest.mark.parametrize(
    ("environment", "options", "hci", "code", "words"),
    [
        ({"NETSIM_HCI_PORT": "x"}, (), "netsim", FAILED, 'NETSIM_HCI_PORT="x" is not a port; set it to a number'),
        ({}, (), "netsim:0", USAGE, '"0" is not an instance of netsim; write netsim, or netsim:INSTANCE'),
        ({}, ("--wait", "3601"), "netsim", USAGE, "--wait 3601: write 0 to 3600 seconds"),
    ],
    ids=["port", "instance", "wait"],
)
async def test_what_is_wrong_is_said_at_once(environment, options, hci, code, words):
    async with sensor({**os.environ, **environment}, *options, hci=hci) as child:
        assert await child.ended(LINE_SECONDS) == code
        assert words in complaints(child)[0]


async def test_the_commands_of_the_page(directory):
    netsim = NetsimStandIn(directory)
    await netsim.start()
    try:
        texts = commands("android-emulator.md", "## A camera in the emulator", "")
        for text, line in zip(texts, ("ready", "controller ready"), strict=True):
            environment = {**netsim.environment, "PATH": path()}
            child = await Child.start("page", ["sh", "-c", f"exec {text}"], cwd=directory, env=environment)
            try:
                await child.line(line, LINE_SECONDS)
            finally:
                code = await child.stop()
            assert code == 0, child.tail()
    finally:
        await netsim.stop()


async def test_a_reader_waits_for_netsim_and_comes_back_after_its_restart(directory):
    netsim = NetsimStandIn(directory)
    command = [
        *(str(reader()), "run", "--hci", "netsim", "--state", str(directory / "state")),
        *("--control", str(directory / "reader.sock")),
    ]
    child = await Child.start("readerd", command, env=netsim.environment)
    try:
        line = await child.line("fault controller-absent", LINE_SECONDS)
        assert f"netsim: no netsim: {netsim.ini} is not there, and port {netsim.port} is closed" in line.text
        await netsim.start()
        await child.line("controller ready", LINE_SECONDS)
        mark = len(child.lines)
        await netsim.stop()
        await child.line("fault controller-lost: netsim: ", LINE_SECONDS, mark)
        await netsim.start()
        await child.line("controller ready", LINE_SECONDS, mark)
        assert await child.stop() == 0
    finally:
        await child.stop()
        await netsim.stop()
