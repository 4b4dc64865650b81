# SPDX-License-Identifier: Apache-2.0
"""The CHIP controller commissions and controls the emulated Matter device, over IP and over BLE."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest

from matter.bench import Bench, Device
from matter.controller import Controller, Refused
from rig.waiting import until

PASSCODE, DISCRIMINATOR = 20202021, 3840
LABEL = {"passcode": PASSCODE, "discriminator": DISCRIMINATOR}
HOME = {"ssid": "Home", "passphrase": "open sesame"}
UNSUPPORTED_WRITE, NEEDS_TIMED = 0x88, "NeedsTimedInteraction"
REPORT_SECONDS = 60.0
"""For a report of a change: some milliseconds where nothing else runs."""

pytestmark = pytest.mark.seconds(420)


async def commissioned(bench: Bench, *options: str, kind: str = "lock") -> tuple[Device, Controller]:
    device = await bench.device(*options, kind=kind)
    controller = await bench.controller()
    await controller.order("commission", **LABEL)
    return device, controller


async def reported(controller: Controller, name: str, count: int) -> dict:
    """The reports of the subscription, once there are so many of that kind."""

    async def reports() -> dict | None:
        seen = await controller.order("reports")
        return seen if len(seen[name]) >= count else None

    return await until(f"{count} of {name}", reports, REPORT_SECONDS)


# Commissioning over IP


async def test_a_lock_is_found_and_commissioned(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device()
        controller = await bench.controller()
        found = await controller.order("discover", discriminator=DISCRIMINATOR)
        assert "vendorId=65521" in found and "productId=32769" in found and "deviceType=10" in found, found
        await controller.order("commission", **LABEL)
        assert controller.attestation == 0
        assert (await controller.order("basic"))["ProductName"] == "Matter lock"
        assert await controller.order("discover", discriminator=DISCRIMINATOR, seconds=2) is None
        assert await device.findings() == []


@pytest.mark.thorough("OnboardingTests write and read both codes; test_matter_codes.py reads their pictures")
async def test_the_printed_codes_commission(directory: Path) -> None:
    for name in ("qr", "manual"):
        async with Bench(directory / name) as bench:
            options = ("--discriminator", "2976", "--passcode", "34567890")
            device = await bench.device(*options)
            codes = await device.codes()
            controller = await bench.controller()
            await controller.order("commission_code", code=codes[name])
            await controller.order("lock")


@pytest.mark.thorough("PASEAttackTests have the wrong passcode and its count")
async def test_a_wrong_passcode_is_refused(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device()
        controller = await bench.controller()
        with pytest.raises(Refused):
            await controller.order("commission", passcode=PASSCODE + 1, discriminator=DISCRIMINATOR)
        await device.event("device", containing="wrong passcode, 1 of 20")
        # Another run: this one tries the device again.
        await controller.stop()
        controller = await bench.controller()
        await controller.order("commission", **LABEL)


@pytest.mark.thorough("CommissioningTests read everything of each device; test_matter_lock.py reads a lock")
async def test_everything_can_be_read(directory: Path) -> None:
    for kind in ("lock", "light", "plug", "contact"):
        async with Bench(directory / kind) as bench:
            _, controller = await commissioned(bench, kind=kind)
            read = await controller.order("wildcard")
            assert read["faults"] == []
            assert read["attributes"] > 100
            assert {"Descriptor", "BasicInformation", "OperationalCredentials"} <= set(read["endpoints"]["0"])
            assert "StartUp" in await controller.order("past_events")


# Control


async def test_the_lock_is_operated_timed_only(directory: Path) -> None:
    async with Bench(directory) as bench:
        device, controller = await commissioned(bench)
        await controller.order("lock", command="UnlockDoor")
        assert await controller.order("lock_state") == "kUnlocked"
        with pytest.raises(Refused, match=NEEDS_TIMED):
            await controller.order("lock_untimed")
        assert await controller.order("lock_state") == "kUnlocked"
        await controller.order("lock", command="LockDoor")
        assert await controller.order("lock_state") == "kLocked"
        assert (await controller.order("past_events")).count("LockOperation") == 2
        assert "not-timed" in await device.findings()


async def test_a_light_and_a_contact(directory: Path) -> None:
    async with Bench(directory / "light") as bench:
        device, controller = await commissioned(bench, kind="light")
        assert await controller.order("switch", on=True) is True
        assert (await device.type("power off"))["ok"]
        assert await controller.order("switch", on=False) is False
    async with Bench(directory / "contact") as bench:
        device, controller = await commissioned(bench, kind="contact")
        before = await controller.order("contact")
        await device.type(f"contact {'open' if before else 'closed'}")
        assert await controller.order("contact") is not before


@pytest.mark.thorough("ReadTests, WriteTests, InvokeTests and FabricTests have the refusals")
async def test_requests_are_refused_as_the_specification_says(directory: Path) -> None:
    async with Bench(directory) as bench:
        _, controller = await commissioned(bench)
        for order, status in (
            ("unknown_endpoint", "UnsupportedEndpoint"),
            ("unknown_cluster", "UnsupportedCluster"),
            ("csr_without_fail_safe", "FailsafeRequired"),
            ("revoke", "clusterStatus|Failure"),
        ):
            with pytest.raises(Refused, match=status):
                await controller.order(order)
        assert await controller.order("write_vendor_name") == UNSUPPORTED_WRITE
        assert await controller.order("label", text="door") == "door"
        entries = await controller.order("acl")
        assert [entry["subjects"] for entry in entries] == [[112233], [99]]


@pytest.mark.thorough("FailSafeTests let it run out at each step")
async def test_a_fail_safe_runs_out(directory: Path) -> None:
    async with Bench(directory) as bench:
        device, controller = await commissioned(bench)
        await controller.order("arm", seconds=2, breadcrumb=7)
        assert await controller.order("breadcrumb") == 7
        await device.event("device", containing="all is undone")
        assert await controller.order("breadcrumb") == 0
        await controller.order("lock")


# Subscriptions and restarts


@pytest.mark.thorough("MatterInteractionTests keep subscriptions")
@pytest.mark.seconds(480)
async def test_a_subscription_lives_over_three_intervals_and_a_restart(directory: Path) -> None:
    async with Bench(directory) as bench:
        _, controller = await commissioned(bench)
        _, ceiling = await controller.order("subscribe", ceiling=4)
        await asyncio.sleep(3 * ceiling + 1)
        assert (await controller.order("reports"))["ends"] == []
        await controller.order("lock", command="UnlockDoor")
        # The event and the attribute reach the controller one after the other.
        await reported(controller, "events", 1)
        reports = await reported(controller, "updates", 1)
        assert reports["events"] == ["LockOperation"] and reports["updates"][-1][1] == "kUnlocked"
        device = await bench.device()
        # The controller finds out by the missing report, or by its next order.
        await controller.order("expire_sessions")
        assert await controller.order("lock_state") == "kUnlocked"
        await controller.order("subscribe", ceiling=4)
        await device.type("lock")
        await reported(controller, "updates", 1)
        assert await controller.order("lock_state") == "kLocked"


@pytest.mark.thorough("CASETests resume the recorded session and their own")
async def test_a_session_is_resumed(directory: Path) -> None:
    async with Bench(directory) as bench:
        _, controller = await commissioned(bench)
        for _ in range(2):
            await controller.order("expire_sessions")
            await controller.order("lock")


@pytest.mark.thorough("test_matter_lock.py kills the process, which comes back with its fabrics")
async def test_the_fabric_outlives_device_and_controller(directory: Path) -> None:
    async with Bench(directory) as bench:
        _, controller = await commissioned(bench)
        await controller.order("label", text="door")
        device = await bench.device()
        await controller.stop()
        controller = await bench.controller()
        assert (await controller.order("basic"))["NodeLabel"] == "door"
        await controller.order("lock", command="UnlockDoor")
        await device.event("requested", containing='"UnlockDoor".*"ok"')


COMMISSIONING_STEPS = [
    "ArmFailSafe",
    "SetRegulatoryConfig",
    "CertificateChainRequest",
    "AttestationRequest",
    "CSRRequest",
    "AddTrustedRootCertificate",
    "AddNOC",
    "CommissioningComplete",
]


@pytest.mark.thorough("FailSafeTests restart a node with what it has kept")
@pytest.mark.parametrize("step", COMMISSIONING_STEPS)
async def test_a_power_cut_leaves_nothing_half_done(directory: Path, step: str) -> None:
    """As delivered before CommissioningComplete, on the fabric after it; never between."""
    async with Bench(directory) as bench:
        device = await bench.device()
        controller = await bench.controller()
        commissioning = asyncio.create_task(controller.order("commission", **LABEL))
        await device.event("requested", containing=f'"{step}"')
        os.kill(device.child.pid, signal.SIGKILL)
        commissioning.cancel()
        await controller.stop()
        device = await bench.device()
        is_commissionable = any("commissionable:" in entry["text"] for entry in device.steps("device"))
        controller = await bench.controller()
        if step == COMMISSIONING_STEPS[-1]:
            assert not is_commissionable
        else:
            assert is_commissionable
            await controller.order("commission", **LABEL)
        await controller.order("lock")


# Several administrators


async def test_a_second_administrator_by_an_enhanced_window(directory: Path) -> None:
    async with Bench(directory) as bench:
        _, controller = await commissioned(bench)
        codes = await controller.order("share", discriminator=2222)
        assert codes["qr"].startswith("MT:")
        assert await controller.order("fabrics", second=True) == {"count": 2, "listed": 2, "own": 2}
        await controller.order("remove", second=True)
        assert (await controller.order("fabrics"))["count"] == 1


async def test_a_second_administrator_by_a_basic_window(directory: Path) -> None:
    async with Bench(directory) as bench:
        device, controller = await commissioned(bench)
        await controller.order("share_basic", code=(await device.codes())["manual"])
        assert (await controller.order("fabrics", second=True))["count"] == 2
        assert await controller.order("window") == "kWindowNotOpen"
        await controller.order("open_basic_window")
        assert await controller.order("window") == "kBasicWindowOpen"
        with pytest.raises(Refused):
            await controller.order("open_basic_window")
        await controller.order("revoke")


@pytest.mark.thorough("WindowTests and FabricTests remove the last fabric")
async def test_after_removal_it_is_commissioned_again(directory: Path) -> None:
    async with Bench(directory) as bench:
        device, controller = await commissioned(bench)
        mark = device.mark
        await controller.order("remove")
        await device.event("device", mark, containing="commissionable: the label")
        await controller.stop()
        controller = await bench.controller()
        await controller.order("commission", **LABEL)
        await controller.order("lock")


# Several devices


@pytest.mark.thorough(
    "MDNSResponderTests share a network with others; test_a_light_and_a_contact and the lock's tests have each device"
)
async def test_two_devices_beside_each_other(directory: Path) -> None:
    """Found, commissioned and controlled by one controller, each with its own state."""
    async with Bench(directory) as bench:
        light_label = {"passcode": 34567890, "discriminator": 2976}
        options = (
            "--port",
            "5541",
            *(word for name, value in light_label.items() for word in (f"--{name}", str(value))),
        )
        lock = await bench.device()
        light = await bench.another("light", *options, kind="light")
        controller = await bench.controller()
        for label, port in ((LABEL, 5540), (light_label, 5541)):
            found = await controller.order("discover", discriminator=label["discriminator"])
            assert re.search(rf"port={port}\b", found), found
        for number, label in enumerate((LABEL, light_label)):
            await controller.order("choose", device=number)
            await controller.order("commission", **label)
        # Each its own state, and its own sessions.
        for number, name in enumerate(("Matter lock", "Matter light")):
            await controller.order("choose", device=number)
            assert (await controller.order("basic"))["ProductName"] == name
            assert (await controller.order("wildcard"))["faults"] == []
        await controller.order("choose", device=0)
        await controller.order("lock", command="UnlockDoor")
        await controller.order("choose", device=1)
        assert await controller.order("switch", on=True) is True
        with pytest.raises(Refused, match="UnsupportedCluster"):
            await controller.order("lock")
        # A device that starts again, or leaves, does not touch the other.
        await light.type("power off")
        lock = await bench.device()
        assert await controller.order("switch", on=True) is True
        await controller.order("remove")
        await light.event("device", containing="fabric 1 removed")
        await controller.order("choose", device=0)
        await controller.order("expire_sessions")
        assert await controller.order("lock_state") == "kUnlocked"
        assert (await controller.order("fabrics"))["count"] == 1
        assert await lock.findings() == [] and await light.findings() == []


# Attestation


def attestation_sets() -> dict[str, int | None]:
    """Each set with the result of the CHIP project's verifier, release 2025.7; None if it ends before it verifies."""
    invalid = {
        101: ["paa-unknown"],
        None: ["pai-missing"],
        300: ["dac-expired", "dac-early"],
        301: ["pai-other", "pai-expired", "dac-signature"],
        305: ["pai-vendor", "dac-vendor"],
        500: ["dac-key"],
        501: ["cd-format"],
        502: ["elements-nonce"],
        600: ["cd-cut"],
        601: ["cd-signer"],
        602: ["cd-signature"],
        604: ["cd-vendor"],
        605: ["cd-product", "dac-product", "cd-origin", "basic-product"],
        606: ["cd-unlisted-paa"],
    }
    valid = ["good", "good-in-name", "good-pai-product", "good-origin", "good-listed-paa"]
    return dict.fromkeys(valid, 0) | {name: result for result, names in invalid.items() for name in names}


