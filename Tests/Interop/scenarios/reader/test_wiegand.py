# SPDX-License-Identifier: Apache-2.0
"""Cards on the two lines of a panel that takes cards only; their times are the kernel test's, gpio-wiegand."""

import hashlib
import json

import pytest

from access.advertising import ACCESS
from access.tokens import Command as PhoneCommand
from rig.bench import Bench
from rig.lines import Lines
from rig.operation import Operator
from rig.phone import Refused
from rig.waiting import until

pytestmark = pytest.mark.seconds(120)

CREDENTIAL = "CRED000002"
TOKEN = PhoneCommand("tokn", credential=CREDENTIAL)
DATA = (4, 5)
"""DATA0 and DATA1."""
BITS = 37
SECONDS = 20.0
LONGEST_PAUSE = 20_000
"""Of interval-us: a card takes 0.74 s."""


def card_of(credential: str) -> list[int]:
    """H10302: 35 bits of the SHA-256 between an even and an odd parity."""
    number = int.from_bytes(hashlib.sha256(credential.encode()).digest()) >> (256 - 35)
    bits = [number >> (34 - place) & 1 for place in range(35)]
    return [sum(bits[:18]) % 2, *bits, 1 - sum(bits[17:]) % 2]


def bits(lines: Lines) -> list[int]:
    """The bits so far, each the line that was pulled down."""
    return [DATA.index(edge.line) for edge in lines.edges if edge.line in DATA and edge.level]


def settings(**more: object) -> dict[str, object]:
    return {"lines": [f"gpiochip0:{line}" for line in DATA], **more}


@pytest.mark.parametrize(("cards", "expected"), [("all", 2), ("granted", 1), ("none", 0)])
async def test_the_panel_is_told_of_grants_and_of_refusals_as_configured(tmp_path, cards, expected):
    lines = Lines(tmp_path)
    async with Bench(environment=lines.environment, wiegand=settings(cards=cards)) as bench:
        operator, link = Operator(bench), await bench.ready()
        assert (await operator.run("lockdown", "on")).code == 0
        with pytest.raises(Refused):
            await link.run(TOKEN)
        assert (await operator.run("lockdown", "off")).code == 0
        await link.run(TOKEN)
        # The reader decides.
        await bench.reader.unlocked(SECONDS)
        await lines.until("all cards", SECONDS, lambda: len(bits(lines)) >= expected * BITS)
        # None follows: a card that is under way is sent to its end.
        assert await bench.reader.stop() == 0
        assert bits(lines) == card_of(CREDENTIAL) * expected


async def test_a_card_that_is_under_way_at_the_end_is_sent_to_its_end(tmp_path):
    lines = Lines(tmp_path)
    panel = settings(mode="panel", **{"interval-us": LONGEST_PAUSE})
    async with Bench(environment=lines.environment, wiegand=panel) as bench:
        await (await bench.ready()).run(TOKEN)
        await lines.until("a card begins", SECONDS, lambda: bits(lines))
        begun = len(bits(lines))
        assert await bench.reader.stop() == 0
        assert begun < BITS, "the card was over before the end: the test shows nothing"
        assert bits(lines) == card_of(CREDENTIAL)
        assert lines.levels(*DATA) == [False, False]


@pytest.mark.thorough("WiegandTimingTests and WiegandProcessTests have a card that is late")
async def test_a_card_that_waits_behind_others_for_too_long_is_not_sent(tmp_path):
    """200 bits at the slowest take 4.2 s: the third would be sent after 8 s, for a person who has gone."""
    lines = Lines(tmp_path)
    panel = settings(mode="panel", **{"interval-us": LONGEST_PAUSE, "card-format": "fasc-n"})
    async with Bench(environment=lines.environment, wiegand=panel) as bench:
        phone = await bench.phone()
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.prepare(ACCESS.service)
        for number in (1, 2, 3):
            await link.run(PhoneCommand("tokn", credential=f"CRED00000{number}"))
        await bench.reader.child.line("wiegand: a card was late", SECONDS)
        operator = Operator(bench)

        async def kinds():
            done = await operator.events("--json")
            return [(event["kind"], event.get("credential")) for event in map(json.loads, done.output.splitlines())]

        async def withdrawn():
            seen = await kinds()
            return seen if ("withdrawn", "CRED000003") in seen else []

        seen = await until("the record", withdrawn, SECONDS)
        assert [kind for kind, _ in seen].count("handed-on") == 3
        assert [kind for kind, _ in seen].count("withdrawn") == 1
        assert (await operator.status())["wiegand"]["cards"] == 2
        assert len(bits(lines)) == 2 * 200
