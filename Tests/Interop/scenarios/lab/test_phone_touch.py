# SPDX-License-Identifier: Apache-2.0
"""`readerlab phone --nfc` against `readerd`: two simulated chips whose fields meet, and libnfc on both sides."""

import asyncio

import pytest

from contactless.field import OPEN_SECONDS, READY, Field
from rig.bench import Bench
from rig.phone_program import PhoneProgram
from rig.reader import UNLOCKED
from rig.rows import UNGATED

"""From the reader's start to a chip that listens."""
STEPS = ["touched", "selected", "handshake", "answer"]


def phone_of(field: Field) -> PhoneProgram:
    """The program on the phone's chip."""
    return PhoneProgram(field.phone_connection, "--nfc")


def touching(field: Field, **tables) -> Bench:
    """A reader on the field's chip."""
    return Bench(nfc={"connection": field.connection, **tables.pop("nfc", {})}, **tables)


@pytest.mark.seconds(60)
async def test_a_touch_opens_the_door_and_each_step_has_its_time():
    async with Field() as field, touching(field) as bench:
        await bench.reader.child.line(READY, OPEN_SECONDS)
        done = await phone_of(field).run("open", "--json")
        assert (done.code, done.errors) == (0, ""), done
        assert [event["event"] for event in done.events] == ["identity", *STEPS, "done"]
        assert done.event("selected")["reader"] == "wa0y1YwS"
        times = [event["at-ms"] for event in done.events[1:]]
        assert times == sorted(times)
        await bench.reader.unlocked()
        assert await field.faults() == [] and await field.faults("phone") == []


@pytest.mark.seconds(60)
async def test_a_long_answer_and_the_events_are_read_by_touch():
    async with Field() as field, touching(field, **UNGATED) as bench:
        await bench.reader.child.line(READY, OPEN_SECONDS)
        phone = phone_of(field)
        opened = await phone.run("open", "--repeat", 2, "--json")
        assert opened.code == 0, opened
        assert [row["step"] for row in opened.event("times")["steps"]] == [*STEPS, "visit"]
        # More than one APDU holds.
        settings = (await phone.run("command", "gcfg", "--json")).result("gcfg")
        assert settings["id"] == "wa0y1YwS"
        events = (await phone.run("events", "--json")).event("events")["events"]
        assert [event["information"] for event in events if event.get("command") == "tokn"] == [0, 0]


@pytest.mark.seconds(60)
async def test_refusals_by_touch_say_what_to_do():
    async with Field() as field, touching(field, nfc={"aid": "F0010203040506"}) as bench:
        phone = phone_of(field)
        await bench.reader.child.line(READY, OPEN_SECONDS)
        done = await phone.run("open")
        assert done.code == 1 and "(6A82)" in done.refusal and "--aid" in done.refusal
        assert (await phone.run("command", "PING", "--aid", "F0010203040506")).code == 0
        done = await phone.run("open", "--aid", "F0010203040506", "--reader", "AAAAAAAA")
        assert done.code == 1 and "wa0y1YwS" in done.refusal
        assert not bench.reader.child.matching(UNLOCKED)


TOUCHING_SECONDS = 2.0
"""In the middle of its attempts to find a reader."""


@pytest.mark.seconds(60)
async def test_no_reader_no_chip_and_ctrl_c_are_said_in_a_line():
    async with Field() as field:
        phone = phone_of(field)
        done = await phone.run("open", "--timeout", 1)
        assert done.code == 1 and "no reader is touched" in done.refusal
        await phone.start("open", "--timeout", 60, "--json")
        await phone.line('"event":"identity"')
        await asyncio.sleep(TOUCHING_SECONDS)
        phone.interrupt()
        done = await phone.ended()
        assert done.code == 1 and "interrupted" in done.refusal
        await field.ask("fault", "phone", "silent")
        done = await phone.run("open")
        assert done.code == 1 and "no NFC chip answers at pn532_uart:" in done.refusal
        await field.ask("unplug", "phone")
        done = await phone.run("open")
        assert done.code == 1 and "there is no such device" in done.refusal


async def test_wrong_use_by_touch_ends_with_2():
    for words in (["scan"], ["open", "--hci", "unix:/x"], ["open", "--reader", "C0:00:00:00:00:01"]):
        done = await PhoneProgram("pn532_uart:/none", "--nfc").run(*words)
        assert (done.code, done.output) == (2, ""), done