@pytest.mark.thorough("MatterCredentialsTests verify the chains")
@pytest.mark.parametrize(("name", "result"), attestation_sets().items())
async def test_attestation(directory: Path, name: str, result: int | None) -> None:
    async with Bench(directory) as bench:
        await bench.device("--attestation", name)
        controller = await bench.controller()
        if result == 0:
            await controller.order("commission", **LABEL)
        else:
            with pytest.raises(Refused):
                await controller.order("commission", **LABEL)
        assert controller.attestation == result


# Bluetooth


async def test_over_ble_into_wifi(directory: Path) -> None:
    async with Bench(directory, ble=True) as bench:
        device = await bench.device("--network", "wifi")
        controller = await bench.controller()
        await controller.order("commission_wifi", **LABEL, **HOME)
        await controller.order("lock", command="UnlockDoor")
        assert [step["step"] for step in device.steps("requested")].count("ConnectNetwork") == 1
        device = await bench.device("--network", "wifi")
        await controller.order("expire_sessions")
        assert await controller.order("lock_state") == "kUnlocked"


@pytest.mark.thorough("BTPTests send segments of the smallest MTU")
async def test_over_ble_with_the_smallest_mtu(directory: Path) -> None:
    async with Bench(directory, ble=True, mtu=23) as bench:
        await bench.device("--network", "wifi")
        controller = await bench.controller()
        await controller.order("commission_wifi", **LABEL, **HOME)
        await controller.order("lock")


