# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate reader` reads DESFire cards: a card that shares no code with it enters its field."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from contactless import desfire
from contactless.desfire import Contents, DESFireCard
from contactless.field_card import FieldCard, field_card
from rig.emulation import binary as readerlab
from rig.reader_emulation import EmulatedReader, emulated_reader

COMMAND_SECONDS = 30.0
"""For `readerlab card`, on a busy machine."""
KEY = desfire.OTHER_KEY
"""The site's. The published Aliro group, which is printed, has the octets of the other one."""
COMMON, DIVERSIFIED, RANDOM = (replace(each, key=KEY) for each in (desfire.COMMON, desfire.DIVERSIFIED, desfire.RANDOM))
FAULTS = {
    **{"no-proof": "919d", "other-key": "9140", "changed-proof": "91ae", "replayed-proof": "91ae"},
    **{"reflected-proof": "91ae", "cut-proof": "917e", "changed-read": "911e", "repeated-read": "911e"},
    **{"other-file": "91f0", "beyond-file": "91be", "wrong-length": "6700", "cut-data": "917e"},
    **{"other-application": "91a0", "unknown-instruction": "919d"},
}
"""The status word of this card after each fault."""


def key_file(directory: Path, key: bytes, name: str = "desfire.key") -> str:
    path = directory / name
    path.write_text(key.hex() + "\n")
    path.chmod(0o600)
    return str(path)


class Bench:
    """An emulated reader, and a card in its field."""

    def __init__(self, reader: EmulatedReader, socket: Path, card: FieldCard) -> None:
        self.reader, self.socket, self._card = reader, socket, card

    async def touch(self, respond: Callable[[bytes], bytes]) -> list[tuple[bytes, bytes]]:
        """The commands and responses of a touch, after which the field is empty."""
        mark = self.reader.mark
        answers: list[bytes] = []

        def answering(command: bytes) -> bytes:
            answers.append(respond(command))
            return answers[-1]

        commands = await self._card.touch(answering)
        await self.reader.event("field-empty", mark)
        return list(zip(commands, answers, strict=True))


@contextlib.asynccontextmanager
async def reading(directory: Path, *options: str) -> AsyncIterator[Bench]:
    """A reader with the site's key that lists a number; no key is in anything that it prints."""
    socket = directory / "cards"
    kinds = () if "--card-kinds" in options else ("--card-kinds", "desfire")
    words = ("--field", f"unix:{socket}", "--desfire-key-file", key_file(directory, KEY), *kinds, *options)
    listed = ("--card", f"desfire={desfire.LISTED.hex()}")
    async with emulated_reader(directory, *words, *listed) as reader, field_card(socket) as card:
        yield Bench(reader, socket, card)
        assert reader.events("field-violation") == []
        printed = "".join(line.text.lower() for line in reader.child.lines)
        assert not any(key.hex() in printed for key in (KEY, desfire.UID_KEY))


OPENING: dict[str, tuple[Contents, tuple[str, ...]]] = {
    "full": (COMMON, ()),
    "mac": (replace(COMMON, mode="mac"), ("--desfire-communication", "mac")),
    "ev1": (replace(COMMON, is_ev1=True), ()),
    "diversified": (DIVERSIFIED, ("--desfire-diversification", desfire.SYSTEM.hex())),
    "other-place": (
        replace(COMMON, application=bytes.fromhex("0a0b0c"), file=5, number=b"\0\0" + desfire.LISTED),
        ("--desfire-application", "0A0B0C", "--desfire-file", "5", "--desfire-offset", "2"),
    ),
    "behind-other-kinds": (COMMON, ("--card-kinds", "phone,pkoc,aliro,desfire")),
}


@pytest.mark.parametrize("kind", OPENING)
async def test_a_listed_card_opens(directory, kind):
    contents, options = OPENING[kind]
    async with reading(directory, *options) as bench:
        await bench.touch(DESFireCard(contents))
        assert bench.reader.openings == 1 and bench.reader.rules == [], bench.reader.events("apdu")
        assert bench.reader.events("decided")[0]["text"].lower().startswith("desfire")


async def test_a_card_with_a_random_uid_opens_by_its_second_key(directory):
    uid_key = key_file(directory, desfire.UID_KEY, "uid.key")
    options = ("--desfire-diversification", desfire.SYSTEM.hex(), "--desfire-uid-key-file", uid_key)
    async with reading(directory, *options) as bench:
        await bench.touch(DESFireCard(RANDOM))
        assert bench.reader.openings == 1 and bench.reader.rules == []


