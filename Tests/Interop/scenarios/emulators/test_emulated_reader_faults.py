# SPDX-License-Identifier: Apache-2.0
"""Every fault of `readerlab emulate reader`, as a phone meets it that shares no code with it: each step with each of
its words."""

import asyncio

import pytest

from access.frames import Message
from access.session import SessionError, Transponder
from access.status import Status
from access.tokens import Command, command_token
from rig.fault_table import accepted
from rig.matrix import some_of
from rig.phone import Link, LinkLost, Refused
from rig.reader_emulation import emulated_reader

ROWS = accepted("reader")
STEPS = {step: words for step, words in ROWS.items() if step != "card"}
"""Those of links; test_emulated_reader_field.py has cards."""
USER, LOW_RESOURCES = 0x13, 0x14
"""HCI errors (Core 5.4, Vol 1, Part F, 1.3)."""
NEXT_LINK_SECONDS = 0.5
"""Before another link of the same phone, as an app waits."""
LINK_SECONDS = 6.0
"""A link without an exchange ends after 3 s."""
SILENT_SECONDS = 1.0
SLOW_MS, STATUS = 1500, -32


def typed(word: str, step: str) -> str:
    argument = {"delay": str(SLOW_MS), "code": str(STATUS)}.get(word, "")
    return f"fault {word} {step} {argument}".strip()


def test_each_step_has_its_effects_here() -> None:
    assert set(ROWS) == {"connect", "near", "proof", "answer", "card"}


@pytest.mark.parametrize(
    ("step", "word"),
    some_of(
        [(step, word) for step, words in STEPS.items() for word in words if word == "refuse" or "disconnect" in word],
        "EmulatedReaderTests end the link at each step",
    ),
)
async def test_the_link_ends(directory, step, word):
    async with emulated_reader(directory) as reader:
        await reader.obey(typed(word, step))
        phone = await reader.phone()
        link = await reader.connected(phone)
        try:
            await link.prepare()
            await link.run("tokn")
            is_answered = True
        except LinkLost:
            is_answered = False
        if (step, word) != ("proof", "disconnect-after"):  # a fast phone is answered before that end
            assert is_answered == ((step, word) == ("answer", "disconnect-after"))
        assert await link.wait_for_end(LINK_SECONDS) == (LOW_RESOURCES if word == "refuse" else USER)
        await reader.event("disconnected", by="device")
        # The next link is served.
        await asyncio.sleep(NEXT_LINK_SECONDS)
        await (await reader.ready(phone)).run("tokn")
        assert reader.rules == []


async def ask_proof(link: Link) -> None:
    """The first message, and the reader's proof of its key."""
    await link.ask(Message(Transponder().handshake()))


async def ask_answer(link: Link) -> None:
    """A request over a proven session, and its answer."""
    await link.run("tokn")


@pytest.mark.parametrize(("step", "ask"), [("proof", ask_proof), ("answer", ask_answer)])
async def test_a_message_is_dropped(directory, step, ask):
    async with emulated_reader(directory) as reader:
        await reader.obey(typed("drop", step))
        link = await reader.ready(await reader.phone())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ask(link), SILENT_SECONDS)
        await link.disconnect()
        # The door moves: the request was taken.
        await reader.event("disconnected")
        assert reader.openings == (1 if step == "answer" else 0)


@pytest.mark.parametrize("step", ["proof", "answer"])
async def test_a_message_comes_late(directory, step):
    async with emulated_reader(directory) as reader:
        await reader.obey(typed("delay", step))
        link = await reader.ready(await reader.phone())
        begin = asyncio.get_running_loop().time()
        agreed = await link.handshake()
        shaken = asyncio.get_running_loop().time() - begin
        await link.ask(Message(agreed.request(command_token(Command("tokn")))))
        answered = asyncio.get_running_loop().time() - begin - shaken
        assert (shaken if step == "proof" else answered) >= SLOW_MS / 1000
        await link.disconnect()
        await reader.event("disconnected")
        assert reader.rules == []


@pytest.mark.parametrize(("step", "status"), [("proof", Status.SIGNATURE), ("answer", Status.CRYPTO)])
async def test_a_wrong_proof_is_found_by_the_phone(directory, step, status):
    async with emulated_reader(directory) as reader:
        await reader.obey(typed("wrong-proof", step))
        link = await reader.ready(await reader.phone())
        with pytest.raises(SessionError) as error:
            await link.run("tokn")
        assert error.value.status == status
        await link.disconnect()
        await reader.event("disconnected")
        assert reader.rules == []


async def test_an_answer_is_a_status_and_the_door_stays_shut(directory):
    async with emulated_reader(directory) as reader:
        await reader.obey(typed("code", "answer"))
        link = await reader.ready(await reader.phone())
        with pytest.raises(Refused) as refused:
            await link.run("tokn")
        assert refused.value.status == STATUS
        await link.disconnect()
        await reader.event("disconnected")
        assert reader.openings == 0 and reader.rules == []


def test_each_word_has_its_effect_here() -> None:
    words = {word for words in STEPS.values() for word in words}
    assert words == {"refuse", "disconnect-before", "disconnect-after", "drop", "delay", "wrong-proof", "code"}
    assert all(set(STEPS[step]) >= {"drop", "delay", "wrong-proof"} for step in ("proof", "answer"))
