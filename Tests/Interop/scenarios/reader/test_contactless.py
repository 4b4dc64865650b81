# SPDX-License-Identifier: Apache-2.0
"""Phones that touch the reader: `readerd` on a simulated PN532 through libnfc, and independent drivers as the phone."""

import asyncio
import contextlib
import json
import statistics
import subprocess
import time
from collections.abc import Callable

import pytest

from access.results import VersionInfo
from access.session import Transponder
from access.status import Status
from contactless.card import FRAME_WAIT
from contactless.field import OPEN_SECONDS, READY, Field, touching
from contactless.phone import NDEF, DriverFailed, StatusFailed
from rig.bench import Bench
from rig.reader import binary
from rig.rows import UNGATED
from rig.waiting import until

TOKEN = "tokn"
FAILED = r"nfc: .*; retrying"
BACK = r"nfc: .* is ready again"
NOTICED_SECONDS = 12.0
"""Until a silent chip is noticed: one wait for a phone (5 s), and what libnfc asks after it."""
RETURN_SECONDS = 20.0
"""Until a chip that works again is found: the longest pause (10 s) and the opening."""


@pytest.mark.parametrize("driver", ["libnfc", "nfcpy"])
async def test_a_token_opens_the_door(driver):
    async with Field() as field, touching(field) as bench:
        phone = await field.phone(driver)
        await phone.tap()
        told = await phone.select()
        assert b"wa0y1YwS" in told
        assert VersionInfo.decode(await phone.run("PING")).build_time > 0
        assert await phone.run(TOKEN) == b""
        await bench.reader.unlocked()
        await phone.leave()
        assert await field.faults() == []


STALL_SECONDS = 0.3
"""Longer than nfcpy's own time for an acknowledgement, and shorter than the reader's for its chip."""


async def test_chips_that_are_late_are_no_failure_of_the_phone():
    """A busy machine is one; the reader's libnfc and the driver that plays the phone wait."""
    async with Field() as field, touching(field) as bench:
        phone = await field.phone("nfcpy")
        await phone.tap()
        await phone.select()
        for step in range(5):
            running = asyncio.create_task(phone.run("PING"))
            await asyncio.sleep(step * 0.004)
            await field.stall(STALL_SECONDS)
            assert VersionInfo.decode(await running).build_time > 0
        await phone.leave()
        assert bench.reader.child.matching(FAILED) == []


async def test_a_denied_token_opens_nothing_and_is_recorded_with_its_channel():
    async with Field() as field, touching(field) as bench:
        phone = await field.phone()
        await phone.tap()
        await phone.select()
        with pytest.raises(StatusFailed) as refusal:
            await phone.run(TOKEN, group="PING")
        assert refusal.value.status == Status.SIGNATURE
        assert await phone.run(TOKEN) == b""
        await bench.reader.unlocked()
        kinds = await recorded(bench, lambda event: event.get("channel") == "nfc", 2)
        assert kinds == ["unproven", "granted"]


