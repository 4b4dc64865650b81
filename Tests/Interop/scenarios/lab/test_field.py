# SPDX-License-Identifier: Apache-2.0
"""The NFC field of `readerlab air`, as a developer uses it: `readerd` polls it by libnfc, and cards of other processes
enter it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from contactless.aliro_reader import DOOR, GROUP, reader_point
from contactless.drivers import DRIVERS
from contactless.field import OPEN_SECONDS, READY
from contactless.polled import FOUND_SECONDS, emptied
from rig.air_process import AirProcess
from rig.bench import Bench
from rig.emulation import LINE_SECONDS
from rig.emulation import binary as readerlab
from rig.operation import Operator
from rig.page_blocks import commands
from rig.processes import Child
from rig.reader import UNLOCKED
from rig.terminals import terminals
from rig.waiting import until

CARD_SECONDS = 20.0
"""For a command that presents a card: the reader polls ten times a second, and a test machine may be busy."""
ISSUED_STATUS = {
    **dict.fromkeys(("other-element", "no-rule", "allowed-later", "denied-now"), "0025"),
    **dict.fromkeys(("reader-rule", "critical-extension"), "0025"),
    "unknown-recurrence": "0006",
}
"""The reader's status for documents that an issuer has signed wrongly; 0007 for all others."""
NUMBER = "0011223344556677"
KEY = "00112233445566778899aabbccddeeff"


@dataclass
class Done:
    """A command that has ended."""

    code: int
    output: str
    errors: str

    @property
    def touch(self) -> dict:
        """Its last touch."""
        events = [json.loads(line) for line in self.output.splitlines()]
        return [event for event in events if event["event"] == "touch"][-1]


