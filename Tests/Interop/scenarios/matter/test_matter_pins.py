# SPDX-License-Identifier: Apache-2.0
"""PINs of readerd's Matter lock with the CHIP controller: an app sets them, its orders need them, the log has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from matter.controller import Controller, Refused
from matter.lock import SECONDS, Lock
from rig.memory import found
from rig.reader import SECURED
from rig.waiting import until

PIN_TYPE = 1
ADD, MODIFY = 0, 2
PIN, OTHER, WRONG = b"13579024", b"86420975", b"31415926"
NAME = "Qv7341xyzw"
ACTOR = "fabric 1 node 000000000001B669"
NONE = "Null"
"""A null as the controller's library prints it."""

pytestmark = pytest.mark.seconds(300)


async def set_pin(
    controller: Controller, index: int, pin: bytes, user: int | None = None, operation: int = ADD
) -> dict:
    """SetCredential of the user's, or of a new user's."""
    return await controller.order(
        "door_lock", command="SetCredential", operationType=operation, credential=[PIN_TYPE, index],
        credentialData=pin.hex(), userIndex=user, userStatus=None, userType=None,
    )  # fmt: skip


async def order(controller: Controller, pin: bytes | None, command: str = "UnlockDoor") -> None:
    """An order, with a PIN or without one."""
    await controller.order("door_lock", command=command, **({"PINCode": pin.hex()} if pin is not None else {}))


async def refused(controller: Controller, pin: bytes | None, command: str = "UnlockDoor") -> dict:
    """The event of an order that is refused with FAILURE."""
    with pytest.raises(Refused, match="Failure"):
        await order(controller, pin, command)
    name, data = (await controller.order("lock_events"))[-1]
    assert name == "LockOperationError"
    return data


async def records(lock: Lock) -> list[tuple[str, str]]:
    """Kind and detail of the reader's records of PINs and openings; their actor is the app."""
    events = [e for e in await lock.events() if e["kind"].startswith("matter-pin") or e["kind"] == "unlocked"]
    assert all((event["channel"], event["actor"]) == ("matter", ACTOR) for event in events)
    return [(event["kind"], event.get("detail", "")) for event in events]


async def test_an_order_needs_the_pin_of_a_user(directory: Path) -> None:
    async with Lock(directory, matter={"pin": True}, door={"pulse-s": 1}) as lock:
        controller = await lock.commissioned()
        read = await controller.order("wildcard")
        assert read["faults"] == []
        assert await controller.order("claims") == []
        attributes = await controller.order("cluster", endpoint=1, cluster="DoorLock")
        assert attributes["FeatureMap"] == 0x181
        names = ("NumberOfPINUsersSupported", "MinPINCodeLength", "MaxPINCodeLength", "RequirePINforRemoteOperation")
        assert [attributes[name] for name in names] == [20, 6, 8, True]
        # Before the first PIN nothing opens.
        assert (await refused(controller, None))["operationError"] == "kInvalidCredential"
        added = await set_pin(controller, 1, PIN)
        assert (added["status"], added["userIndex"]) == ("kSuccess", 1)
        assert (await set_pin(controller, 2, PIN))["status"] == "kDuplicate"
        await order(controller, PIN)
        assert (await lock.reader.reader.unlocked(SECONDS)) is not None
        await lock.reader.reader.child.line(SECURED, SECONDS)
        opened = next(d for n, d in await controller.order("lock_events") if n == "LockOperation")
        assert (opened["operationSource"], opened["userIndex"], opened["sourceNode"]) == ("kRemote", 1, 112233)
        assert [tuple(entry.values()) for entry in opened["credentials"]] == [("kPin", 1)]
        await order(controller, PIN, "LockDoor")
        data = await refused(controller, WRONG, "LockDoor")
        assert (data["operationError"], data["userIndex"]) == ("kInvalidCredential", NONE)
        assert (await set_pin(controller, 1, OTHER, user=1, operation=MODIFY))["status"] == "kSuccess"
        await refused(controller, PIN)
        # A restart of both keeps it.
        await lock.stop()
        await lock.reader.restart()
        await lock.start()
        await lock.status(fabrics=1)
        await controller.order("expire_sessions")
        await order(controller, OTHER)
        # The door has the last word.
        done = await lock.operator.run("lockdown", "on")
        assert done.code == 0, done.errors
        await until("a refusal", lambda: is_restricted(controller, OTHER), SECONDS)
        recorded = await records(lock)
        assert ("matter-pin-refused", "missing") in recorded
        assert [entry for entry in recorded if entry[1] != "missing"] == [
            ("matter-pin-added", "pin 1 user 1"),
            ("unlocked", "user 1"),
            ("matter-pin-refused", "wrong"),
            ("matter-pin-removed", "pin 1 user 1"),
            ("matter-pin-added", "pin 1 user 1"),
            ("matter-pin-refused", "wrong"),
            ("unlocked", "user 1"),
        ]
        text = lock.process.tail(100_000) + lock.reader.reader.child.tail(100_000)
        assert not any(pin.decode() in text or pin.hex() in text for pin in (PIN, OTHER, WRONG))


