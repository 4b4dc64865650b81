# SPDX-License-Identifier: Apache-2.0
"""The reader that polls cards: `readerd` on a simulated PN532 through libnfc, with model cards in its field."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from contactless.cards import LISTED, UNLISTED
from contactless.field import Field, touching
from contactless.pkoc_certificate import CERTIFIED, ISSUER, ISSUER_IDENTIFIER
from contactless.pkoc_certificate import REFUSED as UNCERTIFIED
from contactless.polled import FOUND_SECONDS, becomes, chip, emptied, recorded
from rig.bench import Bench
from rig.matrix import some_of
from rig.operation import Operator
from rig.page_blocks import commands
from rig.reader import binary
from rig.terminals import typed
from rig.waiting import until

FRAME = "6A02CB02042042200102030405060708"
REFUSED = r"card refused, no-known-application"
IDENTIFIER_ONLY = r"nfc: card refused: identifier-only"
CARDS = "PollLoopTests and PollLoopCardTests have both types and roles"
STAY_SECONDS = 0.5
"""For which a refused card stays: several rounds."""
RETURN_SECONDS = 30.0
"""Until a chip that works again polls: the longest pause (10 s) and the opening."""


@contextlib.asynccontextmanager
async def polling(field: Field, role: str = "poll", **nfc):
    """A reader that polls on the field's chip, after its first round."""
    async with touching(field, role=role, **nfc) as bench:
        await becomes(bench, "rounds", 1)
        yield bench


@contextlib.asynccontextmanager
async def reading(field: Field, directory: Path, role: str = "poll", **credentials):
    """A reader that polls for PKOC cards, with a list that the page's commands have made."""
    cards = directory / "cards.json"
    (block,) = commands("pkoc.md", "## The list")
    assert "CARD000001" in await typed(f"KEY={LISTED.point.hex()}\n{block}", directory)
    tables = {
        "nfc": {"connection": field.connection, "role": role},
        "credentials": {"card-kinds": ["pkoc"], "cards": str(cards), **credentials},
        "door": {"pulse-s": 1},
    }
    async with Bench(**tables) as bench:
        await bench.reader.child.line(r"nfc: .* is ready", FOUND_SECONDS)
        await becomes(bench, "rounds", 1)
        yield bench


@pytest.mark.parametrize("role", some_of(["both", "poll"], CARDS))
@pytest.mark.parametrize("kind", some_of(["stranger", "type-b"], CARDS))
async def test_a_card_is_found_once_until_it_leaves(kind, role):
    async with Field() as field, polling(field, role) as bench:
        await field.ask("put", kind)
        await bench.reader.child.line(REFUSED, FOUND_SECONDS)
        rounds = (await chip(bench))["rounds"]
        # It stays for several rounds.
        status = await becomes(bench, "rounds", rounds + 6)
        assert (status["cards"], status["lost"], status["failures"]) == (1, 0, 0)
        await field.ask("take", kind)
        await becomes(bench, "rounds", status["rounds"] + 8)
        await field.ask("put", kind)
        await becomes(bench, "cards", 2)
        assert await field.faults() == []


async def test_a_card_with_an_identifier_only_is_refused_and_the_next_is_tried():
    async with Field() as field, polling(field) as bench:
        await field.ask("put", "classic")
        await bench.reader.child.line(IDENTIFIER_ONLY, FOUND_SECONDS)
        assert (await chip(bench))["cards"] == 0
        await field.ask("take", "classic")
        rounds = (await chip(bench))["rounds"]
        await becomes(bench, "rounds", rounds + 8)
        await field.ask("put", "classic")
        await field.ask("put", "other")
        status = await becomes(bench, "cards", 1)
        assert status["rejected"] >= 1


@pytest.mark.parametrize("role", ["poll", "both"])
@pytest.mark.parametrize("kind", some_of(["pkoc", "pkoc-b"], CARDS))
async def test_a_listed_card_opens_the_door(directory, kind, role):
    async with Field() as field, reading(field, directory, role) as bench:
        await field.ask("put", kind)
        opening = await bench.reader.unlocked(FOUND_SECONDS)
        event = await recorded(bench, "granted")
        assert event["credential"] == "CARD000001"
        # A card that stays opens once.
        await bench.reader.secured_after(opening, FOUND_SECONDS)
        rounds = (await chip(bench))["rounds"]
        await becomes(bench, "rounds", rounds + 6)
        assert (await chip(bench))["cards"] == 1
        assert await field.faults() == []


@pytest.mark.parametrize(("kind", "event"), [("pkoc-unlisted", "unlisted"), ("pkoc-forged", "unproven")])
async def test_a_card_that_is_not_listed_or_forged_opens_nothing(directory, kind, event):
    async with Field() as field, reading(field, directory) as bench:
        await field.ask("put", kind)
        found = await recorded(bench, event)
        assert "credential" not in found or not found["credential"]
        status = await Operator(bench).status()
        assert (status["door"]["state"], status["door"]["openings"]) == ("secured", 0)
        # The log names the end of the key that was shown, so that it can be enrolled.
        if event == "unlisted":
            assert UNLISTED.point[25:33].hex().upper() in found["detail"]


