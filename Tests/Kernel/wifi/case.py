# SPDX-License-Identifier: Apache-2.0
"""readerd brought into a Wi-Fi network by a phone: simulated radios of the kernel, hostapd, wpa_supplicant, BlueZ."""

from __future__ import annotations

import json
import sys

from bench import Bench, case, program
from bluetooth.case import phone_packages
from machine import ROOT, Failure, kernel_directory
from rig.page_blocks import beginning

HERE = ROOT / "Tests/Kernel/wifi"


@case("wifi-provisioning", seconds=600)
def wifi_provisioning(bench: Bench) -> None:
    """A phone names networks over Bluetooth: the right passphrase joins an access point, a wrong one rolls back."""
    machine = bench.machine()
    values = {"READERD": str(program("readerd")), "PYTHON": sys.executable, "PHONE_PACKAGES": phone_packages()}
    result = machine.run((HERE / "provisioning.sh").read_text(), 600, values)
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")


@case("access-point", seconds=600)
def access_point(bench: Bench) -> None:
    """The pages' steps for an access point with DHCP, unchanged: a phone joins, and reaches the emulated device."""
    machine = bench.machine()
    # The commands that start and end the access point.
    camera, camera_end = map(str.splitlines, beginning("bandit.md", "hostapd ", "kill $(cat "))
    chip, chip_end = map(str.splitlines, beginning("nordic-softap.md", "hostapd ", "kill $(cat "))
    bench.require("the camera's steps end with its start", camera[-1] == "readerlab emulate bandit", camera)
    values = {
        **{"READERLAB": str(program("readerlab")), "PYTHON": sys.executable},
        **{"CAMERA_STEPS": "\n".join(camera[:-1]), "CAMERA_END": "\n".join(camera_end)},
        **{"CHIP_STEPS": "\n".join(chip), "CHIP_END": "\n".join(chip_end)},
        "NETWORKS": json.dumps({"networks": [{"ssid": "Home", "security": "wpa2-psk", "passphrase": "open sesame"}]}),
    }
    result = machine.run((HERE / "access_point.sh").read_text(), 600, values)
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")


@case("wifi-button", seconds=300)
def wifi_button(bench: Bench) -> None:
    """A button on a gpiochip opens the provisioning window: pressed, not touched, and after its chip was away."""
    if not (kernel_directory() / "extra/gpio-sim.ko").exists():
        raise Failure("there is no gpio-sim for this kernel: script/bootstrap --kernel builds it")
    machine = bench.machine()
    result = machine.run((HERE / "button.sh").read_text(), 300, {"READERD": str(program("readerd"))})
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")
