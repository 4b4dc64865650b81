# SPDX-License-Identifier: Apache-2.0
"""The wire to an access panel: libosdp's panel against the device that readerlab plays, and what listeners could do."""

import contextlib
import json
import os
import stat
import termios
import time

import pytest
from osdp import CardFormat, Command, CommandLEDColor, Event, LibFlag, StatusReportType

from panel.device import device
from panel.frames import (
    ACK,
    CCRYPT,
    CHLNG,
    COM,
    COMSET,
    IDENTIFY,
    KEYSET,
    NAK,
    OUT,
    OWN,
    POLL,
    RMAC_I,
    SECURITY_REQUIRED,
    SECURITY_UNSUPPORTED,
    WELL_KNOWN,
    challenge,
    command,
    crc,
    split,
)
from panel.panel import KEY, OFF, ON, OTHER_KEY, SECONDS, Terminal, key_file, octets, panel
from panel.wire import wire
from rig.emulation import binary
from rig.processes import Child, Gone
from rig.waiting import until

pytestmark = pytest.mark.seconds(120)


def kept(directory, key=KEY):
    """The file of a key."""
    return key_file(directory / "door.key", key)


async def works(panel, device):
    """Every order reaches the device, and every report the panel."""
    mark = device.mark
    await panel.order(
        *(Command.LED,),
        **dict(reader=0, led_number=0, control_code=1, temporary=False, timer_count=0),
        **dict(on_count=5, off_count=5, on_color=CommandLEDColor.Green, off_color=CommandLEDColor.Black),
    )
    await device.event("led", mark, "green 0.5 s, off 0.5 s for good")
    await panel.order(Command.Buzzer, reader=0, control_code=2, on_count=2, off_count=3, rep_count=4)
    await device.event("buzzer", mark, "0.2 s on, 0.3 s off, 4 times")
    await panel.order(Command.Text, reader=0, control_code=1, temp_time=0, offset_row=1, offset_col=1, data="Come in")
    await device.event("text", mark, '"shown":"Come in"')
    await panel.order(Command.Output, output_no=1, control_code=ON, timer_count=0)
    await device.event("output", mark, '"output":2,"on":true')

    panel.events.clear()
    await device.type("card 26 17 4711")
    card = await panel.event(Event.CardRead)
    assert (card["format"], card["length"], card["data"]) == (CardFormat.Wiegand, 26, bytes.fromhex("888933c0"))
    await device.type("key 1234#")
    keys = await panel.event(Event.KeyPress)
    assert keys["data"] == b"1234\r"
    await device.type("input 2 on")
    inputs = await panel.event(Event.Status, type=StatusReportType.Input)
    assert inputs["report"][:2] == b"\0\1"
    await device.type("tamper on")
    local = await panel.event(Event.Status, type=StatusReportType.Local)
    assert local["report"][:2] == b"\1\0"
    await device.type("tamper off")


async def test_a_panel_brings_the_device_up_in_clear(tmp_path):
    async with device(tmp_path, "--vendor", "a1b2c3") as played, panel(played.line) as running:
        await running.online()
        identity = running.panel.get_pd_id(0)
        assert identity.vendor_code == 0xC3B2A1
        await works(running, played)
        told = await listened(running.terminal.traffic, tmp_path)
        assert warnings(told) == {"clearCredential"}
        assert any(frame["name"] == "TEXT" and "Come in" in frame["fields"] for frame in told)


class LateTerminal(Terminal):
    """The first answer reaches the panel when it has given it up, and before it repeats the command."""

    late_seconds = 0.3
    """Longer than the 200 ms that libosdp waits for an answer."""

    def __init__(self, line) -> None:
        super().__init__(line)
        self._late: bytes | None = None
        self._came, self._commands = 0.0, 0
        self.lateness: float | None = None
        """The time in s by which the answer was held back; None before the panel has it."""

    @property
    def is_repeated(self) -> bool:
        """True if the panel has sent another command since the answer came."""
        return len(self.sent) > self._commands

    def _is_due(self) -> bool:
        return time.monotonic() >= self._came + self.late_seconds

    def read(self, max_bytes: int) -> bytes:
        if self._late:
            if not self._is_due():
                return b""
            octets, self._late = self._late, b""
            self.lateness = time.monotonic() - self._came
            return octets
        octets = super().read(max_bytes)
        if self._late is None and octets:
            self._late, self._came, self._commands = octets, time.monotonic(), len(self.sent)
            return b""
        return octets


class VeryLateTerminal(LateTerminal):
    """The first answer reaches the panel when it has repeated the command."""

    def _is_due(self) -> bool:
        return super()._is_due() and self.is_repeated


