# SPDX-License-Identifier: Apache-2.0
"""The state of the slots on the board's disk: GRUB's environment, and whether a good slot is a whole release."""

from __future__ import annotations

from pathlib import Path

from updates.disk import ENVIRONMENT_OCTETS, SLOTS, Layout

HEADER = b"# GRUB Environment Block\n"


def slots(image: Path, layout: Layout) -> dict[str, str]:
    """The variables of the boot loader; empty if it has no environment."""
    start, length = layout.partitions[0]
    with image.open("rb") as disk:
        disk.seek(start)
        octets = disk.read(length)
    place = octets.find(HEADER)
    if place < 0:
        return {}
    lines = octets[place : place + ENVIRONMENT_OCTETS].decode().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def faults(image: Path, layout: Layout, releases: dict[str, bytes]) -> list[str]:
    """The faults of the disk: no environment, no slot to start, or one to be started that is no whole release."""
    state = slots(image, layout)
    if not state:
        return ["the boot loader has no environment"]
    good = [slot for slot in SLOTS if state.get(f"{slot}_OK") == "1"]
    found = [] if good else [f"no slot is good: {state}"]
    with image.open("rb") as disk:
        for slot in good:
            disk.seek(layout.place_of(slot))
            octets = disk.read(layout.slot)
            if not any(octets.startswith(release) for release in releases.values()):
                found.append(f"slot {slot} is good, and no whole release: {state}")
    return found
