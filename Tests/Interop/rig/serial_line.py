# SPDX-License-Identifier: Apache-2.0
"""A serial line: a pseudo-terminal with one of the radio's controllers at its far end, and the troubles of lines.

The controller does what a UART's has to (Core 5.4, Vol 4, Part A, 4): octets that are no packet, or a packet whose rest
does not come, have it send Hardware Error and pass over everything up to the host's Reset. As a command, for a reader
that is started by hand:

    python -m rig.serial_line --controller HOST:PORT --link /tmp/tty
"""

from __future__ import annotations

import argparse
import array
import asyncio
import contextlib
import fcntl
import os
import termios
import time
import tty
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rig.bench import Bench
from rig.h4 import Framer, FramingError, frame
from rig.rootcanal import COMMAND, EVENT, HCI_RESET

POLL_SECONDS = 0.001
"""The interval of polls: a terminal that no process has open cannot be awaited."""

SILENCE_SECONDS = 0.2
"""In the middle of a packet; the controller then takes it for lost. Nothing asks controllers to: another controller
waits for the rest until it is switched off."""

TCGETS2 = 0x802C542A
"""x86-64 and arm: four flags, a line discipline, 19 control characters, two rates."""
CRTSCTS, BOTHER = 0x80000000, 0x1000

RESET = frame(COMMAND, HCI_RESET)
HARDWARE_ERROR = frame(EVENT, bytes.fromhex("1001fe"))


@dataclass(frozen=True)
class Settings:
    """The settings of the line in the kernel."""

    raw: bool
    eight_bits_no_parity_one_stop: bool
    flow_control: bool
    baud: int
    has_constant: bool
    """Whether the rate has a constant, which other programs can read."""


class SerialLine:
    """One line, from `open` to `close`. `path` names it, whatever number its terminal has."""

    def __init__(self, path: Path, controller: str) -> None:
        self.path = path
        self.piece = 0
        """With 1, one octet at a time goes to the host; 0: as they come."""
        self.is_stopped = False
        """No data is accepted from the host, as by a controller that deasserts its CTS."""
        self.spoil: Callable[[bytes], bytes] = lambda octets: octets
        """Alters a packet for the host on the line."""
        self.spoil_command: Callable[[bytes], bytes] = lambda octets: octets
        """Alters octets for the controller."""
        self.resets = 0
        """The number of Resets sent by the host."""
        self._controller = controller
        self._master = -1
        self._tasks: list[asyncio.Task] = []
        self._writer: asyncio.StreamWriter | None = None

    async def open(self) -> SerialLine:
        """Plugs it in: a controller that has just been switched on, behind a terminal that has not been before."""
        host, _, port = self._controller.rpartition(":")
        reader, self._writer = await asyncio.open_connection(host, int(port))
        self._master, slave = os.openpty()
        tty.setraw(slave)
        name = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self._master, False)
        self.path.symlink_to(name)
        self._tasks = [asyncio.create_task(self._from_host()), asyncio.create_task(self._to_host(reader))]
        return self

    async def close(self) -> None:
        """Pulls it out: the terminal hangs up and is gone, and so is the controller."""
        for task in self._tasks:
            task.cancel()
        failures = await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        if self._writer:
            self._writer.close()
        if self._master >= 0:
            os.close(self._master)
            self._master = -1
        self.path.unlink(missing_ok=True)
        for failure in failures:
            if isinstance(failure, Exception):
                raise failure

    def settings(self) -> Settings:
        """The host's settings of the terminal; read from the master, which reports the other side's."""
        octets = bytearray(44)
        fcntl.ioctl(self._master, TCGETS2, octets)
        flags = array.array("I", bytes(octets[:16]))
        rates = array.array("I", bytes(octets[36:44]))
        given, output, control, local = flags
        assert rates[0] == rates[1], "both ways have the same rate"
        return Settings(
            raw=not (given or output or local),
            eight_bits_no_parity_one_stop=control & (termios.CSIZE | termios.PARENB | termios.CSTOPB) == termios.CS8,
            flow_control=bool(control & CRTSCTS),
            baud=rates[1],
            has_constant=control & 0x100F != BOTHER,
        )

    def noise(self, octets: bytes) -> None:
        """Sends octets that no device sent to the host, between packets."""
        os.write(self._master, octets)

    async def _from_host(self) -> None:
        framer: Framer | None = Framer()
        seeking = b""
        heard = time.monotonic()
        while True:
            octets = b"" if self.is_stopped else self._read()
            if not octets:
                await asyncio.sleep(POLL_SECONDS)
                if framer and not framer.is_between_packets and time.monotonic() > heard + SILENCE_SECONDS:
                    framer = None
                    self._write(HARDWARE_ERROR)
                continue
            heard = time.monotonic()
            octets = self.spoil_command(octets)
            if framer is None:
                seeking += octets
                place = seeking.find(RESET)
                if place < 0:
                    continue
                framer, octets, seeking = Framer(), seeking[place:], b""
            try:
                for kind, packet in framer.feed(octets):
                    self.resets += (kind, packet) == (COMMAND, HCI_RESET)
                    self._writer.write(frame(kind, packet))
            except FramingError:
                framer = None
                self._write(HARDWARE_ERROR)

    def _read(self) -> bytes:
        with contextlib.suppress(OSError):
            # EIO while no process has the terminal open.
            return os.read(self._master, 4096)
        return b""

    async def _to_host(self, reader: asyncio.StreamReader) -> None:
        framer = Framer()
        while octets := await reader.read(4096):
            for kind, packet in framer.feed(octets):
                octets = self.spoil(frame(kind, packet))
                step = self.piece or max(len(octets), 1)
                for start in range(0, len(octets), step):
                    self._write(octets[start : start + step])
                    # With pieces, each of them is read alone.
                    await asyncio.sleep(0.0005 if self.piece else 0)

    def _write(self, octets: bytes) -> None:
        # No process has the terminal open, or none reads: octets are lost as on a line.
        with contextlib.suppress(OSError):
            os.write(self._master, octets)


class SerialBench(Bench):
    """A bench whose reader is at a serial line. `line_options` is what follows the path in the transport's name."""

    def __init__(self, line_options: str = "115200", **options) -> None:
        super().__init__(**options)
        self._line_options = line_options
        self.line: SerialLine

    async def attach(self) -> str:
        """The line's controller is one of the radio's."""
        self.line = SerialLine(self._directory / "tty", await super().attach())
        await self.before(self.line)
        await self.line.open()
        return f"serial:{self.line.path},{self._line_options}"

    async def before(self, line: SerialLine) -> None:
        """For what is wrong with the line from the start."""

    async def detach(self) -> None:
        """After the reader's end."""
        await self.line.close()


async def _run(controller: str, link: Path) -> None:
    line = await SerialLine(link, controller).open()
    print(f"{link}: {line.settings()}", flush=True)
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        await line.close()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="rig.serial_line", description=__doc__.splitlines()[0])
    parser.add_argument("--controller", required=True, metavar="HOST:PORT")
    parser.add_argument("--link", required=True, type=Path, metavar="PATH")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(options.controller, options.link))


if __name__ == "__main__":
    main()
