# SPDX-License-Identifier: Apache-2.0
"""Aliro phones at the door: `readerd` on a simulated PN532, and phones of an independent implementation."""

import contextlib
import json
from pathlib import Path

import cbor2
import pytest

from contactless.aliro_certificate import issue
from contactless.aliro_door import FOUND_SECONDS, LOST, OPENED, Door
from contactless.aliro_faults import END_FAULTS, FAULTS
from contactless.aliro_field import AUTHORITY, BAD_DOCUMENTS, DOCUMENTED, GOOD_DOCUMENTS, ISSUER, LISTED
from contactless.aliro_reader import DOOR, GROUP, reader_point
from contactless.field import Field
from rig.bench import Bench
from rig.matrix import some_of
from rig.page_blocks import commands
from rig.terminals import typed

MALFORMED, PROOF, DOCUMENT = "malformed-response", "invalid-proof", "invalid-document"
NO_RIGHT, STATUS = "no-access-right", "status-word"
WORDS = {
    **dict.fromkeys(FAULTS, MALFORMED),
    **dict.fromkeys(("wrong-signature", "changed-ciphertext", "changed-tag", "empty-auth1"), PROOF),
    "off-curve": "invalid-key",
    **dict.fromkeys(("endless-auth0", "endless-auth1"), "response-too-long"),
    **dict.fromkeys(("word-select", "word-auth0", "word-auth1", "wrong-group", "wrong-reader"), STATUS),
    **dict.fromkeys((name for name in FAULTS if name.startswith("leaves-")), LOST),
    **{"old-version": "no-common-version", "impostor": PROOF, "unlisted": "unknown-credential"},
}
"""The words of the log for phones that open nothing."""
DOCUMENT_WORDS = {
    **dict.fromkeys(BAD_DOCUMENTS, DOCUMENT),
    **dict.fromkeys(("document-forged", "document-missing"), DOCUMENT),
    **dict.fromkeys(("document-night", "document-denied", "document-other-action"), NO_RIGHT),
    **dict.fromkeys(("document-reader-rule", "document-critical"), NO_RIGHT),
    "document-revoked": "credential-revoked",
}


def settings(field: Field, cards: Path, **aliro: object) -> dict[str, dict[str, object]]:
    """The tables of a reader that reads Aliro phones."""
    return {
        "nfc": {"connection": field.connection, "role": "poll"},
        "credentials": {"card-kinds": ["aliro"], "cards": str(cards)},
        "aliro": {
            **{"group": GROUP, "door": DOOR, "issuers": [ISSUER.key.point.hex()]},
            **{"issuer-authorities": [AUTHORITY.key.point.hex()], **aliro},
        },
        "door": {"pulse-s": 1, "re-arm-ms": 0},
    }


def listed(directory: Path) -> None:
    """Writes a list with one phone."""
    card = {"kind": "aliro", "id": "PHONE00001", "key": LISTED.key.point.hex()}
    (directory / "cards.json").write_text(json.dumps({"cards": [card]}) + "\n")


@contextlib.asynccontextmanager
async def door(directory: Path, **aliro: object):
    """A door that lists a phone, with phones in the field that know its reader."""
    async with Field() as field:
        listed(directory)
        async with Bench(**settings(field, directory / "cards.json", **aliro)) as bench:
            await bench.reader.child.line(r"nfc: .* is ready", FOUND_SECONDS)
            found = Door(field, bench)
            await found.enrol()
            yield found
            await found.is_sound()


@pytest.mark.seconds(60)
async def test_a_listed_phone_opens_and_is_fast_the_second_time_and_after_a_restart(directory):
    async with door(directory) as found:
        assert await found.opens("listed") == {"phase": "standard", "status": OPENED}
        assert await found.opens("listed") == {"phase": "fast", "status": OPENED}
        await found.bench.restart()
        await found.rounds(1)
        assert await found.opens("listed") == {"phase": "fast", "status": OPENED}


async def test_the_list_of_the_page_opens(directory):
    async with door(directory) as found:
        (directory / "cards.json").unlink()
        (block,) = commands("aliro.md", "## The list")
        output = await typed(f"KEY={LISTED.key.point.hex()}\n{block}", directory)
        assert "PHONE00001" in output
        await found.reload()
        assert (await found.opens("listed"))["status"] == OPENED


async def test_without_the_fast_phase_all_taps_are_standard(directory):
    async with door(directory, fast=False) as found:
        for _ in range(2):
            assert await found.opens("listed") == {"phase": "standard", "status": OPENED}


@pytest.mark.thorough("AliroHostileTests and AliroAttackTests have the faults")
@pytest.mark.seconds(120)
async def test_phones_with_faults_open_nothing(directory):
    async with door(directory) as found:
        assert (await found.opens("listed"))["phase"] == "standard"
        # Now the reader requests the fast phase, which is not in the recorded responses.
        await found.refuses("replay", MALFORMED)
        assert (await found.opens("listed"))["phase"] == "fast"
        await found.refuses("replay", PROOF)
        for name, word in WORDS.items():
            await found.refuses(name, word)
        assert (await found.opens("listed"))["status"] == OPENED


@pytest.mark.seconds(60)
async def test_phones_that_end_badly_have_opened_and_gain_no_fast_phase(directory):
    async with door(directory) as found:
        for name in END_FAULTS:
            await found.opens(name)
        assert (await found.opens("listed"))["phase"] == "standard"


@pytest.mark.seconds(60)
async def test_answers_in_parts_and_a_silent_end(directory):
    async with door(directory) as found:
        assert await found.opens("in-parts") == {"phase": "standard", "status": OPENED}
        assert await found.opens("silent-end") == {"phase": "fast", "status": OPENED}
        assert await found.opens("listed") == {"phase": "fast", "status": OPENED}


