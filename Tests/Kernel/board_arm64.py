# SPDX-License-Identifier: Apache-2.0
"""The virtual board for arm64: see board/virt/run --arch arm64."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Interop")]
# The emulator takes its time. Read when the machine is imported.
os.environ.setdefault("READERD_KERNEL_TIMEOUT_FACTOR", "4")

from bench import Bench  # noqa: E402
from machine import ROOT, Failure  # noqa: E402
from package.case import package  # noqa: E402
from package.flavours import gateway_on  # noqa: E402
from package.system import of_arm64  # noqa: E402

SECONDS = 900.0
"""Until a command has ended, times the factor. The start alone takes minutes on a machine that is busy."""
DOOR, GATEWAY = "door", "gateway"
"""Without a command: a phone opens. The gateway is a separate board, by the commands of its page."""


def name_package() -> None:
    """Makes the tests use the package for arm64. Raises Failure if it does not exist."""
    if "READERD_PACKAGE" not in os.environ:
        found = sorted((ROOT / ".build-arm64/package").glob("readerd_*_arm64.deb"))
        if len(found) != 1:
            raise Failure("there is no package of the reader for arm64: script/package --arch arm64 builds it")
        os.environ["READERD_PACKAGE"] = str(found[0])


def own_memory_kilobytes() -> int:
    """The budget of the reader's own resident memory."""
    budgets = tomllib.loads((ROOT / "Tests/Benchmarks/thresholds.toml").read_text())
    return int(budgets["arm64"]["at-most"]["arm64-own-memory-mb"] * 1_000_000 / 1024)


def run_command(bench: Bench, command: str) -> int:
    """A command on the board with a reader of a door; its exit status."""
    system = of_arm64()
    machine = bench.machine(memory=1024, system=system.root, arm64=True)
    values = {**system.values, "PACKAGES": f"/host{package()}", "COMMAND": command}
    values["OWN_MEMORY_KB"] = str(own_memory_kilobytes())
    result = machine.run((ROOT / "board/virt/guest-arm64.sh").read_text(), SECONDS, values)
    bench.report(machine)
    return result.code


def run(bench: Bench, command: str) -> int:
    """0 if all holds that was looked at, and the command succeeded."""
    code = 0
    try:
        name_package()
        if command == GATEWAY:
            gateway_on(bench, of_arm64())
        else:
            code = run_command(bench, command)
    except Failure as failure:
        print(f"board/virt/run: {failure}", file=sys.stderr)
        code = 1
    for machine in bench.machines:
        machine.kill()
        print(machine.output, end="")
    failed = [check for check in bench.checks if not check.holds]
    for check in failed:
        print(f"board/virt/run: FAILED {check.text}: {check.detail}", file=sys.stderr)
    return 1 if failed else code


def main() -> int:
    """The exit status."""
    # One argument is a line of shell, several are the words of a command.
    command = sys.argv[1] if len(sys.argv) == 2 else shlex.join(sys.argv[1:])
    name = "arm64-gateway" if command == GATEWAY else "arm64-board"
    logs = ROOT / ".build/kernel-tests" / name
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    try:
        return run(Bench(name, logs, 0), command or DOOR)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