@pytest.mark.parametrize("kind", [LateTerminal, VeryLateTerminal], ids=["before the command is repeated", "after it"])
async def test_a_late_answer_does_not_end_the_panels_attempt(tmp_path, kind):
    async with device(tmp_path) as played, panel(played.line, kind=kind) as running:
        await running.online()
        assert running.terminal.lateness >= kind.late_seconds
        assert running.terminal.is_repeated
        await works(running, played)


async def test_a_panel_with_the_key_brings_the_device_up_in_a_secure_session(tmp_path):
    options = [LibFlag.EnforceSecure]
    async with (
        device(tmp_path, "--key", str(kept(tmp_path))) as played,
        panel(played.line, key=KEY, flags=options) as running,
    ):
        await running.secured()
        assert (await played.event("secured"))["well_known_key"] is False
        await works(running, played)
        # With the key all is explained; without it, nothing of the session.
        told = await listened(running.terminal.traffic, tmp_path, tmp_path / "door.key")
        assert not warnings(told)
        card = next(frame for frame in told if frame["name"] == "RAW")
        assert (card["protection"], card["fields"]) == ("verified", "reader 0: 26 bits 888933c0")
        told = await listened(running.terminal.traffic, tmp_path)
        assert warnings(told) == {"unknownKey"}
        assert next(frame for frame in told if frame["name"] == "RAW")["fields"] == "encrypted"


async def test_a_panel_with_another_key_is_refused(tmp_path):
    async with (
        device(tmp_path, "--key", str(kept(tmp_path))) as played,
        panel(played.line, key=OTHER_KEY, flags=[LibFlag.EnforceSecure]) as running,
    ):
        # The panel refuses the device's cryptogram, or the device the panel's; neither begins a session.
        await until("a handshake", lambda: any(frame[-3:] and CHLNG in frame for frame in running.terminal.sent))
        await until("the device's cryptogram", lambda: _replies(running.terminal, CCRYPT))
        assert not running.panel.is_sc_active(0)
        assert not played.has("secured")
    assert kept(tmp_path).exists()


def _replies(terminal, code):
    return [frame for frame in split(bytes(terminal.traffic)) if frame.is_reply and frame.code == code]


async def listened(traffic, directory, *keys):
    """The objects of `readerlab osdp sniff` for octets of a line."""
    capture = directory / "capture.bin"
    capture.write_bytes(bytes(traffic))
    options = [option for key in keys for option in ("--key", str(key))]
    code, lines = await sniffed(capture, "--json", *options)
    assert code == 0, lines
    return [json.loads(line) for line in lines]


async def sniffed(capture, *options):
    """The exit code and the lines of `readerlab osdp sniff` for a file."""
    child = await Child.start("readerlab", [str(binary()), "osdp", "sniff", "--file", str(capture), *options])
    with contextlib.suppress(Gone):
        await child.line("(?!)", SECONDS)
    return await child.stop(), [line.text for line in child.lines]


