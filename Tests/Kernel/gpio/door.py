# SPDX-License-Identifier: Apache-2.0
"""A door on a real gpiochip: door.py gpio-sim|cp2112. Its lines are watched from the chip's other side."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from chips import CHIPS, DOOR, LOCK, REX, Simulator

READERD = os.environ["READERD"]
CONTROLLER_PORT = 6402
PULSE_SECONDS = 1
DEBOUNCE_SECONDS = 0.02
EDGE_SECONDS = 0.1
"""From a cause to the lock's edge. On the emulated machine, whose instructions take 2 ns, it is a few milliseconds; the
bound separates a reader that waits for something from a reader that does not."""
PULSE_TOLERANCE = 0.05
START_SECONDS = 20.0
NOBODY = 65534

chip = CHIPS[sys.argv[1]]()


def check(text: str, holds: bool, detail: object = "") -> None:
    """A line that bench.py reads."""
    print(f"check: {'ok' if holds else 'FAILED'} {text}" + (f" | {detail}" if detail != "" else ""), flush=True)


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def lock_becomes(level: bool, seconds: float, since: float | None = None) -> float | None:
    """The time from `since` (now) until the lock's line has that level; None if it does not in time."""
    since = time.monotonic() if since is None else since
    while True:
        if chip.lock() == level:
            return time.monotonic() - since
        if time.monotonic() > since + seconds:
            return None
        time.sleep(0.0005)


class Reader:
    """One run of readerd."""

    def __init__(self, name: str = "door", user: int = 0, **gpio: str) -> None:
        self.directory = Path(f"/tmp/{name}")
        self.directory.mkdir(exist_ok=True, mode=0o700)
        os.chown(self.directory, user, user)
        mode = gpio.pop("fail_mode", "secure")
        lines = {"lock": chip.references[LOCK], "contact": chip.references[DOOR], "rex": chip.references[REX]} | gpio
        self.control = str(self.directory / "control")
        configuration = Path(f"/tmp/{name}.toml")
        configuration.write_text(
            f'hci = "tcp-client:127.0.0.1:{CONTROLLER_PORT}"\nallow-demo-identity = true\ncontrol = "{self.control}"\n'
            f'[door]\npulse-s = {PULSE_SECONDS}\nfail-mode = "{mode}"\n[gpio]\n'
            + "".join(f'{key} = "{value}"\n' for key, value in lines.items() if value)
        )
        self.log = Path(f"/out/{name}.log")
        with self.log.open("ab") as log:
            self.mark = log.tell()
            self.began = time.monotonic()
            command = [READERD, "run", "--config", str(configuration), "--state", str(self.directory)]
            command += ["--log-level", "debug"]
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stderr=log, user=user or None, group=user or None
            )

    @property
    def said(self) -> str:
        return self.log.read_bytes()[self.mark :].decode()

    def says(self, text: str, seconds: float = START_SECONDS) -> bool:
        deadline = time.monotonic() + seconds
        while text not in self.said:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def ready(self) -> Reader:
        if not self.says("door: secured"):
            raise RuntimeError(f"readerd does not start:\n{self.said}")
        # The socket is made before the door is secured.
        return self

    def ask(self, **request: str) -> float:
        """A request at the control socket; when it was sent."""
        control = socket.socket(socket.AF_UNIX)
        control.connect(self.control)
        sent = time.monotonic()
        control.sendall(json.dumps(request).encode() + b"\n")
        self._control = control
        return sent

    def unlock(self) -> float:
        return self.ask(unlock="pulse")

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait()

    def events(self) -> list[str]:
        command = [READERD, "events", "--state", str(self.directory), "--json"]
        said = subprocess.run(command, capture_output=True, text=True).stdout
        return [json.loads(line)["kind"] for line in said.splitlines()]


def opening_and_pulse(reader: Reader) -> None:
    sent = reader.unlock()
    passed = lock_becomes(True, 5, sent)
    check("an unlock releases the lock", passed is not None and passed < EDGE_SECONDS, milliseconds(passed or 5))
    opened = time.monotonic()
    length = lock_becomes(False, PULSE_SECONDS + 5, opened)
    good = length is not None and abs(length - PULSE_SECONDS) < PULSE_TOLERANCE
    check(f"the pulse has its {PULSE_SECONDS} s", good, milliseconds(length or 0))


