# SPDX-License-Identifier: Apache-2.0
"""Attacking phones, and the users who come to the door during the attack."""

import asyncio
import statistics

import pytest

from access.advertising import ACCESS
from access.tokens import Command, command_token
from rig.attack import (
    CALLED_BACK,
    CALLED_BACK_OSS,
    PROMISED_SECONDS,
    RIGHTFUL,
    SERVED_WITHIN_SECONDS,
    VICTIM,
    Attackers,
    call_back,
    called_back,
    called_back_oss,
    come,
    ended,
    mixed,
    records,
)
from rig.bench import Bench
from rig.operation import Operator
from rig.waiting import until

pytestmark = pytest.mark.alone

COMINGS = 13
COMING_SECONDS = 2.1
"""Between comings: a twentieth more than between two tries of an attacker, so that each coming meets another moment."""
"""As often as the rightful phone came, and was served 0 times, before a refusal cost a link anything."""

TOKEN = command_token(Command("tokn", credential=RIGHTFUL))

SETTLED_SECONDS = 1.5
"""Failed authentications are written one second after the event."""


@pytest.mark.thorough("SlotTests serve the rightful phone among three dead credentials")
@pytest.mark.seconds(120)
async def test_a_rightful_phone_is_served_among_three_dead_credentials():
    """An ended credential, a revoked command token and a revoked credential, on three slots, every 2 s and more."""
    async with Bench(links={"max": 3}, door={"pulse-s": 1}) as bench:
        phone = await bench.phone("rightful")
        address = (await phone.find(ACCESS)).address
        link = await (await phone.connect(address)).prepare()
        await call_back(link, CALLED_BACK, CALLED_BACK_OSS)
        await link.disconnect()
        attackers = Attackers(bench, address)
        await attackers.dead(ended(), called_back(), called_back_oss())
        await until("the attackers", lambda: attackers.shown["dead"] >= 3)
        waited = []
        for _ in range(COMINGS):
            waited.append(await come(phone, address, TOKEN))
            await asyncio.sleep(COMING_SECONDS)
        await attackers.stop()
        assert attackers.shown["dead"] >= COMINGS, "the attackers were not there"
    served = sorted(seconds for seconds in waited if seconds is not None)
    print(
        f"served {len(served)} of {COMINGS}: median {statistics.median(served or [float('inf')]):.2f} s,"
        f" longest {max(served, default=float('inf')):.2f} s; {attackers.shown['dead']} refusals"
    )
    assert len(served) == COMINGS, f"within {SERVED_WITHIN_SECONDS} s each"
    assert statistics.median(served) <= PROMISED_SECONDS


FLOOD_SECONDS = 12
RECORDS_OF_STRANGERS = 16 + 2
"""A bucket of 16, one more if ten minutes end meanwhile, and the count at the reader's end."""


@pytest.mark.seconds(90)
@pytest.mark.thorough("LinkAttackTests, RecordBudgetTests and SlotTests have the parts")
async def test_forged_tokens_cost_a_handful_of_records_and_name_nobody():
    """Hundreds of them, each in the name of a victim, and entrances before and behind."""
    async with Bench(links={"max": 3}, door={"pulse-s": 1}) as bench:
        operator = Operator(bench)
        phone = await bench.phone("rightful")
        address = (await phone.find(ACCESS)).address
        assert await come(phone, address, TOKEN) is not None
        before = len(await records(operator))
        attackers = Attackers(bench, address)
        await attackers.forger()
        await asyncio.sleep(FLOOD_SECONDS)
        await attackers.stop()
        assert await come(phone, address, TOKEN) is not None
        await asyncio.sleep(SETTLED_SECONDS)
        during = await records(operator)
        assert (await operator.metrics()).value("decisions_total", decision="denied") >= attackers.shown["forged"]
        # The end reports how many there were besides.
        await bench.restart()
        await asyncio.sleep(SETTLED_SECONDS)
        found = await records(operator)
        assert (await operator.events("--verify")).code == 0
    forged = attackers.shown["forged"]
    kinds = [record["kind"] for record in found]
    print(f"{forged} forged tokens in {FLOOD_SECONDS} s: {len(during) - before} records more")
    assert forged > 4 * RECORDS_OF_STRANGERS, "that was no flood"
    assert kinds.count("unproven") + kinds.count("unproven-suppressed") <= RECORDS_OF_STRANGERS
    counted = sum(record["info"] for record in found if record["kind"] == "unproven-suppressed")
    assert counted + kinds.count("unproven") >= forged, "each is a record, or counted in one"
    assert not any(VICTIM[:8] in str(value) for record in found for value in record.values())
    assert [record.get("credential") for record in found if record["kind"] == "granted"] == [RIGHTFUL] * 2


@pytest.mark.thorough("SlotTests, RecordBudgetTests and LinkAttackTests have the parts")
@pytest.mark.seconds(180)
async def test_a_minute_of_mixed_attack():
    """`script/attack`, shortly: an hour of it is for who has one."""
    outcome = await mixed(seconds=60, every=5)
    print(outcome.table())
    assert len(outcome.waited) == 12
    assert len(outcome.served) == 12, "within SERVED_WITHIN_SECONDS"
    assert outcome.percentile(0.5) <= PROMISED_SECONDS
    assert outcome.entrances >= 12 and outcome.verifies and not outcome.names_victim
    assert outcome.growth <= 2.0, "a debug build settles later than a minute"
