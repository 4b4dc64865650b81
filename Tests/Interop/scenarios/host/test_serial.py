# SPDX-License-Identifier: Apache-2.0
"""H4 on a serial line (Core 5.4, Vol 4, Part A): a pseudo-terminal, with a controller and a line's troubles behind it.

H4 has no checksum: noise that happens to be a packet is one, and what it says then is up to the host's other defences.
All else has to end in a reset controller and a reader that advertises again, without help.
"""

import asyncio
import time

import pytest

from access.advertising import ACCESS
from access.results import VersionInfo
from rig.matrix import some_of
from rig.operation import Operator
from rig.phone import LinkLost
from rig.rootcanal import ACL, EVENT
from rig.serial_line import SerialBench, SerialLine, Settings
from rig.waiting import until

pytestmark = pytest.mark.alone

SOON_SECONDS = 3.0
"""Back-off of 250 ms, silence in a packet of up to 400 ms, a full start and the phone's scan, on a busy machine."""

LATER_SECONDS = 10.0
"""The same after a command's time-out of 2 s, and pauses that have grown."""

PACKET_OF_4096 = bytes.fromhex("0240200010")
"""The beginning of the longest ACL packet that is believed: all that follows would be its data."""

GIVEN_UP = "lost: |out of step|has closed"
"""The reader's message about the line that it abandons."""

GONE = (LinkLost, TimeoutError)
"""A phone's view of it: the link ends, or a response is missing."""


async def _session(bench, seconds: float = SOON_SECONDS, name: str = "phone") -> None:
    """A phone finds the reader within the time, and is served."""
    phone = await bench.phone(name)
    link = await phone.connect((await phone.find(ACCESS, seconds=seconds)).address)
    await link.prepare()
    assert VersionInfo.decode(await link.run("PING")).build_time > 0


async def _recovers(bench, resets: int, seconds: float = SOON_SECONDS, name: str = "later") -> None:
    """The controller is reset once more than `resets` times, and a phone is served by the same process."""
    began = time.monotonic()
    await until("the reset", lambda: bench.line.resets > resets, seconds)
    print(f"reset after {time.monotonic() - began:.3f} s")
    await _session(bench, seconds, name)
    assert bench.reader.child.returncode is None


@pytest.mark.parametrize(
    ("options", "settings"),
    some_of(
        [
            ("115200", Settings(True, True, False, 115_200, True)),
            # There is no constant for it.
            ("1234567,rtscts", Settings(True, True, True, 1_234_567, False)),
            ("9600", Settings(True, True, False, 9600, True)),
            ("115200,rtscts", Settings(True, True, True, 115_200, True)),
            ("460800,rtscts", Settings(True, True, True, 460_800, True)),
            ("921600", Settings(True, True, False, 921_600, True)),
            ("2000000,rtscts", Settings(True, True, True, 2_000_000, True)),
            ("3000000,rtscts", Settings(True, True, True, 3_000_000, True)),
        ],
        "SerialTransportTests set each rate",
        keep=2,
    ),
)
async def test_the_line_is_set_as_asked_and_a_phone_opens(options, settings):
    async with SerialBench(options) as bench:
        link = await bench.ready()
        assert bench.line.settings() == settings
        await link.run("tokn")
        await bench.reader.unlocked()


async def test_a_line_that_gives_one_octet_at_a_time():
    async with SerialBench() as bench:
        bench.line.piece = 1
        link = await bench.ready()
        await link.run("tokn")
        await bench.reader.unlocked()


class _Talker(SerialBench):
    """A controller whose loader sends text before each response to Reset, and leaves the end of a packet behind."""

    async def before(self, line: SerialLine) -> None:
        answer = bytes.fromhex("040e0401030c00")

        def spoil(packet: bytes) -> bytes:
            return (
                b"boot 1.2\r\n\x00\xff\x04\x0e" + PACKET_OF_4096 + packet
                if packet[0:1] + packet[4:6] == (answer[0:1] + answer[4:6]) and packet[1] == 0x0E
                else packet
            )

        line.spoil = spoil


async def test_what_comes_before_the_answer_to_reset_is_passed_over():
    async with _Talker() as bench:
        await _session(bench)
        assert bench.line.resets == 1
        assert not bench.reader.child.matching(GIVEN_UP)


@pytest.mark.parametrize(
    "noise",
    some_of(
        [
            b"\xff",
            # The rest does not come, or what is behind it is taken for its rest.
            PACKET_OF_4096,
            b"\x04",
            b"\x04\x3e",
            b"\x00" * 64,
            bytes.fromhex("010c0c00"),
            bytes.fromhex("0240201110"),
        ],
        "H4FramerTests and PacketGapTests have the noise",
        keep=2,
    ),
    ids=[
        *("no-type", "4096-octets", "a-type-alone", "an-event-without-length"),
        *("a-break", "a-command", "too-long"),
    ],
)
async def test_noise_between_packets(noise):
    async with SerialBench() as bench:
        _, link = await bench.connected()
        await link.prepare()
        resets = bench.line.resets
        bench.line.noise(noise)
        await link.wait_for_end(SOON_SECONDS)
        await _recovers(bench, resets)
        assert bench.reader.child.matching("lost H4 synchronization")


