# SPDX-License-Identifier: Apache-2.0
"""Whoever is trusted with something floods the reader: the event log keeps its entrances, and the door its visitors."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import stat
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from access.status import Status
from access.tokens import sign
from rig.bench import Bench
from rig.operation import Operator
from rig.phone import LinkLost, Refused
from rig.processes import NOBODY, Child, by_another_user, listens
from rig.reader import ROOT, binary
from rig.waiting import until

FLOOD_SECONDS = 4.0
SHARE = 500
"""The openings of one user in a row, with the default capacity."""
COMMANDS = 64
LINES = 60
QUEUE_FULL_SECONDS = 0.0005
"""The pause of a flood when the listener's queue is full."""
"""Lines of the log about a companion in the minute of a flood: 20 about its orders, and 20 about its connections."""

pytestmark = [
    pytest.mark.seconds(90),
    pytest.mark.thorough("ReaderTests bound the records of each origin"),
]


def bench(companion: Path, **tables: dict[str, object]) -> Bench:
    """A reader with the sockets of a Matter lock and of a link, for processes of this user."""
    user = str(os.getuid())
    return Bench(
        matter={"socket": str(companion / "matter"), "user": user},
        link={"socket": str(companion / "link"), "user": user},
        **tables,
    )


async def events(operator: Operator) -> list[dict]:
    """The whole log."""
    done = await operator.events("--json", "--since", "1")
    return [json.loads(line) for line in done.output.splitlines()]


def flood(path: Path, lines: list[bytes], seconds: float = FLOOD_SECONDS) -> None:
    """Sends the lines again and again for so long, with a new connection whenever one ends."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(0.5)
            try:
                client.connect(str(path))
                while time.monotonic() < end:
                    client.sendall(b"".join(lines))
                    client.recv(1 << 16)
            except OSError:
                continue


def matter_order(position: str, fabric: int = 1, node: int = 0xAA) -> bytes:
    """The line of an order."""
    order = {"order": 1, "move": position, "fabric": fabric, "node": f"{node:016X}"}
    return json.dumps(order).encode() + b"\n"


ORDERS = {
    "what changes nothing": [matter_order("locked")],
    "to and fro": [matter_order("unlocked"), matter_order("locked")],
    "many nodes and fabrics": [
        matter_order(position, fabric, node)
        for fabric, node in zip(range(1, 255), range(254), strict=True)
        for position in ("unlocked", "locked")
    ],
}


@pytest.mark.parametrize("what", ORDERS)
async def test_matter_orders_leave_the_entrances_and_the_door(directory: Path, what: str):
    async with bench(directory, events={"when-full": "refuse", "capacity": 1000}) as reader:
        operator = Operator(reader)
        assert (await operator.run("unlock")).code == 0
        before = await events(operator)
        await asyncio.to_thread(flood, directory / "matter", ORDERS[what])
        # The door is open to others: the log is not full.
        assert (await operator.run("unlock", "office-on")).code == 0
        found = await events(operator)
        assert found[: len(before)] == before
        matter = [event for event in found if event["channel"] == "matter"]
        assert len(matter) <= 2 * COMMANDS + 8 * (FLOOD_SECONDS + 2), len(matter)
        assert (await operator.events("--verify")).code == 0
        assert sum("matter: " in line.text for line in reader.reader.child.lines) <= LINES


async def test_connections_in_a_loop_cost_a_few_lines(directory: Path):
    """By the process, and by another user, who is refused by the kernel's word."""
    directory.chmod(0o755)

    def connect(path: Path) -> int:
        """Connects in a loop; the number of connections."""
        number, end = 0, time.monotonic() + FLOOD_SECONDS
        while time.monotonic() < end:
            with socket.socket(socket.AF_UNIX) as client:
                client.setblocking(False)
                try:
                    client.connect(str(path))
                    number += 1
                except BlockingIOError:
                    time.sleep(QUEUE_FULL_SECONDS)
        return number

    async with bench(directory) as reader:
        operator = Operator(reader)
        for name in "matter", "link":
            await operator.run("status")
            mark = len(reader.reader.child.lines)
            own = await asyncio.to_thread(connect, directory / name)
            other = int(await by_another_user(lambda name=name: str(connect(directory / name)).encode()))
            assert own > 200 and other > 200, (own, other)
            await operator.run("status")
            lines = [line for line in reader.reader.child.lines[mark:] if f"{name}: " in line.text]
            assert 0 < len(lines) <= LINES, len(lines)
        assert (await operator.run("unlock")).code == 0


async def test_another_user_is_no_link(directory: Path):
    """As for the Matter lock: the kernel's word decides who is the companion."""
    directory.chmod(0o755)

    def strange() -> bytes:
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.settimeout(20)
            stranger.connect(str(directory / "link"))
            try:
                stranger.sendall(b'{"read":1}\n')
                return stranger.recv(1)
            except ConnectionError:
                return b""

    async with bench(directory) as reader:
        operator = Operator(reader)
        await operator.run("status")
        # Nothing is said to it, not even the greeting, and it ends no connection of the process.
        with socket.socket(socket.AF_UNIX) as process:
            process.settimeout(20)
            process.connect(str(directory / "link"))
            assert process.recv(1 << 16).startswith(b'{"reader":')
            assert await by_another_user(strange) == b""
            await reader.reader.child.line(f"link: uid {NOBODY} .* refused", 20)
            assert (await operator.status())["link"]["process"] is True


