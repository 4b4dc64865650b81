# SPDX-License-Identifier: Apache-2.0
"""A reader as a Matter lock: the CHIP controller orders, readerd decides and records."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from access.tokens import Command
from matter.controller import Refused
from matter.lock import SECONDS, Lock, binary
from rig.memory import forms, found
from rig.processes import NOBODY, by_another_user
from rig.reader import SECURED
from rig.supplicant import Supplicant
from rig.waiting import until

CREDENTIAL = "CRED000002"
PASSPHRASE = "qv73 open sesame xw"
RESTRICTED = 3
FAIL_SAFE_SECONDS = 120.0
"""For the end of an app's fail-safe, which asks for 73 s."""
NONE = "Null"
"""A null as the controller's library prints it."""

pytestmark = pytest.mark.seconds(300)


def operations(events: list) -> list[tuple]:
    """Type, source, fabric and node of the lock's operations."""
    keys = ("lockOperationType", "operationSource", "fabricIndex", "sourceNode")
    return [tuple(data[key] for key in keys) for name, data in events if name == "LockOperation"]


async def is_read(controller, state: str) -> None:
    """Waits until the app reads this state of the lock."""

    async def holds() -> bool:
        return await controller.order("lock_state") == state

    await until(state, holds, SECONDS)


async def test_an_app_opens_the_door_and_the_log_names_it(directory: Path) -> None:
    async with Lock(directory, door={"pulse-s": 2}) as lock:
        controller = await lock.commissioned()
        assert controller.attestation == 0
        read = await controller.order("wildcard")
        assert read["faults"] == [] and read["attributes"] > 100
        door = (await controller.order("door"))["DoorLock"]
        assert (door["LockState"], door["AutoRelockTime"]) == ("kLocked", 2)
        await controller.order("lock", command="UnlockDoor")
        assert (await lock.reader.reader.unlocked(SECONDS)) is not None
        await is_read(controller, "kLocked")
        await lock.reader.reader.child.line(SECURED, SECONDS)
        assert operations(await controller.order("lock_events")) == [
            ("kUnlock", "kRemote", 1, 112233),
            ("kLock", "kAuto", NONE, NONE),
        ]
        opened = [event for event in await lock.events() if event["kind"] == "unlocked"]
        assert [(event["channel"], event["actor"]) for event in opened] == [
            ("matter", "fabric 1 node 000000000001B669")
        ]


async def test_the_app_sees_every_opening(directory: Path) -> None:
    async with Lock(directory, door={"pulse-s": 1}) as lock:
        controller = await lock.commissioned()
        await controller.order("subscribe", ceiling=30)
        link = await lock.reader.ready()

        async def operated(count: int) -> list:
            async def seen() -> list | None:
                found = operations(await controller.order("lock_events"))
                return found if len(found) >= count else None

            return await until(f"{count} operations", seen, SECONDS)

        await link.run(Command("tokn", credential=CREDENTIAL))
        # By the events: before the opening the lock is locked as well.
        await operated(2)
        assert (await lock.operator.run("unlock", "office-on")).code == 0
        await is_read(controller, "kUnlocked")
        # Office mode ends by LockDoor, as by an operator.
        await controller.order("lock", command="LockDoor")
        seen = await operated(4)
        remote = ("kUnlock", "kProprietaryRemote", NONE, NONE)
        assert seen == [remote, ("kLock", "kAuto", NONE, NONE), remote, ("kLock", "kRemote", 1, 112233)]
        assert (await controller.order("reports"))["events"].count("LockOperation") >= 4
        assert await controller.order("lock_state") == "kLocked"


async def test_what_the_reader_refuses_the_app_is_refused(directory: Path) -> None:
    async with Lock(directory) as lock:
        controller = await lock.commissioned()
        assert (await lock.operator.run("lockdown", "on")).code == 0
        with pytest.raises(Refused, match="Failure"):
            await controller.order("lock", command="UnlockDoor")
        assert await controller.order("lock_state") == "kLocked"
        assert (await lock.operator.run("lockdown", "off")).code == 0
        error = [data for name, data in await controller.order("lock_events") if name == "LockOperationError"]
        assert [(data["operationSource"], data["operationError"]) for data in error] == [("kRemote", "kRestricted")]
        await controller.order("lock", command="UnlockDoor")
    async with Lock(directory / "seen", matter={"may-unlock": False}) as lock:
        controller = await lock.commissioned()
        with pytest.raises(Refused, match="Failure"):
            await controller.order("lock", command="UnlockDoor")
        assert (await lock.operator.status())["door"]["openings"] == 0


