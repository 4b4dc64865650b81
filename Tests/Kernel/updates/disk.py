# SPDX-License-Identifier: Apache-2.0
"""The disk of a board with two slots: a boot loader, its environment, the slots, and what belongs to no slot.

GRUB starts it, by the PC's BIOS, as it starts most x86-64 boards. Its first sectors go where grub-install puts them,
which takes disks of the host and no images.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from machine import Failure

SECTOR = 512
MEBIBYTE = 1 << 20
SLOTS = ("A", "B")
GRUB_MODULES = (
    "biosdisk",
    "part_msdos",
    "ext2",
    "squash4",
    "linux",
    "normal",
    "loadenv",
    "test",
    "reboot",
    "serial",
    "terminal",
    "echo",
)
GRUB_MODULES_PLACE = Path("/usr/lib/grub/i386-pc")
ENVIRONMENT = "grubenv"
ENVIRONMENT_OCTETS = 1024
LINUX = 0x83
"""The type of every partition."""
PARTITION_ENTRY = struct.Struct("<B3sB3sII")
"""State, first sector of heads and cylinders, type, last one, first sector, number of sectors."""
PARTITIONS_AT, SIGNATURE_AT = 446, 510


@dataclass(frozen=True)
class Layout:
    """Where everything is, in octets; partitions 1 to 4 are GRUB's, the slots and the data."""

    slot: int
    """The length of a slot."""
    grub: int = 4 * MEBIBYTE
    data: int = 24 * MEBIBYTE

    @property
    def partitions(self) -> list[tuple[int, int]]:
        """Start and length of each."""
        starts, place = [], MEBIBYTE
        for length in (self.grub, self.slot, self.slot, self.data):
            starts.append((place, length))
            place += length
        return starts

    def place_of(self, slot: str) -> int:
        """Where the slot begins."""
        return self.partitions[1 + SLOTS.index(slot)][0]

    @property
    def octets(self) -> int:
        """The length of the disk."""
        start, length = self.partitions[-1]
        return start + length


def run(*command: str | Path) -> None:
    """A program of the host. Raises Failure with its output."""
    try:
        subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise Failure(f"there is no {command[0]}: script/bootstrap --kernel-debian installs it") from None
    except subprocess.CalledProcessError as error:
        raise Failure(f"{' '.join(map(str, command))}: {error.stderr or error.stdout}") from None


def make(image: Path, layout: Layout, configuration: Path, kernel_line: str, slot: Path, data: Path) -> None:
    """The disk as it leaves the factory: `slot` in A, the other one empty, `data` in its partition."""
    work = image.with_suffix(".parts")
    files = work / "grub"
    files.mkdir(parents=True)
    text = configuration.read_text()
    (files / "grub.cfg").write_text(f'kernel_line="{kernel_line}"\n{text}')
    run("grub-editenv", files / ENVIRONMENT, "create")
    run("grub-editenv", files / ENVIRONMENT, "set", "ORDER=A B", "A_OK=1", "A_TRY=0", "B_OK=0", "B_TRY=0")
    run("grub-mkimage", "-O", "i386-pc", "-p", "(hd0,msdos1)", "-o", work / "core.img", *GRUB_MODULES)
    # No journal: GRUB replays none.
    file_system(work / "grub.fs", layout.grub, files, "ext2")
    file_system(work / "data.fs", layout.data, data, "ext4")
    sectors = bytearray((GRUB_MODULES_PLACE / "boot.img").read_bytes()[:SECTOR])
    for number, (start, length) in enumerate(layout.partitions):
        entry = PARTITION_ENTRY.pack(0, bytes(3), LINUX, bytes(3), start // SECTOR, length // SECTOR)
        at = PARTITIONS_AT + number * PARTITION_ENTRY.size
        sectors[at : at + PARTITION_ENTRY.size] = entry
    sectors[SIGNATURE_AT:] = b"\x55\xaa"
    core = (work / "core.img").read_bytes()
    if len(core) > MEBIBYTE - SECTOR:
        raise Failure(f"GRUB has {len(core)} octets: no room before the first partition")
    with image.open("wb") as disk:
        disk.truncate(layout.octets)
        # boot.img takes the rest of GRUB from the next sector on.
        disk.write(sectors + core)
        for (start, _), content in zip(
            layout.partitions, (work / "grub.fs", slot, None, work / "data.fs"), strict=True
        ):
            if content:
                disk.seek(start)
                disk.write(content.read_bytes())
    shutil.rmtree(work)


def file_system(image: Path, octets: int, files: Path, kind: str) -> None:
    """A file system with these files."""
    with image.open("wb") as disk:
        disk.truncate(octets)
    run("/sbin/mkfs." + kind, "-q", "-F", "-b", "4096", "-d", files, image)
