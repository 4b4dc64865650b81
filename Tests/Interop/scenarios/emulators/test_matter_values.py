# SPDX-License-Identifier: Apache-2.0
"""Each value of an attribute or an event that an app has to show, brought about by a typed line, as the CHIP controller
reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from matter.bench import Bench, Device
from matter.controller import Controller, Refused
from rig.matrix import some_of

LABEL = {"passcode": 20202021, "discriminator": 3840}
NONE = "Null"
"""A null as the controller's library prints it."""

LOCK = (
    ("state not-fully-locked", "LockState", "kNotFullyLocked"),
    ("state unlocked", "LockState", "kUnlocked"),
    ("state unlatched", "LockState", "kUnlatched"),
    ("state unknown", "LockState", NONE),
    ("state locked", "LockState", "kLocked"),
    ("unlock", "LockState", "kUnlatched"),
    ("unbolt", "LockState", "kUnlocked"),
    ("lock", "LockState", "kLocked"),
    ("actuator off", "ActuatorEnabled", False),
    ("actuator on", "ActuatorEnabled", True),
    ("mode no-remote", "OperatingMode", "kNoRemoteLockUnlock"),
    ("mode normal", "OperatingMode", "kNormal"),
    ("door open", "DoorState", "kDoorOpen"),
    ("door jammed", "DoorState", "kDoorJammed"),
    ("door forced-open", "DoorState", "kDoorForcedOpen"),
    ("door sensor-error", "DoorState", "kDoorUnspecifiedError"),
    ("door ajar", "DoorState", "kDoorAjar"),
    ("door unknown", "DoorState", NONE),
    ("door closed", "DoorState", "kDoorClosed"),
)
BATTERY = (
    ("battery 80", "BatPercentRemaining", 160),
    ("battery unknown", "BatPercentRemaining", NONE),
    ("battery 15", "BatChargeLevel", "kWarning"),
    ("battery 15", "BatReplacementNeeded", True),
    ("battery 5", "BatChargeLevel", "kCritical"),
    ("battery 100", "BatChargeLevel", "kOk"),
    ("battery 100", "BatReplacementNeeded", False),
    ("battery standby", "Status", "kStandby"),
    ("battery unspecified", "Status", "kUnspecified"),
    ("battery absent", "BatPresent", False),
    ("battery absent", "Status", "kUnavailable"),
    ("battery present", "Status", "kActive"),
    ("battery present", "BatPresent", True),
    ("battery faulty", "ActiveBatFaults", ["kUnspecified"]),
    ("battery hot", "ActiveBatFaults", ["kOverTemp"]),
    ("battery cold", "ActiveBatFaults", ["kUnderTemp"]),
    ("battery sound", "ActiveBatFaults", []),
)
SOURCES = {
    "manual": "kManual",
    "keypad": "kKeypad",
    "button": "kButton",
    "auto": "kAuto",
    "proprietary-remote": "kProprietaryRemote",
    "unspecified": "kUnspecified",
}
ERRORS = {
    "unspecified": "kUnspecified",
    "invalid-credential": "kInvalidCredential",
    "disabled-user": "kDisabledUserDenied",
    "restricted": "kRestricted",
    "insufficient-battery": "kInsufficientBattery",
}
ALARMS = (
    ("jam", "kLockJammed"),
    ("alarm factory-reset", "kLockFactoryReset"),
    ("alarm radio-power-cycled", "kLockRadioPowerCycled"),
    ("alarm cover-removed", "kFrontEsceutcheonRemoved"),
    ("door forced-open", "kDoorForcedOpen"),
    ("door ajar", "kDoorAjar"),
)

pytestmark = pytest.mark.seconds(240)


async def commissioned(bench: Bench, *options: str, kind: str = "lock") -> tuple[Device, Controller]:
    device = await bench.device(*options, kind=kind)
    controller = await bench.controller()
    await controller.order("commission", **LABEL)
    return device, controller


