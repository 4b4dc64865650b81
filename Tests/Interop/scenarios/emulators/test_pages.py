# SPDX-License-Identifier: Apache-2.0
"""The pages of the devices for app developers: what they say to type is typed, but for the controller and the port."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
import shlex
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from matter.controller import READY_SECONDS
from rig.air_process import AirProcess
from rig.emulation import LINE_SECONDS, Emulation, binary
from rig.page_blocks import beginning, blocks, page_path
from rig.pairing_bench import TABLE, controllers
from rig.ports import free_port
from rig.processes import Child
from rig.radio_process import ROOTCANAL
from rig.reader import ROOT
from rig.terminals import typed as carried_out
from softap.network import network

CHANGES = ("fault", "clear", "disconnect", "wifi", "network", "ap", "dhcp", "mtu")
COMMANDS = (*CHANGES, "faults", "findings", "steps", "help")
"""The words that a typed command begins with; `quit` ends the device."""

LOCK = "lock.json"
SCANNERS = ROOT / ".venv/bin"
MATTER = beginning("matter.md", "readerlab emulate ", "sudo readerlab emulate ")


def started(blocks: Sequence[str]) -> list[list[str]]:
    """The commands in these blocks of a page that start a device."""
    lines = [line.removeprefix("sudo ") for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [shlex.split(line) for line in lines if line.startswith("readerlab emulate ") and "FILE" not in line]


def placed(command: list[str], place: str) -> list[str]:
    """The command with a place instead of the page's air or adapter."""
    return [place if word in ("hci-socket:0", "tcp-client:127.0.0.1:7300") else word for word in command]


def typed(page: str) -> list[str]:
    """The page's commands for a running device; not lines of syntax, with alternatives."""
    found = []
    for block in blocks(page):
        for line in block.text.splitlines():
            for part in re.split(r" {3,}", line):
                words = part.split()
                if words and words[0] in COMMANDS and not re.search(r"[|…\[,]", part):
                    found.append(part.strip())
    return found


@contextlib.asynccontextmanager
async def running(
    directory: Path, command: list[str], ready: str, prefix: Sequence[str] = ()
) -> AsyncIterator[Emulation]:
    """The page's command, with the files that it names."""
    for family in ("emulators", "lab"):
        with contextlib.suppress(FileExistsError):
            (directory / family).symlink_to(ROOT / family)
    (directory / LOCK).write_text(json.dumps(TABLE))
    assert command[0] == "readerlab"
    words = [*prefix, str(binary()), *command[1:], *([] if "--json" in command else ["--json"])]
    child = await Child.start("readerlab", words, stdin=asyncio.subprocess.PIPE, cwd=directory)
    try:
        emulation = Emulation(child)
        await emulation.event(ready)
        yield emulation
    finally:
        code = await child.stop()
    assert code == 0, child.tail()


async def answers(emulation: Emulation, lines: list[str]) -> None:
    for line in lines:
        mark = emulation.mark
        await emulation.child.type(line)
        answer = json.loads((await emulation.child.line('"event":"answer"', LINE_SECONDS, mark)).text)
        assert answer["ok"], (line, answer)


ON_BLE = {
    "nordic-wifi.md": beginning("nordic-wifi.md", "readerlab emulate ", "sudo readerlab emulate "),
    "smarter-ai.md": beginning("smarter-ai.md", "readerlab emulate ", "sudo readerlab emulate "),
    "thermostat.md": beginning("thermostat.md", "readerlab emulate ", "sudo readerlab emulate "),
}
ON_THE_AIR = {
    "nordic-wifi.md": beginning("nordic-wifi.md", "readerlab air"),
    "smarter-ai.md": beginning("smarter-ai.md", "readerlab air"),
    "thermostat.md": beginning("thermostat.md", "readerlab air"),
    "gatt-device.md": beginning("gatt-device.md", "readerlab air"),
    "emulated-reader.md": beginning("emulated-reader.md", "readerlab air"),
}
"""The three terminals of each page: the air, the device, and a scanner, or a phone that opens."""


