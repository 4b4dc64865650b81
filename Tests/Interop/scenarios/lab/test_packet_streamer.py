# SPDX-License-Identifier: Apache-2.0
"""`readerlab air --netsim`: PacketStreamer for the Android Emulator, whose end is gRPC's client and Bumble here."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import time
from pathlib import Path

import grpc
import pytest
from bumble.transport.grpc_protobuf.netsim.packet_streamer_pb2 import PacketRequest
from bumble.transport.grpc_protobuf.netsim.startup_pb2 import ChipInfo

from rig.air_process import AirProcess
from rig.android_start import FIRST, SETTINGS, AndroidStart
from rig.emulation import LINE_SECONDS, binary
from rig.packet_stream import BLUETOOTH, UWB, WIFI, NetsimAir, PacketStream, packet
from rig.processes import Child
from rig.waiting import until

RESET, RESET_ANSWER = bytes.fromhex("01030c00"), bytes.fromhex("040e0401030c00")
READ_ADDRESS, READ_COMMANDS = bytes.fromhex("01091000"), bytes.fromhex("01021000")
HARDWARE_ERROR = bytes.fromhex("04100142")
INVALID, EXHAUSTED = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED
FAILED = 1

UNREAD_COMMANDS = 60_000
"""Of a slow stream: their answers of 71 octets are four times what windows, sockets and the air keep."""
MEMORY_KB = 16 * 1024
"""The growth of the program by a stream whose answers, 4 MB, are not read; its buffers have 1 MB at most."""
ANSWER_SECONDS = 2.0
"""For an answer beside a slow stream and junk: Android's limit. It takes milliseconds where nothing else runs."""


@contextlib.asynccontextmanager
async def serving(directory, *options: str, places: tuple[str, ...] = ("camera=tcp:127.0.0.1:0",)):
    """The air, which has to end well and to take its file with it."""
    air = await NetsimAir.serve(directory, *places, options=options)
    try:
        yield air
    finally:
        code = await air.stop()
    assert code == 0, air.child.tail()
    assert not list(directory.glob("netsim*.ini")) and not list(directory.glob("readerlab-air-*"))


async def noted(air: NetsimAir, text: str) -> None:
    """Waits for the line about a stream with these words."""
    await air.child.line(f'"event":"netsim".*{re.escape(text)}', LINE_SECONDS)


async def test_android_starts_on_a_stream(directory):
    async with serving(directory) as air:
        # As the emulator comes: a stream for its UWB chip, another one for Bluetooth.
        uwb = await PacketStream.open(air.endpoint, UWB)
        for _ in range(2):
            bluetooth = await PacketStream.open(air.endpoint)
            bluetooth.follow()
            start = await AndroidStart.play_on(bluetooth.reader, bluetooth)
            assert start.ends == []
            assert len(start.asked) >= len(FIRST) + len(SETTINGS)
            await bluetooth.close()
            await air.event("left", "netsim1")
        await uwb.close()
        assert air.notes()[0] == 'stream 1: UWB of "Pixel_7", open and silent'
        # The same place for each.
        assert [event["place"] for event in air.events("connected")] == ["netsim1", "netsim1"]


async def test_other_chips_stay_open_and_receive_nothing(directory):
    async with serving(directory) as air:
        streams = [await PacketStream.open(air.endpoint, kind) for kind in (UWB, WIFI)]
        for stream in streams:
            for _ in range(100):
                await stream.send(PacketRequest(packet=bytes(200)))
            await stream.send(packet(RESET))
        reads = [asyncio.ensure_future(stream.call.read()) for stream in streams]
        done, _ = await asyncio.wait(reads, timeout=0.5)
        assert not done
        assert air.events("connected") == []
        for stream, read in zip(streams, reads, strict=True):
            await stream.call.done_writing()
            assert await asyncio.wait_for(read, LINE_SECONDS) is grpc.aio.EOF
            assert await stream.call.code() == grpc.StatusCode.OK
            await stream.close()


async def test_a_snapshot_restores_a_host_that_does_not_reset(directory):
    """Its new stream has to be told; the old one ends later, or never."""
    async with serving(directory) as air:
        before = await PacketStream.open(air.endpoint)
        assert await before.ask(RESET) == RESET_ANSWER
        address = await before.ask(READ_ADDRESS)
        after = await PacketStream.open(air.endpoint)
        assert await after.ask(READ_ADDRESS) == HARDWARE_ERROR
        assert await after.ask(READ_COMMANDS) == HARDWARE_ERROR
        assert await after.ask(RESET) == RESET_ANSWER
        assert len(await after.ask(READ_ADDRESS)) == len(address)
        assert await before.ask(READ_ADDRESS) == address
        await before.close()
        await air.event("left", "netsim1")
        third = await PacketStream.open(air.endpoint)
        assert await third.ask(RESET) == RESET_ANSWER
        assert await third.ask(READ_ADDRESS) == address
        await third.close()
        await after.close()


