# SPDX-License-Identifier: Apache-2.0
"""The power goes while a phone pushes configurations: the acknowledged one, or the next, is in force."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import time

from access.advertising import ACCESS
from access.tokens import Command
from access.wire import delimited, message, read, read_delimited
from bench import Bench, case, program
from machine import ROOT, TIMEOUT_FACTOR, Disk, Failure, Machine
from power_cut.case import make_disk
from power_cut.write_log import play
from rig.phone import Link, NotReached, Phone
from rig.radio_process import RadioProcess

CUTS = max(1, int(os.environ.get("READERD_POWER_CUTS", 20)) // 5)
START_SECONDS = 60.0
NEAR_DBM = -45

BASE = message((1, ""), (2, ""), (3, 60), (4, 0))
BLE = message((1, 1), (4, 100), (5, 3000), (6, 3), (7, 0), (8, 0))
ONLINE = message((2, ""), (3, ""), (4, 30))
OSS = message((1, b""), (2, 0), (3, 0), (4, 0), (5, 1), (6, 1), (7, b""), (8, 0))
DOOR = message((1, 7), (2, 1))


def name(number: int) -> bytes:
    """The name of a pushed configuration."""
    return b"config-%d" % number if number else b""


def update(number: int) -> Command:
    """The command that pushes it."""
    parts = (1, name(number).decode()), (2, BASE), (3, BLE), (4, ONLINE), (5, DOOR), (6, OSS)
    return Command("UPDATE", data=delimited(message((1, message(*parts)))))


async def connected(radio: RadioProcess, machine: Machine, number: int) -> Link:
    """A near phone, subscribed. The reader may take long to start."""
    phone_name = f"phone{number}"
    await radio.level(phone_name, "reader", NEAR_DBM)
    phone = await Phone.open(phone_name, "unix:" + await radio.listen_unix(phone_name))
    try:
        link = await phone.connect(
            (await phone.find(ACCESS, START_SECONDS * TIMEOUT_FACTOR)).address, 20 * TIMEOUT_FACTOR
        )
        return await link.prepare(ACCESS.service)
    except NotReached as error:
        raise Failure(f"the phone does not reach the reader: {error}\n{machine.tail()}") from error


async def pushed(link: Link) -> bytes:
    """The configuration in force according to the reader."""
    return read(read_delimited(await link.run("STATUS")))[1][0]


async def cuts(bench: Bench, chance: random.Random) -> None:
    """The radio, and one machine after the other on the same disk."""
    image, _ = make_disk(bench.directory)
    writes, before = bench.directory / "writes", bench.directory / "disk.before"
    radio = await RadioProcess.start(bench.directory)
    told, lost, mark = 0, [], 0
    try:
        port = (await radio.listen_tcp("reader")).rpartition(":")[2]
        for number in range(CUTS + 1):
            writes.write_bytes(b"")
            shutil.copy(image, before)
            machine = bench.machine(f"boot-{number}", disks=[Disk(image, writes)], network=True)
            script = (ROOT / "Tests/Kernel/power_cut/update.sh").read_text()
            machine.start(script, {"READERD": str(program("readerd")), "READER_PORT": port})
            link = await connected(radio, machine, number)
            began = time.monotonic()
            found = await pushed(link)
            took = time.monotonic() - began
            if found not in (name(told), name(mark)):
                lost.append(f"after cut {number - 1}: {found!r}, and {name(told)!r} was acknowledged")
            if number and not json.loads(machine.file("verified") or "{}").get("sound"):
                lost.append(f"after cut {number - 1}: {machine.file('verified')}")
            told = mark = max(told, mark if found == name(mark) else 0)
            if number == CUTS:
                break
            # Some before the first cut, so that one is acknowledged even if there is no other cut.
            for _ in range(chance.randint(0 if number else 1, 4)):
                mark = told + 1
                await link.run(update(mark))
                told = mark
            mark = told + 1
            pending = asyncio.ensure_future(link.run(update(mark)))
            # An exchange takes longer on a busy host; a push longer than the question was.
            await asyncio.sleep(chance.uniform(0, took))
            await asyncio.to_thread(machine.kill)
            # An answer that was on its way counts.
            done, _ = await asyncio.wait({pending}, timeout=0.5)
            if done and not pending.exception():
                told = mark
            pending.cancel()
            shutil.copy(before, image)
            cut = play(image, writes, chance)
            with (bench.directory / "cuts").open("a") as notes:
                notes.write(f"{number}: told {told}, pushed {mark}: {cut}\n")
    finally:
        await radio.stop()
    bench.check(
        f"{CUTS} cuts in UPDATE, and the acknowledged configuration or the next is in force", not lost, "; ".join(lost)
    )
    bench.check("configurations were acknowledged", told > 0, f"{told} of {mark}")


@case("power-cut-update", seconds=CUTS * 60)
def power_cut_update(bench: Bench) -> None:
    """A pushed configuration exists or not, never in part, when the power goes in the middle of UPDATE."""
    asyncio.run(cuts(bench, bench.chance))
