# SPDX-License-Identifier: Apache-2.0
"""A card of a phone's credential on two lines of the kernel's simulated chip, as the kernel records each edge."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from chips import appears

READERD, READERLAB = os.environ["READERD"], os.environ["READERLAB"]
TRACING = Path("/sys/kernel/tracing")
DEBUGGING = Path("/sys/kernel/debug/gpio")
CONFIGURATION = Path("/sys/kernel/config/gpio-sim/panel")
NAMES = ("DATA0", "DATA1")
BITS = 37
PULSE, INTERVAL = 50.0, 2000.0
"""The defaults of pulse-us and interval-us."""
STANDARD = (100.0, 20_000.0)
"""The longest pulse and pause of SIA AC-01, in microseconds."""
SHORTEST = (20.0, 200.0)
"""The shortest ones."""
REARM_SECONDS = 2.5
"""After door.re-arm-ms the same phone is handed on again."""
RESOLUTION = 2.0
"""Of a difference of two times of the trace, which has microseconds."""
NOBODY = 65534
EVENT = re.compile(r"\s(\d+\.\d+): gpio_value: (\d+) set (\d)")


def check(text: str, holds: bool, detail: object = "") -> None:
    """A line that bench.py reads."""
    print(f"check: {'ok' if holds else 'FAILED'} {text}" + (f" | {detail}" if detail != "" else ""), flush=True)


@dataclass
class Pulse:
    """A time in which one line is pulled down, in microseconds since the first."""

    bit: int
    start: float
    width: float


def chip() -> int:
    """A chip of two lines; the kernel's number of the first."""
    bank = CONFIGURATION / "bank"
    bank.mkdir(parents=True)
    (bank / "num_lines").write_text(str(len(NAMES)))
    for number, name in enumerate(NAMES):
        (bank / f"line{number}").mkdir()
        (bank / f"line{number}" / "name").write_text(name)
    (CONFIGURATION / "live").write_text("1")
    name = (bank / "chip_name").read_text().strip()
    appears(Path("/dev") / name)
    os.chmod(Path("/dev") / name, 0o666)
    return int(re.search(rf"^{name}: GPIOs (\d+)-", DEBUGGING.read_text(), re.MULTILINE)[1])


def pulses(base: int) -> list[Pulse]:
    """All that the kernel has recorded, with its own reading."""
    edges = [
        (float(time) * 1e6, int(line) - base, level == "1")
        for time, line, level in EVENT.findall((TRACING / "trace").read_text())
    ]
    down: dict[int, float] = {}
    found: list[Pulse] = []
    for at, line, level in edges:
        if level:
            down[line] = at
        elif line in down:
            found.append(Pulse(line, down[line], at - down.pop(line)))
    return sorted(found, key=lambda pulse: pulse.start)


def card_of(credential: str) -> list[int]:
    """H10302: 35 bits of the SHA-256 between an even and an odd parity."""
    number = int.from_bytes(hashlib.sha256(credential.encode()).digest()) >> (256 - 35)
    bits = [number >> (34 - place) & 1 for place in range(35)]
    return [sum(bits[:18]) % 2, *bits, 1 - sum(bits[17:]) % 2]


def open_to_all(path: Path) -> None:
    """Lets every user connect to a socket, once its owner has closed it to others."""
    appears(path)
    deadline = time.monotonic() + 20
    while stat.S_IMODE(path.stat().st_mode) != 0o600:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{path} is open")
        time.sleep(0.02)
    path.chmod(0o666)


