# SPDX-License-Identifier: Apache-2.0
"""DESFire cards at `readerd` on a simulated PN532, with a model card that has no code in common with the reader."""

import contextlib
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from contactless import desfire
from contactless.field import Field
from contactless.polled import FOUND_SECONDS, becomes, chip, emptied, recorded
from rig.bench import Bench
from rig.matrix import some_of
from rig.operation import Operator
from rig.page_blocks import commands
from rig.terminals import typed

CARD = "CARD000002"
COMMON = {"application": "F51BC0", "file": 1, "count": len(desfire.LISTED)}
MAC = {"communication": "mac"}
DIVERSIFIED = {"diversification": desfire.SYSTEM.hex()}
NO_KEY = r"fault desfire-key-unreadable: desfire\.key-file: .*"


def key_file(directory: Path, key: bytes = desfire.KEY, name: str = "desfire.key") -> Path:
    """A file with a key, as the reader wants it."""
    path = directory / name
    path.write_text(key.hex() + "\n")
    path.chmod(0o600)
    return path


@contextlib.asynccontextmanager
async def reading(
    field: Field,
    directory: Path,
    kinds: tuple[str, ...] = ("desfire",),
    damage: Callable[[Path], object] = lambda _: None,
    **table,
):
    """A reader that polls for DESFire cards, with a list that the page's commands have made, and a key file."""
    (block,) = commands("desfire.md", "## The list")
    assert CARD in await typed(f"NUMBER={desfire.LISTED.hex()}\n{block}", directory)
    damage(key_file(directory))
    tables = {
        "nfc": {"connection": field.connection, "role": "poll"},
        "credentials": {"card-kinds": list(kinds), "cards": str(directory / "cards.json")},
        "desfire": COMMON | {"key-file": str(directory / "desfire.key")} | table,
        "door": {"pulse-s": 1},
    }
    async with Bench(**tables) as bench:
        await bench.reader.child.line(r"nfc: .* is ready", FOUND_SECONDS)
        await becomes(bench, "rounds", 1)
        yield bench


def with_uid_key(directory: Path) -> dict[str, object]:
    """The keys of the table for cards with a random UID."""
    path = key_file(directory, desfire.UID_KEY, "desfire-uid.key")
    return DIVERSIFIED | {"uid-key-number": 1, "uid-key-file": str(path)}


TABLES = {
    "desfire": {},
    "desfire-mac": MAC,
    "desfire-ev1": {},
    "desfire-ev1-mac": MAC,
    "desfire-diversified": DIVERSIFIED,
    "desfire-short-system": {"diversification": desfire.SYSTEM[:5].hex()},
    "desfire-ev1-diversified": DIVERSIFIED,
}


async def opens(bench: Bench, field: Field, kind: str) -> None:
    """The card opens the door, once."""
    await field.ask("put", kind)
    opening = await bench.reader.unlocked(FOUND_SECONDS)
    assert (await recorded(bench, "granted"))["credential"] == CARD
    await bench.reader.secured_after(opening, FOUND_SECONDS)
    assert (await Operator(bench).status())["door"]["openings"] == 1
    assert await field.faults() == []


@pytest.mark.parametrize("kind", some_of(TABLES, "DESFireTests have each card", keep=2))
async def test_a_listed_card_opens_the_door(directory, kind):
    async with Field() as field, reading(field, directory, **TABLES[kind]) as bench:
        await opens(bench, field, kind)
        for line in bench.reader.child.lines:
            assert desfire.KEY.hex() not in line.text.lower()


@pytest.mark.parametrize("kind", ["desfire-random-uid", "desfire-ev1-random-uid", "desfire-diversified"])
async def test_a_card_with_a_random_uid_opens_by_a_common_key(directory, kind):
    # A card without a random UID has no such key here, and is refused.
    async with Field() as field, reading(field, directory, **with_uid_key(directory)) as bench:
        if kind == "desfire-diversified":
            await field.ask("put", kind)
            await bench.reader.child.line("desfire card refused, status-word", FOUND_SECONDS)
        else:
            await opens(bench, field, kind)