@pytest.mark.thorough("NetworkTests have each failure and its status")
@pytest.mark.parametrize(
    ("network", "status"),
    [(HOME | {"passphrase": "close sesame"}, 7), (HOME | {"ssid": "Nowhere"}, 5)],
    ids=["passphrase", "missing"],
)
async def test_over_ble_into_no_wifi(directory: Path, network: dict[str, str], status: int) -> None:
    async with Bench(directory, ble=True) as bench:
        device = await bench.device("--network", "wifi")
        controller = await bench.controller()
        with pytest.raises(Refused):
            await controller.order("commission_wifi", **LABEL, **network)
        await device.event("device", containing=f"network not joined: {network['ssid']}, status {status}")


@pytest.mark.thorough("NetworkTests store a Thread network; test_over_ble_into_wifi has the way over BLE")
async def test_over_ble_into_thread(directory: Path) -> None:
    async with Bench(directory, ble=True) as bench:
        device = await bench.device("--network", "thread")
        controller = await bench.controller()
        await controller.order("commission_thread", **LABEL)
        await controller.order("lock")
        await device.event("device", containing="network stored: 1111111122222222")


# Faults for the developers of apps


@pytest.mark.thorough(
    "FaultTests are silent at a command; test_a_spoilt_certificate_request_is_refused has a typed fault"
)
async def test_a_silent_device_is_waited_for_in_vain(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device()
        await device.type("fault ignore CSRRequest")
        controller = await bench.controller()
        with pytest.raises(Refused):
            await controller.order("commission", **LABEL)
        assert controller.attestation == 0
        await device.event("device", containing="fault: ")


async def test_a_spoilt_certificate_request_is_refused(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device()
        await device.type("fault bad-csr-signature")
        controller = await bench.controller()
        with pytest.raises(Refused):
            await controller.order("commission", **LABEL)
        await device.type("clear")
        await controller.order("commission", **LABEL)


async def test_an_app_that_waits_too_long_is_told_of(directory: Path) -> None:
    async with Bench(directory) as bench:
        device = await bench.device("--fail-safe", "2")
        controller = await bench.controller()
        await controller.order("pase", code=(await device.codes())["manual"])
        await device.event("device", containing="all is undone")
        assert "waited-too-long" in await device.findings()
