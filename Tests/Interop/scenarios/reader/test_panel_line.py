# SPDX-License-Identifier: Apache-2.0
"""Octets on the line to a panel, of `readerd` and of the device that `readerlab` plays: late orders, strangers on a cut
line, the broadcast address, lists."""

import asyncio
import contextlib
import json
import os
import signal
import time

import pytest
from osdp import Command, Event, LibFlag

from access.advertising import ACCESS
from access.status import Status
from access.tokens import Command as PhoneCommand
from panel.device import device
from panel.frames import (
    ACK,
    BROADCAST,
    BUZ,
    CAPABILITIES,
    COMSET,
    IDENTIFY,
    LED,
    NAK,
    OUT,
    PDCAP,
    PDID,
    POLL,
    challenge,
    command,
    split,
)
from panel.panel import KEY, ON, SECONDS, key_file, octets, panel, until
from panel.wire import wire
from rig.bench import Bench
from rig.lines import Lines
from rig.matrix import some_of
from rig.operation import Operator
from rig.phone import Refused
from rig.reader import UNLOCKED

pytestmark = pytest.mark.seconds(150)

CREDENTIAL = "CRED000002"
STOPPED_SECONDS = 3.0
ANSWER_SECONDS, SLACK_SECONDS = 0.2, 0.3
"""A command is answered in that time, or never."""
STALE_PAUSE_SECONDS = 0.05
"""Between the commands to a stopped process: the pause of a panel that gets no answer."""
AFTERWARDS_SECONDS = 1.0
"""A process that runs again has read its line long before."""
REPEAT_SECONDS = 0.25
"""Longer than a panel waits for an answer."""
PANEL_WAIT_SECONDS, LOOK_SECONDS = 0.07, 0.005
"""The wait of a panel with three devices for an answer."""
GAP_SECONDS, FRAME_SECONDS = 0.03, 0.01
"""Longer than the gap that ends a frame; the time of a short frame at 9600 baud."""
POLLING_SECONDS = 1.0
"""Between the frames of a stranger: well within the 8 s after which a panel is lost."""
SILENCE_SECONDS = 8.0
"""After it the panel is lost."""
RED = bytes([0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0])
"""A record of LED: red for good."""
TONE = bytes([0, 2, 1, 1, 1])
"""A record of BUZ."""


def keyed(state):
    """A state directory with the key."""
    state.mkdir(exist_ok=True)
    key_file(state / "osdp.key")


@contextlib.asynccontextmanager
async def reader(tmp_path):
    """A reader in clear, with a light and a buzzer: its process, its line, and whether the lock has moved."""
    lines = Lines(tmp_path)
    gpio = {"led-granted": "gpiochip0:1", "buzzer": "gpiochip0:3"}
    with wire(tmp_path) as line:
        settings = {"line": str(line.path), "allow-clear": True, "outputs-move-lock": True}
        async with Bench(environment=lines.environment, osdp=settings, gpio=gpio) as bench:
            await bench.reader.child.line("is open, address 0", SECONDS)
            with octets(line.end) as terminal:
                yield bench.reader.child, terminal, lambda: bench.reader.child.matching(UNLOCKED)
                assert not (bench.state / "osdp.line").exists(), "a late COMSET was executed"


@contextlib.asynccontextmanager
async def emulated(tmp_path):
    """The same of the emulated device."""
    async with device(tmp_path) as played:
        with octets(played.line) as terminal:
            yield played.child, terminal, lambda: played.has("output") or played.has("line", "now address")


class Answers:
    """The device's output on a line of octets."""

    def __init__(self, terminal) -> None:
        self._terminal = terminal
        self._octets = b""

    @property
    def frames(self) -> list:
        """The frames so far."""
        self._octets += self._terminal.read(4096)
        return split(self._octets)


DEVICES = pytest.mark.parametrize(
    "played", some_of([reader, emulated], "OSDPLateTests; the reader has the same device")
)


