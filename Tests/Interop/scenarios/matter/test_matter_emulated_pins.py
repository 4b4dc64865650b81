# SPDX-License-Identifier: Apache-2.0
"""PINs of an emulated lock (`--pin`) with the CHIP controller: an app sets them, and its orders need one."""

from __future__ import annotations

from pathlib import Path

import pytest

from matter.bench import Bench
from matter.controller import Controller, Refused

LABEL = {"passcode": 20202021, "discriminator": 3840}
PIN_TYPE = 1
ADD = 0
PIN, WRONG = b"13579024", b"31415926"
WRONG_LIMIT = 2
UNLOCKED, LOCKED = "kUnlocked", "kLocked"

pytestmark = pytest.mark.seconds(300)


async def set_pin(controller: Controller, index: int, pin: bytes) -> str:
    """The status of SetCredential of a new user's."""
    answer = await controller.order(
        "door_lock", command="SetCredential", operationType=ADD, credential=[PIN_TYPE, index],
        credentialData=pin.hex(), userIndex=None, userStatus=None, userType=None,
    )  # fmt: skip
    return answer["status"]


async def unlock(controller: Controller, pin: bytes | None) -> None:
    """UnlockDoor, with a PIN or without one."""
    await controller.order("door_lock", command="UnlockDoor", **({"PINCode": pin.hex()} if pin is not None else {}))


async def refusal(controller: Controller, pin: bytes | None) -> str:
    """The error of LockOperationError of an UnlockDoor that is refused. The lock stays locked."""
    before = sum(name == "LockOperationError" for name, _ in await controller.order("lock_events"))
    with pytest.raises(Refused, match="Failure"):
        await unlock(controller, pin)
    assert await controller.order("lock_state") == LOCKED
    errors = [data for name, data in await controller.order("lock_events") if name == "LockOperationError"]
    assert len(errors) == before + 1
    return errors[-1]["operationError"]


async def test_orders_to_an_emulated_lock_need_a_pin(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device("--pin")
        controller = await bench.controller()
        await controller.order("commission", **LABEL)
        assert (await controller.order("wildcard"))["faults"] == []
        assert await controller.order("claims") == []
        attributes = await controller.order("cluster", endpoint=1, cluster="DoorLock")
        assert attributes["FeatureMap"] == 0x181
        assert attributes["RequirePINforRemoteOperation"] is True
        # Before the first PIN nothing opens.
        assert await refusal(controller, None) == "kInvalidCredential"
        await device.type("fault refuse SetCredential 0x01")
        with pytest.raises(Refused, match="Failure"):
            await set_pin(controller, 1, PIN)
        await device.type("clear")
        assert await set_pin(controller, 1, PIN) == "kSuccess"
        assert await set_pin(controller, 2, PIN) == "kDuplicate"
        await unlock(controller, PIN)
        assert await controller.order("lock_state") == UNLOCKED
        await controller.order("door_lock", command="LockDoor", PINCode=PIN.hex())
        await device.type("refuse disabled-user")
        assert await refusal(controller, PIN) == "kDisabledUserDenied"
        await device.type("refuse none")
        assert await controller.order("lock_setting", setting="WrongCodeEntryLimit", value=WRONG_LIMIT) == 0
        for _ in range(WRONG_LIMIT):
            assert await refusal(controller, WRONG) == "kInvalidCredential"
        # The right one is not compared now.
        assert await refusal(controller, PIN) == "kRestricted"
        alarms = [data["alarmCode"] for name, data in await controller.order("lock_events") if name == "DoorLockAlarm"]
        assert alarms == ["kWrongCodeEntryLimit"]
        text = "\n".join(line.text for line in device.child.lines)
        assert "UnlockDoor" in text
        assert not any(pin.decode() in text or pin.hex() in text for pin in (PIN, WRONG))
        # A start without the option keeps the PIN, and reports that no order needs it.
        assert (await (await bench.device()).codes())["unused-pins"] == 1
