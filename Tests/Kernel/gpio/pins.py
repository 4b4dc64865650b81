# SPDX-License-Identifier: Apache-2.0
"""A bench at a running reader: `readerlab web pins` at one simulated chip, readerd at another, and wires between them.
The commands are from docs/emulators/pins.md, with other names of lines.

gpio-sim has no lines that are joined: a thread carries the levels from the outputs of each chip to the pulls of the
other's inputs, and notes when.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chips import DOOR, LOCK, REX, Simulator
from door import CONTROLLER_PORT, DEBOUNCE_SECONDS, EDGE_SECONDS, PULSE_SECONDS, Reader, check, chip, milliseconds

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "Tests/Interop"))

from rig.page_blocks import commands  # noqa: E402

READERLAB = os.environ["READERLAB"]
LINES = {"gpiochip0:5": "BENCH-LOCK", "gpiochip0:6": "BENCH-DOOR", "REX": "BENCH-REX"}
"""The page's lines, and these."""
PROBE = 3
bench = Simulator("bench", ("BENCH-LOCK", "BENCH-DOOR", "BENCH-REX", "BENCH-PROBE"))
WIRE_SECONDS = 0.0005
"""The pause of the wires."""
TIMESTAMP_SECONDS = 0.01
"""From the wire's write to the edge's interrupt. Microseconds where the machine is not interrupted itself."""
PULSE_TOLERANCE = 0.05
"""The wires' delay, twice: a few milliseconds, and more while the machine does something else."""
ANSWER_SECONDS = 30.0
TRACING = Path("/sys/kernel/tracing")
KEPT_EDGES = 16
"""The kernel's record of a line."""


class Wires:
    """Levels from outputs to inputs, and the time just before each change of the bench's lock."""

    def __init__(self) -> None:
        self.lock: list[int] = []
        threading.Thread(target=self._carry, daemon=True).start()

    def _carry(self) -> None:
        joined = [(chip, LOCK, bench, LOCK), (bench, DOOR, chip, DOOR), (bench, REX, chip, REX)]
        levels: list[bool | None] = [None] * len(joined)
        while True:
            for place, (source, output, target, line) in enumerate(joined):
                try:
                    level = source.level(output)
                    if level == levels[place]:
                        continue
                    before = time.monotonic_ns()
                    target.set(line, level)
                except OSError:
                    # A chip that is gone.
                    return
                levels[place] = level
                if target is bench:
                    self.lock.append(before)
            time.sleep(WIRE_SECONDS)


def at_the_bench(command: str) -> list[str]:
    """A command of the page with the lines of this bench."""
    program, *words = shlex.split(command)
    assert program == "readerlab"
    names = [word.partition("=") for word in words]
    return [READERLAB, *(f"{name}{equals}{LINES.get(line, line)}" for name, equals, line in names)]


class Pins:
    """`readerlab web pins`, and requests to it."""

    def __init__(self) -> None:
        web, _ = commands("pins.md", "## Pins over HTTP")
        self.errors = Path("/out/pins.err")
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                at_the_bench(web), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        page = self.process.stdout.readline().strip().removeprefix("page: ")
        self.address, self.token = page.split("/?token=")
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        with Path("/out/pins.log").open("w") as log:
            for line in self.process.stdout:
                log.write(line)

    def ask(self, place: str, body: str | None = None, more: str = "") -> tuple[int, str]:
        """The status and the body of a GET, or of a PUT with a body."""
        address = f"{self.address}/v1/gpio/{place}?token={self.token}{more}"
        data = None if body is None else body.encode()
        request = urllib.request.Request(address, data=data, method="GET" if body is None else "PUT")
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode()

    def edges(self, pin: str, after: int = 0) -> list[dict]:
        return json.loads(self.ask(f"{pin}/edges", more=f"&after={after}")[1])

    def edge(self, pin: str, after: int) -> dict | None:
        """The first edge behind that number, once it is present."""
        found = eventually(lambda: self.edges(pin, after), 5)
        return found[0] if found else None