@pytest.mark.parametrize("request_line", ['{"unlock":"pulse"}', '{"lockdown":"off"}', '{"set-time":1}', "nonsense"])
async def test_a_member_of_the_control_group_does_not_erase_his_opening(directory: Path, request_line: str):
    async with Bench() as reader:
        operator = Operator(reader)
        assert (await operator.run("unlock", "extended")).code == 0
        before = await events(operator)
        await asyncio.to_thread(flood, reader.control, [request_line.encode() + b"\n"] * 20)
        found = await events(operator)
        assert found[: len(before)] == before
        assert len(found) <= len(before) + SHARE + 2 * COMMANDS + 10, len(found)
        assert sum(line.text.count("control: uid") for line in reader.reader.child.lines) <= 240


async def test_an_opening_without_room_is_refused_and_others_are_served(directory: Path):
    async with Bench() as reader:
        operator = Operator(reader)
        await operator.run("status")
        answers, requests = await asyncio.open_unix_connection(reader.control)
        asked = refused = 0
        while asked < SHARE + 20:
            requests.write(b'{"unlock":"pulse"}\n')
            answer = json.loads(await answers.readline())
            # On a busy machine one may wait for too long: it is asked again.
            asked += answer.get("refused") != "late"
            refused += answer.get("refused") == "too-often"
        requests.close()
        assert refused == 20
        # Orders that secure the door are not refused, and a phone is let in.
        assert (await operator.run("lockdown", "on")).code == 0
        assert (await operator.run("lockdown", "off")).code == 0
        link = await reader.ready()
        await link.run("tokn")
        found = await events(operator)
        assert sum(event["kind"] == "unlocked" for event in found) == SHARE
        assert found[-1]["kind"] == "granted"


async def ends_with(operator: Operator, command: str) -> list[dict] | None:
    """The events once the last is of this command; its answer comes before its record."""
    found = await events(operator)
    return found if found[-1].get("command") == command else None


async def test_a_phones_questions_are_counted_and_hide_no_change(directory: Path):
    async with Bench() as reader:
        operator = Operator(reader)
        link = await reader.ready()
        for _ in range(COMMANDS + 20):
            await link.run("PING")
        await link.run("BL_CLEAR")
        found = await until("the record", lambda: ends_with(operator, "BL_CLEAR"))
        assert sum(event.get("command") == "PING" for event in found) == COMMANDS
        await reader.restart()
        # A reader that is ended before it serves has no orderly end.
        await operator.run("status")
        (count,) = [event for event in await events(operator) if event["kind"] == "records-suppressed"]
        assert (count["info"], count["credential"], count["detail"]) == (20, "CRED000001", "command PING")


async def test_clearing_the_log_again_and_again_is_refused():
    """Each clearing is a record: the log is not turned over by them."""
    async with Bench() as reader:
        operator = Operator(reader)
        link = await reader.ready()
        cleared = 0
        with pytest.raises(Refused) as refusal:
            for cleared in range(COMMANDS + 1):  # noqa: B007
                await link.run("EV_CLEAR")
        assert refusal.value.status == Status.UNAVAILABLE and cleared > 8
        done = await operator.events("--json", "--since", "1", "--cleared")
        assert len(done.output.splitlines()) <= 3 * COMMANDS


async def disturbing(operator: Operator) -> set[str]:
    """The reasons against a restart, except for records that are on their way to the disk."""
    done = await operator.run("quiet", "--json")
    return set(json.loads(done.output)["disturbs"]) - {"events"}


async def test_a_stranger_holds_no_update_back():
    """A phone that connects, or shows an unsigned token, holds the reader's restart up as little as an empty door."""
    async with Bench() as reader:
        operator = Operator(reader)
        _, silent = await reader.connected("silent")
        await silent.prepare()
        assert (await operator.status())["links"]["served"] == 1
        assert await disturbing(operator) == set()
        _, forger = await reader.connected("forger")
        await forger.prepare()
        await forger.handshake()
        assert await disturbing(operator) == set()
        with contextlib.suppress(LinkLost, Refused):
            await forger.run("tokn", signature=sign(ec.generate_private_key(ec.SECP256R1()), b"anything"))
        assert await disturbing(operator) == set()
        # A phone that was served is not left in the middle.
        _, link = await reader.connected()
        await link.prepare()
        await link.run("PING")
        assert await disturbing(operator) == {"links"}


async def test_the_sockets_mode_holds_from_the_moment_of_its_making(directory: Path):
    """The reader is killed when the kernel has made the file, before it does anything else, under any umask."""
    library, log = ROOT / ".build/debug/libPowerCut.so", directory / "log"
    command = [str(binary()), "run", "--hci", f"unix:{directory}/nobody", "--state", str(directory / "state")]
    command += ["--config", str(directory / "readerd.toml"), "--control", str(directory / "control")]
    (directory / "readerd.toml").write_text("")
    environment = os.environ | {"LD_PRELOAD": str(library), "READERLAB_CUT_DIRECTORY": str(directory)}

    async def start(umask: int, **variables: str) -> Child:
        (directory / "control").unlink(missing_ok=True)
        return await Child.start("readerd", command, env=environment | variables, umask=umask)

    child = await start(0o022, READERLAB_CUT_LOG=str(log))
    await until("the control socket", lambda: listens(directory / "control"))
    await child.stop()
    rows = [line.split() for line in log.read_text().splitlines()]
    (number,) = [row[0] for row in rows if row[1:] == ["bound", str(directory / "control")]]
    for umask, mode in (0, 0o660), (0o022, 0o640), (0o077, 0o600):
        shutil.rmtree(directory / "state")
        child = await start(umask, READERLAB_CUT_AT=number)
        assert await child.ended(20) == -signal.SIGKILL
        assert stat.S_IMODE((directory / "control").stat().st_mode) == mode
