# SPDX-License-Identifier: Apache-2.0
"""Readers on controllers that have less than today's."""

import asyncio
import itertools

import pytest

from access.advertising import ACCESS, CLASSIC, ON_TOUCH
from access.results import VersionInfo
from access.tokens import Command
from rig.bench import FAR_DBM, Bench, packets
from rig.phone import Link, LinkLost
from rig.reader import UNLOCKED
from rig.rows import UNGATED

FIND_SECONDS = 20.0
"""For a phone that has to be served, and nothing is measured: a tenth of a second where nothing else runs."""


async def test_one_advertiser_takes_the_modes_in_turn_each_with_its_address():
    modes = [CLASSIC, ON_TOUCH, ACCESS]
    async with Bench(controller="legacy", advertising={"modes": [mode.name for mode in modes]}) as bench:
        phone = await bench.phone()
        seen = await phone.watch(
            8, lambda seen: sum(bool(d and r) for d, r in packets(seen).values()) >= len(modes) and len(seen) > 60
        )
        found = packets(seen)
        assert sorted(data.hex() for datas, _ in found.values() for data in datas) == sorted(
            mode.packet().hex() for mode in modes
        )
        assert len(found) == len(modes)
        order = [s.address for s in seen if not s.scan_response]
        turns = sum(one != other for one, other in itertools.pairwise(order))
        assert turns >= len(order) // 4, "each mode stays for about two packets"


@pytest.mark.parametrize("mode", [ON_TOUCH, ACCESS], ids=lambda mode: mode.name)
async def test_one_advertiser_serves_a_near_phone_in_each_mode(mode):
    async with Bench(controller="legacy") as bench:
        link = await bench.ready(mode)
        assert VersionInfo.decode(await link.run("PING")).build_time > 0
        await link.run("tokn")
        await bench.reader.unlocked()


async def test_one_advertiser_advertises_again_while_a_link_stands():
    # The first link waits for the others without an exchange: for as long as a busy machine takes to bring them.
    async with Bench(controller="legacy", links=UNGATED["links"], proximity=UNGATED["proximity"]) as bench:
        links = []
        for number in range(3):
            phone = await bench.phone(f"phone-{number}")
            sighting = await phone.find(ACCESS, FIND_SECONDS)
            link = await phone.connect(sighting.address, FIND_SECONDS)
            links.append(await link.prepare())
        # Of three people: one credential must not hold every slot.
        pings = [Command("PING", credential=f"CRED00000{number}") for number in range(3)]
        assert len(await asyncio.gather(*map(Link.run, links, pings))) == 3


async def test_one_advertiser_puts_a_far_phone_out():
    async with Bench(controller="legacy") as bench:
        _, link = await bench.connected(dbm=FAR_DBM)
        await link.wait_for_end(1)
        assert link.closed - link.opened <= 0.55


async def test_without_power_control_a_limit_of_the_path_loss_lets_nobody_in():
    """RootCanal's controller has no LE Power Control."""
    limited = {"gate": ["access"], "max-path-loss-db": 146}
    async with Bench(advertising={"modes": ["classic", "access"]}, proximity=limited) as bench:
        phone = await bench.phone()
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.wait_for_end(2)
        await bench.reader.child.line("fault controller-without-power: ", 2)
        await bench.reader.child.line("refused, the controller cannot read the transmit power of phones", 2)
        assert not bench.reader.child.matching(UNLOCKED)
        link = await phone.connect((await phone.find(CLASSIC)).address)
        await link.prepare(CLASSIC.service)
        await link.run("PING")


async def test_without_rssi_gated_modes_stay_shut_and_an_ungated_one_serves():
    async with Bench(
        controller="no-rssi",
        advertising={"modes": ["classic", "access"]},
        proximity={"gate": ["on-touch", "access"]},
    ) as bench:
        phone = await bench.phone()
        link = await phone.connect((await phone.find(ACCESS)).address)
        with pytest.raises((LinkLost, TimeoutError)):
            await link.prepare()
            await link.run("tokn")
        await link.wait_for_end(2)
        assert not bench.reader.child.matching(UNLOCKED)
        link = await phone.connect((await phone.find(CLASSIC)).address)
        await link.prepare(CLASSIC.service)
        await link.run("PING")