ISSUERS = [f"{ISSUER_IDENTIFIER} {ISSUER.point.hex()}"]


@pytest.mark.parametrize("kind", CERTIFIED)
async def test_a_card_with_a_trusted_issuers_certificate_opens_the_door(directory, kind):
    async with Field() as field, reading(field, directory, **{"pkoc-issuers": ISSUERS}) as bench:
        await field.ask("put", f"pkoc-{kind}")
        await bench.reader.unlocked(FOUND_SECONDS)
        assert (await recorded(bench, "granted"))["credential"] == "CARD000001"
        assert await field.faults() == []


@pytest.mark.seconds(60)
async def test_cards_without_a_trusted_issuers_certificate_open_nothing(directory):
    async with Field() as field, reading(field, directory, **{"pkoc-issuers": ISSUERS}) as bench:
        # The listed card of version 1.1, whose proof would open without issuers.
        for kind, (_, word) in {**UNCERTIFIED, "listed": (None, "no-common-version")}.items():
            name = "pkoc" if kind == "listed" else f"pkoc-{kind}"
            await field.ask("put", name)
            if word is None:
                await recorded(bench, "unlisted")
            else:
                await bench.reader.child.line(f"pkoc card refused, {word}", FOUND_SECONDS)
            commands_seen = [bytes.fromhex(command) for command in json.loads(await field.ask("take", name))]
            assert not any(command[:2] == b"\x80\x80" for command in commands_seen), "no AUTHENTICATE of version 1"
            bench.reader.child.lines.clear()
            await becomes(bench, "rounds", (await chip(bench))["rounds"] + 8)
        assert (await Operator(bench).status())["door"]["openings"] == 0
        assert await field.faults() == []


LOST = {
    "pkoc-leaves-between": "nfc: card lost: card-left",
    "pkoc-leaves-within": "nfc: card lost: card-left",
    "pkoc-late": "nfc: card lost: card-left",
    "pkoc-slow": "nfc: card lost: transaction-too-long",
    "pkoc-recording": "pkoc card refused, invalid-proof",
    "pkoc-other-command": "pkoc card refused, malformed-response",
}


@pytest.mark.thorough("PolledCardTests and PollLoopCardTests have the cards")
@pytest.mark.seconds(60)
@pytest.mark.parametrize("kind", LOST)
async def test_a_card_that_leaves_or_answers_late_or_for_another_opens_nothing(directory, kind):
    async with Field() as field, reading(field, directory) as bench:
        await field.ask("put", kind)
        await bench.reader.child.line(LOST[kind], 4 * FOUND_SECONDS)
        if "leaves" not in kind:
            await asyncio.sleep(STAY_SECONDS)
        commands_seen = json.loads(await field.ask("take", kind))
        # It was asked for its proof, unless the answer to SELECT was late or of another command.
        assert len(commands_seen) >= (1 if kind in ("pkoc-late", "pkoc-other-command") else 2)
        status = await Operator(bench).status()
        assert (status["door"]["state"], status["door"]["openings"]) == ("secured", 0)
        rounds = (await chip(bench))["rounds"]
        await becomes(bench, "rounds", rounds + 8)
        # The next card is served.
        await field.ask("put", "pkoc")
        await bench.reader.unlocked(FOUND_SECONDS)
        assert (await Operator(bench).status())["door"]["openings"] == 1
        assert await field.faults() == []


@pytest.mark.seconds(60)
async def test_a_card_that_requests_time_without_end_is_no_failure_of_the_chip(directory):
    async with Field() as field, reading(field, directory) as bench:
        # Twice within the 10 s in which a second failure of the chip counts.
        for _ in range(2):
            await field.ask("put", "pkoc-waiting")
            await bench.reader.child.line("nfc: card lost: answer-too-late", 2 * FOUND_SECONDS)
            bench.reader.child.lines.clear()
            await field.ask("take", "pkoc-waiting")
            await emptied(bench)
        await field.ask("put", "pkoc")
        await bench.reader.unlocked(FOUND_SECONDS)
        status = await chip(bench)
        assert (status["state"], status["failures"], status["recoveries"], status["lost"]) == ("ready", 0, 0, 2)
        assert (await Operator(bench).status())["door"]["openings"] == 1
        assert await field.faults() == []


async def test_a_card_that_requests_a_second_opens(directory):
    async with Field() as field, reading(field, directory) as bench:
        await field.ask("put", "pkoc-waiting-briefly")
        await bench.reader.unlocked(2 * FOUND_SECONDS)
        assert (await chip(bench))["lost"] == 0


