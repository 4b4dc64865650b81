# SPDX-License-Identifier: Apache-2.0
"""The contents of a disk at a power cut: QEMU's log of its writes and flushes, replayed up to that point.

A disk may keep writes in its own cache until a flush, and lose any of them, in any order, sector by
sector. The log (QEMU's `blklogwrites`, in the format of Linux's dm-log-writes) has every write and every flush, so each
of those ends can be made.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SECTOR = 512
SUPERBLOCK = struct.Struct("<QQQL")
"""Magic, version, number of entries (brought up to date only now and then), size of a sector."""
MAGIC = 0x6A736677736872
ENTRY = struct.Struct("<QQQQ")
"""First sector, number of sectors, flags, octets of data."""
FLUSH, FORCED, DISCARD = 1, 2, 4
"""Flags: all that was written before is safe; so is this entry itself; zeros instead of data."""


@dataclass(frozen=True)
class Entry:
    """One write, or one flush (which may write as well)."""

    sector: int
    flags: int
    data: bytes


def entries(log: Path) -> Iterator[Entry]:
    """All entries of the log. Its end is where it was cut: an incomplete entry is ignored.

    Raises ValueError for a missing entry before others: the log does not show the disk's contents.
    """
    octets = log.read_bytes()
    if len(octets) < SECTOR:
        return
    magic, version, _, size = SUPERBLOCK.unpack_from(octets)
    if (magic, version, size) != (MAGIC, 1, SECTOR):
        raise ValueError(f"{log} is no log of writes: {magic:#x}, version {version}, sectors of {size}")
    place = SECTOR
    while place + SECTOR <= len(octets):
        sector, count, flags, _ = ENTRY.unpack_from(octets, place)
        if not count and not flags:
            if any(octets[place:]):
                raise ValueError(f"{log} lacks the entry at {place}, and has later ones")
            return
        place += SECTOR
        length = 0 if flags & DISCARD else count * SECTOR
        if place + length > len(octets):
            return
        data = bytes(count * SECTOR) if flags & DISCARD else octets[place : place + length]
        place += length
        yield Entry(sector, flags, data)


@dataclass(frozen=True)
class Cut:
    """The outcome of the log's writes."""

    written: int
    flushes: int
    unsafe: int
    lost: int


def play(image: Path, log: Path, chance: random.Random, up_to_flush: int | None = None) -> Cut:
    """Plays the log into `image` as a power cut leaves it.

    All writes up to the last flush exist. Of what was written after it each write exists, or is lost, or exists in
    part, with a likelihood that is itself drawn. With `up_to_flush`, the disk has lied: that flush counts as the last,
    and all later writes are lost.
    """
    all_entries = list(entries(log))
    flushes = [number for number, entry in enumerate(all_entries) if entry.flags & FLUSH]
    safe = flushes[-1] if flushes else -1
    if up_to_flush is not None:
        safe = flushes[up_to_flush]
        all_entries = all_entries[: safe + 1]
    keep = chance.choice((0.0, 0.5, 0.9, 1.0))
    lost = 0
    with image.open("r+b") as disk:
        for number, entry in enumerate(all_entries):
            count = len(entry.data) // SECTOR
            if number > safe and not entry.flags & FORCED and chance.random() >= keep:
                count = chance.choice((0, chance.randrange(count + 1)))
                lost += 1
            disk.seek(entry.sector * SECTOR)
            disk.write(entry.data[: count * SECTOR])
    return Cut(len(all_entries), len(flushes), len(all_entries) - safe - 1, lost)
