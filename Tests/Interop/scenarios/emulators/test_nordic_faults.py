# SPDX-License-Identifier: Apache-2.0
"""Every fault of `readerlab emulate nordic-wifi`, as an app meets it: each step with each of its words."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from bumble.att import ATT_Error
from bumble.core import ProtocolError

from provisioning import wire
from provisioning.apps import CONFIGURATION, CONTROL_POINT, INFORMATION, App, IOSApp
from provisioning.bench import BSSID, HOME, PASSPHRASE, Bench, bench
from rig.fault_table import ARGUMENTS, DELAY_MS, Effect, accepted, typed
from rig.matrix import some_of
from rig.waiting import until

STEPS = accepted("nordic-wifi")
GATEWAY = ("--profile", "gateway")
INFO = wire.wifi_info(HOME.encode(), BSSID, 6, band=1, auth=4)
PAIRING_NOT_SUPPORTED = 0x05
"""Pairing Failed (Core 5.4, Vol 3, Part H, 3.5.5)."""
USER, LOW_RESOURCES, AUTHENTICATION_FAILURE = 0x13, 0x14, 0x05
"""HCI errors (Core 5.4, Vol 1, Part F, 1.3)."""
END_SECONDS = 5.0


def test_each_step_has_its_effects_here() -> None:
    assert set(STEPS) == {"connect", "pairing", "subscribe", "read-version", *REQUESTS, *VALUES}


# Values: answers as indications, results as notifications


@dataclass(frozen=True)
class Trigger:
    """A request, and the values on one characteristic that it leads to."""

    request: bytes
    values: list[str]
    place: int = 0
    answers: bool = True


GET_STATUS, START_SCAN, STOP_SCAN, FORGET = b"\x08\x01", b"\x08\x02", b"\x08\x03", b"\x08\x05"
JOIN = wire.set_config(INFO, PASSPHRASE, None)
JOINED = ["1001", "1002", "1003", "1004"]
FOUND = [
    "0a210a140a04486f6d651206aabbccddeeff18012006280410ceffffffffffffffff01",
    "0a220a150a05486f6d65351206aabbccddeeff18022024280310c4ffffffffffffffff01",
    "0a210a140a044f70656e1206aabbccddeeff18012001280010f6ffffffffffffffff01",
]
WRONG = wire.set_config(INFO, b"wrongwrong", None)
VALUES = {
    "status": Trigger(GET_STATUS, ["0801100052020800"]),
    "scan-started": Trigger(START_SCAN, ["08021000"]),
    "scan-stopped": Trigger(STOP_SCAN, ["08031000"]),
    "configured": Trigger(JOIN, ["08041000"]),
    "forgotten": Trigger(FORGET, ["08051000"]),
    "refused": Trigger(b"\x08\x06", ["08061001"]),
    "undecodable": Trigger(b"\xff", ["08001002"]),
    "record": Trigger(START_SCAN, FOUND, answers=False),
    "disconnected": Trigger(FORGET, ["1000"], answers=False),
    "authentication": Trigger(JOIN, JOINED, 0, answers=False),
    "association": Trigger(JOIN, JOINED, 1, answers=False),
    "obtaining-address": Trigger(JOIN, JOINED, 2, answers=False),
    "connected": Trigger(JOIN, JOINED, 3, answers=False),
    "connection-failed": Trigger(WRONG, ["1001", "1002", "10051800"], 2, answers=False),
}


async def at_rest(app: App) -> None:
    """No network, no scan, and every earlier value has come."""
    await app.ask(STOP_SCAN)
    await app.ask(FORGET)

    async def is_at_rest() -> bool:
        return wire.Response.decode(await app.ask(GET_STATUS)).device == {1: wire.DISCONNECTED}

    await until("rest", is_at_rest, END_SECONDS)


def with_code(value: bytes) -> bytes:
    """The value with the other code: the status of a response, the state of a result, which both are field 2."""
    fields = wire.fields(value) | {2: int(ARGUMENTS["code"])}
    return b"".join(
        wire.number(field, content) if isinstance(content, int) else wire.octets(field, content)
        for field, content in sorted(fields.items())
    )


@pytest.mark.thorough("FaultPlanTests and DevicesTests have each fault")
@pytest.mark.parametrize("step", VALUES)
@pytest.mark.seconds(90)
async def test_faults_of_a_value(directory, step):
    trigger = VALUES[step]
    values = [bytes.fromhex(value) for value in trigger.values]
    coded = with_code(values[trigger.place])
    async with bench(directory, *GATEWAY) as device:
        app = await device.app(IOSApp)
        for word in STEPS[step]:
            if app.link.lost.done():
                app = await device.app(IOSApp)
            await at_rest(app)
            if step == "disconnected":
                before = len(app.data.values)
                await app.ask(JOIN)
                await app.results(4, after=before)
            await meets(device, app, trigger, word, step, Effect.of(word, values, trigger.place, coded))


async def meets(device: Bench, app: App, trigger: Trigger, word: str, step: str, effect: Effect) -> None:
    """The fault, and what the app has heard at its end."""
    heard = app.answers if trigger.answers else app.data
    mark, line = len(heard.values), device.emulation.mark
    await device.obey(typed(word, step))
    began = asyncio.get_running_loop().time()
    await write(app, trigger.request)
    await device.emulation.event("fault", line)
    for count in range(len(effect.values)):
        await heard.after(mark + count)
    assert word != "delay" or asyncio.get_running_loop().time() - began >= DELAY_MS / 1000
    if effect.ends:
        assert await asyncio.wait_for(asyncio.shield(app.link.lost), END_SECONDS) == USER, word
        last = []
    else:
        # Whatever else came would have come before this answer.
        answer = await app.ask(GET_STATUS)
        last = [answer] if trigger.answers else []
    assert heard.values[mark:] == effect.values + last, word


async def write(app: App, request: bytes) -> None:
    """A request; its link may end before its response."""
    handle = app.link.characteristic(CONTROL_POINT).handle
    await unless_lost(app, app.client.write_value(handle, request, True))


async def unless_lost(app: App, work):
    """The result of an operation; None if its link ended first, for which Bumble would wait long."""
    task = asyncio.ensure_future(work)
    await asyncio.wait({task, app.link.lost}, timeout=END_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    assert task.done() or app.link.lost.done(), "neither a response nor an end"
    task.cancel()
    (result,) = await asyncio.gather(task, return_exceptions=True)
    if isinstance(result, ATT_Error):
        raise result
    return None if isinstance(result, BaseException) else result


# Requests

REQUESTS = {
    "get-status": GET_STATUS,
    "start-scan": START_SCAN,
    "stop-scan": STOP_SCAN,
    "set-config": JOIN,
    "forget-config": FORGET,
    "other-request": b"\x08\x06",
}


@pytest.mark.parametrize(
    "step", some_of(["read-version", *REQUESTS], "FaultPlanTests and DevicesTests have each fault", keep=2)
)
@pytest.mark.seconds(60)
async def test_faults_of_a_request(directory, step):
    async with bench(directory, *GATEWAY) as device:
        for word in STEPS[step]:
            app = await device.app(IOSApp)
            answers = len(app.answers.values)
            if step == "read-version":
                work = app.link.characteristic(INFORMATION).read_value()
            else:
                handle = app.link.characteristic(CONTROL_POINT).handle
                work = app.client.write_value(handle, REQUESTS[step], True)
            await device.obey(typed(word, step))
            began = asyncio.get_running_loop().time()
            if word == "error":
                with pytest.raises(ATT_Error) as caught:
                    await unless_lost(app, work)
                assert caught.value.error_code == int(ARGUMENTS["error"])
                assert len(app.answers.values) == answers
            else:
                await unless_lost(app, work)
            took = asyncio.get_running_loop().time() - began
            assert word != "delay" or took >= DELAY_MS / 1000
            if word.startswith("disconnect-"):
                assert await asyncio.wait_for(asyncio.shield(app.link.lost), END_SECONDS) == USER
                if step != "read-version":
                    assert (len(app.answers.values) > answers) == (word == "disconnect-after"), word
            else:
                assert await app.version() == bytes.fromhex("0802")
                await app.leave()


# The link


async def test_faults_of_a_connection(directory):
    reasons = {"disconnect-after": USER, "refuse": LOW_RESOURCES}
    async with bench(directory, *GATEWAY) as device:
        for word in STEPS["connect"]:
            await device.obey(typed(word, "connect"))
            link = await (await device.phone()).connect(device.address)
            assert await asyncio.wait_for(link.lost, END_SECONDS) == reasons[word]


async def test_faults_of_a_subscription(directory):
    assert STEPS["subscribe"] == ["disconnect-after"]
    async with bench(directory, *GATEWAY) as device:
        link = await (await device.phone()).connect(device.address)
        await link.find()
        characteristic = link.characteristic(CONTROL_POINT)
        await characteristic.discover_descriptors()
        await link.pair()
        await device.obey("fault disconnect-after subscribe")
        await link.peer.gatt_client.write_value(characteristic.get_descriptor(CONFIGURATION).handle, b"\x02\x00", True)
        assert await asyncio.wait_for(link.lost, END_SECONDS) == USER


@pytest.mark.parametrize("word", STEPS["pairing"])
async def test_faults_of_a_pairing(directory, word):
    async with bench(directory, *GATEWAY) as device:
        await device.obey(typed(word, "pairing"))
        link = await (await device.phone()).connect(device.address)
        if word == "drop":
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(link.pair(), 3)
            return
        with pytest.raises((ProtocolError, asyncio.CancelledError)) as caught:
            await link.pair()
        if word == "refuse":
            assert caught.value.error_code == PAIRING_NOT_SUPPORTED
            await link.disconnect()
        else:
            # The device ends the link of a pairing that has failed.
            assert word == "wrong-confirm"
            assert await asyncio.wait_for(link.lost, END_SECONDS) == AUTHENTICATION_FAILURE
        app = await device.app(IOSApp)
        assert wire.Response.decode(await app.ask(GET_STATUS)).status == wire.SUCCESS
