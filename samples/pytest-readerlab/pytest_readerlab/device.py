# SPDX-License-Identifier: Apache-2.0
"""An emulated device: its facts, typed commands, timeline and findings."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_readerlab.program import SECONDS, Program
from pytest_readerlab.setup import Setup


class CommandRefused(Exception):
    """The program has refused a typed line; the text has the correct form."""


@dataclass(frozen=True)
class Finding:
    """A mistake of the app that the device observed."""

    rule: str
    sentence: str
    entry: int

    def __str__(self) -> str:
        return f"{self.rule}, entry {self.entry}: {self.sentence}"


class Device:
    """`readerlab emulate KIND`."""

    first_event = "emulation"
    """The entry that describes the device."""

    def __init__(self, kind: str, place: str, setup: Setup, *options: str) -> None:
        self.kind = kind
        self.place = place
        self.setup = setup
        self.program = Program("emulate", kind, *options, *setup.options)
        self._end: list[Finding] | None = None

    def start(self) -> None:
        """Waits for the device, and types the faults of its setup."""
        self.program.wait(self.first_event)
        self.await_ready()
        for fault in self.setup.faults:
            self.fault(fault)

    def await_ready(self) -> None:
        """Waits until apps can come."""
        self.program.wait("ready")

    @property
    def facts(self) -> dict:
        """The description of the device: `name`, `address`, and what its page lists."""
        return self.program.events(self.first_event)[0]

    @property
    def name(self) -> str:
        """The advertised name."""
        return self.facts["name"]

    @property
    def address(self) -> str:
        """The Bluetooth address, or ADDRESS:PORT."""
        return self.facts["address"]

    def type(self, line: str) -> list[str]:
        """Executes a command of docs/emulators/emulation.md, such as `wifi down`. Raises CommandRefused."""
        answer = self.program.type(line)
        if not answer["ok"]:
            raise CommandRefused(f"{line}: {answer['lines'][0]}")
        return answer["lines"]

    def fault(self, line: str) -> None:
        """Adds a fault: `drop wifi-succeeded`, `delay answer 2000 every`."""
        self.type(f"fault {line}")

    def wait(self, event: str, seconds: float = SECONDS, **members: object) -> dict:
        """The first entry of the timeline of this event with these members. Raises TimeoutError."""
        return self.program.wait(event, seconds, **members)

    def events(self, event: str) -> list[dict]:
        """The entries of the timeline of this event."""
        return self.program.events(event)

    @property
    def findings(self) -> list[Finding]:
        """The mistakes of the app so far; after the end, all."""
        if self._end is not None:
            return self._end
        return [findings_of(line) for line in self.events("finding")]

    def end(self) -> list[Finding]:
        """Ends the device, and returns all findings."""
        if self._end is None:
            code = self.program.stop()
            summary = self.program.events("summary")
            assert code == 0 and summary, f"{self.program.title} ended with {code}:\n{self.program.tail()}"
            self._end = [findings_of(line) for line in summary[-1]["findings"]]
        return self._end


def findings_of(line: dict) -> Finding:
    """The finding of an entry, or of a summary."""
    return Finding(line["rule"], line["sentence"], line.get("of-entry", line["entry"]))


class GATTDevice(Device):
    """`readerlab emulate gatt`: its own events are those of docs/emulators/gatt-device.md."""

    first_event = "device"
