# SPDX-License-Identifier: Apache-2.0
"""Every fault of `readerlab emulate matter`, as the CHIP controller meets it."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import pytest

from matter.bench import Bench, Device
from matter.controller import Controller, Refused
from rig.fault_table import accepted
from rig.waiting import until

STEPS = accepted("matter")
LABEL = {"passcode": 20202021, "discriminator": 3840}
HOME = {"ssid": "Home", "passphrase": "open sesame"}
BUSY = 0x9C
"""A status (Matter 1.4, 8.10) that no command here is answered with otherwise."""
VAIN_SECONDS = 120.0
"""The controller looks 45 s for the device where nothing else runs."""
SLOW_MS, SHORT_MS, LONG_MS = 800, 500, 20_000
"""A delay, and how long the controller waits for an answer."""

pytestmark = [
    pytest.mark.seconds(420),
    pytest.mark.thorough("MatterNodeTests have each fault; test_matter.py commissions without them"),
]

LIGHT = ("Off", "On", "Toggle")
LOCK = ("LockDoor", "UnlockDoor", "UnlockWithTimeout", "UnboltDoor")
USERS = (
    "SetUser", "GetUser", "ClearUser", "SetCredential", "GetCredentialStatus", "ClearCredential",
    "SetAliroReaderConfig", "ClearAliroReaderConfig",
)  # fmt: skip
THREAD = ("AddOrUpdateThreadNetwork",)
WIFI = tuple(step for step in STEPS if step and step not in (*LIGHT, *LOCK, *USERS, *THREAD))


async def meets_each(device: Device, controller: Controller, commands: tuple[str, ...], endpoint: int = 0) -> None:
    """Each command with each of its faults."""
    for command in commands:
        for word in STEPS[command]:
            argument = {"refuse": hex(BUSY), "delay": str(SLOW_MS)}.get(word, "")
            answer = await device.type(f"fault {word} {command} {argument}".strip())
            assert answer["ok"], answer
            began = time.monotonic()
            wait = SHORT_MS if word == "ignore" else LONG_MS
            error = ""
            try:
                await controller.order("invoke", command=command, endpoint=endpoint, milliseconds=wait)
            except Refused as refused:
                error = str(refused)
            took = time.monotonic() - began
            if word == "ignore":
                assert "imeout" in error or "0x00000032" in error, (command, error)
            elif word == "refuse":
                assert "Busy" in error, (command, error)
            else:
                assert took >= SLOW_MS / 1000, (command, took, error)
                assert "imeout" not in error, (command, error)
            assert (await device.type("clear"))["ok"]


async def test_commands_of_a_lock_on_wifi(directory: Path) -> None:
    async with Bench(directory, ble=True) as bench:
        device = await bench.device("--network", "wifi", "--latch")
        controller = await bench.controller()
        await controller.order("commission_wifi", **LABEL, **HOME)
        await meets_each(device, controller, tuple(step for step in WIFI if step != "Identify"))
        await meets_each(device, controller, ("Identify", *LOCK), endpoint=1)


async def test_commands_of_a_lock_with_users(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device("--pin", "--aliro")
        controller = await bench.controller()
        await controller.order("commission", **LABEL)
        await meets_each(device, controller, USERS, endpoint=1)


async def test_commands_of_a_device_on_thread(directory: Path) -> None:
    async with Bench(directory, ble=True) as bench:
        device = await bench.device("--network", "thread")
        controller = await bench.controller()
        await controller.order("commission_thread", **LABEL)
        await meets_each(device, controller, THREAD)


async def test_commands_of_a_light(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device(kind="light")
        controller = await bench.controller()
        await controller.order("commission", **LABEL)
        await meets_each(device, controller, LIGHT, endpoint=1)


# Faults of the whole device


async def refused(controller: Controller, order: str = "commission", **arguments: object) -> str:
    """The library's text of a refusal."""
    with pytest.raises(Refused) as caught:
        await controller.order(order, **LABEL, **arguments)
    return str(caught.value)


def test_each_fault_has_its_effects_here() -> None:
    assert set(STEPS[None]) == {*SPOILT, *OTHERS}
    assert set(STEPS) == {None, *WIFI, *THREAD, *LIGHT, *LOCK, *USERS}


OTHERS = ("silent-after-pase", "never-operational", "lose-reports", "wrong-error-type")
SPOILT = {"bad-attestation-nonce": (502, ""), "bad-csr-signature": (0, "ignature")}
"""The result of the attestation, and a word of the error."""


@pytest.mark.parametrize("word", SPOILT)
async def test_a_commissioning_fails(directory: Path, word: str) -> None:
    attestation, error = SPOILT[word]
    async with Bench(directory) as bench:
        device = await bench.device()
        assert (await device.type(f"fault {word}"))["ok"]
        controller = await bench.controller()
        assert error in await refused(controller)
        assert controller.attestation == attestation


async def test_a_device_that_is_silent_after_the_passcode(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device()
        controller = await bench.controller()
        assert (await device.type("fault silent-after-pase"))["ok"]
        await controller.order("pase", code=(await device.codes())["manual"])
        for clear in (False, True):
            if clear:
                assert (await device.type("clear"))["ok"]
                await controller.order("invoke", command="ArmFailSafe", endpoint=0, milliseconds=LONG_MS)
            else:
                with pytest.raises(Refused, match="imeout"):
                    await controller.order("invoke", command="ArmFailSafe", endpoint=0, milliseconds=SHORT_MS)


async def test_a_device_that_is_never_operational(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device()
        assert (await device.type("fault never-operational"))["ok"]
        controller = await bench.controller()
        commissioning = asyncio.create_task(controller.order("commission", **LABEL))

        def has_failed() -> object:
            assert not commissioning.done()
            return re.search("operational discovery failed.*Timeout", controller.log.read_text(errors="replace"))

        await until("the failure", has_failed, VAIN_SECONDS)
        assert controller.attestation == 0
        commissioning.cancel()
        await asyncio.gather(commissioning, return_exceptions=True)


LOST_SECONDS = 2.0
"""Without the fault a report takes milliseconds."""
OVERDUE_SECONDS = 60.0
"""The controller waits for the interval of 4 s, and its own repetitions."""


async def test_reports_are_lost(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device()
        controller = await bench.controller()
        await controller.order("commission", **LABEL)
        await controller.order("subscribe", ceiling=4)
        assert (await device.type("fault lose-reports 2"))["ok"]
        mark = device.mark
        assert (await device.type("unlock"))["ok"]
        await asyncio.sleep(LOST_SECONDS)
        assert (await controller.order("reports"))["updates"] == []
        assert await controller.order("lock_state") == "kUnlocked"
        # The controller notices a report that is overdue, and subscribes again.
        await device.event("device", mark, containing="fault: ")

        async def has_ended() -> bool:
            return bool((await controller.order("reports"))["ends"])

        await until("the end of the subscription", has_ended, OVERDUE_SECONDS)


async def test_an_error_value_of_the_wrong_type(directory: Path) -> None:
    errors = []
    for fault in (False, True):
        async with Bench(directory / str(fault), ble=True) as bench:
            device = await bench.device("--network", "wifi")
            if fault:
                assert (await device.type("fault wrong-error-type"))["ok"]
            controller = await bench.controller()
            errors.append(await refused(controller, "commission_wifi", **HOME | {"passphrase": "close sesame"}))
    assert errors[0] != errors[1], errors
