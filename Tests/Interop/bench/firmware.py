# SPDX-License-Identifier: Apache-2.0
"""Measure readerd as it is shipped against its budgets: size, resident memory with seven links, time to advertising and
until the first phone is served.

script/bench --firmware          builds it, measures, and writes its part of docs/develop/performance.md
script/bench --firmware --print  to standard output instead
script/bench --firmware --gate   to standard output, and fails where a budget is missed, a time by more than a tenth
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.controller import Gone, QuickController
from bench.figures import ROOT, record, thresholds
from bench.page import measured_on, put, table
from bench.quick_phone import QuickPhone
from contactless import aliro_field, desfire
from contactless.aliro_link_door import RESOLVING_KEY
from contactless.aliro_reader import DOOR, GROUP, point_of
from contactless.cards import LISTED
from contactless.field import Field
from rig.bench import Bench
from rig.operation import Operator

MB = 1_000_000

BUDGETS = {name: bound for name, (bound, _) in thresholds("firmware").items()}
NAMES = ("size", "memory", "start", "served", "slot")
GATE_ROOM = 1.1
"""A gate fails beyond so many times the budget of a time, which others on the machine add to; not so for octets, which
they do not."""

STARTS = 30

SLOTS = 30
HANDLE = 0x40
STAY_SECONDS = 0.05
"""Of a phone on its slot: shorter than the gate's window, so that it is the phone that goes."""

LINKS = 7
EXCHANGES = ("PING", "STATUS", "tokn", "diof")
"""The phones' commands in turn; `tokn` opens the door, `diof` secures it."""
EXCHANGE_SECONDS = 0.5
"""From an exchange to the next one, of any phone."""
START_SECONDS = 7.0
"""Until phones come: after five readerd gives back what its start has used, and what connecting needs has to count."""
WARM_UP_SECONDS = 15.0
"""Of exchanges, until readerd counts as serving."""
SERVED_SECONDS = 30.0
"""Of exchanges, in which memory is looked at after each."""


BUILD = ["script/build", "--configuration", "release", "--product", "readerd", "--static-swift-stdlib"]