@pytest.mark.parametrize("page", ON_THE_AIR)
async def test_a_device_on_the_air(directory, page):
    (block,) = ON_THE_AIR[page]
    # Other tests have the air's usual ports.
    ports = {port: str(free_port()) for port in ("7300", "7301")}
    for port, free in ports.items():
        block = block.replace(f":{port}", f":{free}")
    places = [
        word
        for name, port in zip(("reader", "phone"), ports, strict=True)
        for word in ("--listen", f"{name}=tcp:127.0.0.1:{ports[port]}")
    ]
    air, device, scan = block.splitlines()
    child = await Child.start("air", [str(binary()), *air.split()[1:], *places])
    try:
        await child.line("help lists", LINE_SECONDS)
        async with running(directory, shlex.split(device), "ready"):
            program, *arguments = scan.split()
            path, found = (
                (binary(), "opened") if program == "readerlab" else (SCANNERS / program, "Complete Local Name")
            )
            scanner = await Child.start("scan", [str(path), *arguments])
            try:
                await scanner.line(found, LINE_SECONDS)
            finally:
                await scanner.stop()
    finally:
        await child.stop()


@pytest.mark.parametrize("page", ON_BLE)
async def test_a_device_on_ble(directory, page):
    commands = started(ON_BLE[page])
    lines = typed(page)
    assert len(commands) == 2 and len(lines) >= 6
    networks = [each.text for each in blocks(page) if each.language == "json" and '"networks"' in each.text]
    assert len(networks) == (page != "thermostat.md")
    for each in networks:
        (directory / "home.json").write_text(each)
    if page == "smarter-ai.md":
        lines += typed("emulation.md")
        # The network that the page's commands change is one of those without a file.
        networks = []
    async with controllers(directory, ROOTCANAL) as radio:
        place = f"tcp-client:{await radio.listen_tcp('device')}"
        command = placed(commands[1], place)
        if networks:
            command += ["--wifi-sim", "home.json"]
        async with running(directory, command, "ready") as emulation:
            await answers(emulation, lines)


@pytest.mark.parametrize("number", range(3))
async def test_a_device_from_a_file(directory, number):
    commands = started(beginning("gatt-device.md", "readerlab emulate ", "sudo readerlab emulate "))
    assert len(commands) == 4
    async with controllers(directory, ROOTCANAL) as radio:
        place = f"tcp-client:{await radio.listen_tcp('device')}"
        async with running(directory, placed(commands[1 + number], place), "ready"):
            pass


async def test_several_devices_in_a_file(directory):
    (file,) = [each.text for each in blocks("emulation.md") if each.language == "json" and '"devices"' in each.text]
    (directory / "devices.json").write_text(file)
    (directory / "home.json").write_text(json.dumps({"networks": [{"ssid": "Home"}]}))
    async with controllers(directory, ROOTCANAL) as radio:
        place = f"tcp-client:{await radio.listen_tcp('device')}"
        command = ["readerlab", "emulate", "devices", "devices.json", "--hci", place]
        async with running(directory, command, "ready") as emulation:
            announced = emulation.child.matching('"event":"emulation"')
            assert len(announced) == len(json.loads(file)["devices"])


async def test_a_device_on_an_access_point(directory):
    page = "nordic-softap.md"
    commands, lines = started(beginning("nordic-softap.md", "readerlab emulate ")), typed(page)
    assert len(commands) == 2 and len(lines) >= 8
    (directory / "home.json").write_text(json.dumps({"networks": [{"ssid": "Home", "passphrase": "open sesame"}]}))
    text = page_path(page).read_text()
    faults = re.findall(r"^\| `([a-z]+:[^`]+)` \|", text, re.MULTILINE)
    assert len(faults) >= 6

    def command(*options: str) -> list[str]:
        place = f"127.0.0.1:{free_port()}"
        words = [word.replace("192.168.0.1:443", place) for word in commands[1]]
        return [*words, "--state", str(directory / "state"), "--no-mdns", *options]

    async with running(directory, command(), "access-point-up") as emulation:
        await answers(emulation, lines)
    for fault in faults:
        place = directory / re.sub(r"\W", "-", fault)
        place.mkdir()
        (place / "home.json").write_text((directory / "home.json").read_text())
        async with running(place, command("--fault", fault), "access-point-up"):
            pass