async def test_a_chip_without_a_free_place_is_refused_in_words(directory):
    async with serving(directory, "--netsim-places", "1") as air:
        first = await PacketStream.open(air.endpoint)
        assert await first.ask(RESET) == RESET_ANSWER
        words = 'no place is free for Bluetooth of "Pixel_8": 1 are taken'
        second = await PacketStream.open(air.endpoint, name="Pixel_8")
        assert await second.end() == (EXHAUSTED, words, words)
        await second.close()
        assert await first.ask(RESET) == RESET_ANSWER
        await first.close()
        await air.event("left", "netsim1")
        third = await PacketStream.open(air.endpoint)
        assert await third.ask(RESET) == RESET_ANSWER
        await third.close()


FAULT_LINES = 20
"""The lines at once."""
FAULT_SECONDS = 0.5
"""The time until one more line is written."""
REFUSED_CALLS = 40


async def test_refused_calls_without_end_do_not_fill_a_log(directory):
    async with serving(directory, "--netsim-places", "1") as air:
        first = await PacketStream.open(air.endpoint)
        assert await first.ask(RESET) == RESET_ANSWER
        began = time.monotonic()
        for _ in range(REFUSED_CALLS):
            further = await PacketStream.open(air.endpoint)
            await further.end()
            await further.close()
        most = FAULT_LINES + (time.monotonic() - began) / FAULT_SECONDS + 1
        await noted(air, f"stream {FAULT_LINES + 1} ended")
        lines = sum("no place is free" in note for note in air.notes())
        print(f"{lines} lines of {REFUSED_CALLS} faults, {most:.1f} at most")
        assert FAULT_LINES <= lines <= most
        # The next line counts those without one.
        await asyncio.sleep(2 * FAULT_SECONDS)
        last = await PacketStream.open(air.endpoint)
        await last.end()
        await last.close()
        await noted(air, f"stream {REFUSED_CALLS + 2} ended")
        counts = [re.match(r"(\d+) more streams or connections ended with a fault", note) for note in air.notes()]
        hidden = sum(int(count[1]) for count in counts if count)
        lines = sum("no place is free" in note for note in air.notes())
        assert lines + hidden == REFUSED_CALLS + 1
        await first.close()


async def answers_in_time(stream: PacketStream) -> None:
    began = time.monotonic()
    assert await stream.ask(RESET) == RESET_ANSWER
    took = time.monotonic() - began
    print(f"an answer after {took * 1000:.1f} ms")
    assert took < ANSWER_SECONDS


BLUETOOTH_CHIP = PacketRequest(initial_info=ChipInfo(chip={"kind": BLUETOOTH}))
JUNK = {
    "a packet first": ([packet(RESET)], INVALID, "a packet before initial_info"),
    "no kind": ([PacketRequest(initial_info=ChipInfo(name="x"))], INVALID, "initial_info has no kind of chip"),
    "two chips": ([BLUETOOTH_CHIP, BLUETOOTH_CHIP], INVALID, "a second initial_info; open a stream for each chip"),
    "an event": ([BLUETOOTH_CHIP, packet(HARDWARE_ERROR)], INVALID, "not an HCI packet: "),
    "another length": (
        [BLUETOOTH_CHIP, packet(RESET[:3] + b"\x05\0")],
        INVALID,
        "an HCI packet of 4 octets has another length",
    ),
    "a long message": ([PacketRequest(packet=bytes(9000))], EXHAUSTED, "a message has 9003 octets; 8192 are the most"),
}


async def test_a_stream_of_junk_ends_alone(directory):
    async with serving(directory) as air:
        good = await PacketStream.open(air.endpoint)
        assert await good.ask(RESET) == RESET_ANSWER
        for requests, code, words in JUNK.values():
            stream = PacketStream(air.endpoint)
            for request in requests:
                with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    await stream.send(request)
            ended, details, _ = await stream.end()
            assert (ended, details[: len(words)]) == (code, words)
            await noted(air, f"ended: {words}")
            await stream.close()
            await answers_in_time(good)
        # Other methods, and octets that are no HTTP/2.
        channel = grpc.aio.insecure_channel(air.endpoint)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await channel.unary_unary("/netsim.frontend.FrontendService/GetVersion")(b"")
        assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED
        await channel.close()
        host, _, port = air.endpoint.rpartition(":")
        for octets in (
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            os.urandom(20_000),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9000),
        ):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(octets)
            with contextlib.suppress(ConnectionError):
                await asyncio.wait_for(reader.read(), LINE_SECONDS)
            writer.close()
            await answers_in_time(good)
        await until("three lines", lambda: air.notes()[-3:] == ["a connection ended: it is not valid HTTP/2"] * 3)
        await good.close()
        await air.event("left", "netsim1")
        assert len(air.events("cut-off")) == 0


async def test_a_connection_without_a_call_ends(directory):
    async with serving(directory) as air:
        host, _, port = air.endpoint.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        await asyncio.wait_for(reader.read(), LINE_SECONDS)
        writer.close()
        await noted(air, "a connection ended: no call came within 10 s")


