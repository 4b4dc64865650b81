# SPDX-License-Identifier: Apache-2.0
"""The disk of a kernel test after a power cut: QEMU's log of its writes, played up to there."""

import random
import sys
from pathlib import Path

import pytest

from rig.reader import ROOT

sys.path.append(str(ROOT / "Tests/Kernel"))
from power_cut.write_log import ENTRY, FLUSH, MAGIC, SECTOR, SUPERBLOCK, Cut, play

SECTORS = 8


def entry(sector: int, octets: bytes, flags: int = 0) -> bytes:
    """An entry of the log."""
    return ENTRY.pack(sector, len(octets) // SECTOR, flags, 0).ljust(SECTOR, b"\0") + octets


def sector(octet: int, count: int = 1) -> bytes:
    return bytes([octet]) * SECTOR * count


def played(directory: Path, *entries: bytes, up_to_flush: int | None = None) -> tuple[Cut, list[int]]:
    """The outcome of these entries, and the first octet of each sector of the disk."""
    image, log = directory / "disk", directory / "writes"
    image.write_bytes(bytes(SECTORS * SECTOR))
    log.write_bytes(SUPERBLOCK.pack(MAGIC, 1, 0, SECTOR).ljust(SECTOR, b"\0") + b"".join(entries))
    cut = play(image, log, random.Random(1), up_to_flush)
    octets = image.read_bytes()
    return cut, [octets[place] for place in range(0, len(octets), SECTOR)]


def test_what_was_flushed_is_there(tmp_path):
    cut, disk = played(tmp_path, entry(1, sector(7, 2)), entry(2, sector(8)), entry(0, b"", FLUSH))
    assert (cut.written, cut.flushes, cut.unsafe, cut.lost) == (3, 1, 0, 0)
    assert disk == [0, 7, 8, 0, 0, 0, 0, 0]


def test_a_disk_that_lies_has_nothing_after_the_flush(tmp_path):
    entries = entry(1, sector(7)), entry(0, b"", FLUSH), entry(1, sector(8)), entry(0, b"", FLUSH)
    cut, disk = played(tmp_path, *entries, up_to_flush=0)
    assert (cut.written, cut.flushes, cut.unsafe) == (2, 2, 0)
    assert disk[1] == 7


@pytest.mark.parametrize("cut_off", [1, SECTOR, SECTOR + 1, 2 * SECTOR - 1])
def test_an_incomplete_entry_is_the_end(tmp_path, cut_off):
    _, disk = played(tmp_path, entry(1, sector(7)), entry(0, b"", FLUSH), entry(2, sector(8))[:cut_off])
    assert disk == [0, 7, 0, 0, 0, 0, 0, 0]


def test_room_without_entries_is_the_end(tmp_path):
    cut, disk = played(tmp_path, entry(1, sector(7)), entry(0, b"", FLUSH), sector(0, 3))
    assert cut.written == 2 and disk[1] == 7


def test_a_missing_entry_before_others_is_an_error(tmp_path):
    """QEMU reserves an entry before it writes it, and was killed between the two: `ONE_WRITE` of the machines."""
    with pytest.raises(ValueError, match="lacks the entry at 1536, and has later ones"):
        played(tmp_path, entry(1, sector(7)), sector(0, 3), entry(2, sector(8)), entry(0, b"", FLUSH))


def test_a_file_of_something_else_is_an_error(tmp_path):
    (tmp_path / "disk").write_bytes(b"")
    (tmp_path / "writes").write_bytes(sector(1))
    with pytest.raises(ValueError, match="is no log of writes"):
        play(tmp_path / "disk", tmp_path / "writes", random.Random(1))