def record(octets, nanoseconds, **more):
    """A line of a capture as libosdp-conformance writes it."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    fields = {"timeSec": str(seconds), "timeNano": f"{rest:09}", "io": "trace", "data": " " + octets.hex(" "), **more}
    return json.dumps({**fields, "osdpTraceVersion": "1", "osdpSource": "libosdp-conformance 1.33-2"})


@pytest.mark.parametrize("name", ["door.osdpcap", "door"])
async def test_a_capture_of_the_field_is_explained_with_its_times(tmp_path, name):
    capture = tmp_path / name
    begin = 1_693_167_786_033_907_099
    key, sixth = kept(tmp_path), 6_000_000
    async with (
        device(tmp_path, "--key", str(key)) as played,
        panel(played.line, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
    ):
        await running.secured()
        traffic = bytes(running.terminal.traffic)
    # In pieces as they may come, with every separator that is in use.
    pieces = [traffic[place : place + 50] for place in range(0, len(traffic), 50)]
    lines = [record(piece, begin + turn * sixth) for turn, piece in enumerate(pieces)]
    lines[1] = record(b"", begin + sixth, data=pieces[1].hex("-").upper(), io="input")
    capture.write_text("\n".join(lines) + "\n")
    code, told = await sniffed(capture, "--json", "--key", str(key))
    assert code == 0
    frames = [json.loads(line) for line in told]
    assert not warnings(frames)
    raw = await listened(traffic, tmp_path, key)
    assert [frame["octets"] for frame in frames] == [frame["octets"] for frame in raw]
    assert frames[0]["time"] < 0.01 < frames[-1]["time"] < sixth * len(pieces) / 1e9


async def test_a_pause_in_a_capture_ends_a_frame(tmp_path):
    capture = tmp_path / "line.osdpcap"
    poll = command(0, 0, POLL)
    lines = [record(bytes.fromhex("53124000"), 0), record(poll, 30_000_000), record(b"\xff" + poll, 40_000_000)]
    capture.write_text("\n".join(lines))
    code, told = await sniffed(capture, "--json")
    frames = [json.loads(line) for line in told]
    assert code == 0 and [frame["warnings"] for frame in frames] == [["damaged"], [], []]
    assert [frame["time"] for frame in frames] == [0, 0.03, 0.04]


@pytest.mark.parametrize(
    ("name", "contents", "told"),
    [
        ("a.osdpcap", record(command(0, 0, POLL), 0) + '\n{"data": "53 0', "a.osdpcap:2:"),
        ("a.osdpcap", "\n" + record(b"", 0, data="5g"), 'a.osdpcap:2: "data" is no text of hexadecimal octets'),
        ("a.osdpcap", '{"timeSec": "1"}', '"data" is missing'),
        ("a.osdpcap", '{"data": "53", "osdpTraceVersion": "2"}', "version 1 is read"),
        ("a.osdpcap", '{"data": "53", "timeSec": "soon"}', "are no time"),
        ("a.osdpcap", '["53"]', "where an object is expected"),
        ("a.osdpcap", command(0, 0, POLL).decode("latin-1"), "a.osdpcap:1:"),
        ("a.osdpcap", "", "no OSDP frame in 0 octets"),
        ("empty.bin", "", "no OSDP frame in 0 octets"),
        ("text.bin", "POLL, ID and CAP\n", "no OSDP frame in 17 octets"),
        ("cut.bin", "S\0\x09", "no OSDP frame in 3 octets"),
        ("brace.bin", "{ and more", "brace.bin:1:"),
    ],
)
async def test_what_cannot_be_read_is_an_error(tmp_path, name, contents, told):
    path = tmp_path / name
    path.write_text(contents, encoding="latin-1", newline="")
    code, lines = await sniffed(path)
    assert code == 2 and any(told in line for line in lines), lines


async def test_every_code_has_its_name_and_what_cannot_be_read_is_shown(tmp_path):
    def reply(code, data):
        return command(0x80, 1, code, data)

    octets_of_line = bytes.fromhex("53800A0005490002E8D0") + b"".join(
        reply(code, bytes.fromhex(data))
        for code, data in [
            (0x49, "0304050681"),
            (0x41, "0A"),
            (0x41, "8007"),
            (0x51, "0000023132"),
            (0x57, "000000000200AABB"),
            (0x58, "000009"),
            (0x59, "030000000300010141"),
            (0x80, "2C0100000200AABB"),
            (0x81, "0200000002000102"),
            (0x82, "0102"),
            (0x83, "AB"),
            (0x84, "CD"),
            (0xB1, "010100AA"),
            (0x4B, "0203"),
            (0x4A, "07"),
            (0x52, "1122"),
        ]
    )
    commands = [(0x73, "00010203"), (0x74, "0001"), (0xA3, "5FC1020000"), (0xA4, "0200000002000102")]
    commands += [(0xA5, "0102"), (0x6A, "00020101010001000000"), (0x7F, "3344")]
    octets_of_line += b"".join(command(0, 1, code, bytes.fromhex(data)) for code, data in commands)
    frames = await listened(octets_of_line, tmp_path)
    told = [(frame["name"], frame["fields"]) for frame in frames]
    assert told == [
        ("ISTATR", "off, short circuit"),
        ("ISTATR", "open circuit, fault, unknown, reserved state 6, private state 129"),
        ("NAK", "reserved code 10"),
        ("NAK", "private code 128, details 07"),
        ("FMT", "0000023132"),
        ("BIOREADR", "000000000200aabb"),
        ("BIOMATCHR", "000009"),
        ("EXT_PDID", "3 octets at 0 of 3: 010141"),
        ("PIVDATAR", "2 octets at 0 of 300: aabb"),
        ("GENAUTHR", "2 octets at 0 of 2: 0102"),
        ("CRAUTHR", "0102"),
        ("MFGSTATR", "ab"),
        ("MFGERRR", "cd"),
        ("XRD", "010100aa"),
        ("RSTATR", "tamper, state 3"),
        ("OSTATR", "unreadable: a value without a meaning: 07"),
        ("0x52", "unreadable: an unknown code: 1122"),
        ("BIOREAD", "00010203"),
        ("BIOMATCH", "0001"),
        ("PIVDATA", "5fc1020000"),
        ("GENAUTH", "2 octets at 0 of 2: 0102"),
        ("CRAUTH", "0102"),
        ("BUZ", "reader 0: 0.1 s on, 0.1 s off, 1 times; reader 0: off"),
        ("0x7f", "unreadable: an unknown code: 3344"),
    ]
    header = bytearray(command(0, 1, POLL)[:-2])
    header[4] |= 0x10
    header += crc(bytes(header)).to_bytes(2, "little")
    (frame,) = await listened(header, tmp_path)
    assert (frame["name"], frame["warnings"]) == ("POLL", ["header"])


async def test_a_line_is_explained_as_it_is_spoken_and_nothing_is_sent(tmp_path):
    with wire(tmp_path) as line:
        child = await Child.start("readerlab", [str(binary()), "osdp", "sniff", "--line", str(line.path), "--json"])
        with octets(line.end) as terminal:

            def heard():
                # It does not say when it begins to listen.
                terminal.write(command(0, 0, IDENTIFY, b"\0"))
                return child.lines

            await until("the first frame", heard)
            terminal.write(command(5, 1, POLL))
            told = json.loads((await child.line('"address":5', SECONDS)).text)
            assert (told["from"], told["sequence"], told["name"], told["warnings"]) == ("panel", 1, "POLL", [])
            assert terminal.read(4096) == b"", "the listener has spoken"
        assert await child.stop() == 0, child.tail()


def warnings(told):
    """All warnings of a listener."""
    return {warning for frame in told for warning in frame["warnings"]}


async def test_the_key_is_set_in_the_installation_window_and_kept(tmp_path):
    path = tmp_path / "new.key"
    async with (
        device(tmp_path, "--key", str(path), "--install", "600") as played,
        panel(played.line, key=KEY, flags=[LibFlag.InstallMode]) as running,
    ):
        # In this mode the panel sets its key unasked, as soon as SCBK-D has begun a session.
        assert (await played.event("secured"))["well_known_key"] is True
        await played.event("key")
        await played.event("install", holding="closed")
        await played.event("secured", holding="device's key")
        await running.secured()
        await running.order(Command.Output, output_no=0, control_code=ON, timer_count=0)
        told = await listened(running.terminal.traffic, tmp_path)
        assert {"wellKnownKey", "keyDisclosed"} <= warnings(told)
        assert KEY.hex() not in json.dumps(told), "the key is in the explanation"
        order = next(frame for frame in told if frame["name"] == "OUT")
        assert order["protection"] == "verified", "the listener has the key of the next session"
    assert path.read_text() == KEY.hex() + "\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    async with device(tmp_path, "--key", str(path)) as played, panel(played.line, key=KEY) as running:
        await running.secured()
        assert (await played.event("secured"))["well_known_key"] is False
        await running.order(Command.Keyset, type=1, data=OTHER_KEY)
        await played.event("key")
    assert path.read_text() == OTHER_KEY.hex() + "\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_address_and_speed_are_changed(tmp_path):
    async with device(tmp_path, "--key", str(kept(tmp_path))) as played:
        async with panel(played.line, key=KEY) as running:
            await running.secured()
            assert running.terminal.speed == termios.B9600
            await running.order(Command.Comset, address=5, baud_rate=38400)
            line = await played.event("line")
            assert (line["address"], line["speed"]) == (5, 38400)
            await until("the new speed", lambda: running.terminal.speed == termios.B38400)
        await played.event("line", holding="open")
        async with panel(played.line, address=5, key=KEY) as running:
            await running.secured()
            assert running.terminal.speed == termios.B38400


@pytest.mark.thorough("test_panel.py loses the line, which comes back")
async def test_the_line_is_lost_and_regained(tmp_path):
    async with (
        device(tmp_path, "--key", str(kept(tmp_path))) as played,
        panel(played.line, key=KEY, flags=[LibFlag.EnforceSecure]) as running,
    ):
        await running.secured()
        await running.order(Command.Output, output_no=0, control_code=ON, timer_count=0)
        await played.event("output", holding='"on":true')
        mark = played.mark
        running.terminal.is_cut = True
        await played.event("offline", mark)
        await played.event("output", mark, '"output":1,"on":false')
        await until("the panel's time-out", lambda: not running.panel.is_online(0))
        running.terminal.is_cut = False
        # By itself libosdp tries again after 300 s.
        running.panel.disable_pd(0)
        await until("the device given up", lambda: not running.panel.is_pd_enabled(0))
        running.panel.enable_pd(0)
        await played.event("secured", mark)
        await running.secured()
        await works(running, played)


async def test_a_panel_that_hangs_up_finds_the_device_again(tmp_path):
    async with device(tmp_path) as played:
        for _ in range(2):
            mark = played.mark
            async with panel(played.line) as running:
                await running.online()
            await played.event("lost", mark)
            await played.event("line", mark, "open")


# The power of listeners on the wire. Octets alone: no panel would send them.


async def test_clear_commands_are_refused_by_a_device_with_a_key(tmp_path):
    async with device(tmp_path, "--key", str(kept(tmp_path))) as played:
        with octets(played.line) as line:
            assert (await line.exchange(command(0, 0, POLL))).code == ACK
            orders = [(OUT, bytes([0, ON, 0, 0])), (COMSET, bytes.fromhex("0500960000"))]
            orders += [(KEYSET, bytes([1, 16]) + OTHER_KEY)]
            for sequence, (code, data) in enumerate(orders, 1):
                reply = await line.exchange(command(0, sequence, code, data))
                assert (reply.code, reply.data) == (NAK, bytes([SECURITY_REQUIRED])), hex(code)
            # A card is not reported to a panel that polls in clear.
            await played.type("card 26 17 4711")
            await played.type("help")
            await played.event("help")
            for sequence in (1, 2, 3):
                assert (await line.exchange(command(0, sequence, POLL))).code == ACK
        assert not played.has("output")


async def test_the_well_known_key_is_refused_outside_of_the_installation_window(tmp_path):
    async with device(tmp_path, "--key", str(kept(tmp_path))) as played:
        with octets(played.line) as line:
            reply = await line.exchange(challenge(0, WELL_KNOWN))
            assert (reply.code, reply.data) == (NAK, bytes([SECURITY_REQUIRED]))
    async with device(tmp_path) as played:
        with octets(played.line) as line:
            for kind in (WELL_KNOWN, OWN):
                reply = await line.exchange(challenge(0, kind))
                assert (reply.code, reply.data) == (NAK, bytes([SECURITY_UNSUPPORTED]))
            assert (await line.exchange(command(0, 0, IDENTIFY, b"\0"))).code == 0x45
            reply = await line.exchange(command(0, 1, KEYSET, bytes([1, 16]) + KEY))
            assert (reply.code, reply.data) == (NAK, bytes([SECURITY_REQUIRED]))
            reply = await line.exchange(command(0, 2, COMSET, bytes.fromhex("0300960000")))
            assert (reply.code, reply.data) == (COM, bytes.fromhex("0300960000"))


@pytest.mark.thorough("OSDPAttackTests replay a session and a handshake")
async def test_a_recorded_session_switches_nothing(tmp_path):
    async with device(tmp_path, "--key", str(kept(tmp_path))) as played:
        async with panel(played.line, key=KEY, flags=[LibFlag.EnforceSecure]) as running:
            await running.secured()
            await running.order(Command.Output, output_no=0, control_code=ON, timer_count=0)
            await played.event("output", holding='"on":true')
            await running.order(Command.Output, output_no=0, control_code=OFF, timer_count=0)
            await played.event("output", holding='"on":false')
            recorded = list(running.terminal.sent)
        await played.event("line", holding="open")
        await played.event("offline")
        mark = played.mark
        with octets(played.line) as line:
            codes = set()
            for sent in recorded:
                reply = await line.exchange(sent)
                codes.add(reply.code)
                assert reply.code != RMAC_I, "a recorded handshake began a session"
            assert CCRYPT in codes and NAK in codes
            told = await listened(b"".join(recorded) + line.traffic, tmp_path, tmp_path / "door.key")
            assert {"replayed", "repeatedRandom"} <= warnings(told)
        assert not any('"event":"output"' in line.text for line in played.child.lines[mark:])
        assert len(played.child.matching('"event":"secured"')) == 1


async def test_a_key_file_for_others_is_refused(tmp_path):
    path = kept(tmp_path)
    for mode, text, told in [
        (0o644, KEY.hex(), "chmod 600"),
        (0o600, "00" * 16, "this key is published"),
        (0o600, bytes(range(0x30, 0x40)).hex(), "this key is published"),
        (0o600, "12", "32 hexadecimal digits"),
    ]:
        path.write_text(text)
        os.chmod(path, mode)
        options = ["osdp", "device", "--line", f"pty:{tmp_path / 'line'}", "--key", str(path)]
        child = await Child.start("readerlab", [str(binary()), *options])
        await child.line(told, SECONDS)
        with contextlib.suppress(Gone):
            await child.line("(?!)", SECONDS)
        assert await child.stop() == 2
