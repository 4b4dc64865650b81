# SPDX-License-Identifier: Apache-2.0
"""The virtual board for arm64: see board/virt/run --arch arm64.

Debian's kernel for arm64 has no virtual controllers, so that the radio and the phone are the host's (the interop tests'
rig), and the reader reaches its controller over the emulator's network.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Interop")]
# An emulated machine of another architecture answers when it can. Read when the rig is imported.
os.environ.setdefault("RIG_ANSWER_SECONDS", "120")

from access.advertising import ACCESS  # noqa: E402
from machine import CACHE, ROOT, Failure, Machine  # noqa: E402
from rig.phone import LinkLost, NotReached, Phone, Refused  # noqa: E402
from rig.radio_process import RadioProcess  # noqa: E402

NEAR_DBM = -45
MACHINE_SECONDS = 3000.0
"""Until the command has ended. Its start alone takes minutes on a machine that is busy."""
PHONE_SECONDS = 240.0
LOOK_SECONDS = 0.2
DOOR = "door"
"""Without a command: a phone opens, and the unit's restrictions are looked at."""


def package() -> Path:
    """The .deb of the reader for arm64. Raises Failure if there is none."""
    named = os.environ.get("READERD_PACKAGE")
    found = [Path(named)] if named else sorted((ROOT / ".build-arm64/package").glob("readerd_*_arm64.deb"))
    if len(found) != 1 or not found[0].exists():
        raise Failure("there is no package of the reader for arm64: script/package --arch arm64 builds it")
    return found[0].resolve()


def start(directory: Path, command: str, port: str) -> Machine:
    """The board, on, with its controller at a port of the host."""
    system = CACHE / "arm64/root"
    if not system.is_dir():
        raise Failure(f"there is no {system}: script/bootstrap --kernel-arm64 makes it, as root")
    machine = Machine(directory, memory=1024, network=True, system=system.resolve(), arm64=True)
    values = {"PACKAGE": f"/host{package()}", "READER_PORT": port, "COMMAND": command}
    return machine.start((ROOT / "board/virt/guest-arm64.sh").read_text(), values)


async def opened(radio: RadioProcess, name: str) -> str:
    """What came of a near phone that opens the door."""
    await radio.level(name, "reader", NEAR_DBM)
    phone = await Phone.open(name, "unix:" + await radio.listen_unix(name))
    try:
        seen = await phone.find(ACCESS, PHONE_SECONDS)
        link = await phone.connect(seen.address, PHONE_SECONDS)
        await link.prepare(ACCESS.service)
        await link.run("tokn")
        return f"phone: opened the door of {seen.address}"
    except (NotReached, LinkLost, Refused, TimeoutError) as error:
        return f"phone: {error or 'no answer'}"
    finally:
        await phone.close()


async def serve_phones(radio: RadioProcess, directory: Path) -> None:
    """A phone for each time that the board asks for one."""
    wanted, said, number = directory / "phone-wanted", directory / "phone-said", 0
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if wanted.exists():
            wanted.unlink()
            number += 1
            (directory / "phone-said.new").write_text(await opened(radio, f"phone{number}") + "\n")
            (directory / "phone-said.new").rename(said)


async def run(directory: Path, command: str) -> int:
    """The command's exit status."""
    radio = await RadioProcess.start(directory)
    machine = None
    try:
        port = (await radio.listen_tcp("reader")).rpartition(":")[2]
        machine = start(directory / "machine", command, port)
        phones = asyncio.create_task(serve_phones(radio, machine.directory))
        result = await asyncio.to_thread(machine.wait, MACHINE_SECONDS)
        phones.cancel()
        print(result.output, end="")
        return result.code
    finally:
        if machine:
            machine.kill()
        await radio.stop()


def main() -> int:
    """The command's exit status."""
    directory = Path(tempfile.mkdtemp(prefix="board-"))
    # One argument is a line of shell, several are the words of a command.
    command = sys.argv[1] if len(sys.argv) == 2 else shlex.join(sys.argv[1:])
    try:
        return asyncio.run(run(directory, command or DOOR))
    except Failure as failure:
        print(f"board/virt/run: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