@DEVICES
async def test_what_came_while_the_process_was_stopped_is_neither_answered_nor_executed(tmp_path, played):
    async with played(tmp_path) as (child, terminal, moved):
        await terminal.exchange(command(0, 0, POLL))
        answers = Answers(terminal)
        os.kill(child.pid, signal.SIGSTOP)
        try:
            end = time.monotonic() + STOPPED_SECONDS
            while time.monotonic() < end:
                # Each begins again, as of a panel that hears nothing.
                for code, data in [(OUT, bytes([0, ON, 0, 0])), (COMSET, bytes.fromhex("0500960000")), (POLL, b"")]:
                    terminal.write(command(0, 0, code, data))
                    await asyncio.sleep(STALE_PAUSE_SECONDS)
        finally:
            os.kill(child.pid, signal.SIGCONT)
        await asyncio.sleep(AFTERWARDS_SECONDS)
        assert answers.frames == [], "old orders were answered"
        assert not moved(), "an old order was executed"
        # The panel is answered again: it repeats its command.
        deadline = time.monotonic() + SECONDS
        while not answers.frames:
            assert time.monotonic() < deadline, "the device is deaf"
            terminal.write(command(0, 0, POLL))
            await asyncio.sleep(REPEAT_SECONDS)
        assert not moved()
        assert (await terminal.exchange(command(0, 0, OUT, bytes([0, ON, 0, 0])))).code == ACK
        await until("the output", moved)


@DEVICES
@pytest.mark.parametrize(
    "beginning",
    [b"\x53", bytes.fromhex("53124000"), bytes.fromhex("5312A005"), command(0, 0, LED, RED)[:8]],
    ids=["start", "header", "longest", "cut"],
)
async def test_the_beginning_of_a_frame_keeps_no_line_busy(tmp_path, played, beginning):
    """A panel that waits 70 ms, and two other devices: a poll is answered once, in its time, or never."""
    async with played(tmp_path) as (_child, terminal, _moved):
        await terminal.exchange(command(0, 0, POLL))
        answers = Answers(terminal)
        terminal.write(beginning)
        await asyncio.sleep(GAP_SECONDS)
        answered, deadline = 0, time.monotonic() + SECONDS
        polls: list[float] = []
        while answered < 5:
            assert time.monotonic() < deadline, f"the device is deaf: {answered} answers"
            for address in (0, 1, 2):
                terminal.write(command(address, 0, POLL))
                if address == 0:
                    polls.append(time.monotonic())
                wait = time.monotonic() + PANEL_WAIT_SECONDS
                while time.monotonic() < wait and len(answers.frames) == answered:
                    await asyncio.sleep(LOOK_SECONDS)
                count = len(answers.frames) - answered
                # Polls within the time for an answer, with room for a test that waits for its processor.
                fresh = [poll for poll in polls if poll > time.monotonic() - ANSWER_SECONDS - SLACK_SECONDS]
                assert count <= len(fresh), f"{count} answers to {len(fresh)} polls"
                if count:
                    polls.clear()
                answered += count
                if address:
                    # The other device's answer.
                    terminal.write(command(address | 0x80, 0, ACK))
                    await asyncio.sleep(FRAME_SECONDS)


@DEVICES
async def test_lists_and_short_requests_and_the_broadcast_address(tmp_path, played):
    async with played(tmp_path) as (_child, terminal, _moved):
        reply = await terminal.exchange(bytes.fromhex("537F09000461005FE6"))
        assert (reply.code, reply.octets[1]) == (PDID, 0xFF)
        for sequence, code, expected in ((1, POLL, None), (2, 0xFE, NAK), (2, 0xFE, NAK), (3, IDENTIFY, PDID)):
            reply = await terminal.exchange(command(BROADCAST, sequence, code))
            assert reply.octets[1] == 0xFF and expected in (None, reply.code), hex(code)
        assert (await terminal.exchange(command(0, 1, CAPABILITIES))).code == PDCAP
        assert (await terminal.exchange(command(0, 2, BUZ, TONE * 2))).code == ACK
        assert (await terminal.exchange(command(0, 3, LED, RED * 3))).code == ACK
        assert (await terminal.exchange(command(0, 1, OUT, bytes([0, 1, 0, 0]) * 2))).code == ACK
        # No entry of a list with an impossible one.
        assert (await terminal.exchange(command(0, 2, BUZ, TONE + b"\1\2\1\1\1"))).code == NAK
        assert (await terminal.exchange(challenge(BROADCAST, 1))).octets[1] == 0xFF


async def state(bench):
    """The panel's part of the status, and the codes of the faults."""
    status = await Operator(bench).status()
    return status["osdp"], {fault["code"] for fault in status["faults"]}


async def shows(phone):
    """A phone shows the credential of a command."""
    link = await phone.connect((await phone.find(ACCESS)).address)
    try:
        await link.prepare(ACCESS.service)
        await link.run(PhoneCommand("tokn", credential=CREDENTIAL))
    finally:
        await link.disconnect()


