# SPDX-License-Identifier: Apache-2.0
"""A reader on the wire to an access panel: readerd with a phone, and libosdp's panel."""

import hashlib
import json
import stat
import termios

import pytest
from osdp import CardFormat, Command, CommandLEDColor, Event, LibFlag, StatusReportType

from access.status import Status
from access.tokens import Command as PhoneCommand
from panel.frames import (
    ACK,
    CAPABILITIES,
    COMSET,
    IDENTIFY,
    KEYSET,
    NAK,
    OUT,
    POLL,
    SECURITY_REQUIRED,
    SECURITY_UNSUPPORTED,
    WELL_KNOWN,
    challenge,
    command,
)
from panel.panel import KEY, OFF, ON, OTHER_KEY, SECONDS, key_file, octets, panel
from panel.wire import wire
from rig.bench import Bench
from rig.lines import Lines
from rig.operation import Operator
from rig.phone import Refused
from rig.reader import SECURED, UNLOCKED
from rig.waiting import until

pytestmark = pytest.mark.seconds(120)

CREDENTIAL = "CRED000002"


def keyed(state):
    """A state directory with the key."""
    state.mkdir(exist_ok=True)
    key_file(state / "osdp.key")


async def state(bench, *expected):
    """Waits until the status names one of these states of the line; the line's part."""
    operator = Operator(bench)

    async def seen() -> dict | None:
        line = (await operator.status())["osdp"]
        return line if line["state"] in expected else None

    return await until(f"one of {expected}", seen, SECONDS)


async def opens(bench):
    """A phone opens the door."""
    link = await bench.ready()
    await link.run(PhoneCommand("tokn", credential=CREDENTIAL))
    return await bench.reader.unlocked(SECONDS)


async def test_without_a_key_nothing_is_obeyed_or_told(tmp_path):
    with wire(tmp_path) as line:
        async with Bench(osdp={"line": str(line.path)}) as bench:
            await bench.reader.child.line("is open, address 0", SECONDS)
            with octets(line.end) as terminal:
                assert (await terminal.exchange(command(0, 0, POLL))).code == ACK
                assert (await terminal.exchange(command(0, 1, IDENTIFY, b"\0"))).code == 0x45
                orders = [(OUT, bytes([0, ON, 0, 0])), (COMSET, bytes.fromhex("0500960000"))]
                orders += [(KEYSET, bytes([1, 16]) + OTHER_KEY)]
                for sequence, (code, data) in zip((2, 3, 1), orders, strict=True):
                    reply = await terminal.exchange(command(0, sequence, code, data))
                    assert (reply.code, reply.data) == (NAK, bytes([SECURITY_REQUIRED])), hex(code)
                reply = await terminal.exchange(challenge(0, WELL_KNOWN))
                assert (reply.code, reply.data) == (NAK, bytes([SECURITY_UNSUPPORTED]))
                await opens(bench)
                # The card of the opening is not reported in clear.
                for sequence in (1, 2, 3):
                    assert (await terminal.exchange(command(0, sequence, POLL))).code == ACK
                assert (await state(bench, "refused"))["key"] is False
        assert not (bench.state / "osdp.key").exists()


