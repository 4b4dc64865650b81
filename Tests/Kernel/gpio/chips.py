# SPDX-License-Identifier: Apache-2.0
"""Two gpiochips whose other side a test holds: what the lock's line has, and what comes in at the inputs."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

LOCK, DOOR, REX = 0, 1, 2
LINES = ("LOCK", "DOOR", "REX")
APPEAR_SECONDS = 20.0


def appears(path: Path) -> Path:
    """Waits until it exists. Raises TimeoutError."""
    deadline = time.monotonic() + APPEAR_SECONDS
    while not path.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"no {path}")
        time.sleep(0.02)
    return path


class Simulator:
    """The kernel's gpio-sim: lines have names, edges are interrupts, and a line without a consumer follows its pull."""

    edge_seconds = 0.0

    def __init__(self, name: str = "door", lines: tuple[str, ...] = LINES) -> None:
        self.references = lines
        self.configuration = Path("/sys/kernel/config/gpio-sim") / name
        self.configuration.mkdir()
        bank = self.configuration / "bank"
        bank.mkdir()
        (bank / "num_lines").write_text(str(len(lines)))
        for number, name in enumerate(lines):
            (bank / f"line{number}").mkdir()
            (bank / f"line{number}" / "name").write_text(name)
        self.plug()

    def plug(self) -> None:
        (self.configuration / "live").write_text("1")
        device = (self.configuration / "dev_name").read_text().strip()
        chip = (self.configuration / "bank/chip_name").read_text().strip()
        self._lines = appears(Path(f"/sys/devices/platform/{device}/{chip}/sim_gpio0")).parent
        appears(Path("/dev") / chip)

    def unplug(self) -> None:
        (self.configuration / "live").write_text("0")

    def level(self, line: int) -> bool:
        return (self._lines / f"sim_gpio{line}/value").read_text().strip() == "1"

    def lock(self) -> bool:
        return self.level(LOCK)

    def set(self, line: int, level: bool) -> None:
        (self._lines / f"sim_gpio{line}/pull").write_text("pull-up" if level else "pull-down")


class Bridge:
    """A CP2112 on USB: lines have no names, the driver asks for inputs every 40 ms or so, and the chip keeps its
    outputs whoever has them."""

    references = tuple(f"gpiochip0:{number}" for number in range(len(LINES)))
    edge_seconds = 0.1
    control = "/tmp/cp2112"

    def __init__(self) -> None:
        program = str(Path(__file__).with_name("cp2112.py"))
        self._chip = subprocess.Popen([sys.executable, program, self.control], stdout=subprocess.PIPE, text=True)
        self._latch = 0
        threading.Thread(target=self._follow, daemon=True).start()
        appears(Path("/dev/gpiochip0"))
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

    def _follow(self) -> None:
        for line in self._chip.stdout:
            self._latch = int(line.split()[0], 16)

    def lock(self) -> bool:
        return bool(self._latch & 1 << LOCK)

    def set(self, line: int, level: bool) -> None:
        self._socket.sendto(f"{line} {int(level)}".encode(), self.control)


CHIPS = {"gpio-sim": Simulator, "cp2112": Bridge}
