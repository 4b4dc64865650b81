# SPDX-License-Identifier: Apache-2.0
"""readerd brought into a Wi-Fi network by a phone: simulated radios of the kernel, hostapd, wpa_supplicant, BlueZ."""

from __future__ import annotations

import sys

from bench import Bench, case, program
from bluetooth.case import phone_packages
from machine import ROOT, Failure, kernel_directory

HERE = ROOT / "Tests/Kernel/wifi"


@case("wifi-provisioning", seconds=600)
def wifi_provisioning(bench: Bench) -> None:
    """A phone names networks over Bluetooth: the right passphrase joins an access point, a wrong one rolls back."""
    machine = bench.machine()
    values = {"READERD": str(program("readerd")), "PYTHON": sys.executable, "PHONE_PACKAGES": phone_packages()}
    result = machine.run((HERE / "provisioning.sh").read_text(), 600, values)
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