def request_to_exit() -> None:
    chip.set(REX, True)
    passed = lock_becomes(True, 5)
    bound = DEBOUNCE_SECONDS + EDGE_SECONDS + chip.edge_seconds
    good = passed is not None and passed + 0.005 >= DEBOUNCE_SECONDS and passed < bound
    check("REX releases the lock after its debounce time", good, milliseconds(passed or 5))
    time.sleep(PULSE_SECONDS + 0.3)
    check("for as long as it is pressed", chip.lock())
    chip.set(REX, False)
    length = lock_becomes(False, PULSE_SECONDS + 5)
    good = length is not None and abs(length - PULSE_SECONDS) < PULSE_TOLERANCE + bound
    check("and a pulse longer", good, milliseconds(length or 0))
    # Shorter than the debounce time is nothing. The CP2112's driver would not even see it.
    if chip.edge_seconds == 0:
        chip.set(REX, True)
        time.sleep(DEBOUNCE_SECONDS / 4)
        chip.set(REX, False)
        check("a shorter touch does not", lock_becomes(True, 0.3) is None)


def contact(reader: Reader) -> None:
    # Longer after the lock was secured than the contact is shunted (2 s).
    time.sleep(2.2)
    chip.set(DOOR, True)
    check("a door that opens without a grant is forced", reader.says("door forced", 5), reader.said.splitlines()[-1])
    chip.set(DOOR, False)
    time.sleep(0.5 + chip.edge_seconds)


def killed(reader: Reader) -> None:
    """SIGKILL in the middle of a pulse: the line has what the chip's driver makes of it; a start secures it."""
    reader.unlock()
    lock_becomes(True, 5)
    time.sleep(PULSE_SECONDS / 4)
    reader.end(signal.SIGKILL)
    time.sleep(PULSE_SECONDS + 0.2)
    left = chip.lock()
    expected = not isinstance(chip, Simulator)
    what = "stays released for ever" if expected else "falls back to its pull"
    check(
        f"killed in the middle of a pulse, the line {what}: the driver's choice", left == expected, f"level {int(left)}"
    )
    if isinstance(chip, Simulator):
        # A board whose pull would release it.
        chip.set(LOCK, True)
        time.sleep(0.1)
        check("with a pull to the other side it would be released", chip.lock())
    next_reader = Reader()
    passed = lock_becomes(False, START_SECONDS, next_reader.began)
    check(
        "the next start secures it",
        passed is not None,
        f"{milliseconds(passed or START_SECONDS)} after the process began",
    )
    next_reader.ready()
    check("and stays so", lock_becomes(True, 0.5) is None)
    if isinstance(chip, Simulator):
        chip.set(LOCK, False)
    stopped(settled_without_a_reader(next_reader))


def settled_without_a_reader(reader: Reader) -> Reader:
    """SIGKILL in the middle of a pulse, and no reader that starts: what the service does, and a start that fails."""
    configuration = "/tmp/door.toml"
    starts = ["run", "--config", configuration, "--state", "/nowhere/at/all"]
    for text, arguments, code in (
        ("readerd lock-off, as the service has it done,", ["lock-off", "--config", configuration], 0),
        ("a start that fails for want of its state", starts, 1),
    ):
        reader.unlock()
        lock_becomes(True, 5)
        reader.end(signal.SIGKILL)
        result = subprocess.run([READERD, *arguments], capture_output=True, text=True)
        check(f"{text} takes the current off", result.returncode == code and not chip.lock(), result.stderr.strip())
        reader = Reader().ready()
    return reader


def stopped(reader: Reader) -> None:
    """SIGSTOP in the middle of a pulse: nothing moves until it continues, or a watchdog ends it."""
    reader.unlock()
    lock_becomes(True, 5)
    reader.process.send_signal(signal.SIGSTOP)
    time.sleep(PULSE_SECONDS + 0.5)
    check("stopped in the middle of a pulse, the lock stays released: only a watchdog helps", chip.lock())
    reader.process.send_signal(signal.SIGCONT)
    passed = lock_becomes(False, 5)
    check(
        "when it continues the lock is secured at once",
        passed is not None and passed < EDGE_SECONDS,
        milliseconds(passed or 5),
    )
    restarted(reader)


