"""readerd brought into a Wi-Fi network by a phone: simulated radios of the kernel, hostapd, wpa_supplicant, BlueZ."""

from __future__ import annotations

import sys

from bench import Bench, case, program
from bluetooth.case import phone_packages
from machine import ROOT

HERE = ROOT / "Tests/Kernel/wifi"


@case("wifi-provisioning", seconds=600)
def wifi_provisioning(bench: Bench) -> None:
    """A phone names networks over Bluetooth: the right passphrase joins an access point, a wrong one rolls back."""
    machine = bench.machine()
    values = {"READERD": str(program("readerd")), "PYTHON": sys.executable, "PHONE_PACKAGES": phone_packages()}
    result = machine.run((HERE / "provisioning.sh").read_text(), 600, values)
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")