async def test_noise_on_an_idle_line():
    """No phone is connected, so that no other packet would come, and the loss would go unnoticed."""
    async with SerialBench() as bench:
        await bench.reader.child.line("advertising on", SOON_SECONDS)
        resets = bench.line.resets
        bench.line.noise(PACKET_OF_4096)
        await _recovers(bench, resets)


@pytest.mark.parametrize(
    "what",
    some_of(
        ["an octet less", "an octet more", "noise for half of it", "nothing but its beginning"],
        "H4FramerTests and PacketGapTests have the noise",
    ),
)
async def test_noise_within_packets(what):
    def spoil(packet: bytes) -> bytes:
        middle = len(packet) // 2
        return {
            "an octet more": packet[:middle] + b"\xaa" + packet[middle:],
            "an octet less": packet[:-1],
            "noise for half of it": b"\xff" * middle + packet[middle:],
            "nothing but its beginning": packet[:2],
        }[what]

    async with SerialBench() as bench:
        link = await bench.ready()
        resets = bench.line.resets
        seen = []

        def once(packet: bytes) -> bytes:
            if packet[0] != ACL or seen:
                return packet
            seen.append(packet)
            return spoil(packet)

        bench.line.spoil = once
        with pytest.raises(GONE):
            await asyncio.wait_for(link.run("PING"), SOON_SECONDS)
        assert seen
        await _recovers(bench, resets)


async def test_noise_that_is_a_packet_is_one():
    """Faults beyond H4: an unknown event, and an event of an unknown link, are ignored."""
    async with SerialBench() as bench:
        link = await bench.ready()
        resets = bench.line.resets
        bench.line.noise(bytes.fromhex("04ff03aabbcc") + bytes.fromhex("040504000f0013"))
        await link.run("PING")
        assert bench.line.resets == resets


async def test_an_answer_that_is_lost_is_not_waited_for():
    """A changed octet that leaves the packets whole: the command's time-out is what notices it."""
    async with SerialBench() as bench:
        phone = await bench.phone()
        await phone.find(ACCESS)
        lost = []

        def spoil(packet: bytes) -> bytes:
            if packet[0] == EVENT and packet[1] == 0x0E and not lost:
                lost.append(packet)
                return packet[:4] + b"\x00\x00" + packet[6:]
            return packet

        bench.line.spoil = spoil
        resets = bench.line.resets
        bench.line.noise(HARDWARE_ERROR)
        await _recovers(bench, resets + 1, LATER_SECONDS)
        assert lost


HARDWARE_ERROR = bytes.fromhex("04100142")


async def test_a_controller_that_loses_the_beginning_says_so_and_is_reset():
    """The other direction: Hardware Error, then Reset, which the controller looks for."""
    async with SerialBench() as bench:
        link = await bench.ready()
        resets = bench.line.resets
        spoiled = []

        def spoil(octets: bytes) -> bytes:
            if spoiled:
                return octets
            spoiled.append(octets)
            return octets[1:]

        bench.line.spoil_command = spoil
        with pytest.raises(GONE):
            await asyncio.wait_for(link.run("PING"), SOON_SECONDS)
        await _recovers(bench, resets)


async def test_the_wrong_rate_is_named_and_the_right_one_found():
    """Every octet comes as another, whatever is sent: no answer to Reset is ever among them."""
    async with SerialBench() as bench:
        operator = Operator(bench)
        await bench.reader.child.line("advertising on", SOON_SECONDS)
        bench.line.spoil = lambda packet: bytes(octet ^ 0x80 for octet in packet)
        bench.line.noise(b"\xf8")
        told = await bench.reader.child.line("no answer to HCI Reset within", LATER_SECONDS)
        assert "the rate and the flow control" in told.text
        assert (await operator.run("unlock")).code == 0
        await bench.reader.unlocked()
        bench.line.spoil = lambda packet: packet
        await _recovers(bench, bench.line.resets, LATER_SECONDS)


async def test_a_controller_that_takes_nothing_for_a_while():
    """Its CTS is held back for longer than a command may take: what waited comes then, several Resets among it."""
    async with SerialBench("115200,rtscts") as bench:
        link = await bench.ready()
        bench.line.is_stopped = True
        with pytest.raises(GONE):
            await asyncio.wait_for(link.run("PING"), 4.0)
        bench.line.is_stopped = False
        await _session(bench, LATER_SECONDS, "later")


async def test_a_line_that_hangs_up_is_opened_again_when_it_is_back():
    async with SerialBench() as bench:
        link = await bench.ready()
        operator = Operator(bench)
        for turn in range(2):
            await bench.line.close()
            await bench.reader.child.line(GIVEN_UP, SOON_SECONDS)
            with pytest.raises(GONE):
                await asyncio.wait_for(link.run("PING"), SOON_SECONDS)
            # The door continues.
            assert (await operator.run("unlock")).code == 0
            await bench.line.open()
            await _session(bench, LATER_SECONDS, f"later{turn}")
        assert bench.line.settings() == Settings(True, True, False, 115_200, True)
