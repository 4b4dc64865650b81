# SPDX-License-Identifier: Apache-2.0
"""`readerlab emulate reader` with a phone that shares no code with it: states, faults, and what apps get wrong."""

import asyncio
import contextlib
import json
from pathlib import Path

import pytest

from access.advertising import ACCESS, CLASSIC, IBEACON, ON_TOUCH
from access.frames import Message
from access.session import SessionError, Transponder
from access.tokens import Command, command_token
from rig.air_process import OTHER
from rig.backend import provision
from rig.emulation import LINE_SECONDS, binary
from rig.matrix import some_of
from rig.phone import LinkLost, NotReached, Refused
from rig.processes import Child, Gone
from rig.reader_emulation import emulated_reader

NEXT_LINK_SECONDS = 0.5
"""Before another link of the same phone, as an app waits."""
LINK_SECONDS = 6.0
"""A link without an exchange ends after 3 s."""

EXAMPLE = Path(__file__).parents[4] / "lab/Examples/Scenarios/unlucky-reader.json"


async def test_a_phone_opens_the_door(directory):
    transcript = directory / "run.json"
    async with emulated_reader(directory, "--transcript", str(transcript)) as reader:
        link = await reader.ready(await reader.phone())
        assert await link.run("tokn") == b""
        await link.disconnect()
        await reader.event("disconnected", by="app")
        assert reader.openings == 1 and reader.rules == []
        names = [json.loads(line.text) for line in reader.child.lines if '"link":1' in line.text]
        steps = [entry.get("step") or entry["event"] for entry in names]
        order = ["connected", "gate", "handshake", "proof", "request", "decided", "answer", "disconnected"]
        found = [step for step in steps if step in order]
        assert sorted(found) == sorted(order) and found[0] == "connected"
        assert found[-5:] == ["proof", "request", "decided", "answer", "disconnected"]
        assert {"mtu", "subscribed", "rssi", "mode"} <= set(steps)
    record = json.loads(transcript.read_text())
    assert record["findings"] == [] and record["devices"][0]["demo-identity"]


async def test_it_has_the_identity_of_a_provisioned_reader(directory):
    state = directory / "state"
    state.mkdir()
    bundle = provision(state, "front", "command")
    async with emulated_reader(directory, "--state", str(state)) as reader:
        first = reader.events("emulation")[0]
        assert first["name"] == bundle["readers"][0]["device-id"] and not first["demo-identity"]
        link = await reader.ready(await reader.phone())
        with pytest.raises(SessionError):
            # The phone looks for the demo reader's signature.
            await link.run("tokn")


# States


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("too-far", "below the threshold in the window"),
        ("rssi well-under", "far below the threshold"),
        ("rssi none", "too few readings in the window"),
    ],
)
async def test_a_phone_that_is_not_near_is_sent_away(directory, order, why):
    async with emulated_reader(directory) as reader:
        await reader.obey(order)
        link = await reader.connected(await reader.phone())
        assert await link.wait_for_end(LINK_SECONDS) == 0x13
        assert why in (await reader.event("refused"))["text"]
        assert reader.rules == []


async def test_a_full_reader_is_not_found_and_one_with_room_is(directory):
    async with emulated_reader(directory) as reader:
        phone = await reader.phone()
        await reader.obey("pool full")
        with pytest.raises(NotReached):
            await phone.find(ACCESS, 1.0)
        await reader.obey("pool free")
        await (await reader.ready(phone)).run("tokn")


@pytest.mark.parametrize("mode", [CLASSIC, ON_TOUCH, ACCESS, IBEACON], ids=lambda mode: mode.name)
async def test_the_modes_change_while_it_runs(directory, mode):
    async with emulated_reader(directory) as reader:
        await reader.obey(f"modes {mode.name}")
        phone = await reader.phone()
        await (await reader.ready(phone, mode)).run("tokn")
        assert (await reader.event("mode"))["text"] == f"mode {mode.name}"


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ("clock 2099-01-01", -13),
        ("blacklist {credential}", -13),
        ("lockdown on", -21),
        ("disk full", -8),
        ("disk failing", -21),
        ("disk slow", -21),
        ("status -32", -32),
        ("status -250", -250),
    ],
)
async def test_a_status_is_told_and_the_door_stays_shut(directory, order, status):
    async with emulated_reader(directory) as reader:
        await reader.obey(order.format(credential=Command("tokn").credential))
        link = await reader.ready(await reader.phone())
        with pytest.raises(Refused) as refused:
            await link.run("tokn")
        assert refused.value.status == status
        await link.disconnect()
        await reader.event("disconnected")
        assert reader.openings == 0 and reader.rules == []