def eventually(look: Callable[[], Any], seconds: float = ANSWER_SECONDS) -> Any:
    """Its first answer that is not empty, or the last one."""
    deadline = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def pulse(pins: Pins, wires: Wires, reader: Reader) -> int:
    """An opening, and the times of its two edges. The number of the last."""
    sent = time.monotonic_ns()
    reader.unlock()
    on = pins.edge("lock", 0)
    good = on is not None and on["level"] == 1 and 0 < on["ns"] - sent < EDGE_SECONDS * 1e9
    check("an order to open has its edge", good, milliseconds((on["ns"] - sent) / 1e9) if on else "no edge")
    off = pins.edge("lock", on["number"])
    length = off["after-ns"] / 1e9
    check(f"the pulse has its {PULSE_SECONDS} s", abs(length - PULSE_SECONDS) < PULSE_TOLERANCE, milliseconds(length))
    check("and its length is that between two edges", off["after-ns"] == off["ns"] - on["ns"])
    delays = [(edge["ns"] - before) / 1e9 for edge, before in zip((on, off), wires.lock[-2:], strict=True)]
    good = all(0 <= delay < TIMESTAMP_SECONDS for delay in delays)
    check("an edge's time is that at which the line changed", good, [milliseconds(delay) for delay in delays])
    return off["number"]


def drives(pins: Pins, reader: Reader, last: int) -> None:
    """REX, and the door's contact."""
    answer = pins.ask("rex", "1")
    check("a PUT sets the line before it is answered", answer[0] == 204 and bench.level(REX), answer)
    check("and the level is read back", pins.ask("rex") == (200, "1"))
    pressed, on = pins.edge("rex", 0), pins.edge("lock", last)
    passed = (on["ns"] - pressed["ns"]) / 1e9
    good = DEBOUNCE_SECONDS - 0.005 < passed < DEBOUNCE_SECONDS + EDGE_SECONDS
    check("REX releases the lock after its debounce time", good and on["level"] == 1, milliseconds(passed))
    check("the lock is read", pins.ask("lock") == (200, "1"))
    check("and not set", pins.ask("lock", "0")[0] == 405)
    pins.ask("rex", "0")
    off = pins.edge("lock", on["number"])
    released = pins.edge("rex", pressed["number"])
    passed = (off["ns"] - released["ns"]) / 1e9
    good = abs(passed - PULSE_SECONDS - DEBOUNCE_SECONDS) < PULSE_TOLERANCE + EDGE_SECONDS
    check("and a pulse after it is let go the lock is secured", good, milliseconds(passed))
    # Longer than the contact is shunted.
    time.sleep(2.2)
    pins.ask("contact", "1")
    check("a contact that opens by itself is a forced door", reader.says("door forced", 5), reader.said[-200:])


def by_hand() -> None:
    """The program without a page."""
    (command,) = commands("pins.md", "# Pins of a real reader")
    process = subprocess.Popen(at_the_bench(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    told = [process.stdout.readline().split(maxsplit=1)[1].strip() for _ in LINES]
    check("it reports its lines", told == ["lock off, an input", "contact off, an output", "rex off, an output"], told)
    process.stdin.write("quit\n")
    process.stdin.flush()
    check("and ends on command", process.wait(ANSWER_SECONDS) == 0)


def by_labgrid(pins: Pins) -> None:
    """The example of docs/emulators/pins.md, with labgrid from PyPI."""
    _, command = commands("pins.md", "## Pins over HTTP")
    place = Path("/tmp/labgrid")
    place.mkdir()
    for name in ("bench.yaml", "example_reader.py"):
        shutil.copy(ROOT / "Tests/Interop/pins" / name, place)
    check("the pins are where the page has them", f"LG_PINS={pins.address} " in command, pins.address)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / ".cache/labgrid/packages"),
        "LG_PULSE_SECONDS": str(PULSE_SECONDS),
    }
    began = time.monotonic()
    script = ["bash", "-e", "-c", command.replace("…", pins.token)]
    run = subprocess.run(script, env=environment, cwd=place, capture_output=True, text=True)
    good = run.returncode == 0 and "3 passed" in run.stdout
    detail = f"{time.monotonic() - began:.0f} s" if good else " ".join((run.stdout + run.stderr).split())
    check("labgrid presses the button and measures the pulse", good, detail)


