# SPDX-License-Identifier: Apache-2.0
"""The virtual board (board/virt), as board/virt/run starts it."""

from __future__ import annotations

from bench import Bench, case
from board import start
from machine import TIMEOUT_FACTOR

READY_SECONDS = 60.0
"""From its start to a reader that serves, once downloads exist. It takes a fifth of that on a machine with nothing
else to do."""


@case("virtual-board", seconds=200)
def virtual_board(bench: Bench) -> None:
    """board/virt/run: a reader on a real kernel in under a minute, its lines, and the way out."""
    commands = "readerd status; lines | grep LOCK; press REX; sleep 0.3; lines | grep LOCK"
    machine = start(bench.directory / "machine", commands, console=False)
    bench.machines.append(machine)
    machine.wait_for("the reader is up", READY_SECONDS)
    bench.check(
        "the reader is up", True, f"after {machine.seconds:.1f} s, of at most {READY_SECONDS * TIMEOUT_FACTOR:.0f}"
    )
    result = machine.wait(100)
    bench.check("the commands end in order", result.code == 0, machine.tail() if result.code else "")
    bench.check("it serves on its adapter", "hci-socket:0, ready, advertising" in result.output, machine.tail())
    locks = [line.split()[1] for line in result.output.splitlines() if line.startswith("LOCK")]
    bench.check("the exit button releases the lock", locks == ["0", "1"], locks)
