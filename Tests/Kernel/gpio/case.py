# SPDX-License-Identifier: Apache-2.0
"""The door's lines on gpiochips of the kernel."""

from __future__ import annotations

import sys

from bench import Bench, case, program
from machine import ROOT, Failure, kernel_directory


def run(bench: Bench, chip: str, seconds: float, test: str = "door.py") -> None:
    """The test on that chip."""
    if not (kernel_directory() / "extra/gpio-sim.ko").exists():
        raise Failure("there is no gpio-sim for this kernel: script/bootstrap --kernel builds it")
    machine = bench.machine()
    script = (ROOT / "Tests/Kernel/gpio/gpio.sh").read_text()
    programs = {name.upper(): str(program(name)) for name in ("readerd", "readerlab")}
    values = programs | {"PYTHON": sys.executable, "CHIP": chip, "TEST": test}
    result = machine.run(script, seconds, values)
    bench.report(machine)
    bench.check("the script runs to its end", result.code == 0, machine.tail() if result.code else "")


@case("gpio-sim", seconds=300)
def gpio_sim(bench: Bench) -> None:
    """Lock, contact and REX on the kernel's simulated chip: times, crashes, a chip that goes and comes back."""
    run(bench, "gpio-sim", 400)


@case("gpio-cp2112", seconds=300)
def gpio_cp2112(bench: Bench) -> None:
    """The same on a USB chip's driver, which has no names, asks for its inputs, and keeps its outputs."""
    run(bench, "cp2112", 400)


@case("gpio-pins", seconds=300)
def gpio_pins(bench: Bench) -> None:
    """The lines of a running reader as pins over HTTP: levels driven, edges and pulses by the kernel's times."""
    run(bench, "gpio-sim", 400, "pins.py")


@case("gpio-wiegand", seconds=300)
def gpio_wiegand(bench: Bench) -> None:
    """Cards for a panel on two lines: bits and times as the kernel records each edge, also next to a busy process."""
    run(bench, "gpio-sim", 400, "wiegand.py")
