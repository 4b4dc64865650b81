# SPDX-License-Identifier: Apache-2.0
"""Every fault of `readerlab emulate smarter-ai`, as an app meets it: each step with each of its words."""

from __future__ import annotations

import asyncio
import re
import struct

import pytest
from bumble.att import ATT_Error

from onboarding import signals
from onboarding.app import CHARACTERISTIC, WORLD, App, Camera, camera
from onboarding.signals import lines
from rig.fault_table import ARGUMENTS, DELAY_MS, Effect, accepted, typed
from rig.matrix import some_of
from rig.waiting import until

STEPS = accepted("smarter-ai")
USER, LOW_RESOURCES = 0x13, 0x14
"""HCI errors (Core 5.4, Vol 1, Part F, 1.3)."""

UNKNOWN_TOKEN = lines("Home", "correct horse", "ann", "other")
WRONG_PASSPHRASE = lines("Home", "wrong horse", "ann", "t0k3n")
QUICK = {
    step: {"delay-ms": 20}
    for step in ("scan", "join", "authentication", "association", "address", "connectivity", "pairing")
}
SURROUNDINGS = WORLD | {"steps": QUICK}

REFUSED = {
    "parsing-failed": (b"Home\n\n\n\n", 0, 1),
    "wifi-failed": (WRONG_PASSPHRASE, 2, 3),
    "parsing-succeeded": (UNKNOWN_TOKEN, 0, 7),
    "wifi-in-progress": (UNKNOWN_TOKEN, 1, 7),
    "check-in-progress": (UNKNOWN_TOKEN, 2, 7),
    "check-done": (UNKNOWN_TOKEN, 3, 7),
    "wifi-succeeded": (UNKNOWN_TOKEN, 4, 7),
    "pairing-in-progress": (UNKNOWN_TOKEN, 5, 7),
    "pairing-failed": (UNKNOWN_TOKEN, 6, 7),
}
"""Credentials that fail, so that the camera waits for others; the place of the step's value among those that follow,
and their number."""
ACCEPTED = {"pairing-succeeded": 6, "onboarded": 7, "server-closing": 8}
"""The place of the step's value in an onboarding, after which the camera is gone."""


def test_each_step_has_its_effects_here() -> None:
    others = {"connect", "subscribe", "read", "credentials", "status", "waiting"}
    assert set(STEPS) == {*others, *REFUSED, *ACCEPTED}


def with_code(value: bytes) -> bytes:
    """The notification state is the first number."""
    return struct.pack("<i", int(ARGUMENTS["code"])) + value[4:]


def effect(word: str, values: list[bytes], place: int) -> Effect:
    return Effect.of(word, values, place, with_code(values[place]))


async def obey(bench: Camera, word: str, step: str) -> None:
    answer = await bench.type(typed(word, step))
    assert answer["ok"], answer


async def subscribed(bench: Camera, device: int = 0) -> App:
    """An app that has been sent the status."""
    app = await bench.app(device=device)
    await app.subscribe()
    await come(app, 1)
    return app


def unnumbered(values: list[bytes]) -> list[bytes]:
    """The values without the number of their text, which counts the texts of a camera."""
    return [re.sub(rb"^(.{12})\d+ ", rb"\1", value, flags=re.DOTALL) for value in values]


async def sent(app: App, credentials: bytes, count: int, mark: int) -> list[bytes]:
    """The values after the first `mark` ones that credentials lead to: `count` of them, or up to the link's end."""
    writing = asyncio.ensure_future(app.write(credentials))
    await come(app, mark + count)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    return unnumbered(app.raw[mark:])


def is_late(times: list[float], place: int) -> bool:
    """True if the value came late after the one before: without a fault it takes 0.2 s at most. The values before may
    themselves be some milliseconds late."""
    return times[place] - times[place - 1] >= 0.9 * DELAY_MS / 1000


HANDED_SECONDS = 0.05
"""For Bumble to hand over a value that came before the answer to a read."""


async def come(app: App, count: int) -> None:
    """So many values, and whatever else was sent before the answer to a read; or the end of the link."""
    await until("the values", lambda: len(app.raw) >= count or app.link.lost.done())
    if not app.link.lost.done():
        await app.link.read(CHARACTERISTIC)
    await asyncio.sleep(HANDED_SECONDS)


@pytest.mark.thorough("FaultPlanTests and DevicesTests have each fault")
@pytest.mark.parametrize("step", REFUSED)
@pytest.mark.seconds(90)
async def test_faults_of_a_value(directory, step):
    credentials, place, count = REFUSED[step]
    async with camera(directory, world=SURROUNDINGS) as bench:
        app = await subscribed(bench)
        normal = await sent(app, credentials, count, 1)
        assert len(normal) == count
        for word in STEPS[step]:
            if app.link.lost.done():
                app = await subscribed(bench)
            expected = effect(word, normal, place)
            await obey(bench, word, step)
            mark, began = len(app.raw), asyncio.get_running_loop().time()
            assert await sent(app, credentials, len(expected.values) + expected.ends, mark) == expected.values, word
            assert word != "delay" or is_late([began, *app.times[mark:]], place + 1)
            assert app.link.lost.done() == expected.ends, word
            # Without a link the camera continues, and waits for others at the end.
            await waits(bench)