@pytest.mark.seconds(60)
@pytest.mark.parametrize("name", some_of(GOOD_DOCUMENTS, "AliroDocumentTests have each document"))
async def test_a_document_opens_and_then_the_fast_phase(directory, name):
    async with door(directory) as found:
        assert await found.opens(name) == {"phase": "step-up", "status": OPENED}
        assert await found.opens(name) == {"phase": "fast", "status": OPENED}


@pytest.mark.thorough("AliroDocumentTests have the faults")
@pytest.mark.seconds(120)
async def test_documents_with_faults_open_nothing(directory):
    async with door(directory) as found:
        for name, word in DOCUMENT_WORDS.items():
            await found.refuses(name, word)
        # The revocation stays, also for a phone that does not deliver it.
        await found.refuses("document", "credential-revoked")


async def test_a_revocation_of_another_phone_refuses_only_that(directory):
    async with door(directory) as found:
        assert (await found.opens("document-not-revoked"))["status"] == OPENED


@pytest.mark.seconds(60)
async def test_the_mailbox_of_a_phone_that_has_opened_is_logged(directory):
    async with door(directory, **{"mailbox-read": "4/8"}) as found:
        # The door opens, and a phone that fails afterwards gains no fast phase.
        for name in ("short-mail", "more-mail", "less-mail"):
            assert await found.opens(name) == {"phase": "standard", "status": None}
        assert not any("mailbox" in line.text for line in found.bench.reader.child.lines)
        for phase in ("standard", "fast"):
            found.bench.reader.child.lines.clear()
            assert await found.opens("mail") == {"phase": phase, "status": OPENED}
            await found.bench.reader.child.line("mailbox 6465666768696a6b", FOUND_SECONDS)
        # A phone without a mailbox is not asked.
        assert await found.opens("listed") == {"phase": "fast", "status": OPENED}


@pytest.mark.seconds(60)
async def test_lockdown_revocation_and_removal_refuse(directory):
    async with door(directory) as found:
        assert (await found.opens("listed"))["status"] == OPENED
        before = await found.openings()
        assert (await found.operator.run("lockdown", "on")).code == 0
        await found.field.ask("put", "aliro-listed")
        await found.rounds(4)
        assert (await found.left("listed"))["status"] == "0025"
        assert (await found.operator.run("lockdown", "off")).code == 0
        assert await found.openings() == before
        # Without its entry, the key of the fast phase is gone as well.
        (directory / "cards.json").write_text('{"cards": []}\n')
        await found.reload()
        await found.refuses("listed", "unknown-credential")
        assert json.loads(await found.field.ask("aliro_phone", "listed"))["phase"] == "standard"


async def test_a_revoked_phone_is_refused_in_the_fast_phase(directory):
    async with door(directory) as found:
        assert (await found.opens("listed"))["status"] == OPENED
        before = await found.openings()
        assert (await found.operator.run("revoke", "PHONE00001")).code == 0
        await found.field.ask("put", "aliro-listed")
        await found.rounds(4)
        assert (await found.left("listed"))["status"][:2] == "00"
        assert await found.openings() == before


async def test_the_polling_frame_names_the_group(directory):
    async with door(directory) as found:
        await found.rounds(2)
        frames = set(json.loads(await found.field.ask("polling_frames")))
        assert frames == {"6a02cb0206204220" + GROUP[:16]}


@pytest.mark.seconds(60)
async def test_documents_of_the_desk_open(directory):
    """The page's issuer and documents, carried by a phone that did not make them."""
    async with Field() as field:
        (block,) = commands("aliro.md", "## Documents")
        output = await typed(f"KEY={DOCUMENTED.key.point.hex()}\n{block}", directory)
        point = next(line for line in output.splitlines() if line.startswith("04")).strip()
        cards = directory / "cards.json"
        cards.write_text('{"cards": []}\n')
        tables = settings(field, cards, issuers=[point], element="floor1")
        async with Bench(**tables) as bench:
            found = Door(field, bench)
            await bench.reader.child.line(r"nfc: .* is ready", FOUND_SECONDS)
            await found.enrol()
            await field.ask("aliro_document", "aliro-a", str(directory / "access.cbor"))
            assert (await found.opens("carrying"))["phase"] == "step-up"
            await field.ask("aliro_document", "aliro-r", str(directory / "revocation.cbor"))
            await found.refuses("carrying", "credential-revoked")
            await found.is_sound()
        assert cbor2.loads((directory / "access.cbor").read_bytes())["5"] == "aliro-a"


@pytest.mark.seconds(60)
async def test_a_certified_reader_is_known_by_its_authority(directory):
    async with Field() as field:
        listed(directory)
        tables = settings(field, directory / "cards.json")
        bench = Bench(**tables)
        async with bench:
            await bench.reader.child.line(r"nfc: .* is ready", FOUND_SECONDS)
            point = bytes.fromhex(await reader_point(bench))
            certificate = directory / "reader.crt"
            certificate.write_bytes(issue(AUTHORITY.key, point, subject=b"front door"))
            tables["aliro"] |= {
                "certificate": str(certificate),
                "certificate-issuer": AUTHORITY.key.point.hex(),
            }
            await bench.restart()
            found = Door(field, bench)
            await found.enrol(AUTHORITY.key.point.hex())
            assert await found.opens("listed") == {"phase": "standard", "status": OPENED}
            assert await found.opens("listed") == {"phase": "fast", "status": OPENED}
            await found.is_sound()


async def test_two_phones_at_once_open_once(directory):
    async with door(directory) as found:
        for name in "unlisted", "listed":
            await found.field.ask("put", f"aliro-{name}")
        await found.rounds(6)
        assert await found.openings() <= 1
        for name in "unlisted", "listed":
            await found.leave(name)
