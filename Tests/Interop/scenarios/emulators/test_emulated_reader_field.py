# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate reader` polls: cards that share no code with it in its field, its faults, and what it finds."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from contactless.aliro_phone import AliroPhone, Credential
from contactless.cards import PKOCCard
from contactless.field_card import FieldCard, field_card
from contactless.phone_card import PhoneCard
from rig.emulation import binary as readerlab
from rig.reader_emulation import EmulatedReader, emulated_reader

SCALAR = 7
COMMAND_SECONDS = 30.0
"""For `readerlab card` and `phone`, on a busy machine."""

Answer = Callable[[bytes], bytes | None]


class Field:
    """An emulated reader, and a card of another process in its field."""

    def __init__(self, reader: EmulatedReader, socket: Path, card: FieldCard) -> None:
        self.reader, self.socket, self._card = reader, socket, card

    async def touch(self, respond: Answer) -> list[bytes]:
        """One touch, after which the field is empty."""
        mark = self.reader.mark
        commands = await self._card.touch(respond)
        await self.reader.event("field-empty", mark)
        return commands

    async def answer(self, respond: Answer) -> list[bytes]:
        """The commands of a touch that the field moves."""
        return await self._card.answer(respond)


@contextlib.asynccontextmanager
async def field(directory: Path, *options: str) -> AsyncIterator[Field]:
    """A reader with these options, and a card away from its field."""
    socket = directory / "cards"
    async with emulated_reader(directory, "--field", f"unix:{socket}", *options) as reader, field_card(socket) as card:
        yield Field(reader, socket, card)
        assert reader.events("field-violation") == []