async def test_the_reader_decides_and_the_panel_is_told(tmp_path):
    with wire(tmp_path) as line:
        settings = {"line": str(line.path)}
        async with (
            Bench(prepare=keyed, osdp=settings, door={"pulse-s": 1}) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            assert (await state(bench, "secure"))["mode"] == "report"
            await opens(bench)
            card = await running.event(Event.CardRead)
            assert (card["format"], card["length"]) == (0, 8 * len(CREDENTIAL))
            assert card["data"] == CREDENTIAL.encode()
            for lock in (1, 0):
                await running.event(Event.Status, type=StatusReportType.Output, report=bytes([lock]))
            edges = len(bench.reader.edges)
            assert await running.ordered(Command.Output, output_no=0, control_code=ON, timer_count=0) != 0
            assert len(bench.reader.edges) == edges, "the panel's output moved the lock"


async def test_granted_cards_in_a_format_and_an_output_that_moves_the_lock(tmp_path):
    with wire(tmp_path) as line:
        settings = {"line": str(line.path), "card-format": "26-bit", "facility": 17, "outputs-move-lock": True}
        async with (
            Bench(prepare=keyed, osdp=settings, door={"pulse-s": 1}) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            opening = await opens(bench)
            card = await running.event(Event.CardRead)
            assert (card["format"], card["length"]) == (CardFormat.Wiegand, 26)
            # printf CRED000002 | sha256sum: the number is the first four digits.
            bits = f"{int.from_bytes(card['data'], 'big') >> 6:026b}"
            assert int(bits[1:9], 2) == 17
            await bench.reader.secured_after(opening, SECONDS)
            mark = len(bench.reader.child.lines)
            await running.order(Command.Output, output_no=0, control_code=ON, timer_count=0)
            await bench.reader.child.line("door: unlocked for the panel", SECONDS, mark)
            await running.order(Command.Output, output_no=0, control_code=OFF, timer_count=0)
            await bench.reader.child.line(SECURED, SECONDS, mark)


async def test_a_key_is_set_in_the_window_and_kept_over_a_restart(tmp_path):
    with wire(tmp_path) as line:
        async with Bench(osdp={"line": str(line.path)}) as bench:
            done = await Operator(bench).run("osdp", "install", "600")
            assert done.code == 0, done
            assert (await state(bench, "silent", "refused", "installing"))["installing"] is True
            # In this mode the panel sets its key unasked, as soon as SCBK-D has begun a session.
            async with panel(line.end, key=KEY, flags=[LibFlag.InstallMode]) as running:
                await running.secured()
                told = await state(bench, "secure")
                assert (told["key"], told["installing"]) == (True, False)
            path = bench.state / "osdp.key"
            assert path.read_text() == KEY.hex() + "\n"
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert not bench.reader.child.matching(KEY.hex())
            await bench.restart()
            async with panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running:
                await running.secured()
                await running.order(Command.Keyset, type=1, data=OTHER_KEY)
            await until("the other key", lambda: path.read_text() == OTHER_KEY.hex() + "\n")


async def test_address_and_speed_of_the_panel_are_kept_over_a_restart(tmp_path):
    with wire(tmp_path) as line:
        async with Bench(prepare=keyed, osdp={"line": str(line.path)}) as bench:
            async with panel(line.end, key=KEY) as running:
                await running.secured()
                assert running.terminal.speed == termios.B9600
                await running.order(Command.Comset, address=5, baud_rate=38400)
                await until("the new speed", lambda: running.terminal.speed == termios.B38400)
            await until("the line kept", lambda: (bench.state / "osdp.line").exists())
            await bench.restart()
            await bench.reader.child.line("is open, address 5, 38400 bit/s", SECONDS)
            async with panel(line.end, address=5, key=KEY) as running:
                await running.secured()
                assert running.terminal.speed == termios.B38400


async def test_a_line_that_is_lost_is_a_fault_and_comes_back_by_itself(tmp_path):
    with wire(tmp_path) as line:
        async with Bench(prepare=keyed, osdp={"line": str(line.path)}) as bench:
            async with panel(line.end, key=KEY) as running:
                await running.secured()
            line.lose()
            await state(bench, "lost")
            faults = {fault["code"] for fault in (await Operator(bench).status())["faults"]}
            assert "panel-line" in faults
            await opens(bench)
            line.lay()
            async with panel(line.end, key=KEY) as running:
                await running.secured()
                await state(bench, "secure")
                faults = {fault["code"] for fault in (await Operator(bench).status())["faults"]}
                assert not {"panel-line", "panel-silent"} & faults
            assert len(bench.reader.child.matching("fault panel-line: (?!over after)")) == 1


def deciding(line, **more):
    """The settings of a reader whose panel decides."""
    return {"line": str(line.path), "mode": "panel", "card-format": "37-bit-number", **more}


async def shows(bench):
    """A phone shows the credential of a command; the link."""
    link = await bench.ready()
    await link.run(PhoneCommand("tokn", credential=CREDENTIAL))
    return link


async def kinds(bench):
    """The kinds of all events so far."""
    done = await Operator(bench).events("--json")
    return [json.loads(line)["kind"] for line in done.output.splitlines()]


async def test_the_panel_decides_and_moves_the_lock(tmp_path):
    with wire(tmp_path) as line:
        async with (
            Bench(prepare=keyed, osdp=deciding(line)) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            await state(bench, "secure")
            await shows(bench)
            card = await running.event(Event.CardRead)
            assert (card["format"], card["length"]) == (CardFormat.Wiegand, 37)
            number = int.from_bytes(card["data"], "big") >> 4 & (1 << 35) - 1
            digest = hashlib.sha256(CREDENTIAL.encode()).digest()
            assert number == int.from_bytes(digest[:5], "big") >> 5
            assert not bench.reader.child.matching(UNLOCKED), "the door did not wait for the panel"
            # 5: on for so many tenths of a second.
            await running.order(Command.Output, output_no=0, control_code=5, timer_count=10)
            opening = await bench.reader.child.line("door: unlocked for the panel", SECONDS)
            await running.event(Event.Status, type=StatusReportType.Output, report=b"\1")
            await bench.reader.secured_after(opening, SECONDS)
            assert (await Operator(bench).run("lockdown", "on")).code == 0
            running.events.clear()
            # A command without an effect is not acknowledged: the reply has the state of the output.
            await running.order(Command.Output, output_no=0, control_code=ON, timer_count=0)
            await running.event(Event.Status, type=StatusReportType.Output, report=b"\0")
            assert len(bench.reader.child.matching(UNLOCKED)) == 1, "the panel unlocked a door in lockdown"
            seen = await kinds(bench)
            assert "granted" not in seen
            assert seen.index("handed-on") < seen.index("panel-unlocked")


async def test_a_silent_panel_opens_nothing_and_holds_nothing_open(tmp_path):
    with wire(tmp_path) as line:
        async with Bench(prepare=keyed, osdp=deciding(line)) as bench:
            with pytest.raises(Refused) as refusal:
                await shows(bench)
            assert refusal.value.status == Status.UNAVAILABLE
            async with panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running:
                await running.secured()
                await running.order(Command.Output, output_no=0, control_code=ON, timer_count=0)
                opening = await bench.reader.child.line("door: unlocked for the panel", SECONDS)
                running.terminal.is_cut = True
                await bench.reader.secured_after(opening, SECONDS)
            told = await state(bench, "silent")
            assert told["mode"] == "panel"
            assert "panel-silent" in {fault["code"] for fault in (await Operator(bench).status())["faults"]}
            assert "denied" in await kinds(bench)


async def test_a_reader_may_decide_while_the_panel_is_silent(tmp_path):
    with wire(tmp_path) as line:
        async with Bench(prepare=keyed, osdp=deciding(line, **{"when-silent": "decide"})) as bench:
            await opens(bench)
            assert "granted" in await kinds(bench)


async def test_a_key_that_cannot_be_kept_is_refused_and_told(tmp_path):
    def barred(state):
        # The file that would replace the key's cannot be made.
        (state / "osdp.key.new").mkdir(parents=True)

    with wire(tmp_path) as line:
        async with (
            Bench(prepare=barred, osdp={"line": str(line.path), "install-s": 600}) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.InstallMode]) as running,
        ):
            await bench.reader.child.line("fault panel-unkept: .*osdp.key.new", SECONDS)
            assert "panel-unkept" in {fault["code"] for fault in (await Operator(bench).status())["faults"]}
            assert not (bench.state / "osdp.key").exists()
            assert not running.panel.is_sc_active(0) or (await Operator(bench).status())["osdp"]["key"] is False


async def test_a_key_ends_all_clear_text_whatever_the_configuration_says(tmp_path):
    with wire(tmp_path) as line:
        settings = {"line": str(line.path), "allow-clear": True, "outputs-move-lock": True}
        async with Bench(prepare=keyed, osdp=settings) as bench:
            await bench.reader.child.line("is open, address 0", SECONDS)
            with octets(line.end) as terminal:
                assert (await terminal.exchange(command(0, 0, POLL))).code == ACK
                reply = await terminal.exchange(command(0, 1, OUT, bytes([0, ON, 0, 0])))
                assert (reply.code, reply.data) == (NAK, bytes([SECURITY_REQUIRED]))
            assert not bench.reader.child.matching(UNLOCKED)


UPDATE = """#!/bin/sh
echo "asked by $READERD_ASKED_BY, $(stat -c %a "$READERD_FILE"), $(sha256sum <"$READERD_FILE")"
exit "$1"
"""
"""An updater that prints its input."""


def updating(tmp_path, line, limit, status=0):
    """The settings of a reader that takes files for that updater."""
    script = tmp_path / "update"
    script.write_text(UPDATE)
    script.chmod(0o755)
    return {
        "osdp": {"line": str(line.path), "file-limit": limit},
        "updater": {"command": [str(script), str(status)]},
    }


def sends(running, file, told=None):
    """Makes the panel send a file, of which it asks for parts; `told` gets their places."""

    def read(count, offset):
        if told is not None:
            told.append(offset)
        return file[offset : offset + count]

    running.panel.register_file_ops(
        0,
        {
            "open": lambda _id, _size: len(file),
            "read": read,
            "write": lambda _data, _offset: -1,
            "close": lambda _id: 0,
        },
    )
    assert running.panel.submit_command(0, {"command": Command.FileTransfer, "id": 1, "flags": 0})


async def sends_all(running, file, bench):
    """Sends a file until the updater is asked.

    libosdp leaves a device alone for 300 s when one of its frames was late by more than a turn, as on a machine whose
    processors are busy. An installer restarts such a panel.
    """

    def asked():
        return bench.reader.child.matching("updater: asked by panel")

    while True:
        sends(running, file)
        await until("the end of the file", lambda: asked() or not running.panel.is_online(0), 2 * SECONDS)
        if asked():
            return
        await running.restart()


@pytest.mark.thorough("OSDPFileTests have each part of a file")
async def test_a_file_of_the_panel_reaches_the_updater_whole(tmp_path):
    # More than is written to the disk at once.
    file = bytes(number * 7 & 0xFF for number in range(40_000))
    with wire(tmp_path) as line:
        async with (
            Bench(prepare=keyed, **updating(tmp_path, line, len(file))) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            await sends_all(running, file, bench)
            digest = hashlib.sha256(file).hexdigest()
            await bench.reader.child.line(f"updater: asked by panel, 600, {digest}", SECONDS)
            await bench.reader.child.line("updater: ended with status 0", SECONDS)
            assert (bench.state / "osdp.update").read_bytes() == file
            assert not (bench.state / "osdp.update.part").exists()
            assert not bench.reader.child.matching(UNLOCKED)
            done = await Operator(bench).events("--json")
            event = next(event for event in map(json.loads, done.output.splitlines()) if digest in str(event))
            assert (event["kind"], event["command"]) == ("command", "osdp")


@pytest.mark.thorough("OSDPIncomingFileTests lose a part of a file; OSDPFileTests has a whole one")
async def test_a_file_that_is_lost_half_way_leaves_nothing_and_starts_nothing(tmp_path):
    file = bytes(60_000)
    with wire(tmp_path) as line:
        async with (
            Bench(prepare=keyed, **updating(tmp_path, line, len(file))) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            places = []
            sends(running, file, places)
            # The first piece is on the disk.
            await until("a part kept", lambda: (bench.state / "osdp.update.part").exists())
            running.terminal.is_cut = True
            await state(bench, "silent")
            await until("nothing left", lambda: not (bench.state / "osdp.update.part").exists())
            assert 0 < places[-1] < len(file)
            assert not (bench.state / "osdp.update").exists()
            assert not bench.reader.child.matching("updater: requested")


async def test_a_file_that_cannot_be_kept_starts_nothing(tmp_path):
    def barred(directory):
        keyed(directory)
        (directory / "osdp.update.part").mkdir()

    with wire(tmp_path) as line:
        async with (
            Bench(prepare=barred, **updating(tmp_path, line, 1000)) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            sends(running, bytes(1000))
            await bench.reader.child.line("a file of the panel could not be kept: .*osdp.update.part", SECONDS)
            assert not bench.reader.child.matching("updater: requested")


GREEN, RED, BUZZER = 1, 2, 3
"""Lines of the chip."""
GPIO = {"led-granted": f"gpiochip0:{GREEN}", "led-denied": f"gpiochip0:{RED}", "buzzer": f"gpiochip0:{BUZZER}"}
LIGHT, SOUND, TEXT = 4, 5, 6
"""Functions of PDCAP."""


def light(color, permanent=True, tenths=0, off=0, off_color=CommandLEDColor.Black):
    """An order for the light: that colour, or that and another in turn, each for so many tenths of a second."""
    return {
        **dict(reader=0, led_number=0, control_code=1 if permanent else 2, temporary=not permanent),
        **dict(timer_count=tenths, on_count=off or 1, off_count=off, on_color=color, off_color=off_color),
    }


async def capabilities(line):
    """Function to level and count, as the reader reports them in clear."""
    with octets(line.end) as terminal:
        data = (await terminal.exchange(command(0, 0, CAPABILITIES, b"\0"))).data
    return {data[place]: (data[place + 1], data[place + 2]) for place in range(0, len(data), 3)}


@pytest.mark.thorough("OSDPSignalTests have the orders for lights and buzzers; PanelSignalsTests rank them")
async def test_the_panel_that_decides_drives_light_and_buzzer(tmp_path):
    lines = Lines(tmp_path)
    with wire(tmp_path) as line:
        async with Bench(prepare=keyed, environment=lines.environment, osdp=deciding(line), gpio=GPIO) as bench:
            await bench.reader.child.line("is open, address 0", SECONDS)
            told = await capabilities(line)
            # Timed, and of two colours; timed.
            assert (told[LIGHT], told[SOUND], told.get(TEXT)) == ((3, 1), (2, 1), None)
            async with panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running:
                await running.secured()
                await running.order(Command.LED, **light(CommandLEDColor.Red))
                await lines.become(SECONDS, {GREEN: False, RED: True})
                await running.order(Command.LED, **light(CommandLEDColor.Green, permanent=False, tenths=10))
                await lines.become(SECONDS, {GREEN: False, RED: True})
                on, off = lines.of(GREEN)[-2:]
                assert on.level and not off.level and off.at - on.at > 0.95e9, lines.edges
                # Two colours in turn, until another order.
                blinking = light(CommandLEDColor.Green, off=10, off_color=CommandLEDColor.Red)
                edges = len(lines.of(GREEN))
                await running.order(Command.LED, **blinking)
                await lines.until("green, red, green", SECONDS, lambda: len(lines.of(GREEN)) >= edges + 3)
                await running.order(Command.LED, **light(CommandLEDColor.Amber))
                await lines.become(SECONDS, {GREEN: True, RED: True})
                # Two tones of a second, and one without end.
                tones = len(lines.of(BUZZER))
                await running.order(Command.Buzzer, reader=0, control_code=2, on_count=10, off_count=10, rep_count=2)
                await lines.until("two tones", SECONDS, lambda: len(lines.of(BUZZER)) == tones + 4)
                await running.order(Command.Buzzer, reader=0, control_code=2, on_count=1, off_count=0, rep_count=0)
                await lines.become(SECONDS, {BUZZER: True})
                # The reader's own signs: a lockdown is before all of the panel's.
                assert (await Operator(bench).run("lockdown", "on")).code == 0
                await lines.become(SECONDS, {GREEN: False, RED: True})
                assert (await Operator(bench).run("lockdown", "off")).code == 0
                await lines.become(SECONDS, {GREEN: True, RED: True, BUZZER: True})
                # No display: refused, and no more.
                text = {"reader": 0, "control_code": 1, "temp_time": 0, "offset_row": 1, "offset_col": 1}
                assert await running.ordered(Command.Text, **text, data="HELLO") != 0
                running.terminal.is_cut = True
                await lines.become(SECONDS, {GREEN: False, RED: False, BUZZER: False})


async def test_the_signs_of_a_reader_that_decides_go_before_those_of_the_panel(tmp_path):
    lines = Lines(tmp_path)
    with wire(tmp_path) as line:
        settings = {"line": str(line.path)}
        async with (
            Bench(prepare=keyed, environment=lines.environment, osdp=settings, gpio=GPIO, door={"pulse-s": 1}) as bench,
            panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
        ):
            await running.secured()
            await running.order(Command.LED, **light(CommandLEDColor.Red))
            await lines.become(SECONDS, {GREEN: False, RED: True})
            edges = len(lines.edges)
            await opens(bench)
            await lines.until("the grant over", SECONDS, lambda: len(lines.of(RED)) >= 4)
            await lines.become(SECONDS, {GREEN: False, RED: True, BUZZER: False})
            seen = [(edge.line, edge.level) for edge in lines.edges[edges:]]
            assert {(GREEN, True), (RED, False), (BUZZER, True), (GREEN, False), (RED, True)} <= set(seen), seen


async def test_without_lines_there_is_no_light_no_buzzer_and_no_display(tmp_path):
    with wire(tmp_path) as line:
        async with Bench(prepare=keyed, osdp=deciding(line)) as bench:
            await bench.reader.child.line("is open, address 0", SECONDS)
            assert not {LIGHT, SOUND, TEXT} & set(await capabilities(line))
            async with panel(line.end, key=KEY, flags=[LibFlag.EnforceSecure]) as running:
                await running.secured()
                assert await running.ordered(Command.LED, **light(CommandLEDColor.Red)) != 0
