# SPDX-License-Identifier: Apache-2.0
"""The desired state of a reader: in force as a whole and on its disk, or not at all, whatever the broker, the link, the
disk and the power do."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pytest

from fleet.back_end import Signer, provision
from fleet.broker import ACCESS as READERS
from fleet.broker import Broker
from fleet.desired import ACCESS, DESIRED, LinkEnd, Publisher, chunks, environment, order, policy
from fleet.desk import DESK_ACCESS, Desk
from fleet.door import Door
from rig.waiting import until

pytestmark = pytest.mark.seconds(240)
MAY_SET = ("blacklist", "door.pulse-s")
DESK = DESK_ACCESS + "topic write acc/v1/+/down/desired/#\n"
"""As docs/operate/fleet.md gives it."""
FIRST = [f"FIRST{number}" for number in range(100)]
SECOND = [f"SECOND{number}" for number in range(150)]


async def connected(door: Door) -> bool:
    """True while the broker serves the door's link."""
    return (await door.status())["link"]["connected"]


async def test_a_state_is_taken_as_a_whole_and_holds(directory: Path) -> None:
    signer, stranger = Signer(), Signer()
    state = directory / "d" / "state"
    terminal_key = provision(state, signer)
    async with Broker(directory, access=READERS + ACCESS) as broker, Door(directory / "d", may_set=MAY_SET) as door:
        async with Publisher(broker, terminal_key) as back_end:
            # It is at the broker before the reader is.
            parts = chunks(FIRST, {"door.pulse-s": 7})
            signed = order(signer, 10, parts)
            back_end.leave(10, parts, signed)
            await door.join(broker)
            await until("the connection", lambda: connected(door))
            answer = await back_end.wait(signed)
            assert (answer["result"], answer["counter"]) == ("done", 10)
            held = await policy(state)
            assert held["blacklist"] == len(FIRST) and "desired-state" in held["settings"]

            # Chunks of another version, altered and in each other's place: the previous state holds.
            later = chunks(SECOND)
            assert len(later) == 3
            newer = order(signer, 11, later)
            swapped = [later[1], later[0], later[2][:-1] + b"\0"]
            back_end.leave(11, swapped, newer)
            answer = await back_end.wait(newer, "pending")
            assert (answer["result"], answer["missing"]) == ("pending", 3)
            assert (await policy(state))["blacklist"] == len(FIRST)
            for index in (2, 0, 1, 0):
                back_end.publish(f"{DESIRED}/{index}", later[index])
            assert (await back_end.wait(newer))["result"] == "done"
            assert (await policy(state))["blacklist"] == len(SECOND)

            refused = {
                "counter": [signed, order(signer, 9, parts), order(signer, 11, parts)],
                "key": [order(stranger, 12, parts)],
                "reader": [order(signer, 12, parts, reader="0" * 16)],
                "expired": [order(signer, 12, parts, begin=-2 * 86_400)],
                "early": [order(signer, 12, parts, begin=60)],
            }
            for reason, messages in refused.items():
                for each in messages:
                    assert (await back_end.ask(each))["reason"] == reason
            await door.restart()
            await until("the connection", lambda: connected(door))
            assert (await back_end.ask(newer))["result"] == "done", "after a restart"
            assert (await back_end.ask(signed))["reason"] == "counter", "lower, durably"
            assert (await policy(state))["blacklist"] == len(SECOND)
        events = [event for event in await door.events() if event.get("channel") == "remote"]
        assert {event["actor"] for event in events} == {f"key {signer.id[:4].hex()}"}
        assert [event["kind"] for event in events] == ["configuration-changed", "blacklist-changed"] * 2


async def test_what_the_configuration_does_not_permit_is_refused_as_a_whole(directory: Path) -> None:
    signer = Signer()
    state = directory / "d" / "state"
    terminal_key = provision(state, signer)
    async with Door(directory / "d", may_set=("blacklist",)) as door, LinkEnd(door, terminal_key) as link:
        await until("the policy", lambda: (state / "policy.count").exists())
        for version, parts in ((1, chunks(FIRST, {"door.pulse-s": 7})), (2, chunks([], {"door.fail-mode": "safe"}))):
            signed = order(signer, version, parts)
            assert (await link.answer(signed))["result"] == "pending"
            assert await link.fetch() == "chunks"
            for index, part in enumerate(parts):
                link.chunk(part, index)
            answer = await link.settled(signed)
            assert answer["reason"] == ("forbidden" if version == 1 else "form")
            assert "counter" not in answer
        assert (await policy(state))["blacklist"] == 0
        assert link.state["desired"] == {"refused": {"version": 2, "reason": "form"}}
        nothing = order(signer, 3, chunks([]))
        assert (await link.answer(nothing))["result"] == "pending"
        link.chunk(chunks([])[0], 0)
        assert (await link.settled(nothing))["result"] == "done"
    other_key = provision(directory / "e" / "state", Signer())
    async with Door(directory / "e") as door, LinkEnd(door, other_key) as link:
        assert (await link.answer(order(signer, 1, chunks([]))))["reason"] == "key"