async def lab(*words: object) -> tuple[int, str, str]:
    """Runs `readerlab`: its exit code and output."""
    process = await asyncio.create_subprocess_exec(
        str(readerlab()), *map(str, words), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output, errors = await asyncio.wait_for(process.communicate(), COMMAND_SECONDS)
    return process.returncode, output.decode(), errors.decode()


def aliro(reader: EmulatedReader) -> AliroPhone:
    """A phone that trusts the reader by the point and the group that it shows."""
    shown = reader.events("emulation")[0]
    return AliroPhone(Credential.of(SCALAR), bytes.fromhex(shown["aliro-group"]), bytes.fromhex(shown["aliro-point"]))


async def test_pkoc_aliro_and_a_phone_open(directory):
    card = PKOCCard(SCALAR)
    listed = ("--card", f"pkoc={card.point.hex()}", "--card", f"aliro={Credential.of(SCALAR).key.point.hex()}")
    async with field(directory, *listed) as it:
        phone = aliro(it.reader)
        # The door stays open for 5 s: each decision is counted.
        for kind, answer in (("PKOC", card), ("status 0", PhoneCard()), ("Aliro", phone)):
            await it.touch(answer)
            assert kind in it.reader.events("decided")[-1]["text"], it.reader.events("apdu")
        assert len(it.reader.events("decided")) == 3 and it.reader.events("card-refused") == []
        assert phone.findings == [] and it.reader.rules == []
        assert [event["text"] for event in it.reader.events("card-near")] == ["card is near"] * 3


async def test_an_unlisted_card_is_shown_and_enrolled(directory):
    card = PKOCCard(SCALAR)
    async with field(directory, "--card-kinds", "pkoc") as it:
        await it.touch(card)
        assert card.point.hex() in (await it.reader.event("card-unlisted"))["text"] and it.reader.openings == 0
        await it.reader.obey("enrol last")
        await it.touch(card)
        assert it.reader.openings == 1
        await it.reader.obey("lockdown on")
        await it.touch(card)
        assert it.reader.openings == 1 and it.reader.rules == []


async def test_a_wrong_card_is_a_finding(directory):
    card = PKOCCard(SCALAR, signs_wrongly=True)
    async with field(directory, "--card-kinds", "pkoc", "--card", f"pkoc={card.point.hex()}") as it:
        await it.touch(card)
        found = await it.reader.event("finding")
        assert found["rule"] == "card-response"
        assert found["sentence"] == "answered AUTHENTICATE wrongly: invalid-proof; docs/operate/pkoc.md"
        assert it.reader.openings == 0


@pytest.mark.parametrize("fault", ["wrong-proof", "other-application", "wrong-length", "leaves-proof"])
async def test_a_phone_meets_a_faulty_reader(directory, fault):
    async with field(directory, "--card-kinds", "phone") as it:
        await it.reader.obey(f"fault {fault} card")
        phone = ("phone", "open", "--as-card", f"unix:{it.socket}", "--json")
        mark = it.reader.mark
        code, output, errors = await lab(*phone)
        (shown,) = it.reader.events("fault")
        assert shown["text"].startswith(f"{fault}: ")
        # A phone that was refused in its first message comes again; one that has begun a visit ends with it.
        assert (code != 0) == (it.reader.openings == 0) == (fault in ("wrong-proof", "leaves-proof")), (output, errors)
        if code:
            await it.reader.event("field-empty", mark)
            code, output, errors = await lab(*phone)
        assert (code, it.reader.openings, it.reader.rules) == (0, 1, []), (output, errors)


async def test_cards_that_believe_a_faulty_reader_are_found(directory):
    async with field(
        directory, "--card", f"aliro={Credential.of(SCALAR).key.point.hex()}", "--card-kinds", "aliro"
    ) as it:
        right, phone = aliro(it.reader), aliro(it.reader)
        await it.reader.obey("fault wrong-signature card")
        await it.touch(right)
        assert it.reader.openings == 0 and it.reader.rules == []

        def credulous(command: bytes) -> bytes | None:
            """Says yes to a signature that the phone has refused."""
            response = phone(command)
            return bytes.fromhex("9000") if command[1] == 0x81 else response

        await it.reader.obey("fault wrong-signature card")
        await it.touch(credulous)
        assert it.reader.rules == ["card-went-on"] and it.reader.openings == 0
        names = {line.split()[0] for line in (await it.reader.order("card-faults"))["lines"]}
        assert {"off-curve", "chained", "late"} <= names


@pytest.mark.parametrize("fault", ["replayed-signature", "reflected-exchange", "repeated-exchange"])
async def test_a_phone_refuses_what_needs_more_than_one_command(directory, fault):
    listed = ("--card", f"aliro={Credential.of(SCALAR).key.point.hex()}", "--card-kinds", "aliro")
    async with field(directory, *listed) as it:
        phone = aliro(it.reader)
        await it.touch(phone)
        answers: list[bytes] = []

        def answering(command: bytes) -> bytes | None:
            answers.append(phone(command))
            return answers[-1]

        await it.reader.obey(f"fault {fault} card")
        commands = await it.touch(answering)
        (shown,) = it.reader.events("fault")
        assert shown["text"].startswith(f"{fault}: ") and it.reader.rules == [], it.reader.events("apdu")
        at = 0x81 if fault == "replayed-signature" else 0xC9
        refused = [answer for command, answer in zip(commands, answers, strict=True) if command[1] == at][-1]
        assert refused[-2:] in (bytes.fromhex("6982"), bytes.fromhex("6985"))
        # The phone has a key for the fast phase by now.
        assert any(command[1] == 0x81 for command in commands) == (fault != "repeated-exchange")

        def credulous(command: bytes) -> bytes | None:
            response = phone(command)
            return bytes.fromhex("9000") if response[-2:] in (b"\x69\x82", b"\x69\x85") else response

        await it.reader.obey(f"fault {fault} card")
        await it.touch(credulous)
        assert it.reader.rules == ["card-went-on"]


async def test_a_card_in_the_air_s_words(directory):
    key = directory / "card.pem"
    code, point, errors = await lab("card", "pkoc", "--key", key)
    assert code == 0, errors
    async with field(directory, "--card", f"pkoc={point.strip()}") as it:
        socket = f"unix:{it.socket}"
        code, output, errors = await lab("card", "pkoc", "--key", key, "--field", socket, "--json")
        assert code == 0 and it.reader.openings == 1, (output, errors)
        await it.reader.event("field-empty")
        assert not (await it.reader.order("near nobody"))["ok"]
        # It is out of the field in the second command, the proof.
        await it.reader.obey("near card during 2")
        commands = await it.answer(PKOCCard(SCALAR))
        await it.reader.event("card-lost")
        assert commands[0][1] == 0xA4 and len(commands) <= 2
        assert it.reader.rules == [] and it.reader.openings == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--card", "pkoc=04"], "--card needs a field"),
        (["--card-kinds", "pkoc"], "--card-kinds needs a field"),
        (["--field", "unix:/tmp/x", "--card", "pkoc=04"], "130 hexadecimal digits"),
        (["--field", "unix:/tmp/x", "--card-kinds", "phone,phone"], "each once"),
        (["--field", "unix:/tmp/x", "--card-kinds", "classic"], "phone, pkoc, aliro, desfire"),
        (["--field", "unix:/tmp/x", "--card-kinds", "desfire"], "needs the key that reads the cards"),
        (["--desfire-key-file", "/nowhere"], "--desfire-key-file needs a field"),
        (["--field", "unix:/tmp/x", "--desfire-key-file", "/nowhere"], "/nowhere"),
        (["--field", "unix:/tmp/x", "--desfire-key-file", "k", "--card-kinds", "pkoc"], "lacks desfire"),
        (["--field", "unix:/tmp/x", "--desfire-key-file", "k", "--card", "desfire=00"], "a number has 8 octets"),
        (["--field", "unix:/tmp/x", "--desfire-key-file", "k", "--desfire-count", "33"], "--desfire-count 1 to 32"),
        (["--field", "unix:/tmp/x", "--desfire-key-file", "k", "--desfire-uid-key-file", "u"], "diversified"),
        (["--field", "/tmp/x"], "write unix:PATH"),
    ],
)
async def test_wrong_options_are_refused_in_a_line(options, text):
    code, _, errors = await lab("emulate", "reader", "--hci", "unix:/nowhere", *options)
    assert code == 2 and text in errors, errors