async def test_a_device_on_this_machine_alone(directory):
    (block,) = beginning("nordic-softap.md", "readerlab emulate nordic-softap --listen 127.0.0.1:8443")
    device, app = block.replace(":8443", f":{free_port()}").splitlines()
    async with running(directory, [*shlex.split(device), "--state", str(directory / "state")], "access-point-up"):
        asked = await Child.start("curl", ["curl", "--silent", *app.split()[1:]], cwd=directory)
        assert await asked.ended(LINE_SECONDS) == 0, asked.tail()
    assert b"Home" in (directory / "networks.pb").read_bytes()


def table(page: str, title: str) -> list[list[str]]:
    """The words in code of each row of the table whose first cell has that title."""
    text = page_path(page).read_text()
    (rows,) = re.findall(rf"^\| {title} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [re.findall(r"`([^`]+)`", row.split(" | ")[0]) for row in rows.splitlines()]


def alternatives(line: str) -> list[str]:
    """Every command that a line of a table stands for, whose words are divided by bars."""
    return [" ".join(words) for words in itertools.product(*(word.split("\\|") for word in line.split()))]


async def test_an_emulated_reader(directory):
    page = "emulated-reader.md"
    commands = started(beginning("emulated-reader.md", "readerlab emulate ", "sudo readerlab emulate "))
    commands = [command for command in commands if "--field" not in command]
    assert len(commands) == 2
    (scenario,) = [each.text for each in blocks(page) if each.language == "json"]
    (directory / "day.json").write_text(scenario)
    # The first of alternatives.
    states = [re.sub(r"(\\\||…).*", "", cell) for cells in table(page, "typed") for cell in cells]
    states = [re.sub(r"\bID\b", "C0001", line).replace("MODE[,MODE]", "access") for line in states]
    assert len(states) >= 11
    air = await AirProcess.start("reader=tcp:127.0.0.1:0")
    try:
        for command in commands:
            place = air.hci("reader")
            words = [re.sub("^(hci-socket:0|tcp-client:.*)$", place, word) for word in command]
            async with running(directory, [*words, "--scenario", "day.json"], "ready") as emulation:
                await answers(emulation, states)
                await answers(emulation, ["faults", "clear", "disconnect", "findings", "steps", "help"])
    finally:
        await air.stop()


async def test_the_field_of_an_emulated_reader(directory):
    page = "emulated-reader.md"
    block, _ = (block for block in beginning("emulated-reader.md", "readerlab emulate ") if "--field" in block)
    air = await AirProcess.start("reader=tcp:127.0.0.1:0")
    try:
        lines = [line.replace("/tmp/field", f"{directory}/field") for line in block.splitlines()]
        device, *cards = [placed(shlex.split(line), air.hci("reader")) for line in lines]
        assert len(cards) == 2
        async with running(directory, device, "ready") as emulation:
            for card in cards:
                mark = emulation.mark
                done = await Child.start("card", [str(binary()), *card[1:]], cwd=directory)
                assert await done.ended(LINE_SECONDS) == 0, done.tail()
                await emulation.child.line('"event":"field-empty"', LINE_SECONDS, mark)
            await answers(emulation, ["enrol last", "unenrol all", "cards", "card-faults"])
            faults = [name for cells in table(page, "fault") for name in cells]
            assert len(faults) == 22
            await answers(
                emulation, [f"fault {name} card" for name in faults] + ["fault late card every", "release late card"]
            )
    finally:
        await air.stop()


async def test_the_desfire_cards_of_an_emulated_reader(directory):
    _, block = (block for block in beginning("emulated-reader.md", "readerlab emulate ") if "--field" in block)
    air = await AirProcess.start("reader=tcp:127.0.0.1:0")
    try:
        key, *lines = block.replace("\\\n", "").replace("/tmp/field", f"{directory}/field").splitlines()
        await carried_out(key, directory)
        device, card = [placed(shlex.split(line), air.hci("reader")) for line in lines]
        async with running(directory, device, "ready") as emulation:
            done = await Child.start("card", [str(binary()), *card[1:]], cwd=directory)
            assert await done.ended(LINE_SECONDS) == 0, done.tail()
            await emulation.child.line('"event":"door".*door: unlocked', LINE_SECONDS)
    finally:
        await air.stop()


@pytest.mark.seconds(60)
async def test_a_matter_device(directory):
    page = "matter.md"
    commands = [command for command in started(MATTER) if "--hci" not in command]
    assert len(commands) == 3
    (scenario,) = [each.text for each in blocks(page) if each.language == "json"]
    (directory / "day.json").write_text(scenario)
    lines = [line for cells in table(page, "command") for cell in cells for line in alternatives(cell)]
    lines = [line.replace("COMMAND", "LockDoor").replace("STATUS", "0x01") for line in lines]
    lines = [line.replace("KIND LockDoor", "ignore LockDoor").replace("KIND", "silent-after-pase") for line in lines]
    lines = [re.sub("COUNT|MS|PERCENT", "2", line).replace("SOURCE", "keypad") for line in lines]
    lines = [line for line in lines if line not in ("close", "quit")]
    assert len(lines) >= 80
    # A lock without Wi-Fi, a contact, a battery or a latch refuses these.
    of_others = ("wifi", "power", "contact", "door", "battery", "state unlatched")
    async with network() as hosts:
        for command in commands:
            if "--list-attestation" in command:
                child = await Child.start("readerlab", [str(binary()), *command[1:]])
                await child.line("dac-expired", LINE_SECONDS)
                await child.stop()
                continue
            async with running(directory, [*command, "--scenario", "day.json"], "ready", hosts.device) as emulation:
                for line in lines:
                    mark = emulation.mark
                    await emulation.child.type(line)
                    answer = json.loads((await emulation.child.line('"event":"answer"', LINE_SECONDS, mark)).text)
                    assert answer["ok"] != line.startswith(of_others), (line, answer)


def matter_orders(place: str) -> tuple[str, list[str]]:
    """The controller's command of the page with that in it, and the answers below it, as patterns."""
    page = [each.text for each in blocks("matter.md")]
    (at,) = [at for at, block in enumerate(page) if "matter.terminal" in block and place in block]
    patterns = [re.sub(r"([{}])", r"\\\1", line) for line in page[at + 1].splitlines()]
    return page[at], [re.sub(r'"ms": \d+', '"ms": [0-9]+', pattern) for pattern in patterns]


async def ordered(directory: Path, prefix: Sequence[str], orders: str, answers: list[str]) -> None:
    """The controller in the next terminal, unchanged."""
    for name in (".cache", ".venv", "Tests"):
        (directory / name).symlink_to(ROOT / name)
    child = await Child.start("bash", [*prefix, "bash", "-e", "-c", orders], cwd=directory)
    try:
        for answer in answers:
            await child.line(f"^{answer}$", READY_SECONDS)
    finally:
        await child.stop()


@pytest.mark.seconds(240)
async def test_a_matter_device_in_the_next_terminal(directory):
    orders, answers = matter_orders('"commission"')
    async with network() as hosts, running(directory, started(MATTER)[0], "ready", hosts.device):
        await ordered(directory, hosts.phone, orders, answers)


@pytest.mark.seconds(300)
async def test_a_matter_device_without_a_radio(directory):
    """The three terminals of the page, over BLE into Wi-Fi; only the sockets have separate places."""
    orders, answers = matter_orders("--phone")
    (air,) = beginning("matter.md", "readerlab air ")
    (device,) = [command for command in started(MATTER) if "unix:/tmp/device" in command]

    def here(words: list[str]) -> list[str]:
        return [word.replace("/tmp/", f"{directory}/") for word in words]

    child = await Child.start("air", [str(binary()), *here(shlex.split(air))[1:]])
    try:
        await child.line("phone", LINE_SECONDS)
        async with network() as hosts, running(directory, here(device), "ready", hosts.device):
            await ordered(directory, hosts.phone, *here([orders]), answers)
    finally:
        await child.stop()