async def test_the_power_goes_at_each_operation_of_the_disk(directory: Path) -> None:
    """Afterwards the previous state holds as a whole, or the new one does, and the reader says which."""
    signer = Signer()
    base, log = directory / "d", directory / "log"
    terminal_key = provision(base / "state", signer)
    first, second = chunks(FIRST, {"door.pulse-s": 7}), chunks(SECOND, {"door.pulse-s": 9})
    former, later = order(signer, 10, first), order(signer, 11, second)

    async def offer(link: LinkEnd, signed: bytes, parts: list[bytes]) -> dict:
        await link.answer(signed)
        for index, part in enumerate(parts):
            link.chunk(part, index)
        return await link.settled(signed)

    async with Door(base, may_set=MAY_SET) as door, LinkEnd(door, terminal_key) as link:
        await until("the policy", lambda: (base / "state/policy.count").exists())
        assert (await offer(link, former, first))["result"] == "done"
    shutil.copytree(base / "state", directory / "before", symlinks=True)

    async def attempt(at: int) -> bool:
        """Offers the second state while the power goes at this operation; True if it was reported as in force."""
        door = Door(base, may_set=MAY_SET)
        door.environment = environment(base / "state", at=at, log=log)
        async with door:
            try:
                async with LinkEnd(door, terminal_key) as link:
                    return (await offer(link, later, second))["result"] == "done"
            except (EOFError, OSError):
                await door.reader.ended(20)
                assert door.reader.returncode == -signal.SIGKILL, door.reader.lines
                return False

    assert await attempt(0)
    operations = [line.split() for line in log.read_text().splitlines()]
    # From the second copy of the new state on back: the commit is of three files.
    numbers = [int(number) for number, _, file in operations if "policy" in file or file == str(base / "state")]
    cuts, told, found = numbers[-24:], 0, set()
    assert len(cuts) >= 18, operations
    for at in cuts:
        shutil.rmtree(base / "state")
        shutil.copytree(directory / "before", base / "state", symlinks=True)
        log.unlink(missing_ok=True)
        was_told = await attempt(at)
        told += was_told
        async with Door(base, may_set=MAY_SET) as door, LinkEnd(door, terminal_key) as link:
            await until("the policy", lambda: has_policy(door))
            answer = await link.answer(later)
            is_new = answer["result"] == "done"
            assert is_new or not was_told, f"told at {at}, and lost"
            assert answer["counter"] == (11 if is_new else 10)
            held = await policy(base / "state")
            assert held["sound"] and held["blacklist"] == (len(SECOND) if is_new else len(FIRST)), f"cut at {at}"
            found.add(is_new)
            if not is_new:
                assert (await offer(link, later, second))["result"] == "done"
    print(f"{len(cuts)} power cuts, after {told} of which the state was told; found {found}")
    assert found == {True, False}


async def has_policy(door: Door) -> bool:
    """True once the reader has read its policy."""
    return (await door.status())["events"].get("last") is not None


async def test_the_desk(directory: Path) -> None:
    async with Broker(directory, access=READERS + DESK) as broker:
        desk = await Desk(directory, broker).open()
        terminal_key = provision_with(directory / "d" / "state", desk)
        desk.know(terminal_key)
        state = directory / "state.json"
        state.write_text(
            json.dumps(
                {
                    "blacklist": [{"credential": each, "end": "2099-12-31 18:00"} for each in SECOND],
                    "settings": {"door.pulse-s": 9},
                }
            )
        )
        words = ("--state", str(state))
        code, output = await desk.desired(*words, "--wait", "3")
        assert code == 1 and "the reader takes it when it is connected" in output, output
        async with Door(directory / "d", may_set=MAY_SET) as door:
            await door.join(broker)
            await until("the state that was left", lambda: in_force(directory / "d" / "state", len(SECOND)))
            code, output = await desk.desired(*words)
            assert code == 0 and output.endswith("is in force\n") and "chunks to the broker" in output, output
            state.write_text(json.dumps({"settings": {"door.extended-s": 9}}))
            code, output = await desk.desired(*words, "--json")
            result = json.loads(output.splitlines()[-1])
            assert code == 1 and result["reason"] == "forbidden" and "link.may-set" in result["text"], output
        for text in ("{}", '{"blacklist":[{"credential":""}]}', '{"settings":{"door.pulse-s":0}}', "[", "no"):
            state.write_text(text)
            code, output = await desk.desired(*words)
            assert code == 2 and output.count("\n") == 1 and str(state) in output, output
        for options in (("--valid", "367"), ("--wait", "0")):
            assert (await desk.desired(*words, *options))[0] == 2


async def test_an_access_list_without_the_state_is_told(directory: Path) -> None:
    async with Broker(directory, access=READERS + DESK_ACCESS) as broker:
        desk = await Desk(directory, broker).open()
        state = directory / "state.json"
        state.write_text(json.dumps({"blacklist": []}))
        code, output = await desk.desired("--state", str(state))
        assert code == 1 and "correct its ACL for down/desired" in output, output


async def in_force(state: Path, entries: int) -> bool:
    """True once the policy on the disk has this many entries."""
    return (state / "policy.count").exists() and (await policy(state))["blacklist"] == entries


def provision_with(state: Path, desk: Desk):
    """Gives a reader the desk's key."""
    signer = Signer(desk.key.read_bytes())
    return provision(state, signer)
