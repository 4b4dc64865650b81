# SPDX-License-Identifier: Apache-2.0
"""Orders from the desk: what readers get on the wire, and what the desk says to each answer."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from fleet.broker import ACCESS, Broker
from fleet.desk import DESK_ACCESS, Desk, StandIn, is_current, parsed, run
from fleet.door import DEVICE, Door
from rig.waiting import until

pytestmark = pytest.mark.seconds(120)


def broker_for(directory: Path, access: str = ACCESS + DESK_ACCESS) -> Broker:
    """A broker whose ACL has the desk."""
    return Broker(directory, access=access)


async def test_an_order_is_granted_and_the_counter_rises(directory: Path) -> None:
    async with broker_for(directory) as broker:
        desk = await Desk(directory, broker).open()
        async with StandIn(broker, desk, lambda order: {"result": "done", "sequence": 12}) as reader:
            assert await desk.command("--open") == (0, "demo: pulse granted, event 12\n")
            code, output = await desk.command("--lockdown-on", "--json", reader=DEVICE)
            assert code == 0 and json.loads(output)["result"] == "done"
            first, second = reader.orders
            assert (first["command"], second["command"]) == ("pulse", "lockdown-on")
            assert first["reader"] == DEVICE and first["args"] == {} and is_current(first)
            assert second["counter"] > first["counter"] and second["id"] != first["id"]
            assert json.loads(output)["id"] == second["id"].hex()
        assert stat.S_IMODE(desk.key.stat().st_mode) == 0o600
        key = desk.key.read_text().splitlines()[1:-1]
        assert not any(line in broker.log for line in key)


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"result": "refused", "reason": "lockdown"}, "demo: pulse refused (lockdown): .*lockdown-off"),
        ({"result": "refused", "reason": "counter", "counter": 9}, "demo: pulse refused (counter): "),
        ({"result": "repeated"}, "demo: pulse was taken before"),
    ],
)
async def test_a_refusal_says_why_and_what_to_do(directory: Path, members: dict, text: str) -> None:
    async with broker_for(directory) as broker:
        desk = await Desk(directory, broker).open()
        async with StandIn(broker, desk, lambda order: members):
            code, output = await desk.command("--open")
            begin, _, end = text.partition(".*")
            assert code == 1 and output.startswith(begin) and end in output and output.count("\n") == 1


async def test_an_answer_of_another_key_does_not_count(directory: Path) -> None:
    stranger = ec.generate_private_key(ec.SECP256R1())
    async with broker_for(directory) as broker:
        desk = await Desk(directory, broker).open()
        async with StandIn(broker, desk, lambda order: {"result": "done", "_key": stranger}):
            code, output = await desk.command("--open", "--wait", "2")
            assert code == 1 and "not signed by its terminal key" in output and "no answer within 2 s" in output
            assert "granted" not in output


async def test_without_an_answer_the_same_order_is_sent_again(directory: Path) -> None:
    """An identifier that is sent again is one order to the reader."""
    async with broker_for(directory) as broker:
        desk = await Desk(directory, broker).open()
        answers = iter([None, {"result": "done"}])
        async with StandIn(broker, desk, lambda order: next(answers)) as reader:
            assert await desk.command("--open", "--wait", "30") == (0, "demo: pulse granted\n")
            assert len(reader.wires) == 2 and reader.wires[0] == reader.wires[1]


async def test_without_a_link_it_is_not_delivered(directory: Path) -> None:
    async with broker_for(directory) as broker:
        desk = await Desk(directory, broker).open()
        code, output = await desk.command("--open")
        assert (code, output) == (1, "demo: pulse: not delivered: the reader's link is not connected to the broker\n")


async def test_an_access_list_without_the_desk_is_told(directory: Path) -> None:
    async with broker_for(directory, ACCESS) as broker:
        desk = await Desk(directory, broker).open()
        code, output = await desk.command("--open")
        assert code == 1 and "correct its ACL" in output, output


async def test_a_broker_that_is_not_there_is_told(directory: Path) -> None:
    async with broker_for(directory) as broker:
        desk = await Desk(directory, broker).open()
        await broker.stop()
        code, output = await desk.command("--open")
        assert code == 1 and "nothing was sent" in output and output.count("\n") == 1
        assert not desk.key.with_name("command-key.pem.counter").exists()


async def test_the_reader_answers_by_its_link(directory: Path) -> None:
    """A reader that has no key of the desk: its refusal is signed by its terminal key."""
    async with broker_for(directory) as broker, Door(directory / "d") as door:
        desk = await Desk(directory, broker).open()
        await door.join(broker)
        await until("the link", lambda: connected(door))
        code, output = await desk.command("--open", "--wait", "30")
        assert code == 1 and output.startswith("demo: pulse refused (key): "), output
        assert "--command-key" in output


async def connected(door: Door) -> bool:
    """True while the link serves."""
    return bool((await door.status())["link"].get("connected"))


async def test_signed_octets_for_another_way(directory: Path) -> None:
    desk = await Desk(directory).open()
    out = directory / "order.cbor"
    code, output = await desk.command("--lockdown-on", "--valid", "3600", "--out", str(out))
    assert code == 0, output
    order = parsed(out.read_bytes(), desk.public)
    assert order["command"] == "lockdown-on" and order["expires"] - order["not-before"] == 3605
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


async def test_wrong_use_is_told_and_nothing_is_signed(directory: Path) -> None:
    desk = await Desk(directory).open()
    for options, reader in [
        (("--open", "--valid", "31"), "demo"),
        (("--lockdown-off", "--valid", "31"), "demo"),
        (("--tamper-reset", "--valid", "3600"), "demo"),
        (("--open", "--lockdown-on"), "demo"),
        ((), "demo"),
        (("--open", "--out", str(directory / "x")), "elsewhere"),
        (("--open",), "demo"),
    ]:
        code, output = await desk.command(*options, reader=reader)
        assert code == 2, (options, output)
    assert not desk.key.with_name("command-key.pem.counter").exists()
    code, output = await run("fleet", "key", "init", str(desk.key.parent))
    assert code == 2 and "there is a key already" in output
    desk.key.chmod(0o644)
    assert (await desk.command("--open", "--out", str(directory / "x")))[0] == 2