def refusals() -> None:
    for text, pin, code, words in (
        ("a line that is taken", "lock=BENCH-LOCK", 1, "GPIO line BENCH-LOCK: in use; list consumers: gpioinfo"),
        ("a name that is not there", "lock=NOWHERE", 1, "pin lock: GPIO line NOWHERE: no line of this name"),
        ("a chip that is not there", "lock=gpiochip9:1", 1, "pin lock: GPIO line gpiochip9:1: no such chip"),
        ("a line that is none", "lock=gpiochip0", 2, "names a chip but no line"),
    ):
        run = subprocess.run([READERLAB, "pins", "--in", pin], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        good = run.returncode == code and words in run.stderr and run.stderr.count("\n") == 1
        check(f"{text} is reported in a line, and ends it with {code}", good, run.stderr)


def probe() -> None:
    """A line by itself: the pull, the low level that is on, and more edges than the kernel keeps."""
    command = [READERLAB, "pins", "--json", "--in", "probe=BENCH-PROBE", "--pull-up", "probe", "--active-low", "probe"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def told() -> dict:
        return json.loads(process.stdout.readline())

    first = told()
    check("a line that nothing drives is pulled up, and so off", first["level"] == 0 and bench.level(PROBE), first)
    bench.set(PROBE, False)
    edge = told()
    check("and on when it is pulled down", (edge["event"], edge["level"]) == ("edge", 1), edge)
    process.send_signal(signal.SIGSTOP)
    # An odd number: the last of them is among those that are lost.
    for number in range(2 * KEPT_EDGES + 1):
        bench.set(PROBE, number % 2 == 0)
    process.send_signal(signal.SIGCONT)
    notices = [told() for _ in range(1 + KEPT_EDGES + 1)]
    good = notices[0]["event"] == "lost" and [notice["event"] for notice in notices].count("edge") == KEPT_EDGES
    check(f"more than {KEPT_EDGES} edges at once: a possible loss is reported", good, [n["event"] for n in notices])
    check("and the level as it is", notices[-1]["event"] == "lost" and notices[-1]["level"] == 0, notices[-1])
    process.stdin.write("quit\n")
    process.stdin.flush()
    check("quit ends it", told()["event"] == "answer" and process.wait(ANSWER_SECONDS) == 0)


def the_end(pins: Pins) -> None:
    """SIGTERM returns the outputs; a chip that goes ends the program."""
    (TRACING / "trace").write_text("")
    pins.ask("contact", "1")
    check("before the end the contact is on", bench.level(DOOR))
    pins.process.terminate()
    code = pins.process.wait(ANSWER_SECONDS)
    # A line that no one holds follows its pull: that it was set before is in the trace.
    sets = re.findall(r"gpio_value: \d+ set (\d)", (TRACING / "trace").read_text())
    check("SIGTERM ends it with 0, and its outputs are set off", code == 0 and sets.count("0") >= 2, (code, sets))
    pins = Pins()
    eventually(lambda: pins.ask("lock")[0] == 200)
    bench.unplug()
    code = pins.process.wait(ANSWER_SECONDS)
    said = pins.errors.read_text()
    check(
        "a chip that goes is reported in a line, and ends it with 1", code == 1 and said.count("\n") == 1, (code, said)
    )


def main() -> None:
    (TRACING / "events/gpio/gpio_value/enable").write_text("1")
    for line in DOOR, REX:
        chip.set(line, False)
    wires = Wires()
    with socket.create_server(("127.0.0.1", CONTROLLER_PORT)):
        reader = Reader("reader").ready()
        by_hand()
        pins = Pins()
        at_rest = eventually(lambda: (answer := pins.ask("lock"))[0] == 200 and answer)
        check("the lock is secured at the start", at_rest == (200, "0"), at_rest)
        drives(pins, reader, pulse(pins, wires, reader))
        by_labgrid(pins)
        refusals()
        probe()
        the_end(pins)
        reader.end()


main()
