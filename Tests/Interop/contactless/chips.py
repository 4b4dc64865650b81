# SPDX-License-Identifier: Apache-2.0
"""Two chips in their own process: `python -m contactless.chips DIRECTORY [FRAME_WAIT]`.

`DIRECTORY/reader` and `DIRECTORY/phone` are their serial lines; `DIRECTORY/control` takes commands (see `Chips`).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import tty
from pathlib import Path

import cbor2

from contactless.aliro_field import AliroPhones
from contactless.card import FRAME_WAIT
from contactless.chip import Chip
from contactless.frames import ACK, SYNTAX_ERROR
from rig.control import Control

SLOW_SECONDS = 0.8
"""Longer than the reader waits for a command that concerns the chip only."""


class Port:
    """A chip on a pseudo-terminal, and what can be wrong with it."""

    def __init__(self, path: Path, loop: asyncio.AbstractEventLoop, wait: float) -> None:
        self._path = path
        self._loop = loop
        self._master = self._slave = -1
        self._random = random.Random(26)
        self.fault = "none"
        self.commands = 0
        self.chip = Chip(self._write, loop.call_later, wait)
        self.plug()

    def plug(self) -> None:
        """The line exists, under the same name, and the chip fresh."""
        self._master, self._slave = os.openpty()
        tty.setraw(self._master)
        tty.setraw(self._slave)
        self._path.unlink(missing_ok=True)
        self._path.symlink_to(os.ttyname(self._slave))
        os.set_blocking(self._master, False)
        self._loop.add_reader(self._master, self._read)

    def unplug(self) -> None:
        """The line is gone."""
        self._loop.remove_reader(self._master)
        self._path.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)
        self.chip.reset()

    def set_fault(self, fault: str) -> None:
        """The fault from this call on; with "none" the chip is in its state after power-up."""
        if fault == "none":
            self.chip.reset()
        self.fault = fault

    def _read(self) -> None:
        try:
            octets = os.read(self._master, 4096)
        except OSError:
            return
        self.commands += 1
        if self.fault == "silent":
            return
        if self.fault == "garbage":
            self._put(self._random.randbytes(self._random.randrange(1, 64)))
        elif self.fault == "refuse":
            self._put(bytes.fromhex("0000ff00ff00") + SYNTAX_ERROR)
        else:
            self.chip.feed(octets)

    def _write(self, octets: bytes) -> None:
        if self.fault == "silent":
            return
        if self.fault == "cut" and len(octets) > 8:
            # The power goes in the middle of a frame, and comes back.
            octets, self.fault = octets[: len(octets) // 2], "none"
            self.chip.reset()
        if self.fault == "slow" and octets != ACK:
            self._loop.call_later(SLOW_SECONDS, self._put, octets)
        else:
            self._put(octets)

    def _put(self, octets: bytes) -> None:
        try:
            os.write(self._master, octets)
        except OSError as error:
            print(f"{self._path.name}: {error}", flush=True)


class Chips(Control):
    """The control port's commands."""

    def __init__(self, directory: Path, wait: float) -> None:
        loop = asyncio.get_running_loop()
        self._ports = {name: Port(directory / name, loop, wait) for name in ("reader", "phone")}
        self._ports["reader"].chip.other = self._ports["phone"].chip
        self._ports["phone"].chip.other = self._ports["reader"].chip

    async def fault(self, name: str, fault: str) -> None:
        """none, silent, garbage, refuse, slow (each answer 0.8 s late), or cut (the next answer, once)."""
        if fault not in ("none", "silent", "garbage", "refuse", "slow", "cut"):
            raise ValueError(fault)
        self._ports[name].set_fault(fault)

    async def unplug(self, name: str) -> None:
        """Takes the line away."""
        self._ports[name].unplug()

    async def plug(self, name: str) -> None:
        """Brings it back."""
        self._ports[name].plug()

    async def faults(self, name: str) -> str:
        """The violations by the chip's host, as JSON."""
        return json.dumps(self._ports[name].chip.faults)

    async def left(self, name: str, status: str) -> None:
        """The status of a phone that has left, in hexadecimal digits (PN532 user manual, 7.1)."""
        self._ports[name].chip.left_status = int(status, 16)

    async def put(self, kind: str) -> None:
        """A card enters the reader's field: a kind of `contactless.cards`."""
        self._ports["reader"].chip.cards.put(kind)

    async def take(self, kind: str) -> str:
        """It leaves; the commands that it received, as JSON."""
        card = self._ports["reader"].chip.cards.take(kind)
        return json.dumps([command.hex() for command in card.commands])

    async def aliro(self, group: str, point: str) -> None:
        """New Aliro phones, which trust a reader's group and point."""
        self._ports["reader"].chip.cards.phones = AliroPhones(bytes.fromhex(group), bytes.fromhex(point))

    async def aliro_phone(self, name: str) -> str:
        """The phase and the final status of an Aliro phone's last transaction, as JSON."""
        phone = self._ports["reader"].chip.cards.phones.phone(name)
        return json.dumps({"phase": phone.phase, "status": phone.status and phone.status.hex()})

    async def aliro_document(self, kind: str, path: str) -> None:
        """The Aliro phone `carrying` gets a document of this kind, from a file."""
        document = cbor2.loads(Path(path).read_bytes())
        self._ports["reader"].chip.cards.phones.phone("carrying").credential.documents[kind] = document

    async def aliro_findings(self) -> str:
        """The rules that the reader has broken with Aliro phones, as JSON."""
        return json.dumps(self._ports["reader"].chip.cards.phones.findings)

    async def polling_frames(self) -> str:
        """The polling frames of the reader, as JSON."""
        return json.dumps([frame.hex() for frame in self._ports["reader"].chip.polling_frames])

    async def commands(self, name: str) -> str:
        """The number of transmissions received from the host."""
        return str(self._ports[name].commands)


async def main() -> None:
    directory = Path(sys.argv[1])
    wait = float(sys.argv[2]) if len(sys.argv) > 2 else FRAME_WAIT
    await Chips(directory, wait).open(f"unix:{directory}/control")
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