async def recorded(bench: Bench, is_meant: Callable[[dict], bool], count: int) -> list[str]:
    """The kinds of the bench's events that are meant, oldest first, once so many are recorded."""

    async def kinds() -> list[str] | None:
        done = await asyncio.to_thread(
            subprocess.run,
            [str(binary()), "events", "--state", str(bench.state), "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
        events = [json.loads(line) for line in done.stdout.splitlines()]
        found = [event["kind"] for event in events if is_meant(event)]
        return found if len(found) >= count else None

    return await until("the records", kinds)


@pytest.mark.parametrize(("part", "expect"), [(1, 0), (17, 20), (240, 1)])
@pytest.mark.seconds(60)
async def test_chains_and_answers_in_parts(part, expect):
    async with Field() as field, touching(field):
        phone = await field.phone()
        await phone.tap()
        await phone.select()
        assert VersionInfo.decode(await phone.run("PING", part=part, expect=expect)).build_time > 0


async def test_nfcpy_reads_the_page_and_the_app():
    async with Field() as field, touching(field, uri="https://example.com/door", package="com.example.door"):
        phone = await field.phone("nfcpy")
        await phone.tap()
        page, app = await phone.records()
        assert page["type"] == "urn:nfc:wkt:U"
        assert page["uri"] == "https://example.com/door"
        assert app["type"] == "urn:nfc:ext:android.com:pkg"
        assert bytes.fromhex(app["data"]) == b"com.example.door"
        # And the other application exists as well.
        await phone.select()
        assert VersionInfo.decode(await phone.run("PING")).build_time > 0
        assert await field.faults() == []


@pytest.mark.parametrize("driver", ["libnfc", "nfcpy"])
async def test_what_is_not_there(driver):
    async with Field() as field, touching(field):
        phone = await field.phone(driver)
        await phone.tap()
        for name, status in (bytes.fromhex("F0010203040506"), 0x6A82), (NDEF, 0x6A82):
            with pytest.raises(StatusFailed) as refusal:
                await phone.select(name)
            assert refusal.value.status == status
        assert await phone.send(bytes.fromhex("8010000001AA00")) == (b"", 0x6985)
        assert await phone.send(bytes.fromhex("00CA000000")) == (b"", 0x6D00)
        assert await phone.send(bytes.fromhex("FF000000")) == (b"", 0x6E00)
        # It stays activated.
        await phone.select()


async def test_another_application_identifier():
    async with Field() as field, touching(field, aid="F0414243444546") as _:
        phone = await field.phone()
        await phone.tap()
        with pytest.raises(StatusFailed):
            await phone.select()
        await phone.select(bytes.fromhex("F0414243444546"))
        assert VersionInfo.decode(await phone.run("PING")).build_time > 0


async def test_a_phone_that_comes_again_begins_anew():
    async with Field() as field, touching(field) as bench:
        phone = await field.phone("nfcpy")
        for _ in range(3):
            await phone.tap()
            # No earlier selection is kept.
            assert await phone.send(bytes.fromhex("8010000001AA00")) == (b"", 0x6985)
            await phone.select()
            await phone.exchange(Transponder().handshake())
            await phone.leave()
        await phone.tap()
        await phone.select()
        assert await phone.run(TOKEN) == b""
        await bench.reader.unlocked()


async def test_answers_come_within_the_phones_time():
    """With the real frame waiting time; a machine under load gets three attempts at it."""
    async with Field(FRAME_WAIT) as field, touching(field):
        phone = await field.phone("nfcpy")
        for attempt in range(3):
            try:
                await phone.tap()
                await phone.select()
                await phone.run("PING")
                break
            except DriverFailed:
                assert attempt < 2, "no whole exchange within the frame waiting time"
        print(f"commands took {[round(wait * 1000) for wait in phone.waits]} ms, drivers and chips included")


async def serves_as_before(bench, phone, pid: int) -> None:
    """The phone is served by the process that was there before."""
    await phone.tap()
    await phone.select()
    assert VersionInfo.decode(await phone.run("PING")).build_time > 0
    assert bench.reader.child.returncode is None
    assert bench.reader.child.pid == pid


async def given_up(phone) -> None:
    """The phone leaves the field, if its driver still answers after an exchange that failed."""
    with contextlib.suppress(DriverFailed):
        await phone.leave()


@pytest.mark.thorough(
    "test_a_command_with_a_node_address_ends_nothing has the same way out; CardApplicationTests refuse long messages"
)
@pytest.mark.seconds(60)
async def test_a_command_that_is_longer_than_the_chip_holds_ends_nothing():
    async with Field() as field, touching(field) as bench:
        phone = await field.phone("nfcpy")
        pid = bench.reader.child.pid
        for _ in range(3):
            await phone.tap()
            with pytest.raises(DriverFailed):
                await phone.send(bytes.fromhex("80100000") + b"\0\x03\xe8" + bytes(1000) + b"\0\0")
            await given_up(phone)
        await serves_as_before(bench, phone, pid)


LEFT = ["01", "0b", "10", "13", "14", "25", "26", "27", "29", "2b", "2c", "2e"]
"""The status of a chip whose phone has left (PN532 user manual, 7.1): those that libnfc tells apart."""
EMPTY = 20
"""Activations without a command; after 16 the reader queries its chip."""


@pytest.mark.seconds(90)
async def test_a_phone_that_leaves_is_no_failure_of_the_chip():
    async with Field() as field, touching(field) as bench:
        phone = await field.phone()
        for status in LEFT:
            await field.ask("left", "reader", status)
            await phone.tap(RETURN_SECONDS)
            await phone.select()
            await phone.leave()
        for _ in range(EMPTY):
            await phone.tap(RETURN_SECONDS)
            await phone.leave()
        await serves_as_before(bench, phone, bench.reader.child.pid)
        assert bench.reader.child.matching(FAILED) == []
        status = (await told(str(bench.control), {"get": "status"}))["nfc"]
        assert (status["state"], status["failures"]) == ("ready", 0)
        assert status["activations"] == len(LEFT) + EMPTY + 1


@pytest.mark.seconds(60)
async def test_a_command_with_a_node_address_ends_nothing():
    """libnfc 1.8 calls abort() for it (the high bit of TgGetData's status); the reader continues, and so does NFC."""
    async with Field() as field, touching(field) as bench:
        phone = await field.phone("nfcpy")
        pid = bench.reader.child.pid
        for _ in range(3):
            await phone.tap()
            with pytest.raises(DriverFailed):
                # An I-block with number 0 and a node address, and in it a SELECT (ISO/IEC 14443-4, 7.1.1.1).
                await phone.block(bytes.fromhex("0600 00A40400"))
            await given_up(phone)
        await serves_as_before(bench, phone, pid)


FAILING_SECONDS = 8.0
"""Several attempts to open the chip, whose pauses grow from one second."""


@pytest.mark.thorough("ReopenPauseTests have the pauses; test_polling.py fails the chip")
@pytest.mark.seconds(90)
@pytest.mark.parametrize("fault", ["silent", "garbage", "refuse", "unplugged"])
async def test_a_chip_that_fails_is_told_once_and_comes_back_by_itself(fault):
    """Ten minutes are `ReopenPauseTests.tenMinutesOfSilence`; here it is long enough for several attempts."""
    async with Field() as field, touching(field) as bench:
        child = bench.reader.child
        await (field.ask("unplug", "reader") if fault == "unplugged" else field.ask("fault", "reader", fault))
        await child.line(FAILED, NOTICED_SECONDS)
        # Bluetooth keeps working meanwhile.
        link = await bench.ready()
        assert VersionInfo.decode(await link.run("PING")).build_time > 0
        await asyncio.sleep(FAILING_SECONDS)
        assert len(child.matching(FAILED)) == 1
        start = time.monotonic()
        await (field.ask("plug", "reader") if fault == "unplugged" else field.ask("fault", "reader", "none"))
        await child.line(BACK, RETURN_SECONDS)
        print(f"{fault}: back after {time.monotonic() - start:.1f} s")
        phone = await field.phone()
        await phone.tap()
        await phone.select()
        assert await phone.run(TOKEN) == b""
        await bench.reader.unlocked()
        kinds = await recorded(bench, lambda event: event["kind"].startswith("nfc-"), 2)
        assert kinds == ["nfc-failed", "nfc-restored"]


@pytest.mark.thorough(
    "test_polling.py cuts the power in a frame; CardApplicationTests begin again with each activation"
)
@pytest.mark.seconds(90)
async def test_a_frame_that_is_cut_in_the_middle_of_an_exchange():
    async with Field() as field, touching(field) as bench:
        phone = await field.phone()
        await phone.tap()
        await phone.select()
        await field.ask("fault", "reader", "cut")
        with pytest.raises((DriverFailed, StatusFailed)):
            await phone.run(TOKEN)
        await phone.tap(RETURN_SECONDS)
        await phone.select()
        assert await phone.run(TOKEN) == b""
        await bench.reader.unlocked()


async def test_status_and_metrics_tell_of_the_chip():
    async with Field() as field, Bench(nfc={"connection": field.connection}) as bench:
        control = str(bench.control)
        await bench.reader.child.line(READY, OPEN_SECONDS)
        phone = await field.phone()
        await phone.tap()
        await phone.select()
        await phone.run("PING")
        status = await told(control, {"get": "status"})
        assert status["nfc"] == {
            **{"connection": field.connection, "role": "target", "state": "ready", "failures": 0, "activations": 1},
            **{"rounds": 0, "cards": 0, "rejected": 0, "lost": 0, "recoveries": 0},
        }
        metrics = (await told(control, {"get": "metrics"}))["metrics"].splitlines()
        # SELECT, and a command for each of the two messages.
        assert {"readerd_nfc_ready 1", "readerd_taps_total 1"} <= set(metrics)
        # More if an answer was not there in time, and the phone had to ask for it.
        assert int(next(line for line in metrics if line.startswith("readerd_nfc_commands_total ")).split()[1]) >= 3
        assert 'readerd_sessions_total{status="0"} 1' in metrics
        await phone.leave()
        await field.ask("unplug", "reader")
        await bench.reader.child.line(FAILED, NOTICED_SECONDS)
        status = await told(control, {"get": "status"})
        assert status["nfc"]["state"] == "failed"
        assert [fault["code"] for fault in status["faults"]] == ["nfc-failed"]


async def told(control: str, request: dict) -> dict:
    """The answer of the control socket."""
    reader, writer = await asyncio.open_unix_connection(control)
    writer.write((json.dumps(request) + "\n").encode())
    answer = json.loads(await reader.readline())
    writer.close()
    return answer


async def test_without_a_chip_the_reader_runs(directory):
    async with Bench(nfc={"connection": f"pn532_uart:{directory}/none"}) as bench:
        line = await bench.reader.child.line(FAILED, OPEN_SECONDS)
        assert "no such device" in line.text
        link = await bench.ready()
        assert VersionInfo.decode(await link.run("PING")).build_time > 0


@pytest.mark.thorough(
    "test_phone_as_card.py measures Bluetooth beside a phone that stalls; the chip has a thread of its own"
)
@pytest.mark.seconds(120)
async def test_trouble_with_the_chip_does_not_delay_bluetooth():
    """The same exchanges over Bluetooth with a working chip and with a chip that hangs or talks nonsense."""
    async with Field() as field, Bench(**UNGATED, nfc={"connection": field.connection}) as bench:
        await bench.reader.child.line(READY, OPEN_SECONDS)
        link = await bench.ready()
        await timed(link, 5)
        usual = await timed(link, 20)
        for fault in "silent", "garbage":
            await field.ask("fault", "reader", fault)
            await bench.reader.child.line("nfc: lost", NOTICED_SECONDS)
            troubled = await timed(link, 20)
            await field.ask("fault", "reader", "none")
            await bench.reader.child.line(BACK, RETURN_SECONDS)
            bench.reader.child.lines.clear()
            print(f"median of an exchange: {usual * 1000:.1f} ms, while the chip is {fault}: {troubled * 1000:.1f} ms")
            # libnfc's shortest wait is 350 ms; the rest is for a machine that does other things as well.
            assert troubled < usual * 1.5 + 0.05


async def timed(link, count: int) -> float:
    """The median time of this many exchanges, in seconds."""
    seconds = []
    for _ in range(count):
        start = time.monotonic()
        await link.run("PING")
        seconds.append(time.monotonic() - start)
    return statistics.median(seconds)