async def test_cards_of_two_kinds_open_one_door(directory):
    async with Field() as field, reading(field, directory, ("pkoc", "desfire")) as bench:
        await opens(bench, field, "desfire")
        seen = json.loads(await field.ask("take", "desfire"))
        assert seen[0].startswith("00a40400")


async def test_a_card_that_is_not_listed_is_recorded_with_the_end_of_its_number(directory):
    async with Field() as field, reading(field, directory) as bench:
        await field.ask("put", "desfire-unlisted")
        event = await recorded(bench, "unlisted")
        assert desfire.UNLISTED.hex().upper() in event["detail"]
        assert (await Operator(bench).status())["door"]["openings"] == 0


REFUSED = {
    "desfire-other-key": "desfire card refused, invalid-proof",
    "desfire-without-key": "desfire card refused, invalid-proof",
    "desfire-swapped": "desfire card refused, invalid-proof",
    "desfire-plain": "desfire card refused, invalid-proof",
    "desfire-diversified": "desfire card refused, invalid-proof",
    "desfire-without-file": "desfire card refused, status-word",
    "desfire-without-application": "card refused, no-known-application",
    "stranger": "card refused, no-known-application",
    "classic": "nfc: card refused: identifier-only",
}


@pytest.mark.thorough("DESFireTests have the cards")
@pytest.mark.parametrize("kind", REFUSED)
async def test_a_card_that_proves_nothing_opens_nothing(directory, kind):
    async with Field() as field, reading(field, directory) as bench:
        await field.ask("put", kind)
        await bench.reader.child.line(REFUSED[kind], FOUND_SECONDS)
        if "invalid-proof" in REFUSED[kind]:
            assert not (await recorded(bench, "unproven")).get("credential")
        assert (await Operator(bench).status())["door"]["openings"] == 0
        # The next card is served.
        await field.ask("take", kind)
        await emptied(bench)
        await opens(bench, field, "desfire")


async def test_a_random_uid_without_its_key_is_refused(directory):
    async with Field() as field, reading(field, directory, **DIVERSIFIED) as bench:
        await field.ask("put", "desfire-random-uid")
        await bench.reader.child.line("desfire card refused, reader-unavailable", FOUND_SECONDS)
        assert (await Operator(bench).status())["door"]["openings"] == 0


BROKEN = {
    "missing": lambda path: path.unlink(),
    "shared": lambda path: path.chmod(0o640),
    "short": lambda path: path.write_text("00" * 15),
    "factory": lambda path: path.write_text("00" * 16),
}


@pytest.mark.parametrize("damage", BROKEN)
async def test_a_key_file_that_cannot_be_read_refuses_cards_until_a_reload(directory, damage):
    async with Field() as field, reading(field, directory, damage=BROKEN[damage]) as bench:
        await bench.reader.child.line(NO_KEY, FOUND_SECONDS)
        await field.ask("put", "desfire")
        await bench.reader.child.line("desfire card refused, reader-unavailable", FOUND_SECONDS)
        assert (await Operator(bench).status())["door"]["openings"] == 0
        await field.ask("take", "desfire")
        key_file(directory)
        os.kill(bench.reader.child.pid, signal.SIGHUP)
        await bench.reader.child.line("fault desfire-key-unreadable: over", FOUND_SECONDS)
        await emptied(bench)
        await opens(bench, field, "desfire")


async def test_a_replaced_key_is_used_after_a_reload(directory):
    async with Field() as field, reading(field, directory) as bench:
        key_file(directory, desfire.OTHER_KEY)
        os.kill(bench.reader.child.pid, signal.SIGHUP)
        await bench.reader.child.line("reload: ", FOUND_SECONDS)
        await field.ask("put", "desfire")
        await bench.reader.child.line("desfire card refused, invalid-proof", FOUND_SECONDS)
        await field.ask("take", "desfire")
        await emptied(bench)
        await opens(bench, field, "desfire-other-key")
        assert (await chip(bench))["cards"] == 2
