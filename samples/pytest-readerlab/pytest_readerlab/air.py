# SPDX-License-Identifier: Apache-2.0
"""`readerlab air`: a controller for each host, and the levels between them."""

from __future__ import annotations

from pathlib import Path

from pytest_readerlab.device import CommandRefused
from pytest_readerlab.program import Program

DEVICES = ("reader", "camera", "wifi-device", "matter-device", "thermostat", "gatt-1", "gatt-2", "gatt-3")
PHONES = ("phone", "other-phone")


class Air:
    """The air of one test. Its places are named as the fixtures are."""

    def __init__(self, directory: Path, *options: str) -> None:
        listen = [word for name in DEVICES + PHONES for word in ("--listen", f"{name}=unix:{directory / name}")]
        self.program = Program("air", *listen, *options)
        try:
            for name in DEVICES + PHONES:
                self.program.wait("open", place=name)
        except BaseException:
            self.program.stop()
            raise

    def hci(self, place: str) -> str:
        """The controller of a place, as `--hci` and Bumble name it: any host of this computer may open it."""
        return next(line["hci"] for line in self.program.events("open") if line["place"] == place)

    def type(self, line: str) -> list[str]:
        """Executes a command of docs/emulators/air.md. Raises CommandRefused."""
        answer = self.program.type(line)
        if not answer["ok"]:
            raise CommandRefused(f"{line}: {answer['lines'][0]}")
        return answer["lines"]

    def rssi(self, one: object, other: object, dbm: int) -> None:
        """Sets the level at which two places receive each other."""
        self.type(f"rssi {place(one)} {place(other)} {dbm}")

    def walk(self, one: object, other: object, start: int, end: int, seconds: float) -> None:
        """Changes the level from `start` to `end` dBm within `seconds`."""
        self.type(f"walk {place(one)} {place(other)} {start} {end} {seconds}s")

    def distance(self, one: object, other: object, metres: float, carry: str = "hand") -> None:
        """Sets the level by distance: a phone in the `hand`, a `pocket` or a `bag`."""
        self.type(f"distance {place(one)} {place(other)} {metres} {carry}")

    def loss(self, one: object, other: object, share: float) -> None:
        """Drops this share of the packets, 0 to 1."""
        self.type(f"loss {place(one)} {place(other)} {share}")

    def stop(self) -> None:
        """Ends the air."""
        self.program.stop()


def place(one: object) -> str:
    """The place of a phone, of a device, or by name."""
    return one if isinstance(one, str) else one.place