async def test_without_a_clock_nothing_is_answered(directory):
    async with emulated_reader(directory) as reader:
        await reader.obey("clock unset")
        link = await reader.ready(await reader.phone())
        with pytest.raises(LinkLost):
            await link.run("tokn")
        assert "-157" in (await reader.event("message-refused"))["text"]


# Faults


async def test_the_tester_ends_a_link_with_a_reason(directory):
    async with emulated_reader(directory) as reader:
        link = await reader.ready(await reader.phone())
        await reader.obey("disconnect 1 power-off")
        assert await link.wait_for_end(LINK_SECONDS) == 0x15


async def test_the_example_of_a_scenario(directory):
    async with emulated_reader(directory, "--scenario", str(EXAMPLE)) as reader:
        await reader.event("command", text="disconnect-before at answer, time 2 from now")
        phone = await reader.phone()
        # A wrong proof first, then a status, then the end of the link.
        for error in (SessionError, Refused, LinkLost):
            link = await reader.ready(phone)
            with pytest.raises(error):
                await link.run("tokn")
            await link.disconnect()
            await reader.event("disconnected")
            await asyncio.sleep(NEXT_LINK_SECONDS)
        await (await reader.ready(phone)).run("tokn")
        assert reader.rules == [] and reader.openings == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("status -35", "no reader answers -35"),
        ("delay 5000", "a reader ends a link after 3 s"),
        ("fault drop near", "drop does not suit near"),
        ("wifi down", "a reader has no Wi-Fi"),
    ],
)
async def test_what_no_reader_does_is_refused_in_one_line(directory, line, why):
    async with emulated_reader(directory) as reader:
        answer = await reader.order(line)
        assert not answer["ok"] and len(answer["lines"]) == 1 and why in answer["lines"][0]


async def test_a_scenario_with_a_fault_is_refused_with_its_place(directory):
    scenario = directory / "scenario.json"
    scenario.write_text('{"events": [\n{"after-ms": 0, "do": "status 7"}]}')
    command = [str(binary()), "emulate", "reader", "--hci", "tcp-client:127.0.0.1:1", "--scenario", str(scenario)]
    child = await Child.start("reader", command)
    await child.line(r"scenario.json:2: events\[0\].do: no reader answers 7", LINE_SECONDS)
    with contextlib.suppress(Gone):
        await child.line("(?!)", LINE_SECONDS)
    assert await child.stop() == 2


# Mistakes of apps


async def test_an_app_that_trusts_an_unproven_reader_is_found(directory):
    async with emulated_reader(directory) as reader:
        await reader.obey("fault wrong-proof proof")
        link = await reader.ready(await reader.phone())
        transponder = Transponder()
        await link.ask(Message(transponder.handshake()))
        await link.send(Message(b"\x04" + bytes(200)))
        assert (await reader.event("finding"))["rule"] == "trusted-unproven"


async def test_an_app_that_returns_at_once_is_found(directory):
    async with emulated_reader(directory) as reader:
        await reader.obey("too-far")
        phone = await reader.phone()
        address = (await phone.find(ACCESS)).address
        for _ in range(2):
            await (await phone.connect(address)).wait_for_end(LINK_SECONDS)
        assert (await reader.event("finding"))["rule"] == "retried-at-once"


@pytest.mark.parametrize(
    ("asks", "rule"),
    some_of([(True, "never-closed"), (False, "idle-link")], "ReaderReviewTests have the links that the reader ends"),
)
async def test_an_app_that_keeps_the_link_is_found(directory, asks, rule):
    async with emulated_reader(directory) as reader:
        link = await reader.ready(await reader.phone())
        if asks:
            await link.run("tokn")
        assert await link.wait_for_end(LINK_SECONDS) == 0x13
        assert (await reader.event("finding"))["rule"] == rule


