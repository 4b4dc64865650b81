# SPDX-License-Identifier: Apache-2.0
"""Finds out which functions of readerd run, for the linker: writes .build/functions.order.

The functions that serving needs are spread over the whole program, most of which is never used. The linker puts the
functions of the file next to each other, so that they take few pages: first what an exchange needs, then what
connections and
operators need, then what only the start needs. Functions that are not there any more are ignored, and new ones take
pages until the file is written again. script/package writes it if it is missing. Valgrind has to be installed
(apt-get install valgrind).

script/bench --order             builds readerd, serves phones under Valgrind, writes the file
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from access.advertising import ACCESS
from bench import firmware
from rig.bench import FAR_DBM, Bench
from rig.phone import Refused

FILE = firmware.ROOT / ".build" / "functions.order"
EXCHANGES = ("PING", "STATUS", "tokn", "diof")
LINKS = 2
ROUNDS = 3
QUIET_SECONDS = 3.0
"""Until all requested work is done; under Valgrind everything takes fifty times as long."""

OBJECT, FUNCTION = "ob=", "fn="


def functions(profile: str, program: str) -> list[str]:
    """The program's own functions in a profile of Callgrind, as the linker knows them."""
    found: list[str] = []
    is_program = False
    for line in profile.splitlines():
        if line.startswith(OBJECT):
            is_program = line[len(OBJECT) :] == program
        elif line.startswith(FUNCTION) and is_program:
            name = re.sub(r"'\d+$", "", line[len(FUNCTION) :])
            # One without a symbol, such as the linker's own stubs, has an address for a name.
            if not name.startswith(("0x", "(")):
                found.append(name)
    return found


class Profile:
    """readerd under Callgrind, as a program that the rig can start."""

    def __init__(self, directory: Path) -> None:
        self.program = directory / "readerd"
        self._directory = directory
        self.command = directory / "profiled"
        options = "--tool=callgrind --demangle=no --compress-strings=no --compress-pos=no"
        self.command.write_text(
            f'#!/bin/sh\nexec valgrind {options} --callgrind-out-file={directory}/profile {self.program} "$@"\n'
        )
        self.command.chmod(0o755)

    def take(self, process: int) -> list[str]:
        """The functions that have run since the last time."""
        before = set(self._directory.glob("profile.*"))
        subprocess.run(["callgrind_control", f"--dump={process}", str(process)], check=True, stdout=subprocess.DEVNULL)
        (written,) = set(self._directory.glob("profile.*")) - before
        return functions(written.read_text(errors="replace"), str(self.program))


async def phases(profile: Profile) -> list[list[str]]:
    """Exercises the start, connections and operators, and exchanges."""
    os.environ["READERD"] = str(profile.command)
    async with Bench(
        links={"max": LINKS + 1, "max-connection-ms": 60_000, "longest-connection-s": 3600},
        proximity={"window-ms": 1000, "samples": 1},
    ) as bench:
        process = bench.reader.child.pid

        async def settled(work: Callable[[], Awaitable[None]]) -> list[str]:
            await work()
            await asyncio.sleep(QUIET_SECONDS)
            return profile.take(process)

        links = []

        async def starts() -> None:
            phone = await bench.phone("first")
            await phone.find(ACCESS, seconds=60)

        async def connects() -> None:
            for number in range(LINKS):
                links.append(await (await bench.connected(f"phone-{number}"))[1].prepare())
                await exchanges(links[-1])
            distant = (await bench.connected("distant", dbm=FAR_DBM))[1]
            await distant.wait_for_end(10)
            await links.pop().disconnect()
            links.append(await (await bench.connected("again"))[1].prepare())
            for question in ("status", "metrics"):
                command = [profile.program, question, "--control", str(bench.control)]
                await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)

        async def serves() -> None:
            for _ in range(ROUNDS):
                for link in links:
                    await exchanges(link)

        return [await settled(starts), await settled(connects), await settled(serves)]


async def exchanges(link) -> None:
    for command in EXCHANGES:
        try:
            await link.run(command)
        except Refused as refused:
            raise SystemExit(f"bench: {command} was refused: {refused}") from refused


def main() -> None:
    for tool in ("valgrind", "callgrind_control"):
        if shutil.which(tool) is None:
            raise SystemExit(f"bench: there is no {tool}: apt-get install valgrind")
    with tempfile.TemporaryDirectory(prefix="rd-") as name:
        directory = Path(name)
        # Valgrind 3.19 needs the names of functions, and cannot read what else is known of them.
        firmware.build(directory, "--strip-debug")
        taken = asyncio.run(phases(Profile(directory)))
    # A function is placed where it is needed most often.
    ordered = list(dict.fromkeys(function for phase in reversed(taken) for function in phase))
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("".join(f"{function}\n" for function in ordered))
    # The next build has to link again, and does not look at the file.
    firmware.built().unlink(missing_ok=True)
    counts = ", ".join(str(len(set(phase))) for phase in taken)
    print(f"bench: wrote {FILE.relative_to(firmware.ROOT)}: {len(ordered)} functions ({counts})", file=sys.stderr)


if __name__ == "__main__":
    main()
