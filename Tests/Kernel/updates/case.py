# SPDX-License-Identifier: Apache-2.0
"""Updates by RAUC from one slot to the other: good, bad, damaged and foreign bundles, and power cuts in the middle."""

from __future__ import annotations

import os
import random
import shutil
import time

from bench import Bench, case
from machine import ROOT, TIMEOUT_FACTOR, Disk, Failure, Machine
from power_cut.write_log import play
from updates.backend import check_backend
from updates.disk import SLOTS
from updates.factory import BAD, BROKEN, DAMAGED, FOREIGN, NEXT, OLDER, RELEASE, UNSIGNED, Factory
from updates.slots import faults, slots

CUTS = int(os.environ.get("READERD_UPDATE_CUTS", 20))
"""A separate number: each takes a start of the board and an installation, minutes where `power-cut` takes seconds."""
INSTALL_SECONDS = 150.0
SETTLED_SECONDS = 400.0
"""From the power to a reader that is confirmed: 35 s on a free core; a few times that for a slot that is left again."""
ALL_SECONDS = 1200.0
"""All bundles that are not cut: nine starts and three installations."""
OUTSIDE = 4 << 20
"""Octets that a start and an installation write next to the slot, at most. The log of writes grows by both."""
WAY_DOWN = 0.9
"""The part of a start's time in which a board goes down and its boot loader and kernel start the new slot."""
CONFIRMATION = 0.4
"""The part of a start's time between the system and the confirmed reader."""


class Board:
    """The board: its disk, through all starts and cuts."""

    def __init__(self, bench: Bench, factory: Factory) -> None:
        self.bench, self.factory = bench, factory
        self.image = factory.disk
        self.before, self.writes = bench.directory / "disk.before", bench.directory / "writes"
        self.starts = 0
        self.start_seconds = 0.0
        """The time of the last start until it had settled."""

    def start(self, *bundles: str, opens: str = "") -> Machine:
        """Switched on, until it has settled; continues to install the bundles, and opens the door during one."""
        self.starts += 1
        shutil.copy(self.image, self.before)
        self.writes.write_bytes(b"")
        disks = [Disk(self.image, self.writes), Disk(self.factory.stick)]
        machine = self.bench.machine(f"start-{self.starts}", disks=disks, boots_itself=True)
        machine.directory.mkdir()
        shutil.copy(ROOT / "Tests/Kernel/guest/common.sh", machine.directory)
        script = (ROOT / "Tests/Kernel/updates/board.sh").read_text()
        machine.start(script, {"BUNDLES": " ".join(bundles), "OPENS": opens})
        machine.wait_for("settled", SETTLED_SECONDS)
        self.start_seconds = machine.seconds
        return machine

    def cut(self, machine: Machine) -> str:
        """Cuts the power; what that did to the writes of the disk. Raises Failure for its other contents."""
        machine.kill()
        shutil.copy(self.before, self.image)
        lost = play(self.image, self.writes, self.bench.chance_of(f" {self.starts}"))
        if found := faults(self.image, self.factory.layout, self.factory.releases):
            raise Failure(f"start {self.starts}: {'; '.join(found)}")
        if failed := [line for line in machine.output.splitlines() if line.startswith("check: FAILED")]:
            raise Failure(f"start {self.starts}: {failed}")
        if others := {number for number in numbers(machine, "revoked") if number != self.factory.revoked}:
            raise Failure(f"start {self.starts}: {others} revoked in place of {self.factory.revoked}")
        return str(lost)


def numbers(machine: Machine, word: str) -> list[int]:
    """The numbers of the lines that begin with `word`."""
    return [int(line.split()[1]) for line in machine.output.splitlines() if line.startswith(word + " ")]


def line_after(machine: Machine, marks: list[str]) -> str:
    """The line that begins with the last mark, after one with the mark before it, and so on; "" if there is none."""
    lines, found = iter(machine.output.splitlines()), ""
    for mark in marks:
        found = next((line for line in lines if line.startswith(mark)), "")
    return found


@case("updates", seconds=ALL_SECONDS + CUTS * 120, is_slow=True)
def updates(bench: Bench) -> None:
    """RAUC with two slots: good, bad and foreign bundles, and power cuts in the middle; door and policy outlive all."""
    check_backend(bench)
    factory = Factory(bench.directory)
    board = Board(bench, factory)
    bundles(bench, board)
    power_cuts(bench, board)