async def waits(bench: Camera) -> None:
    """A camera that takes credentials says so to whoever reads it: not busy (155)."""

    async def is_waiting() -> bool:
        app = await bench.app()
        value = await app.link.read(CHARACTERISTIC)
        await app.link.disconnect()
        return struct.unpack_from("<i", value, 4)[0] == signals.WAITING

    await until("a camera that waits", is_waiting)


@pytest.mark.thorough("FaultPlanTests and DevicesTests have each fault")
@pytest.mark.parametrize("step", ACCEPTED)
@pytest.mark.seconds(90)
async def test_faults_of_a_value_of_an_onboarding(directory, step):
    words = STEPS[step]
    tokens = [f"t{number}" for number in range(len(words) + 1)]
    world = SURROUNDINGS | {"pairing": {"tokens": tokens}}
    async with camera(directory, "--count", str(len(tokens)), world=world) as bench:
        normal: list[bytes] = []
        for device, (word, token) in enumerate(zip(["", *words], tokens, strict=True)):
            app = await subscribed(bench, device)
            if word:
                await obey(bench, word, step)
            # The end of the link is the camera's own, or the fault's.
            values = await sent(app, lines("Home", "correct horse", "ann", token), 1 << 16, 1)
            assert app.link.lost.result() == USER
            if not word:
                normal = values
                assert len(normal) == 9
            else:
                assert values == effect(word, normal, ACCEPTED[step]).values, word
                assert word != "delay" or is_late(app.times, ACCEPTED[step] + 1)


@pytest.mark.seconds(90)
async def test_faults_of_the_status(directory):
    async with camera(directory) as bench:
        normal = unnumbered((await subscribed(bench)).raw)
        for word in STEPS["status"]:
            app = await bench.app()
            expected = effect(word, normal, 0)
            await obey(bench, word, "status")
            began = asyncio.get_running_loop().time()
            await subscribe(app)
            await come(app, len(expected.values) + expected.ends)
            assert unnumbered(app.raw) == expected.values, word
            assert word != "delay" or asyncio.get_running_loop().time() - began >= DELAY_MS / 1000
            assert app.link.lost.done() == expected.ends
            await app.link.disconnect()


async def subscribe(app: App) -> None:
    """The link may end before the response, for which Bumble would wait long."""
    work = asyncio.ensure_future(app.subscribe())
    await asyncio.wait({work, app.link.lost}, return_when=asyncio.FIRST_COMPLETED)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)


@pytest.mark.parametrize("word", some_of(STEPS["waiting"], "FaultPlanTests and DevicesTests have each fault"))
async def test_faults_of_the_value_that_says_it_is_ready(directory, word):
    async with camera(directory, "--state", "not-ready", "--ready-ms", "2500") as bench:
        app = await bench.app()
        await app.subscribe()
        status = (await app.until(signals.NOT_READY)) and unnumbered(app.raw)[0]
        await obey(bench, word, "waiting")
        ready = bytes.fromhex("6f0000006f000000e1050000") + b"get ready for onboarding\n"
        expected = effect(word, [status, ready], 1)
        await bench.emulation.event("fault")
        await come(app, len(expected.values) + expected.ends)
        assert unnumbered(app.raw) == expected.values
        assert app.link.lost.done() == expected.ends


@pytest.mark.parametrize("step", ["read", "credentials"])
async def test_faults_of_a_request(directory, step):
    async with camera(directory) as bench:
        for word in STEPS[step]:
            app = await subscribed(bench)
            await obey(bench, word, step)
            characteristic = app.link.characteristic(CHARACTERISTIC)
            began = asyncio.get_running_loop().time()
            if step == "read":
                work = asyncio.ensure_future(characteristic.read_value())
            else:
                work = asyncio.ensure_future(characteristic.write_value(b"Home\n\n\n\n", with_response=True))
            await asyncio.wait({work, app.link.lost}, timeout=5, return_when=asyncio.FIRST_COMPLETED)
            took = asyncio.get_running_loop().time() - began
            assert (took >= DELAY_MS / 1000) == (word == "delay"), word
            is_answered = work.done() and not work.cancelled() and work.exception() is None
            if word == "error":
                error = work.exception()
                assert isinstance(error, ATT_Error) and error.error_code == int(ARGUMENTS["error"])
            else:
                assert is_answered == (word != "disconnect-before"), word
            if word.startswith("disconnect-"):
                assert await app.closed() == USER
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            await app.link.disconnect()


async def test_faults_of_the_link(directory):
    reasons = {"disconnect-after": USER, "refuse": LOW_RESOURCES}
    async with camera(directory) as bench:
        for word in STEPS["connect"]:
            await obey(bench, word, "connect")
            link = await (await bench.phone()).connect(bench.addresses[0])
            assert await asyncio.wait_for(link.lost, 5) == reasons[word]
        assert STEPS["subscribe"] == ["disconnect-after"]
        app = await bench.app()
        await obey(bench, "disconnect-after", "subscribe")
        await subscribe(app)
        assert await app.closed() == USER


async def test_a_fault_that_cannot_happen_is_refused(directory):
    """A past event cannot be prevented, and 109 is no news."""
    async with camera(directory) as bench:
        for line in ("fault disconnect-before connect", "fault disconnect-before subscribe", "fault drop not-ready"):
            assert not (await bench.type(line))["ok"]