@pytest.mark.thorough(
    "LockOrderTests have no fabric without a window; MatterProcessTests leave the window to the operator"
)
async def test_without_its_window_nobody_commissions(directory: Path) -> None:
    async with Lock(directory) as lock:
        controller = await lock.controller()
        found = await controller.order("discover", discriminator=lock.discriminator, seconds=2)
        assert found is None
        with pytest.raises(Refused):
            await controller.order("pase", code=lock.codes["qr"])
        await lock.open_window()
        assert (await lock.operator.run("matter", "close")).code == 0
        await lock.status(commissionable=False, fabrics=0)
        await controller.stop()
        await lock.commissioned()


async def test_without_the_reader_the_state_is_unknown_and_nothing_opens(directory: Path) -> None:
    async with Lock(directory) as lock:
        controller = await lock.commissioned()
        await lock.reader.restart()
        await is_read(controller, "kLocked")
        await controller.order("lock", command="UnlockDoor")
        assert await lock.reader.reader.stop() == 0
        await is_read(controller, NONE)
        with pytest.raises(Refused, match="Failure"):
            await controller.order("lock", command="UnlockDoor")
        await lock.reader.restart()
        await is_read(controller, "kLocked")


async def test_a_killed_process_comes_back_with_its_fabrics(directory: Path) -> None:
    async with Lock(directory) as lock:
        controller = await lock.commissioned()
        os.kill(lock.process.pid, signal.SIGKILL)
        await lock.status(connected=False)
        faults = {fault["code"] for fault in (await lock.operator.status())["faults"]}
        assert "matter-absent" in faults
        await lock.stop()
        await lock.start()
        await lock.status(connected=True, fabrics=1)
        await controller.order("expire_sessions")
        await controller.order("lock", command="UnlockDoor")
        await lock.reader.reader.unlocked(SECONDS)


@pytest.mark.thorough("test_matter.py commissions over BLE into Wi-Fi")
async def test_an_app_brings_the_lock_into_the_wifi_over_ble(directory: Path) -> None:
    with Supplicant(directory / "wlan0", "Home", PASSPHRASE) as supplicant:
        async with Lock(directory, wifi=supplicant.path) as lock:
            controller = await lock.controller()
            label = {"passcode": lock.passcode, "discriminator": lock.discriminator}
            done = await lock.operator.run("provisioning", "open", "600")
            assert done.code == 0, done.errors
            await lock.status(commissionable=True)
            with pytest.raises(Refused):
                await controller.order("commission_wifi", **label, ssid="Home", passphrase="wrong horse")
            assert supplicant.saved == []
            # Another run: this one tries the device again.
            await controller.stop()
            await lock.status(FAIL_SAFE_SECONDS, fabrics=0, commissionable=True)
            controller = await lock.controller()
            await controller.order("commission_wifi", **label, ssid="Home", passphrase=PASSPHRASE)
            await lock.status(fabrics=1, commissionable=False)
            await controller.order("lock", command="UnlockDoor")
            await lock.reader.reader.unlocked(SECONDS)
            await until("the saved network", lambda: supplicant.saved == ["Home"], SECONDS)
            # The supplicant keeps it. readerd-matter does as well, as octets, since a node joins again by itself.
            needles = forms("the passphrase", PASSPHRASE.encode())
            assert found(lock.reader.reader.child.pid, needles) == set()
            kept = {"the passphrase": needles.pop("the passphrase")}
            assert found(lock.process.pid, needles) == set()
            # The search finds octets that are there.
            assert found(lock.process.pid, kept) != set()
            # A restart of the process leaves the network as it is.
            joins = supplicant.commands.count("SELECT_NETWORK 1")
            await lock.stop()
            await lock.start()
            await controller.order("expire_sessions")
            await is_read(controller, "kLocked")
            assert supplicant.commands.count("SELECT_NETWORK 1") == joins


async def test_another_user_is_no_lock(directory: Path) -> None:
    directory.chmod(0o755)
    async with Lock(directory) as lock:
        await lock.stop()
        await lock.status(connected=False)

        def strange() -> bytes:
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.settimeout(SECONDS)
                stranger.connect(str(lock.socket))
                try:
                    stranger.sendall(b'{"order":1,"move":"unlocked","fabric":1,"node":"000000000001B669"}\n')
                    return stranger.recv(1)
                except ConnectionError:
                    return b""

        assert await by_another_user(strange) == b""
        await lock.reader.reader.child.line(f"matter: uid {NOBODY} .* refused", SECONDS)
        assert (await lock.operator.status())["door"]["openings"] == 0


def test_the_program_says_what_it_lacks(directory: Path) -> None:
    for words, text in (
        (("run",), "holds no lock; make one with readerd-matter init"),
        (("init", "--attestation", str(directory / "none")), "dac.der: no such file"),
    ):
        done = subprocess.run([binary(), *words, "--state", str(directory / "s")], capture_output=True, text=True)
        assert done.returncode == 1 and text in done.stderr and done.stderr.count("\n") == 1, done.stderr