WRONG = {
    "other-key": (replace(COMMON, key=desfire.KEY), {}, "91ae: it has another key than the reader"),
    "believes": (replace(COMMON, key=desfire.KEY), {"believes": True}, "9100: it has not proven its key"),
    "swapped": (COMMON, {"sends": desfire.LISTED}, "9100: its MAC or cryptogram is wrong"),
    "plain": (replace(COMMON, mode="plain"), {}, "9100: its MAC or cryptogram is wrong"),
    "other-file": (replace(COMMON, file=2), {}, "91f0: it has no file of this number"),
    "short": (replace(COMMON, number=desfire.LISTED[:5]), {}, "91be: the file has fewer octets"),
    "other-application": (replace(COMMON, application=b"\1\2\3"), {}, "91a0: it has no application of this number"),
}


@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_card_is_a_finding_with_its_cause(directory, name):
    contents, members, cause = WRONG[name]
    async with reading(directory) as bench:
        await bench.touch(DESFireCard(contents, **members))
        (found,) = bench.reader.events("finding")
        assert (found["rule"], bench.reader.openings) == ("card-response", 0)
        assert cause in found["sentence"] and found["sentence"].endswith("; docs/operate/desfire.md")


async def test_an_unlisted_card_is_shown_and_enrolled(directory):
    async with reading(directory) as bench:
        card = replace(COMMON, number=desfire.UNLISTED)
        await bench.touch(DESFireCard(card))
        assert desfire.UNLISTED.hex() in bench.reader.events("card-unlisted")[0]["text"]
        await bench.reader.obey("unenrol all", f"enrol desfire {desfire.UNLISTED.hex()}")
        await bench.touch(DESFireCard(card))
        assert bench.reader.openings == 1 and bench.reader.rules == []


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_right_card_meets_a_faulty_reader(directory, fault):
    """The card refuses by its word, nothing is found, and the next touch is right."""
    async with reading(directory) as bench:
        await bench.reader.obey(f"fault {fault} card")
        if fault == "replayed-proof":
            await bench.touch(DESFireCard(COMMON))
            assert bench.reader.events("fault") == []
        exchanges = await bench.touch(DESFireCard(COMMON))
        (shown,) = bench.reader.events("fault")
        assert shown["text"].startswith(f"{fault}: ") and exchanges[-1][1].hex() == FAULTS[fault], exchanges
        await bench.touch(DESFireCard(COMMON))
        assert len(bench.reader.events("fault")) == 1 and bench.reader.rules == []
        assert bench.reader.openings >= 1


@pytest.mark.parametrize("fault", ["changed-proof", "replayed-proof", "repeated-read", "other-file"])
async def test_a_card_that_believes_a_faulty_reader_is_found(directory, fault):
    async with reading(directory) as bench:
        card = DESFireCard(COMMON)
        await bench.touch(card)
        await bench.reader.obey(f"fault {fault} card")

        def credulous(command: bytes) -> bytes:
            response = card(command)
            return bytes.fromhex("9100") if response.hex() in FAULTS.values() else response

        await bench.touch(credulous)
        assert bench.reader.rules == ["card-went-on"]


async def lab(*words: str) -> tuple[int, str]:
    """Runs `readerlab`: its exit code, and all that it prints."""
    process = await asyncio.create_subprocess_exec(
        str(readerlab()), *words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), COMMAND_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return process.returncode, output.decode()


async def test_the_card_of_the_lab_has_the_same_key_file(directory):
    async with reading(directory) as bench:
        card = ("card", "desfire", "--number", desfire.LISTED.hex(), "--key-file", str(directory / "desfire.key"))
        code, output = await lab(*card, "--field", f"unix:{bench.socket}", "--json")
        assert code == 0, output
        await bench.reader.event("decided")
        assert bench.reader.openings == 1 and bench.reader.rules == []


async def test_a_key_that_others_can_read_is_refused(directory):
    key = key_file(directory, KEY)
    Path(key).chmod(0o644)
    options = ("--field", f"unix:{directory}/x", "--desfire-key-file", key)
    code, output = await lab("emulate", "reader", "--hci", "unix:/nowhere", *options)
    assert code == 2 and key in output and KEY.hex() not in output, output