async def kinds(bench):
    """The kinds of all events so far."""
    done = await Operator(bench).events("--json")
    return [json.loads(line)["kind"] for line in done.output.splitlines()]


def frames_of(stranger: str, recorded: list[bytes]) -> list[bytes]:
    """Frames of a sender without the key, who has recorded the panel's."""
    last = recorded[-1]
    number = last[last.index(0x53) + 4] & 3
    # The number after the next one: refused, and the session stays.
    wrong = (number % 3 + 1) % 3 + 1
    return {
        "wrong number": [command(0, wrong, POLL)],
        "wrong number to all": [command(BROADCAST, wrong, POLL)],
        "repetition": [last],
        "recording": recorded[-5:],
        "clear": [command(0, 0, POLL), command(0, 0, IDENTIFY)],
        "challenge": [challenge(0, 1)],
    }[stranger]


STRANGERS = ("wrong number", "wrong number to all", "repetition", "recording", "clear", "challenge")


@pytest.mark.thorough("OSDPTests and PanelLineTests cut the panel")
@pytest.mark.parametrize("when_silent", ["refuse", "decide"])
@pytest.mark.parametrize("stranger", STRANGERS)
async def test_a_cut_panel_is_silent_whoever_speaks_on_its_line(tmp_path, stranger, when_silent):
    with wire(tmp_path) as line:
        settings = {"line": str(line.path), "mode": "panel", "card-format": "37-bit-number", "when-silent": when_silent}
        async with (
            Bench(prepare=keyed, osdp=settings) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            phone = await bench.phone()
            await shows(phone)
            await running.event(Event.CardRead)
            await running.order(Command.Output, output_no=0, control_code=ON, timer_count=0)
            await bench.reader.child.line("door: unlocked for the panel", SECONDS)
            running.terminal.is_cut = True
            cut = time.monotonic()
            frames = frames_of(stranger, running.terminal.sent)
            turn = 0
            while True:
                os.write(line.end, frames[turn % len(frames)])
                turn += 1
                told, faults = await state(bench)
                if "panel-silent" in faults and told["state"] != "secure":
                    break
                assert time.monotonic() < cut + SECONDS, f"not told in {SECONDS} s: {told}, {faults}"
                await asyncio.sleep(POLLING_SECONDS)
            assert time.monotonic() - cut > SILENCE_SECONDS - 1, "a panel is not lost at once"
            # It stays so while the stranger continues.
            for _ in range(3):
                os.write(line.end, frames[turn % len(frames)])
                turn += 1
                told, faults = await state(bench)
                assert told["state"] in ("refused", "silent") and "panel-silent" in faults
                handed_on = (await kinds(bench)).count("handed-on")
                if when_silent == "refuse":
                    with pytest.raises(Refused) as refusal:
                        await shows(phone)
                    assert refusal.value.status == Status.UNAVAILABLE
                else:
                    await shows(phone)
                assert (await kinds(bench)).count("handed-on") == handed_on
                await asyncio.sleep(POLLING_SECONDS)
            assert ("granted" in await kinds(bench)) == (when_silent == "decide")
            await bench.reader.child.line("door: secured after the panel", SECONDS)
            metrics = (await Operator(bench).run("metrics")).output
            assert 'code="panel-silent"} 1' in metrics


async def test_a_card_that_the_panel_does_not_fetch_is_withdrawn(tmp_path):
    """Recorded as handed on before, as it has to be; then the record says that it was not."""
    with wire(tmp_path) as line:
        settings = {"line": str(line.path), "mode": "panel", "card-format": "37-bit-number"}
        async with (
            Bench(prepare=keyed, osdp=settings) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            running.terminal.is_cut = True
            await shows(await bench.phone())
            await bench.reader.child.line("reports dropped: 1", SECONDS)

            async def withdrawn() -> list[str]:
                seen = await kinds(bench)
                return seen if "withdrawn" in seen else []

            seen = await until("the record", withdrawn, SECONDS)
            assert seen.index("handed-on") < seen.index("withdrawn")
            running.events.clear()
            running.terminal.is_cut = False
            running.panel.disable_pd(0)
            await until("the device given up", lambda: not running.panel.is_pd_enabled(0))
            running.panel.enable_pd(0)
            await running.secured()
            await running.order(Command.Output, output_no=0, control_code=ON, timer_count=0)
            assert not [event for event in running.events if event["event"] == Event.CardRead], "an old card"