async def test_the_status_has_why_a_card_was_refused_and_that_it_is_still_there(directory):
    async with Field() as field, reading(field, directory) as bench:
        assert not {"refused", "card-since", "card-s"} & set(await chip(bench))
        await field.ask("put", "pkoc-unlisted")
        await recorded(bench, "unlisted")
        rounds = (await chip(bench))["rounds"]
        status = await becomes(bench, "rounds", rounds + 4)
        assert status["refused"] == {"not-listed": 1}
        assert status["card-s"] >= 0
        assert "T" in status["card-since"]
        table = (await Operator(bench).run("status")).output
        assert "not-listed 1, a card on the reader since " in table
        metrics = (await Operator(bench).run("metrics")).output.splitlines()
        assert 'readerd_nfc_refused_cards_total{reason="not-listed"} 1' in metrics
        assert 'readerd_nfc_refused_cards_total{reason="invalid-proof"} 0' in metrics
        await field.ask("take", "pkoc-unlisted")

        async def gone() -> bool | None:
            return "card-s" not in await chip(bench) or None

        await until("the field is empty", gone, FOUND_SECONDS)


async def test_a_list_that_cannot_be_read_refuses_cards_until_a_reload(directory):
    async with Field() as field, reading(field, directory) as bench:
        whole = (directory / "cards.json").read_text()
        (directory / "cards.json").write_text(whole[:-3])
        os.kill(bench.reader.child.pid, signal.SIGHUP)
        await bench.reader.child.line("fault cards-unreadable: ", FOUND_SECONDS)
        await field.ask("put", "pkoc")
        await bench.reader.child.line("pkoc card refused, reader-unavailable", FOUND_SECONDS)
        await field.ask("take", "pkoc")
        (directory / "cards.json").write_text(whole)
        os.kill(bench.reader.child.pid, signal.SIGHUP)
        await bench.reader.child.line("fault cards-unreadable: over", FOUND_SECONDS)
        rounds = (await chip(bench))["rounds"]
        await becomes(bench, "rounds", rounds + 8)
        await field.ask("put", "pkoc")
        await bench.reader.unlocked(FOUND_SECONDS)


async def test_the_card_of_two_that_is_listed_opens(directory):
    async with Field() as field, reading(field, directory) as bench:
        await field.ask("put", "stranger")
        await field.ask("put", "pkoc")
        await bench.reader.unlocked(FOUND_SECONDS)
        assert (await Operator(bench).status())["door"]["openings"] == 1


async def test_the_polling_frame_is_whole():
    async with Field() as field, polling(field, ecp=FRAME) as bench:
        status = await becomes(bench, "rounds", 3)
        frames = json.loads(await field.ask("polling_frames"))
        assert len(frames) >= status["rounds"] - 1
        assert set(frames) == {FRAME.lower()}
        assert await field.faults() == []
        # And cards are still found.
        await field.ask("put", "stranger")
        await becomes(bench, "cards", 1)


@pytest.mark.seconds(90)
@pytest.mark.parametrize("fault", some_of(["silent", "garbage", "refuse", "slow"], "PollLoopTests give up each chip"))
async def test_a_chip_that_fails_is_reported_and_polls_again(fault):
    async with Field() as field, polling(field) as bench:
        await field.ask("fault", "reader", fault)
        await bench.reader.child.line(r"nfc: .*; retrying", RETURN_SECONDS)
        # The door and the control socket are not delayed.
        assert (await chip(bench))["state"] == "failed"
        await field.ask("fault", "reader", "none")
        await bench.reader.child.line(r"nfc: .* is ready again", RETURN_SECONDS)
        await field.ask("put", "stranger")
        await becomes(bench, "cards", 1)


async def test_power_lost_in_a_frame():
    async with Field() as field, polling(field) as bench:
        rounds = (await chip(bench))["rounds"]
        await field.ask("fault", "reader", "cut")
        await field.ask("put", "stranger")
        status = await becomes(bench, "cards", 1, RETURN_SECONDS)
        assert status["rounds"] >= rounds


@pytest.mark.seconds(60)
async def test_a_phone_that_reads_is_served_between_rounds():
    async with Field() as field, polling(field, "both") as bench:
        phone = await field.phone()
        await phone.tap(20)
        await phone.select()
        assert await phone.run("tokn") == b""
        await bench.reader.unlocked()
        await phone.leave()
        # Then it polls again.
        await field.ask("put", "stranger")
        await becomes(bench, "cards", 1)
        assert await field.faults() == []


async def test_self_test_polls_once(tmp_path):
    async with Field() as field:
        file = tmp_path / "readerd.toml"
        file.write_text(f'[nfc]\nconnection = "{field.connection}"\nrole = "both"\n')
        done = await asyncio.to_thread(
            subprocess.run,
            [
                str(binary()),
                "self-test",
                "--json",
                "--state",
                str(tmp_path / "state"),
                "--config",
                str(file),
                "--only",
                "nfc",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        assert json.loads(done.stdout)["parts"][0]["result"] == "ok"