def built() -> Path:
    """The place where the build leaves the program."""
    shown = subprocess.run([*BUILD, "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return Path(shown.stdout.strip()) / "readerd"


def build(directory: Path, *options: str) -> Path:
    """The program in its release form: static runtime, stripped; `options` are for strip."""
    subprocess.run(BUILD, cwd=ROOT, check=True, stdout=sys.stderr)
    return strip(built(), directory / "readerd", *options)


def strip(source: Path, program: Path, *options: str) -> Path:
    """Writes the stripped program. Its pages are read from the disk, as on a board that has just started: the kernel
    may map larger parts of a file that was just written."""
    subprocess.run(["strip", *options, "-o", program, source], check=True)
    with program.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return program


# --- Start -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Start:
    """One start: milliseconds from before the process is made to the command that puts it on the air."""

    wall: float
    controller: float
    """The controller's share of it: from having read a command to having written its response."""
    processor: float
    """Processor time of all threads until then, which other programs do not add to."""

    @property
    def own(self) -> float:
        return self.wall - self.controller


FIRST_COMMAND = "tokn"
"""Of the first phone: the door opens, so its record is on the disk before the answer."""


def serve_once(program: Path, directory: Path) -> float:
    """Starts the reader with a phone that connects as soon as it advertises: milliseconds until that is served."""
    configuration = directory / "readerd.toml"
    configuration.write_text('[advertising]\nmodes = ["classic"]\n')
    phone = QuickPhone(FIRST_COMMAND)
    with started(program, directory, "--config", str(configuration)) as (controller, _, began):
        enabled = controller.enabled(True)
        controller.connect(HANDLE, struct.pack("<IH", 1, 0xC000), enabled.sets[0])
        phone.served(controller, HANDLE)
        return (time.perf_counter() - began - controller.taken) * 1000


@contextlib.contextmanager
def started(program: Path, directory: Path, *options: str) -> Iterator[tuple[QuickController, int, float]]:
    """The reader with a controller that answers at once; its process, and when that was made."""
    path = str(directory / "controller")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(1)
        command = [str(program), "run", "--hci", f"unix:{path}", "--state", str(directory / "state"), *options]
        # The log is not read while it counts: a pipe would have to be.
        with open(directory / "log", "wb") as log:
            began = time.perf_counter()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=log, close_fds=False)
        try:
            listener.settimeout(30)
            connection, _ = listener.accept()
            with connection:
                yield QuickController(connection), process.pid, began
        except (Gone, TimeoutError) as error:
            said = (directory / "log").read_text(errors="replace")
            raise SystemExit(f"bench: readerd does not advertise ({error!r}):\n{said}") from error
        finally:
            process.terminate()
            process.wait()
            os.unlink(path)


def start_once(program: Path, directory: Path) -> Start:
    """Starts the reader, until it enables advertising."""
    with started(program, directory) as (controller, process, began):
        enabled = controller.enabled(True)
        return Start((enabled.came - began) * 1000, enabled.taken * 1000, processor_time(process))


def processor_time(process: int) -> float:
    """Milliseconds that the threads of a process have run."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1_000_000


@contextlib.contextmanager
def undisturbed() -> Iterator[bool]:
    """Before all other programs on a processor, where that is permitted; whether it is."""
    policy, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        yield False
        return
    try:
        yield True
    finally:
        os.sched_setscheduler(0, policy, parameters)


def starts(program: Path, count: int) -> tuple[list[Start], list[float], bool]:
    """Starts on one state directory, until it advertises and until a phone is served: but for the first one, what is
    made once exists; and whether undisturbed."""
    with tempfile.TemporaryDirectory(prefix="rd-") as name, undisturbed() as is_undisturbed:
        directory = Path(name)
        began = [start_once(program, directory) for _ in range(count + 1)][1:]
        return began, [serve_once(program, directory) for _ in range(count)], is_undisturbed


# --- A slot that is free again ---------------------------------------------------------------------------------------


def slots(program: Path, count: int) -> list[float]:
    """A phone takes the only slot, so that advertising stops, and goes: milliseconds until it is enabled again."""
    with tempfile.TemporaryDirectory(prefix="rd-") as name, undisturbed():
        directory = Path(name)
        configuration = directory / "readerd.toml"
        configuration.write_text("[links]\nmax = 1\n")
        with started(program, directory, "--config", str(configuration)) as (controller, _, _):
            taken = []
            enabled = controller.enabled(True)
            for number in range(count):
                # Another phone each time: a phone that comes again and again has to wait.
                controller.connect(HANDLE, struct.pack("<IH", number, 0xC000), enabled.sets[0])
                controller.enabled(False)
                controller.serve(STAY_SECONDS)
                went = controller.disconnect(HANDLE)
                enabled = controller.enabled(True)
                taken.append((enabled.came - went - enabled.taken) * 1000)
            return taken


# --- Memory ----------------------------------------------------------------------------------------------------------


def resident(process: int) -> dict[str, int]:
    """Octets in memory, by kind."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    return {name: int(fields[name].split()[0]) * 1024 for name in ("VmRSS", "RssAnon", "RssFile", "RssShmem", "VmHWM")}


def mapped(process: int, count: int = 8) -> list[tuple[str, int]]:
    """The owners of the resident octets, the largest first."""
    sizes: dict[str, int] = {}
    name = "?"
    for line in Path(f"/proc/{process}/smaps").read_text().splitlines():
        fields = line.split()
        if not fields[0].endswith(":"):
            name = Path(fields[5]).name if len(fields) > 5 else "anonymous"
        elif fields[0] == "Rss:":
            sizes[name] = sizes.get(name, 0) + int(fields[1]) * 1024
    return sorted(sizes.items(), key=lambda item: -item[1])[:count]


@dataclass(frozen=True)
class Memory:
    """The memory in use while phones are served."""

    kinds: dict[str, int]
    """Octets by kind, when they were the most."""
    least: int
    owners: list[tuple[str, int]]
    """At the end."""
    exchanges: int
    faults: int
    """Pages that were mapped again in the meantime."""


def minor_faults(process: int) -> int:
    # Behind the name, which may have spaces: state is the first field, and minflt the eighth.
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[7])


CARDS = {
    "pkoc": {"kind": "pkoc", "id": "CARD000001", "key": LISTED.point.hex()},
    "desfire": {"kind": "desfire", "id": "CARD000002", "number": desfire.LISTED.hex()},
    "aliro-listed": {"kind": "aliro", "id": "PHONE00001", "key": aliro_field.LISTED.key.point.hex()},
}
"""The cards that come and go, as they are listed, by their names in the field."""
EXCHANGES_BY_CARD = 3
"""Exchanges of phones from one card's coming or going to the next one's."""