async def is_restricted(controller: Controller, pin: bytes) -> bool:
    """True once a lockdown refuses the right PIN."""
    return (await refused(controller, pin))["operationError"] == "kRestricted"


async def test_wrong_pins_disable_all_for_a_time_and_a_restart_is_no_way_out(directory: Path) -> None:
    async with Lock(directory, matter={"pin": True}, door={"pulse-s": 1}) as lock:
        controller = await lock.commissioned()
        assert (await set_pin(controller, 1, PIN))["status"] == "kSuccess"
        assert await controller.order("lock_setting", setting="WrongCodeEntryLimit", value=2) == 0
        assert await controller.order("lock_setting", setting="UserCodeTemporaryDisableTime", value=0) != 0
        assert await controller.order("lock_setting", setting="UserCodeTemporaryDisableTime", value=8) == 0
        await refused(controller, WRONG)
        await lock.restart_killed()
        await lock.status(fabrics=1)
        await controller.order("expire_sessions")
        # The second in succession, by the count that was stored.
        assert (await refused(controller, WRONG))["operationError"] == "kInvalidCredential"
        alarms = [data["alarmCode"] for name, data in await controller.order("lock_events") if name == "DoorLockAlarm"]
        assert alarms == ["kWrongCodeEntryLimit"]
        assert (await refused(controller, PIN))["operationError"] == "kRestricted"
        await lock.restart_killed()
        await lock.status(fabrics=1)
        await controller.order("expire_sessions")
        assert (await refused(controller, PIN))["operationError"] == "kRestricted"

        async def opens() -> bool:
            try:
                await order(controller, PIN)
            except Refused:
                return False
            return True

        await until("the end of the time", opens, SECONDS)
        assert [entry for entry in await records(lock) if entry[1] != "disabled"] == [
            ("matter-pin-added", "pin 1 user 1"),
            ("matter-pin-refused", "wrong"),
            ("matter-pin-refused", "last-wrong"),
            ("unlocked", "user 1"),
        ]


async def test_no_pin_is_in_a_file_or_left_in_memory(directory: Path) -> None:
    async with Lock(directory, matter={"pin": True}, door={"pulse-s": 1}) as lock:
        controller = await lock.commissioned()
        assert (await set_pin(controller, 1, PIN))["status"] == "kSuccess"
        await controller.order(
            "door_lock", command="SetUser", operationType=MODIFY, userIndex=1, userName=NAME, userUniqueID=None,
            userStatus=None, userType=None, credentialRule=None,
        )  # fmt: skip
        await order(controller, PIN)
        await refused(controller, OTHER)
        # That the search finds what is there.
        assert found(lock.process.pid, {"a name": NAME.encode()}) != set()
        for pid in lock.process.pid, lock.reader.reader.child.pid:
            assert found(pid, {"the PIN": PIN, "a wrong PIN": OTHER}) == set()
        files = [path.read_bytes() for path in (directory / "lock").iterdir()]
        assert files and not any(PIN in content or PIN.hex().encode() in content for content in files)
