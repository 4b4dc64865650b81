# SPDX-License-Identifier: Apache-2.0
"""The CHIP controller in a terminal: orders as JSON lines on standard input, each a method of `chip_program.py`, and
answers on standard output. With --phone it reaches devices over BLE, as a phone of `readerlab air` or at any other
controller.

python -m matter.terminal PAA-FOLDER [--phone unix:SOCKET] [--store DIRECTORY]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import tempfile
from pathlib import Path

from matter.bench import BUS, INTEROP, START_SECONDS
from matter.controller import PROGRAM, PYTHON


async def until_ready(process: asyncio.subprocess.Process) -> None:
    """Reads lines until one has the word."""
    async with asyncio.timeout(START_SECONDS):
        while line := await process.stdout.readline():
            if b"ready" in line:
                return
    sys.exit("matter.terminal: the phone's controller cannot be used: is `readerlab air` there?")


async def drain(process: asyncio.subprocess.Process) -> None:
    """Lets it talk."""
    while await process.stdout.readline():
        pass


@contextlib.asynccontextmanager
async def ended(*command: str, **options):
    """A process, which ends with the block."""
    process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


@contextlib.asynccontextmanager
async def phone(place: str):
    """The address of a bus with BlueZ's place taken, by a central at that controller."""
    with tempfile.TemporaryDirectory(prefix="matter-") as directory:
        bus, configuration = Path(directory) / "bus", Path(directory) / "bus.conf"
        configuration.write_text(BUS.format(bus=bus))
        address = f"unix:path={bus}"
        quiet = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.STDOUT}
        daemon = ("dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--print-address")
        central = (sys.executable, "-m", "matter.bluez", place, "--bus", address)
        async with ended(*daemon, **quiet) as process:
            await process.stdout.readline()
            async with ended(*central, cwd=INTEROP, **quiet) as process:
                await until_ready(process)
                draining = asyncio.create_task(drain(process))
                yield address
                draining.cancel()


async def run(options: argparse.Namespace) -> int:
    trust = options.authorities.resolve()
    if not trust.is_dir():
        sys.exit(f"matter.terminal: {trust} is no folder: name DIR/paa of the device's --state-dir DIR")
    if not PYTHON.exists():
        sys.exit(f"matter.terminal: there is no {PYTHON}: script/bootstrap installs the CHIP controller there")
    options.store.mkdir(exist_ok=True)
    environment, more = dict(os.environ), []
    async with contextlib.AsyncExitStack() as stack:
        if options.phone:
            environment["DBUS_SYSTEM_BUS_ADDRESS"] = await stack.enter_async_context(phone(options.phone))
            more = ["--ble"]
        with (options.store / "log").open("wb") as log:
            command = (str(PYTHON), str(PROGRAM), str(trust), *more)
            process = await asyncio.create_subprocess_exec(*command, cwd=options.store, env=environment, stderr=log)
            return await process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="matter.terminal", description=__doc__.splitlines()[0])
    parser.add_argument("authorities", type=Path, help="the folder with the authority of the device's attestation")
    parser.add_argument("--phone", help="a Bluetooth controller, as Bumble names it: unix:SOCKET on `readerlab air`")
    parser.add_argument("--store", type=Path, default=Path("controller"), help="its fabrics and its log: controller/")
    sys.exit(asyncio.run(run(parser.parse_args())))


if __name__ == "__main__":
    main()