async def test_an_app_that_asks_again_before_the_answer_is_found(directory):
    async with emulated_reader(directory) as reader:
        await reader.obey("disk slow")
        link = await reader.ready(await reader.phone(OTHER))
        agreed = await link.handshake()
        await link.send(Message(agreed.request(command_token(Command("tokn")))))
        await link.send(Message(Transponder().handshake()))
        assert (await reader.event("finding"))["rule"] == "asked-again"


async def test_an_app_that_does_not_wait_is_found(directory):
    async with emulated_reader(directory) as reader:
        await reader.obey("disk slow")
        link = await reader.ready(await reader.phone())
        agreed = await link.handshake()
        await link.send(Message(agreed.request(command_token(Command("tokn")))))
        await reader.event("wrote", step="request")
        await link.disconnect()
        assert (await reader.event("finding"))["rule"] == "did-not-wait"


async def test_a_request_without_a_handshake_is_found(directory):
    async with emulated_reader(directory) as reader:
        link = await reader.ready(await reader.phone())
        await reader.event("gate")
        await link.send(Message(b"\x04" + bytes(200)))
        await reader.event("finding", rule="request-before-proof")


async def test_an_app_that_has_not_subscribed_is_found(directory):
    async with emulated_reader(directory) as reader:
        link = await reader.connected(await reader.phone())
        await link.exchange_mtu()
        await link.discover()
        await link.send(Message(Transponder().handshake()))
        assert (await reader.event("finding"))["rule"] == "not-subscribed"


async def test_a_message_that_is_cut_short_is_not_silence(directory):
    async with emulated_reader(directory) as reader:
        link = await reader.ready(await reader.phone())
        await link.send_frame(bytes.fromhex("006485cc0000") + bytes(10))
        assert await link.wait_for_end(LINK_SECONDS) == 0x13
        found = await reader.event("finding")
        assert found["rule"] == "unfinished-message"
        assert "sent 10 of the 100 octets that its header announces" in found["sentence"]
        entry = next(entry for entry in reader.events("wrote") if entry["entry"] == found["of-entry"])
        assert entry["octets"] == 16
        assert len(reader.rules) == 1


async def test_a_little_endian_length_is_not_silence(directory):
    """A reader may refuse the length that it reads, or wait for so many octets."""
    async with emulated_reader(directory) as reader:
        link = await reader.ready(await reader.phone())
        await link.send_frame(bytes.fromhex("130085cc0000120a10") + bytes(16))
        found = await reader.event("finding")
        assert found["rule"] in {"unfinished-message", "malformed-message"}
        assert "the length is in little-endian order" in found["sentence"]


async def test_an_app_that_subscribes_to_another_service_is_told_so(directory):
    async with emulated_reader(directory) as reader:
        link = await reader.connected(await reader.phone())
        await link.prepare(ON_TOUCH.service)
        await link.discover(ACCESS.service)
        await link.send(Message(Transponder().handshake()))
        found = await reader.event("finding", rule="not-subscribed")
        assert "subscribed to the TX of another service" in found["sentence"]


async def test_a_phone_that_is_switched_off_is_no_app_that_does_not_wait(directory):
    async with emulated_reader(directory) as reader:
        await reader.obey("disk slow")
        link = await reader.ready(await reader.phone())
        agreed = await link.handshake()
        await link.send(Message(agreed.request(command_token(Command("tokn")))))
        await reader.event("wrote", step="request")
        await link.disconnect(0x15)
        await reader.event("disconnected", reason=0x15)
        assert reader.rules == []


async def test_a_message_with_a_wrong_checksum_is_found(directory):
    async with emulated_reader(directory) as reader:
        link = await reader.ready(await reader.phone())
        octets = bytearray(Message(Transponder().handshake()).octets())
        octets[2] ^= 1
        await link.send_frame(bytes(octets))
        assert (await reader.event("finding"))["rule"] == "malformed-message"
