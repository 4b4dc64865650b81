# SPDX-License-Identifier: Apache-2.0
"""Operation under faults (docs/operate/faults.md), with the real disk, socket or device out of order."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Sequence
from pathlib import Path

import pytest

from access.status import Status
from access.tokens import Command
from rig.asking import ask, fault, faults
from rig.bench import Bench
from rig.phone import Refused
from rig.ports import free_port
from rig.processes import Child, Gone
from rig.reader import UNLOCKED, binary

ALWAYS_OPEN = '[door]\nschedules = ["mon-sun 00:00-24:00"]\n'
LONG_WAIT = "[events]\nmax-wait-ms = 2500\n"
"""A disk that others use as well is slow, and no fault."""
RELAXED = '[events]\naudit = "relaxed"\n'
"""For tests of other parts than the disk, nothing waits for it."""

UNLOCK = {"unlock": "pulse"}
REPEATED_SECONDS = 2.0
"""Several attempts of the reader: a fault reported with each would be reported again."""
SHUT_CHIP = (
    "mount -t tmpfs tmpfs /dev; touch /dev/gpiochip0; chmod 0 /dev/gpiochip0; "
    'exec setpriv --bounding-set=-all --inh-caps=-all "$@"'
)
"""A device's file that no user may open, and a process without the capability to do so anyway."""

MOUNTED = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-ec")
"""A shell that may mount what only it and its children see."""


async def start(
    directory: Path,
    toml: str = "",
    hci: str = "tcp-client:127.0.0.1:1",
    prefix: Sequence[str] = (),
    events: str = RELAXED,
) -> tuple[Child, Path]:
    """A reader without a controller by default, and its control socket."""
    configuration = directory / "readerd.toml"
    configuration.write_text(toml + events)
    control = directory / "control.sock"
    command = [
        *(*prefix, str(binary()), "run", "--hci", hci, "--state", str(directory / "state")),
        *("--config", str(configuration), "--control", str(control)),
    ]
    return await Child.start("readerd", command), control


async def ended(child: Child, seconds: float = 10) -> int:
    """Its exit code, once it has ended."""
    with pytest.raises(Gone):
        await child.line("never printed", seconds)
    return await child.stop()


def told(child: Child, code: str) -> int:
    """The number of reports of this fault in the log."""
    return len(child.matching(rf"fault {code}: (?!over after)"))


async def test_a_disk_that_fails_refuses_phones_until_it_works():
    """Every write of the process to a file fails in the kernel, as on a disk that is dying."""
    async with Bench() as bench:
        child, control = bench.reader.child, bench.control
        link = await bench.ready()
        await link.run("tokn")
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        with pytest.raises(Refused) as refusal:
            await link.run(Command("tokn", credential="CRED000002"))
        assert refusal.value.status == Status.UNAVAILABLE
        assert "disk I/O error" in await fault(control, "disk-failing")
        assert (await ask(control, UNLOCK))["refused"] == "not-recorded"
        assert (await ask(control, {"lockdown": "on"}))["ok"], "to secure the door waits for no disk"
        assert (await ask(control, {"lockdown": "off"}))["ok"]
        await asyncio.sleep(REPEATED_SECONDS)
        assert told(child, "disk-failing") == 1
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await fault(control, "disk-failing", shown=False)
        assert (await ask(control, UNLOCK))["ok"]


async def test_a_full_disk_is_said_until_there_is_room(directory: Path):
    """A file system of 4 MB that something else fills."""
    state = directory / "state"
    state.mkdir()
    prefix = (*MOUNTED, 'mount -t tmpfs -o size=4m,mode=0700 tmpfs "$0"; exec "$@"', str(state))
    child, control = await start(directory, prefix=prefix, events=LONG_WAIT)
    await child.line(r"door: secured", 20)
    assert (await ask(control, UNLOCK))["ok"]
    # In the process's view: this file system is not mounted elsewhere.
    filling = Path(f"/proc/{child.pid}/root{state}/filling")
    with filling.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1024))
        except OSError:
            pass
    for _ in range(200):
        await ask(control, UNLOCK)
        if "disk-full" in await faults(control):
            break
    assert "disk full: free space" in await fault(control, "disk-full")
    assert (await ask(control, UNLOCK))["refused"] == "not-recorded"
    assert told(child, "disk-full") == 1
    filling.unlink()
    await fault(control, "disk-full", shown=False, seconds=20)
    assert (await ask(control, UNLOCK))["ok"]
    assert await child.stop() == 0