def every_kind(directory: Path, connection: str) -> dict[str, dict[str, object]]:
    """The tables of a reader with every kind of credential, and their files."""
    cards, key = directory / "cards.json", directory / "desfire.key"
    cards.write_text(json.dumps({"cards": list(CARDS.values())}))
    key.write_text(desfire.KEY.hex())
    key.chmod(0o600)
    issuer = aliro_field.ISSUER.key.point.hex()
    return {
        "nfc": {"connection": connection, "role": "both"},
        "advertising": {"modes": ["access", "pkoc", "aliro"]},
        "credentials": {"card-kinds": ["phone", "pkoc", "desfire", "aliro"], "cards": str(cards)},
        "desfire": {"application": "F51BC0", "file": 1, "count": len(desfire.LISTED), "key-file": str(key)},
        "aliro": {"group": GROUP, "door": DOOR, "issuers": [issuer], "resolving-key": RESOLVING_KEY},
    }


async def memory_with_every_kind(program: Path) -> Memory:
    """The same with every kind of credential on, and cards that come and go in the field."""
    with tempfile.TemporaryDirectory(prefix="rd-") as directory:
        async with Field() as field:
            return await memory(program, every_kind(Path(directory), field.connection), field)


async def started_up(bench: Bench) -> None:
    """Waits for the end of the start. Raises SystemExit with the reader's last line if it ends instead."""
    with contextlib.suppress(TimeoutError):
        code = await bench.reader.child.ended(START_SECONDS)
        raise SystemExit(f"bench: readerd does not start, and ends with {code}:\n{bench.reader.child.tail(1)}")


async def memory(
    program: Path, tables: dict[str, dict[str, object]] | None = None, field: Field | None = None
) -> Memory:
    """Seven phones (Bumble) are connected, near and subscribed, and have commands carried out in turn; in `field` cards
    come and go."""
    os.environ["READERD"] = str(program)
    points = []

    def make_key(state: Path) -> None:
        # Before the reader starts: its key is made once, and the cards know it.
        if field:
            points.append(point_of(state))

    # The gate is passed, and with time to spare: what is measured is memory, on a machine that may be busy.
    near = {"window-ms": 1000, "samples": 1}
    # One more than there are: all show one credential, which may not hold every slot.
    links_table = {"max": LINKS + 1, "max-connection-ms": 60_000, "longest-connection-s": 3600}
    async with Bench(prepare=make_key, links=links_table, proximity=near, **(tables or {})) as bench:
        if field:
            await field.ask("aliro", GROUP, *points)
        await started_up(bench)
        links = []
        for number in range(LINKS):
            _, link = await bench.connected(f"phone-{number}")
            links.append(await link.prepare())
        process = bench.reader.child.pid
        turns = ((link, command) for command in itertools.cycle(EXCHANGES) for link in links)
        touches = itertools.cycle([(word, card) for card in CARDS for word in ("put", "take")])
        put = 0

        async def serve(seconds: float) -> list[dict[str, int]]:
            nonlocal put
            seen = []
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                link, command = next(turns)
                await link.run(command)
                if field and len(seen) % EXCHANGES_BY_CARD == 0:
                    word, card = next(touches)
                    put += word == "put"
                    await field.ask(word, card)
                seen.append(resident(process))
                await asyncio.sleep(EXCHANGE_SECONDS)
            return seen

        await serve(WARM_UP_SECONDS)
        faults = minor_faults(process)
        seen = await serve(SERVED_SECONDS)
        faults = minor_faults(process) - faults
        if field:
            served = (await Operator(bench).status())["nfc"]["cards"]
            # The last one may be in its transaction.
            if put < len(CARDS) or served < put - 1:
                raise SystemExit(f"bench: {served} of {put} cards were served, so nothing was measured")
        most = max(seen, key=lambda kinds: kinds["VmRSS"])
        least = min(kinds["VmRSS"] for kinds in seen)
        return Memory(most, least, mapped(process), len(seen), faults)


# --- The page --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    name: str
    words: str
    budget: float
    measured: float
    unit: str

    @property
    def is_held(self) -> bool:
        return self.measured <= self.budget

    @property
    def is_missed(self) -> bool:
        """The deviation beyond the noise of the machine."""
        return self.measured > self.budget * (GATE_ROOM if self.unit == "ms" else 1)

    @property
    def cells(self) -> list[str]:
        room = (self.budget - self.measured) / self.budget * 100
        return [
            self.words,
            f"≤ {self.budget:g} {self.unit}",
            f"{self.measured:.2f} {self.unit}",
            f"{room:.0f} %",
            "yes" if self.is_held else "**no**",
        ]