def restarted(reader: Reader) -> None:
    """SIGTERM in the middle of a pulse, and a start."""
    reader.unlock()
    lock_becomes(True, 5)
    sent = time.monotonic()
    reader.process.send_signal(signal.SIGTERM)
    passed = lock_becomes(False, 5, sent)
    check(
        "asked to end in the middle of a pulse it secures the lock",
        passed is not None and passed < EDGE_SECONDS,
        milliseconds(passed or 5),
    )
    check("and ends with 0", reader.process.wait() == 0)
    kinds = reader.events()
    for kind in "unlocked", "request-to-exit", "door-forced", "door-restored", "stop":
        check(f"{kind} is on record", kind in kinds, "" if kind in kinds else kinds)
    next_reader = Reader().ready()
    check("a restart does not go on with the pulse", lock_becomes(True, PULSE_SECONDS) is None)
    if isinstance(chip, Simulator):
        unplugged(next_reader)
    next_reader.end()


def unplugged(reader: Reader) -> None:
    """The chip goes, and comes back: the reader has its lines again."""
    chip.unplug()
    check("a chip that goes is reported", reader.says("fault line-contact: ", 10), reader.said.splitlines()[-1])
    reader.unlock()
    check("so is a lock that cannot be set", reader.says("fault line-lock: ", 10), reader.said.splitlines()[-1])
    time.sleep(PULSE_SECONDS)
    chip.plug()
    check("its inputs are read again when it is back", reader.says("fault line-contact: over", 30))
    check("its lock is set again", reader.says("fault line-lock: over", 30))
    time.sleep(PULSE_SECONDS + 1)
    check("and secured", not chip.lock())
    opening_and_pulse(reader)


def fail_safe() -> None:
    """A lock that is energised to stay locked."""
    reader = Reader("safe", fail_mode="safe").ready()
    check("fail-safe: at rest the line is active", chip.lock())
    reader.unlock()
    check("fail-safe: an unlock takes the power away", lock_becomes(False, 5) is not None)
    passed = lock_becomes(True, PULSE_SECONDS + 5)
    check(
        "fail-safe: and the pulse's end gives it back",
        passed is not None and abs(passed - PULSE_SECONDS) < PULSE_TOLERANCE,
        milliseconds(passed or 0),
    )
    reader.end()


def refused(text: str, message: str, **options: object) -> None:
    """A reader that cannot have its line says why, and ends."""
    reader = Reader(text.replace(" ", "-"), **options)
    check(f"{text}: {message}", reader.says(message), reader.said.strip().splitlines()[-1:])
    try:
        check(f"{text}: it ends with 1", reader.process.wait(START_SECONDS) == 1)
    except subprocess.TimeoutExpired:
        check(f"{text}: it ends with 1", False)
        reader.end()


def main() -> None:
    with socket.create_server(("127.0.0.1", CONTROLLER_PORT)):
        for line in DOOR, REX:
            chip.set(line, False)
        reader = Reader().ready()
        check("the lock is secured from the start", not chip.lock())
        lock = chip.references[LOCK]
        refused("a line that is taken", f"GPIO line {lock}: in use", contact="", rex="")
        refused("no right to the chip", "give the user access to /dev/gpiochip*", user=NOBODY)
        refused("a name that is not there", "GPIO line NOWHERE: no line of this name", lock="NOWHERE")
        refused("a chip that is not there", "GPIO line gpiochip9:1: no such chip", lock="gpiochip9:1")
        refused("a line that is not there", "GPIO line gpiochip0:99: no such line on this chip", lock="gpiochip0:99")
        opening_and_pulse(reader)
        request_to_exit()
        contact(reader)
        # Each continues with the reader that the one before leaves.
        killed(reader)
        fail_safe()


if __name__ == "__main__":
    main()