async def test_a_state_directory_that_is_read_only_is_said(directory: Path):
    """As Linux mounts a file system that has errors, at the next start; all that the reader needs is in it."""
    state = directory / "state"
    child, _ = await start(directory)
    await child.line(r"door: secured", 20)
    assert await child.stop() == 0
    prefix = (*MOUNTED, 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; exec "$@"', str(state))
    child, control = await start(directory, ALWAYS_OPEN, prefix=prefix, events=LONG_WAIT)
    await child.line(UNLOCKED, 20)
    assert "the event log: read-only" in await fault(control, "disk-read-only")
    assert (await ask(control, UNLOCK))["refused"] == "not-recorded"
    assert (await ask(control, {"lockdown": "on"}))["ok"]
    await asyncio.sleep(REPEATED_SECONDS)
    assert told(child, "disk-read-only") == 1
    assert not {"policy-unknown", "policy-lost"} & set(await faults(control)), "the policy can be read"
    assert "clock-floor-unknown" not in await faults(control), "the file beside the log can be read"
    await child.stop()


async def test_a_new_state_directory_that_is_read_only_ends_it(directory: Path):
    state = directory / "state"
    state.mkdir()
    prefix = (*MOUNTED, 'mount -t tmpfs -o ro,mode=0700 tmpfs "$0"; exec "$@"', str(state))
    child, _ = await start(directory, prefix=prefix)
    line = await child.line(r"readerd: .*Read-only file system", 20)
    assert str(state) in line.text
    assert await ended(child) == 1


async def test_a_controller_that_comes_after_the_start_is_served(directory: Path):
    """A socket without a listener; then with one."""
    port = free_port()
    child, control = await start(directory, ALWAYS_OPEN, hci=f"tcp-client:127.0.0.1:{port}")
    await child.line(UNLOCKED, 20)
    assert "Connection refused" in await fault(control, "controller-absent")
    assert (await ask(control, UNLOCK))["ok"]
    connected = asyncio.Event()

    async def controller(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # It answers nothing but that it exists: then it fails.
        connected.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(controller, "127.0.0.1", port)
    await asyncio.wait_for(connected.wait(), 10)
    await fault(control, "controller-failed", seconds=15)
    assert told(child, "controller-absent") == 1
    server.close()
    assert await child.stop() == 0


async def test_what_this_kernel_has_no_adapter_for_is_said(directory: Path):
    """The user channel of an adapter that no machine has: whatever the kernel's answer, the door works."""
    child, control = await start(directory, ALWAYS_OPEN, hci="hci-socket:60000")
    await child.line(UNLOCKED, 20)
    found = await faults(control)
    assert set(found) <= {"controller-absent", "controller-not-permitted"} and len(found) == 1, found
    assert (await ask(control, UNLOCK))["ok"]
    await asyncio.sleep(REPEATED_SECONDS)
    assert len(child.matching(r"fault controller-")) == 1
    assert await child.stop() == 0


async def test_a_control_socket_that_cannot_be_made_at_the_usual_place_is_said(directory: Path):
    """/run/readerd exists, and may not be written."""
    (directory / "readerd.toml").write_text("")
    prefix = (*MOUNTED, 'mount -t tmpfs tmpfs /run; mkdir /run/readerd; mount -o remount,ro /run; exec "$@"', "sh")
    command = [*prefix, str(binary()), "run", "--hci", "tcp-client:127.0.0.1:1", "--state", str(directory / "state")]
    child = await Child.start("readerd", [*command, "--config", str(directory / "readerd.toml")])
    line = await child.line(r"fault control-socket-missing: ", 20)
    assert "/run/readerd/control.sock.lock: cannot open it: Read-only file system" in line.text
    assert child.matching(r"door: secured")
    assert await child.stop() == 0


async def test_a_gpio_chip_that_may_not_be_opened_leaves_the_rest(directory: Path):
    (directory / "state").mkdir(mode=0o700)
    child, control = await start(directory, '[gpio]\nrex = "gpiochip0:4"\n', prefix=(*MOUNTED, SHUT_CHIP, "sh"))
    await child.line(r"door: secured", 20)
    assert "permission denied; give the user access to /dev/gpiochip*" in await fault(control, "line-rex")
    assert (await ask(control, UNLOCK))["ok"]
    assert told(child, "line-rex") == 1
    assert await child.stop() == 0


async def test_a_lock_that_may_not_be_opened_ends_it(directory: Path):
    toml = 'allow-demo-identity = true\n[gpio]\nlock = "gpiochip0:4"\n'
    child, _ = await start(directory, toml, prefix=(*MOUNTED, SHUT_CHIP, "sh"))
    await child.line(r"readerd: gpio.lock: GPIO line gpiochip0:4: permission denied; give the user access", 20)
    assert await ended(child) == 1