async def shows(device: Device, controller: Controller, rows, endpoint: int, cluster: str) -> None:
    """Types each line, and reads its attribute."""
    for line, attribute, value in rows:
        answer = await device.type(line)
        assert answer["ok"], answer
        assert (await controller.order("cluster", endpoint=endpoint, cluster=cluster))[attribute] == value, line


async def lock_events(controller: Controller, name: str, *members: str) -> list[tuple]:
    """The members of the lock's events of that name."""
    events = await controller.order("events", endpoint=1, cluster="DoorLock")
    return [tuple(data[member] for member in members) for event, data in events if event == name]


async def test_each_state_of_a_lock_and_its_door(directory: Path) -> None:
    async with Bench(directory) as bench:
        device, controller = await commissioned(bench, "--latch", "--door-contact")
        await shows(device, controller, LOCK, 1, "DoorLock")
        for line, _ in ALARMS:
            assert (await device.type(line))["ok"]
        alarms = [alarm for (alarm,) in await lock_events(controller, "DoorLockAlarm", "alarmCode")]
        # The door's states above come first.
        assert alarms == ["kDoorForcedOpen", "kDoorAjar", *(alarm for _, alarm in ALARMS)]
        with pytest.raises(Refused, match="Failure"):
            await controller.order("lock", command="UnlockDoor")
        assert (await device.type("unlock"))["ok"]
        await controller.order("lock", command="LockDoor")
        await shows(device, controller, [("mode normal", "LockState", "kLocked")], 1, "DoorLock")


async def test_each_source_and_each_error(directory: Path) -> None:
    async with Bench(directory) as bench:
        device, controller = await commissioned(bench)
        # The device keeps some of the latest events.
        for source, shown in SOURCES.items():
            assert (await device.type(f"unlock {source}"))["ok"]
            for error in ERRORS:
                assert (await device.type(f"lock {source} {error}"))["ok"]
            moved = await lock_events(controller, "LockOperation", "lockOperationType", "operationSource")
            assert moved[-1] == ("kUnlock", shown)
            failed = await lock_events(controller, "LockOperationError", "operationSource", "operationError")
            assert failed[-len(ERRORS) :] == [(shown, error) for error in ERRORS.values()]
        for error in ERRORS:
            assert (await device.type(f"refuse {error}"))["ok"]
            with pytest.raises(Refused, match="Failure"):
                await controller.order("lock", command="LockDoor")
        failed = await lock_events(controller, "LockOperationError", "operationSource", "operationError")
        assert failed[-len(ERRORS) :] == [("kRemote", error) for error in ERRORS.values()]
        assert (await device.type("refuse none"))["ok"]
        await controller.order("lock", command="LockDoor")
        for line in ("state unlatched", "door open", "battery 5", "power on", "contact open"):
            answer = await device.type(line)
            assert not answer["ok"], line


@pytest.mark.parametrize("kind", some_of(["lock", "light", "plug", "contact"], "PowerSourceTests have the battery"))
async def test_each_state_of_a_battery(directory: Path, kind: str) -> None:
    async with Bench(directory) as bench:
        device, controller = await commissioned(bench, "--battery", kind=kind)
        assert (await controller.order("wildcard"))["faults"] == []
        await shows(device, controller, BATTERY, 0, "PowerSource")
        events = await controller.order("events", endpoint=0, cluster="PowerSource")
        assert [(data["current"], data["previous"]) for _, data in events] == [
            (["kUnspecified"], []),
            (["kOverTemp"], ["kUnspecified"]),
            (["kUnderTemp"], ["kOverTemp"]),
            ([], ["kUnderTemp"]),
        ]
        if kind in ("light", "plug"):
            rows = (("power on", "OnOff", True), ("power off", "OnOff", False))
            await shows(device, controller, rows, 1, "OnOff")
        if kind == "contact":
            rows = (("contact closed", "StateValue", True), ("contact open", "StateValue", False))
            await shows(device, controller, rows, 1, "BooleanState")