def measure(rounds: int) -> tuple[list[Figure], list[str]]:
    with tempfile.TemporaryDirectory(prefix="rd-") as name:
        program = build(Path(name))
        size = program.stat().st_size
        load = os.getloadavg()[0]
        began, firsts, is_undisturbed = starts(program, rounds)
        freed = sorted(slots(program, SLOTS))
        used = asyncio.run(memory(program))
        every = asyncio.run(memory_with_every_kind(program))
    own = sorted(start.own for start in began)
    # Undisturbed, the middle one counts; otherwise the quickest: others add to the time, and never take from it.
    start, first = (statistics.median(times) if is_undisturbed else min(times) for times in (own, firsts))
    which = "median" if is_undisturbed else "quickest"
    figures = [
        Figure("size", "size, stripped, with the Swift runtime", BUDGETS["size-mb"], size / MB, "MB"),
        Figure("memory", f"resident memory, {LINKS} links", BUDGETS["memory-mb"], used.kinds["VmRSS"] / MB, "MB"),
        Figure("start", f"start to advertising, {which} of {rounds}", BUDGETS["start-ms"], start, "ms"),
        Figure("served", f"start to the first phone served, {which} of {rounds}", BUDGETS["served-ms"], first, "ms"),
        Figure(
            "slot", f"a slot freed to advertising again, the longest of {SLOTS}", BUDGETS["slot-ms"], freed[-1], "ms"
        ),
    ]
    record("firmware", {f"{figure.name}-{figure.unit.lower()}": figure.measured for figure in figures})
    # The ninth decile of a few starts is one of them.
    late = own[min(len(own) - 1, len(own) * 9 // 10)]
    taken = statistics.median(start.controller for start in began)
    processor = statistics.median(start.processor for start in began)
    kinds = used.kinds
    lines = [
        measured_on("--firmware", load),
        "",
        *table(["budget", "at most", "measured", "head-room", "held"], [figure.cells for figure in figures]),
        "",
        f"Start: {own[0]:.1f} to {own[-1]:.1f} ms, ninth decile {late:.1f} ms; the controller took another "
        f"{taken:.1f} ms. "
        f"Processor time until then, all threads: median {processor:.1f} ms. "
        + (
            "With real-time priority, so that others on the machine do not count."
            if is_undisturbed
            else "Without real-time priority: others on the machine count."
        ),
        f"The first phone: {min(firsts):.1f} to {max(firsts):.1f} ms, with its discovery, an opened door, and the "
        "record of that on the disk; without the time of controller and phone, which answer at once.",
        f"A slot: median {statistics.median(freed):.2f} ms, ninth decile {freed[len(freed) * 9 // 10]:.2f} ms.",
        f"Memory: the most of {used.exchanges} samples in {SERVED_SECONDS:g} s; the least was "
        f"{used.least / MB:.2f} MB. {kinds['RssAnon'] / MB:.2f} MB of it are its own, and "
        f"{(kinds['RssFile'] + kinds['RssShmem']) / MB:.2f} MB pages of files; since its start it never had more than "
        f"{kinds['VmHWM'] / MB:.2f} MB. {used.faults} page faults in the {SERVED_SECONDS:g} s. The largest parts: "
        + ", ".join(f"{owner} {octets / MB:.2f} MB" for owner, octets in used.owners)
        + ".",
        f"With every kind of credential on: the most {every.kinds['VmRSS'] / MB:.2f} MB, of which "
        f"{every.kinds['RssAnon'] / MB:.2f} MB are its own; the least was {every.least / MB:.2f} MB. The largest "
        "parts: " + ", ".join(f"{owner} {octets / MB:.2f} MB" for owner, octets in every.owners) + ".",
    ]
    return figures, lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=STARTS)
    parser.add_argument("--print", action="store_true", help="do not change docs/develop/performance.md")
    parser.add_argument(
        "--gate", nargs="?", const=",".join(NAMES), help="fail where a budget is missed; changes nothing"
    )
    arguments = parser.parse_args()
    gated = arguments.gate.split(",") if arguments.gate else []
    if arguments.starts < 1 or not set(gated) <= set(NAMES):
        parser.error(f"at least one start, and budgets out of {', '.join(NAMES)}")
    figures, lines = measure(arguments.starts)
    put(lines, "firmware", to_page=not (arguments.print or gated))
    broken = [figure for figure in figures if figure.name in gated and figure.is_missed]
    if broken:
        said = "; ".join(f"{figure.words}: {figure.cells[2]}, and at most {figure.cells[1][2:]}" for figure in broken)
        raise SystemExit(f"bench: over the budget: {said}")


if __name__ == "__main__":
    main()