def resident_kb(pid: int) -> int:
    """The memory of a process that is resident."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0])


@pytest.mark.seconds(90)
async def test_a_stream_that_is_not_read_costs_bounded_memory_and_nobodys_time(directory):
    async with serving(directory) as air:
        good = await PacketStream.open(air.endpoint)
        await answers_in_time(good)
        before = resident_kb(air.program())
        slow = await PacketStream.open(air.endpoint, name="slow")
        await slow.send(packet(RESET))
        sent = 0
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            for _ in range(UNREAD_COMMANDS):
                await slow.send(packet(READ_COMMANDS))
                sent += 1
                if sent % 5000 == 0:
                    await answers_in_time(good)
        cut = await air.event("cut-off", "netsim2")
        assert "packets wait for it, and it takes none" in cut["why"]
        growth = resident_kb(air.program()) - before
        print(f"{sent} commands sent, {growth} kB more resident")
        assert growth < MEMORY_KB
        await answers_in_time(good)
        # Its place is free again.
        await slow.close()
        other = await PacketStream.open(air.endpoint)
        assert await other.ask(RESET) == RESET_ANSWER
        await other.close()
        await good.close()


async def refused(directory: Path, *options: str) -> str:
    """The last line of an air that does not start."""
    command = [str(binary()), "air", "--json", "--listen", "a=tcp:127.0.0.1:0", "--netsim", *options]
    child = await Child.start("air", command, env=NetsimAir.environment(directory))
    assert await child.ended(LINE_SECONDS) == FAILED
    return "\n".join(line.text for line in child.lines)


async def test_one_netsim_has_the_file(directory):
    ini = directory / "netsim.ini"
    # Of one that was killed: a port that is closed.
    ini.write_text("grpc.port=1\n")
    async with serving(directory) as air:
        port = air.endpoint.rpartition(":")[2]
        assert ini.read_text() == f"grpc.port={port}\n"
        words = await refused(directory)
        assert f"{ini} is of a netsim that answers at port {port}; end it, or take another instance" in words
        second = await NetsimAir.serve(
            directory, "b=tcp:127.0.0.1:0", options=("--netsim-instance", "2", "--netsim-places", "1")
        )
        assert (directory / "netsim_2.ini").exists()
        assert await second.stop() == 0
        assert ini.read_text() == f"grpc.port={port}\n"
        words = await refused(directory, "--netsim-instance", "3", "--netsim-listen", air.endpoint)
        assert f"--listen {air.endpoint}: cannot listen: Address already in use; name another port" in words


async def test_the_program_ends_with_the_air_and_the_air_with_the_program(directory):
    ini = directory / "netsim.ini"
    air = await NetsimAir.serve(directory, "a=tcp:127.0.0.1:0")
    program = air.program()
    stream = await PacketStream.open(air.endpoint)
    assert await stream.ask(RESET) == RESET_ANSWER
    os.kill(air.child.pid, signal.SIGKILL)
    await until("the end of the program", lambda: not ini.exists() and not Path(f"/proc/{program}").exists())
    await air.stop()
    await stream.close()
    # Again in the same directory; the sockets of the killed one are removed.
    air = await NetsimAir.serve(directory, "a=tcp:127.0.0.1:0")
    assert len(list(directory.glob("readerlab-air-*"))) == 1
    stream = await PacketStream.open(air.endpoint)
    assert await stream.ask(RESET) == RESET_ANSWER
    await stream.close()
    os.kill(air.program(), signal.SIGKILL)
    await air.child.line("readerlab-netsim has ended with 137; see its line above", LINE_SECONDS)
    assert await air.child.ended(LINE_SECONDS) == FAILED
    assert not list(directory.glob("readerlab-air-*"))


async def test_without_the_program_one_line_says_how_to_build_it(directory):
    program = shutil.copy(binary(), directory / "readerlab")
    command = [str(program), "air", "--netsim"]
    child = await Child.start("air", command, env={**os.environ, "PATH": str(directory)})
    words = "--netsim needs the program readerlab-netsim, next to readerlab or in PATH; build it by "
    await child.line(words + "script/build --product readerlab-netsim", LINE_SECONDS)
    assert await child.ended(LINE_SECONDS) == FAILED


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--netsim-places", "2"), "--netsim-places, --netsim-listen and --netsim-instance need --netsim"),
        (("--netsim", "--netsim-places", "0"), "--netsim-places 0: write 1 to 32"),
        (("--netsim", "--netsim-places", "31"), "2 places and --netsim-places 31: 32 are the most together"),
        (("--netsim", "--netsim-instance", "0"), "--netsim-instance 0: write 1 to "),
    ],
)
async def test_wrong_options_are_refused(options, words):
    child = await Child.start("air", [str(binary()), "air", *options])
    await child.line(words, LINE_SECONDS)
    assert await child.ended(LINE_SECONDS) != 0


async def test_an_ordinary_air_serves_no_streams(directory):
    air = await AirProcess.start("a=tcp:127.0.0.1:0", environment=NetsimAir.environment(directory))
    assert air.events("netsim-open") == [] and not list(directory.glob("netsim*.ini"))
    assert await air.stop() == 0