async def lab(*words: object) -> Done:
    """Runs `readerlab`."""
    process = await asyncio.create_subprocess_exec(
        str(readerlab()), *map(str, words), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output, errors = await asyncio.wait_for(process.communicate(), CARD_SECONDS)
    return Done(process.returncode, output.decode(), errors.decode())


class Field:
    """An air with a field, and a reader that polls it."""

    def __init__(self, air: AirProcess, bench: Bench, directory: Path) -> None:
        self.air, self.bench, self.directory = air, bench, directory
        self.operator = Operator(bench)

    @property
    def socket(self) -> str:
        """For `--field`."""
        return f"unix:{self.directory}/field"

    async def openings(self) -> int:
        """The number of openings so far."""
        return (await self.operator.status())["door"]["openings"]

    async def card(self, kind: str, *words: object) -> Done:
        """Presents a card; the reader's field is empty afterwards."""
        done = await lab("card", kind, "--field", self.socket, "--json", *words)
        await emptied(self.bench)
        return done


@contextlib.asynccontextmanager
async def polled(directory: Path, *, kinds: list[str], **tables) -> AsyncIterator[Field]:
    """A reader on the chip of an air's field."""
    options = ("--nfc", f"reader=pty:{directory}/nfc", "--field", f"unix:{directory}/field")
    air = await AirProcess.start(f"spare=unix:{directory}/hci", options=options)
    try:
        connection = (await air.event("field-open", "reader"))["connection"]
        tables["credentials"] = {"card-kinds": kinds} | tables.get("credentials", {})
        tables["door"] = {"pulse-s": 1, "re-arm-ms": 0}
        async with Bench(nfc={"connection": connection, "role": "poll"}, **tables) as bench:
            await bench.reader.child.line(READY, OPEN_SECONDS)
            yield Field(air, bench, directory)
            assert air.events("field-violation") == []
    finally:
        await air.child.stop()


@pytest.mark.seconds(60)
async def test_the_chip_of_the_air_is_one_for_libnfc(tmp_path):
    options = ("--nfc", f"reader=pty:{tmp_path}/nfc", "--field", f"unix:{tmp_path}/field")
    air = await AirProcess.start(f"spare=unix:{tmp_path}/hci", options=options)
    try:
        reader, writer = await asyncio.open_unix_connection(f"{tmp_path}/field")
        writer.write(b"card plain id=08010203 sak=20 ats=78807002\nnear reader\n")
        assert await reader.readline() == b"ok\n" and await reader.readline() == b"ok\n"

        async def answer() -> list[str]:
            seen = []
            while line := (await reader.readline()).decode().split():
                seen.append(" ".join(line))
                if line[0] == "command":
                    writer.write(f"response {line[1]} {line[2]}9000\n".encode())
                if line[0] == "released":
                    return seen
            return seen

        answering = asyncio.create_task(answer())

        def initiate() -> tuple[str, bytes, bytes]:
            driver = DRIVERS["libnfc"](f"{tmp_path}/nfc")
            found = driver.activate()
            short, long = driver.send(bytes.fromhex("00a4040000")), driver.send(bytes(250))
            driver.release()
            return found, short, long

        found, short, long = await asyncio.to_thread(initiate)
        assert "08010203" in found
        assert short == bytes.fromhex("00a40400009000")
        assert long == bytes(250) + b"\x90\x00"
        assert (await asyncio.wait_for(answering, LINE_SECONDS))[0] == "activated reader"
        writer.close()
        assert air.events("field-violation") == []
    finally:
        await air.child.stop()


@pytest.mark.seconds(90)
async def test_a_phone_as_card_opens_the_door(tmp_path):
    async with polled(tmp_path, kinds=["phone"]) as field:
        done = await lab("phone", "open", "--as-card", field.socket, "--json")
        assert (done.code, done.errors) == (0, ""), done
        events = [json.loads(line)["event"] for line in done.output.splitlines()]
        assert events == ["identity", "touched", "selected", "handshake", "answer", "done"]
        await field.bench.reader.unlocked()
        assert await field.openings() == 1
        await emptied(field.bench)
        text = await lab("phone", "open", "--as-card", field.socket)
        assert text.code == 0 and "opened" in text.output, text
        # The demo identity signs any command. The reader waits for an empty field: the card moves away and comes again.
        status = await lab("phone", "command", "STATUS", "--as-card", field.socket, "--json")
        assert status.code == 0, status


@pytest.mark.seconds(90)
async def test_a_pkoc_card_opens_and_a_stranger_does_not(tmp_path):
    point = (await lab("card", "pkoc", "--key", tmp_path / "card.pem")).output.strip()
    assert (tmp_path / "card.pem").stat().st_mode & 0o777 == 0o600
    cards = tmp_path / "cards.json"
    added = await lab("credentials", "pkoc", "add", "CARD000001", "--list", cards, "--key", point)
    assert added.code == 0, added
    async with polled(tmp_path, kinds=["pkoc"], credentials={"cards": str(cards)}) as field:
        done = await field.card("pkoc", "--key", tmp_path / "card.pem")
        assert done.code == 0 and done.touch["read"], done
        await field.bench.reader.unlocked()
        assert await field.openings() == 1
        stranger = await field.card("pkoc", "--key", tmp_path / "other.pem")
        assert stranger.code == 0 and stranger.touch["read"], stranger
        assert await field.openings() == 1
        assert await field.operator.events("--json")


@pytest.mark.seconds(90)
async def test_a_desfire_card_opens_and_one_with_another_key_does_not(tmp_path):
    for name, key in (("desfire.key", KEY), ("other.key", KEY[::-1])):
        (tmp_path / name).write_text(key)
        (tmp_path / name).chmod(0o600)
    cards = tmp_path / "cards.json"
    added = await lab("credentials", "desfire", "add", "CARD000002", "--list", cards, "--number", NUMBER)
    assert added.code == 0, added
    desfire = {"application": "F51BC0", "file": 1, "count": 8, "communication": "full", "key-number": 0}
    desfire |= {"key-file": str(tmp_path / "desfire.key")}
    async with polled(tmp_path, kinds=["desfire"], credentials={"cards": str(cards)}, desfire=desfire) as field:
        for generation in ("ev1", "ev2"):
            before = await field.openings()
            card = ("--number", NUMBER, "--key-file", tmp_path / "desfire.key", "--generation", generation)
            done = await field.card("desfire", *card)
            assert done.code == 0 and done.touch["read"], done
            assert await field.openings() == before + 1
        wrong = await field.card("desfire", "--number", NUMBER, "--key-file", tmp_path / "other.key")
        assert wrong.code == 1 and "has not read the card" in wrong.errors, wrong
        assert await field.openings() == 2


@pytest.mark.seconds(120)
async def test_two_cards_one_that_leaves_and_the_air_that_moves_them(tmp_path):
    point = (await lab("card", "pkoc", "--key", tmp_path / "card.pem")).output.strip()
    cards = tmp_path / "cards.json"
    await lab("credentials", "pkoc", "add", "CARD000001", "--list", cards, "--key", point)
    async with polled(tmp_path, kinds=["pkoc"], credentials={"cards": str(cards)}) as field:
        present = ("card", "pkoc", "--field", field.socket, "--away", "--stay", "--json")
        running = [
            await Child.start(name, [str(readerlab()), *present, "--key", str(tmp_path / f"{key}.pem"), "--name", name])
            for name, key in (("anna", "card"), ("other", "other"))
        ]
        for name in ("anna", "other"):
            await field.air.child.line(f'"event":"card-connected".*"card":"{name}"', LINE_SECONDS)
        assert (await field.air.order("cards"))["cards"] == [{"card": "anna"}, {"card": "other"}]

        # It leaves within AUTHENTICATE: SELECT is the first command.
        mark = field.air.mark
        await field.air.obey("near", "anna", "reader", "during", 2)
        await field.air.child.line('"event":"card-away"', FOUND_SECONDS, mark)
        await emptied(field.bench)
        assert await field.openings() == 0

        # The other one first, and the listed one next to it: one of them opens, once.
        await field.air.obey("near", "other")
        await field.air.obey("near", "anna", "reader")

        async def has_opened() -> bool:
            return await field.openings() == 1

        with contextlib.suppress(TimeoutError):
            await until("opening", has_opened, FOUND_SECONDS)
        await field.air.obey("away", "other")
        await field.air.obey("away", "anna")
        await emptied(field.bench)
        await field.air.obey("near", "anna", "reader", "2s")
        await field.air.child.line('"event":"apdu"', FOUND_SECONDS)

        async def opened() -> bool:
            return await field.openings() >= 1

        await until("opening", opened, FOUND_SECONDS)
        for child in running:
            await child.stop()
        assert not (await field.air.order("near", "anna"))["ok"]


async def aliro(tmp_path: Path, *phones: str) -> dict:
    """The tables of a reader whose list has these phones."""
    cards = tmp_path / "cards.json"
    for number, name in enumerate(phones):
        point = (await lab("card", "aliro", "--key", tmp_path / f"{name}.pem")).output.strip()
        done = await lab("credentials", "aliro", "add", f"PHONE{number:05}", "--list", cards, "--key", point)
        assert done.code == 0, done
    return {"credentials": {"cards": str(cards)}, "aliro": {"group": GROUP, "door": DOOR}}


@pytest.mark.seconds(120)
async def test_an_aliro_phone_opens_fast_and_with_a_document(tmp_path):
    tables = await aliro(tmp_path, "phone")
    issuer = (await lab("credentials", "aliro", "issuer", tmp_path / "issuer.pem")).output.strip()
    tables["aliro"] |= {"issuers": [issuer], "element": "floor1"}
    async with polled(tmp_path, kinds=["aliro"], **tables) as field:
        trust = ("--reader", await reader_point(field.bench), "--group", GROUP)
        done = await field.card("aliro", "--key", tmp_path / "phone.pem", *trust)
        assert done.code == 0, done
        assert (done.touch["phase"], done.touch["status"][:2], done.touch["findings"]) == ("standard", "01", [])
        assert await field.openings() == 1
        stranger = await field.card("aliro", "--key", tmp_path / "stranger.pem", *trust)
        assert stranger.code == 1 and stranger.touch["status"] == "0001", stranger
        assert stranger.touch["findings"] == []
        point = (await lab("card", "aliro", "--key", tmp_path / "stranger.pem")).output.strip()
        dates = ("--from", "2026-01-01", "--until", "2036-12-31")
        document = ("--issuer", tmp_path / "issuer.pem", "--element", "floor1", *dates)
        made = await lab("credentials", "aliro", "access", *document, "--key", point, "--out", tmp_path / "access.cbor")
        assert made.code == 0, made
        carrying = await field.card(
            "aliro", "--key", tmp_path / "stranger.pem", *trust, "--access", tmp_path / "access.cbor"
        )
        assert carrying.code == 0 and carrying.touch["phase"] == "step-up", carrying
        assert await field.openings() == 2


@pytest.mark.thorough("AliroPhoneTests tries each fault against the reader's transaction")
@pytest.mark.seconds(300)
async def test_the_reader_is_right_with_each_fault_of_an_aliro_phone(tmp_path):
    tables = await aliro(tmp_path, "phone")
    issuer = (await lab("credentials", "aliro", "issuer", tmp_path / "issuer.pem")).output.strip()
    tables["aliro"] |= {"issuers": [issuer], "issuer-authorities": [issuer], "element": "floor1"}
    point = (await lab("card", "aliro", "--key", tmp_path / "guest.pem")).output.strip()
    document = ("--issuer", tmp_path / "issuer.pem", "--element", "floor1", "--until", "2036-12-31", "--key", point)
    made = await lab("credentials", "aliro", "access", *document, "--out", tmp_path / "access.cbor")
    assert made.code == 0, made
    faults = [json.loads(line) for line in (await lab("card", "faults", "--json")).output.splitlines()]
    faults = [fault for fault in faults if fault["side"] == "phone"]
    issued = ("--issuer", tmp_path / "issuer.pem", "--element", "floor1")
    assert len(faults) > 30 and sum("needs-issuer" in fault for fault in faults) > 20
    async with polled(tmp_path, kinds=["aliro"], **tables) as field:
        trust = ("--reader", await reader_point(field.bench), "--group", GROUP)
        for fault in faults:
            if fault["fault"] == "replayed-auth1":
                continue
            before = await field.openings()
            phone = ("--key", tmp_path / "phone.pem")
            if fault.get("needs-document"):
                phone = ("--key", tmp_path / "guest.pem", "--access", tmp_path / "access.cbor")
            if fault.get("needs-issuer"):
                # A phone that the reader does not know yet, also after a fault that it tolerates.
                phone = ("--key", tmp_path / f"{fault['fault']}.pem", *issued)
            if fault["fault"] == "old-iteration":
                newer = await field.card("aliro", "--key", tmp_path / "newer.pem", *issued, "--iteration", 9, *trust)
                assert newer.code == 0 and newer.touch["phase"] == "step-up", newer
                before += 1
            done = await field.card("aliro", *phone, *trust, "--fault", fault["fault"])
            assert done.code == 0, (fault, done)
            assert done.touch["fault"] == fault["fault"] and done.touch["findings"] == [], (fault, done)
            opens = fault["other"] in ("goes on", "has opened", "needs a clock")
            if fault.get("needs-issuer"):
                assert done.touch["status"] == ISSUED_STATUS.get(fault["fault"], "0101" if opens else "0007"), done
            assert await field.openings() == before + opens, fault
        guest = ("--key", tmp_path / "guest.pem", "--access", tmp_path / "access.cbor")
        right = await field.card("aliro", *guest, *trust)
        assert right.code == 0 and right.touch["phase"] == "step-up", right


@pytest.mark.seconds(60)
async def test_wrong_use_is_refused_in_a_line(tmp_path):
    for words, code, text in (
        (("card", "pkoc", "--key", tmp_path / "k.pem", "--field", f"unix:{tmp_path}/none"), 1, "no field answers"),
        (("card", "aliro", "--key", tmp_path / "k.pem", "--fault", "none", "--reader", "04"), 2, "no point of P-256"),
        (("card", "aliro", "--key", tmp_path / "k.pem", "--fault", "cut-document"), 2, "name one with --access FILE"),
        (("card", "aliro", "--key", tmp_path / "k.pem", "--fault", "expired"), 2, "its key with --issuer FILE"),
        (("air", "--nfc", "reader=pty:/tmp/x"), 2, "--field unix:PATH"),
        (("phone", "open", "--as-card", "unix:x", "--hci", "unix:y"), 2, "without --hci"),
    ):
        done = await lab(*words)
        assert done.code == code and text in done.errors, done


@pytest.mark.seconds(120)
async def test_the_page_opens_a_door(tmp_path):
    air, reader, cards = (
        block.replace("/tmp/", f"{tmp_path}/") for block in commands("contactless.md", "## A card opens a door", "")
    )
    (settings,) = commands("contactless.md", "## A card opens a door", "toml")
    (tmp_path / "reader.toml").write_text(settings.replace("/tmp/", f"{tmp_path}/"))
    async with terminals(tmp_path) as host:
        shown = await host.start(air)
        await shown.line("open for nfc.connection", LINE_SECONDS)
        door = await host.start(reader)
        await door.line(READY, OPEN_SECONDS)
        lines = await host.carry_out(cards, CARD_SECONDS)
        assert any("the reader has read the card" in line for line in lines), lines
        assert any("opened" in line for line in lines), lines
        assert door.matching(UNLOCKED)
        assert shown.matching("pkoc-[0-9]+: 00a40400")