class Reader:
    """readerd with a panel on the lines, an air and the phone's place on it."""

    def __init__(self, name: str, user: int = 0, interval: float = INTERVAL) -> None:
        self.name = name
        self.directory = Path(f"/tmp/{name}")
        self.directory.mkdir(mode=0o700)
        os.chown(self.directory, user, user)
        places = [f"{place}=unix:/tmp/{name}-{place}" for place in ("reader", "phone")]
        listen = [option for place in places for option in ("--listen", place)]
        self.air = subprocess.Popen([READERLAB, "air", *listen], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        for place in ("reader", "phone"):
            open_to_all(Path(f"/tmp/{name}-{place}"))
        configuration = Path(f"/tmp/{name}.toml")
        configuration.write_text(
            f'hci = "unix:/tmp/{name}-reader"\nallow-demo-identity = true\ncontrol = "{self.directory}/control"\n'
            f'[wiegand]\nlines = ["{NAMES[0]}", "{NAMES[1]}"]\nmode = "panel"\n'
            f"interval-us = {interval:.0f}\n"
        )
        self.log = Path(f"/out/{name}.log")
        command = [READERD, "run", "--config", str(configuration), "--state", str(self.directory)]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stderr=log, user=user or None, group=user or None
            )

    def open(self) -> str:
        """A phone shows its token; the status that it got."""
        command = [READERLAB, "phone", "open", "--hci", f"unix:/tmp/{self.name}-phone"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return run.stdout + run.stderr

    def events(self) -> list[dict[str, object]]:
        command = [READERD, "events", "--state", str(self.directory), "--json"]
        return [
            json.loads(line) for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        ]

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.air.terminate()
        self.air.wait()


def cards(reader: Reader, base: int, count: int) -> list[list[Pulse]]:
    """The pulses of so many openings, each of which must be a card."""
    found = []
    for _ in range(count):
        before = len(pulses(base))
        said = reader.open()
        deadline = time.monotonic() + 20
        card = pulses(base)[before:]
        while len(card) < BITS and time.monotonic() < deadline:
            time.sleep(0.5)
            card = pulses(base)[before:]
        if len(card) != BITS:
            check(f"{reader.name}: a card of {BITS} bits", False, f"{len(card)} pulses; {said}{reader.log.read_text()}")
            sys.exit(1)
        found.append(card)
        time.sleep(REARM_SECONDS)
    return found


def times(found: list[list[Pulse]]) -> tuple[list[float], list[float]]:
    """All widths and pauses, in order."""
    widths = sorted(pulse.width for card in found for pulse in card)
    pauses = sorted(later.start - pulse.start for card in found for pulse, later in itertools.pairwise(card))
    return widths, pauses


def told(widths: list[float], pauses: list[float]) -> str:
    """Both, as median and maximum."""
    return (
        f"pulse {widths[len(widths) // 2]:.0f} us, at most {widths[-1]:.0f}; "
        f"pause {pauses[len(pauses) // 2]:.0f} us, at most {pauses[-1]:.0f}"
    )


def alone(base: int) -> list[int]:
    """The bits of the card."""
    reader = Reader("alone")
    found = cards(reader, base, 2)
    widths, pauses = times(found)
    # An idle machine's clock is the host's, which may be busy: the median is judged here, and the longest pause next to
    # a process that never idles.
    width, pause = widths[len(widths) // 2], pauses[len(pauses) // 2]
    usual = width > PULSE - RESOLUTION and pause > INTERVAL - RESOLUTION
    check("pulses and pauses are those of the configuration", usual, f"{width:.1f} us, {pause:.1f} us")
    least = widths[0] > SHORTEST[0] and pauses[0] > SHORTEST[1]
    check("and none is shorter than the standard's", least, f"{widths[0]:.1f} us, {pauses[0]:.1f} us")
    check("and pulses within the standard", widths[-1] <= STANDARD[0], told(widths, pauses))
    events = [event for event in reader.events() if event["kind"] == "handed-on"]
    check("each card is on record", len(events) == len(found), [event["kind"] for event in reader.events()])
    expected = card_of(str(events[0]["credential"]))
    read = [[pulse.bit for pulse in card] for card in found]
    check("its bits are the credential's number", all(bits == expected for bits in read), events[0]["credential"])
    reader.end()
    return expected


def beside_a_busy_process(base: int, expected: list[int]) -> None:
    """With and without the right to real-time threads: in time, or whole at least."""
    for name, user in (("punctual", 0), ("unhurried", NOBODY)):
        reader = Reader(name, user)
        busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
        found = cards(reader, base, 1)
        busy.kill()
        busy.wait()
        widths, pauses = times(found)
        late = widths[-1] > STANDARD[0] or pauses[-1] > STANDARD[1]
        if user == 0:
            warned = "was too long" in reader.log.read_text()
            check("a real-time thread is on time beside a busy process", not late and not warned, told(widths, pauses))
        else:
            read = [pulse.bit for pulse in found[0]]
            check("an ordinary thread sends the same bits", read == expected, told(widths, pauses))
        reader.end()


def held_up(base: int) -> None:
    """Without the right to real-time threads, and stopped within a card for longer than a pause may be."""
    reader = Reader("ordinary", NOBODY, interval=STANDARD[1])
    before = len(pulses(base))

    def stop() -> None:
        while len(pulses(base)) < before + 2:
            time.sleep(0.01)
        reader.process.send_signal(signal.SIGSTOP)
        time.sleep(2 * STANDARD[1] / 1e6)
        reader.process.send_signal(signal.SIGCONT)

    stopping = threading.Thread(target=stop)
    stopping.start()
    widths, pauses = times(cards(reader, base, 1))
    stopping.join()
    late = widths[-1] > STANDARD[0] or pauses[-1] > STANDARD[1] + RESOLUTION
    check("a thread that is held up within a card is late", late, told(widths, pauses))
    log = reader.log.read_text()
    check("and tells so, and what helps", "was too long" in log and "real-time threads" in log, log)
    reader.end()


def main() -> None:
    (TRACING / "events/gpio/gpio_value/enable").write_text("1")
    base = chip()
    beside_a_busy_process(base, alone(base))
    held_up(base)


main()