def bundles(bench: Bench, board: Board) -> None:
    """Those that are installed, refused and rolled back, one after the other on one board."""
    machine = board.start(NEXT, UNSIGNED, FOREIGN, DAMAGED, OLDER, BAD, BROKEN, opens=NEXT)
    bench.require("it leaves the factory in slot A", f"settled A {RELEASE}\n" in machine.output, machine.tail())
    machine.wait_for("at the end", ALL_SECONDS)
    bench.report(machine)
    good, back = f"installed {NEXT}", f"settled B {NEXT}"
    bench.check("a good bundle is installed, started and confirmed", line_after(machine, [good, back]))
    for bundle in UNSIGNED, FOREIGN, DAMAGED, OLDER:
        refused = line_after(machine, [f"refused {bundle}"])
        why = machine.file(f"rauc-{bundle}").strip().splitlines()[-1:]
        bench.check(f"one that is {bundle} is refused", refused, why)
        bench.check("the running slot stays the first one, and good", "B_OK=1" in refused and "ORDER=B A" in refused)
    for bundle, comes_up in (BAD, True), (BROKEN, False):
        returns = line_after(machine, [f"installed {bundle}", back])
        bench.check(f"one that is {bundle} is installed, and rolled back", returns, machine.tail())
        bench.check(
            f"one that is {bundle} {'comes' if comes_up else 'does not come'} up",
            comes_up == (f"started A {bundle}" in machine.output),
        )
    loader = line_after(machine, [f"installed {BAD}", "loader"])
    # By the confirmation: the boot loader marks none.
    bench.check("the slot whose self-test has failed is marked bad", "A_OK=0" in loader, loader)
    revoked = numbers(machine, "revoked")
    bench.check("the policy is the same all along", set(revoked) == {board.factory.revoked}, revoked)
    board.cut(machine)


def power_cuts(bench: Bench, board: Board) -> None:
    """The power goes while a bundle is installed, and while its slot starts for the first time."""
    chance = bench.chance
    halves = trials = firsts = 0
    for number in range(CUTS):
        bundle = (RELEASE, NEXT, RELEASE, BAD)[number % 4]
        machine = board.start(bundle)
        if number % 2 == 1:
            wait_for_first_start(board, machine, bundle, chance, in_confirmation=number // 4 % 2 == 1)
            starts = [line for line in machine.output.splitlines() if line.startswith(("started", "settled"))]
            instant = f"after {machine.seconds:.0f} s, {starts}"
            trials += 1
        else:
            octets = int(chance.uniform(0, board.factory.slot_octets + OUTSIDE))
            wait_for_writes(board, machine, octets)
            instant = f"after {octets} octets of the installation"
        lost = board.cut(machine)
        state = slots(board.image, board.factory.layout)
        halves += "0" in (state["A_OK"], state["B_OK"])
        firsts += (state["A_TRY"], state["B_TRY"]) != ("0", "0")
        with (bench.directory / "cuts").open("a") as notes:
            notes.write(f"{number}: {instant}: {lost}; {state}\n")
    board.cut(board.start())
    bench.check(
        f"{CUTS} cuts, and after each a whole slot starts and is confirmed, the door works, the policy is whole",
        True,
        f"{halves} left a slot that is not good, {trials} were after an installation, {firsts} before a confirmation",
    )
    bench.check("some cuts were in the middle of writing a slot", CUTS < 4 or halves > 0, halves)
    bench.check("some were in a start that was not confirmed yet", CUTS < 8 or firsts > 0, firsts)
    changed_octet(bench, board)


def wait_for_first_start(
    board: Board, machine: Machine, bundle: str, chance: random.Random, *, in_confirmation: bool
) -> None:
    """Waits until the board goes down into the new slot, or has started it, and then for a while, by chance."""
    machine.wait_for("installed", INSTALL_SECONDS)
    if in_confirmation:
        running = line_after(machine, ["settled"]).split()[1]
        other = SLOTS[1 - SLOTS.index(running)]
        machine.wait_for(f"started {other} {bundle}", SETTLED_SECONDS)
    time.sleep(chance.uniform(0, (CONFIRMATION if in_confirmation else WAY_DOWN) * board.start_seconds))


def wait_for_writes(board: Board, machine: Machine, octets: int) -> None:
    """Waits until the installation has written so much, or is over."""
    machine.wait_for("installing", INSTALL_SECONDS)
    begins = board.writes.stat().st_size
    deadline = time.monotonic() + INSTALL_SECONDS * TIMEOUT_FACTOR
    while board.writes.stat().st_size - begins < octets and "installed" not in machine.output:
        if time.monotonic() > deadline or not machine.is_running:
            raise Failure(f"the installation has written no {octets} octets:\n{machine.tail()}")
        time.sleep(0.002)


def changed_octet(bench: Bench, board: Board) -> None:
    """That the test can fail: one octet of a good slot is another, and that is found."""
    layout = board.factory.layout
    state = slots(board.image, layout)
    slot = next(slot for slot in SLOTS if state[f"{slot}_OK"] == "1")
    with board.image.open("r+b") as disk:
        disk.seek(layout.place_of(slot) + board.factory.slot_octets // 2)
        octet = disk.read(1)[0]
        disk.seek(-1, os.SEEK_CUR)
        disk.write(bytes([octet ^ 1]))
    found = faults(board.image, layout, board.factory.releases)
    bench.check("a good slot with another octet is found out", bool(found), found)
