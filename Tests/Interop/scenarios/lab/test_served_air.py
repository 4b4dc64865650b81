# SPDX-License-Identifier: Apache-2.0
"""`readerlab air`: the project's virtual controllers for other hosts, with levels, walls and loss on command."""

import asyncio
import contextlib
import json
import socket
import stat

import pytest

from access.advertising import ACCESS
from rig.air_process import OTHER, PHONE, AirBench, AirProcess, ask
from rig.association import IO, Side
from rig.bench import NEAR_DBM, READER
from rig.bumble_devices import LEVELS, bumble_device
from rig.emulation import LINE_SECONDS, Emulation, binary
from rig.pairing_bench import AUTHENTICATED, ENCRYPTED, INSUFFICIENT_AUTHENTICATION, PLAIN, TABLE, options
from rig.pairing_phone import PairingPhone
from rig.phone import LinkLost, Phone
from rig.processes import Child, Gone
from rig.reader import UNLOCKED
from rig.waiting import until

RESET, RESET_ANSWER = bytes.fromhex("01030c00"), bytes.fromhex("040e0401030c00")
TAKEN_SERVICE = bytes.fromhex("030300ff")
"""The advertising of the device that pairs: a complete list of 16-bit services."""

USAGE = 2
"""The exit code of wrong options."""


@contextlib.asynccontextmanager
async def running(*places: str, options: tuple[str, ...] = ()):
    """The air, which has to end well."""
    air = await AirProcess.start(*places, options=options)
    try:
        yield air
    finally:
        code = await air.stop()
    assert code == 0, air.child.tail()


def two(directory, *, legacy: bool = False, strict: bool = False) -> tuple[str, str]:
    """A place for a device and one for a phone."""
    words = (",legacy" if legacy else "") + (",strict" if strict else "")
    return f"device=tcp:127.0.0.1:0{words}", f"phone=unix:{directory}/p"


async def ended(child: Child) -> int:
    """The exit code of a process that ends."""
    with contextlib.suppress(Gone):
        await child.line("(?!)", LINE_SECONDS)
    return await child.stop()


class Plain:
    """A host without a stack: a socket, and what came."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, air: AirProcess, place: str) -> "Plain":
        kind, _, rest = air.hci(place).partition(":")
        if kind == "unix":
            return cls(*await asyncio.open_unix_connection(rest))
        host, _, port = rest.rpartition(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    async def reset(self) -> None:
        """A controller answers."""
        self.writer.write(RESET)
        assert await asyncio.wait_for(self.reader.readexactly(len(RESET_ANSWER)), LINE_SECONDS) == RESET_ANSWER

    async def ended(self) -> None:
        """The air has closed the connection."""
        with contextlib.suppress(ConnectionError):
            while await asyncio.wait_for(self.reader.read(65536), LINE_SECONDS):
                pass
        await self.close()

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


# Other hosts


@pytest.mark.parametrize("legacy", [False, True], ids=["modern", "legacy"])
async def test_two_hosts_on_bumble_meet(directory, legacy):
    async with running(*two(directory, legacy=legacy)) as air, bumble_device(air.hci("device")):
        phone = await PairingPhone.open(air.hci("phone"), Side(IO.NONE))
        try:
            link = await phone.connect(await phone.find(LEVELS))
            made = await air.event("link-made", "phone")
            assert made["peripheral"] == "device"
            await link.find()
            assert await link.read("FF01") == b"of bumble"
            await link.pair()
            assert link.is_encrypted
            listed = await air.order("list")
            assert [entry["encrypted"] for entry in listed["links"]] == [True]
            assert [entry["taken"] for entry in listed["places"]] == [True, True]
            await link.disconnect()
            assert (await air.event("link-ended", "phone"))["reason"] == 0x16
            assert (await air.event("link-ended", "device"))["reason"] == 0x13
        finally:
            await phone.close()


@pytest.mark.parametrize("legacy", [False, True], ids=["modern", "legacy"])
async def test_a_phone_pairs_with_a_device_of_the_lab(directory, legacy):
    table = directory / "table.json"
    table.write_text(json.dumps(TABLE))
    side = Side(IO.NONE)
    async with running(*two(directory, legacy=legacy, strict=True)) as air:
        emulation = await Emulation.start(await air.listen_tcp("device"), table, *options(side))
        try:
            await emulation.event("ready")
            phone = await PairingPhone.open(air.hci("phone"), side)
            try:
                link = await phone.connect(await phone.find(TAKEN_SERVICE))
                await link.find()
                assert [await link.read(uuid) for uuid in (PLAIN, ENCRYPTED)] == [b"\x01", INSUFFICIENT_AUTHENTICATION]
                await link.pair()
                await emulation.event("paired")
                assert await link.read(ENCRYPTED) == b"\x02"
                assert await link.read(AUTHENTICATED) == INSUFFICIENT_AUTHENTICATION
                handle = link.characteristic(ENCRYPTED).handle
                # Again, with the key that both have kept.
                await link.disconnect()
                await emulation.event("disconnected")
                link = await phone.connect(await phone.find(TAKEN_SERVICE))
                await link.encrypt()
                assert await link.read_handle(handle) == b"\x02"
                await link.disconnect()
            finally:
                await phone.close()
        finally:
            assert await emulation.stop() == 0
        assert not [event for event in air.events("violation") if event["place"] == "device"]


# The reader


@pytest.mark.parametrize("way", ["tcp:127.0.0.1:0", "unix:PATH", "pty:PATH", "tcp:127.0.0.1:0,legacy"])
async def test_a_walk_opens_the_door_and_no_weaker_level_does(way):
    async with AirBench(way) as bench:
        await bench.opens_at_the_door(PHONE)


async def test_a_wall_keeps_the_door_shut():
    async with AirBench() as bench:
        phone = await bench.phone(PHONE, dbm=-50)
        assert await bench.radio.obey("wall", PHONE, READER, 15) == "phone and reader: -65 dBm behind a wall of 15 dB"
        address = (await phone.find(ACCESS)).address
        link = await phone.connect(address)
        with pytest.raises(LinkLost):
            await link.prepare()
            await link.run("tokn")
        assert not bench.reader.child.matching(UNLOCKED)
        await bench.radio.obey("wall", PHONE, READER, 0)
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.prepare()
        await link.run("tokn")
        await bench.reader.unlocked()


async def test_a_phone_behind_an_endless_wall_loses_its_link_and_finds_nothing():
    async with AirBench() as bench:
        phone, link = await bench.connected(PHONE)
        # Before the first packets the link would count as never established, 0x3E.
        await link.prepare()
        await bench.radio.obey("wall", PHONE, READER, 100)
        assert await link.wait_for_end(LINE_SECONDS) == 0x08
        assert not [sighting for sighting in await phone.watch(0.5) if ACCESS.matches(sighting.data)]
        await bench.radio.obey("wall", PHONE, READER, 0)
        assert (await phone.find(ACCESS)).rssi == NEAR_DBM


async def test_packets_that_are_lost_are_sent_again():
    async with AirBench() as bench:
        link = await bench.ready()
        await bench.radio.obey("loss", PHONE, READER, 0.3)
        await link.run("tokn")
        await bench.reader.unlocked()
        await bench.radio.obey("loss", PHONE, READER, 1)
        assert await link.wait_for_end(LINE_SECONDS) == 0x08
        assert (await bench.radio.event("link-ended", READER))["reason"] == 0x08


@pytest.mark.parametrize("way", ["tcp:127.0.0.1:0", "pty:PATH"])
async def test_a_reader_that_is_started_again_has_its_place(way):
    async with AirBench(way) as bench:
        for _ in range(3):
            await bench.reader.child.line("advertising on", LINE_SECONDS)
            await bench.restart()
        link = await bench.ready()
        await link.run("tokn")
        await bench.reader.unlocked()
        assert not bench.radio.events("refused")


async def test_two_phones_at_one_reader():
    async with AirBench() as bench:
        phones = [await bench.phone(name) for name in (PHONE, OTHER)]
        links = [await phone.connect((await phone.find(ACCESS)).address) for phone in phones]
        for link in links:
            await link.prepare()
            await link.run("tokn")
        await bench.reader.unlocked()
        assert len({event["place"] for event in bench.radio.events("link-made")}) == 2


# Places


async def test_a_second_host_is_refused_and_the_place_is_free_again_later(directory):
    async with running(*two(directory)) as air:
        for place in ("device", "phone"):
            first = await Plain.open(air, place)
            await first.reset()
            second = await Plain.open(air, place)
            await second.ended()
            await air.event("refused", place)
            await first.reset()
            await first.close()
            await air.event("left", place)
            third = await Plain.open(air, place)
            await third.reset()
            await third.close()


async def test_a_host_that_reconnects_at_once_is_not_refused(directory):
    async with running(*two(directory)) as air:
        for _ in range(20):
            host = await Plain.open(air, "device")
            await host.reset()
            # Octets before the end that no one has read yet, more than one read takes.
            host.writer.write(RESET * 5000)
            await host.close()
        assert not air.events("refused")


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "unknown HCI packet type 0x47"),
        (bytes.fromhex("040e0401030c00"), "HCI packet of type 0x04 in the wrong direction"),
        (bytes.fromhex("024000ffff") + bytes(1000), "with 65535 octets, more than 4096"),
    ],
    ids=["another protocol", "a controller's packet", "too long"],
)
async def test_garbage_is_cut_off_and_harms_nobody_else(octets, why):
    async with AirBench() as bench:
        link = await bench.ready()
        hostile = await Plain.open(bench.radio, OTHER)
        hostile.writer.write(octets)
        await hostile.ended()
        assert why in (await bench.radio.event("cut-off", OTHER))["why"]
        await link.run("tokn")
        await bench.reader.unlocked()
        again = await Plain.open(bench.radio, OTHER)
        await again.reset()
        await again.close()


async def test_a_host_that_never_reads_is_cut_off_and_harms_nobody_else():
    async with AirBench() as bench:
        await bench.reader.child.line("advertising on", LINE_SECONDS)
        hostile = socket.socket(socket.AF_UNIX)
        hostile.connect(await bench.radio.listen_unix(OTHER))
        hostile.setblocking(False)

        async def flood() -> None:
            with contextlib.suppress(ConnectionError):
                while True:
                    await asyncio.get_running_loop().sock_sendall(hostile, RESET * 4096)

        flooding = asyncio.create_task(flood())
        link = await bench.ready()
        await link.run("tokn")
        await bench.reader.unlocked()
        assert "packets wait for it" in (await bench.radio.event("cut-off", OTHER))["why"]
        await flooding
        hostile.close()


OCTET_SECONDS = 0.01
"""Between octets, so that the air reads them one by one."""


async def test_half_a_packet_is_waited_for(directory):
    async with running(*two(directory)) as air:
        host = await Plain.open(air, "device")
        for octet in RESET:
            host.writer.write(bytes((octet,)))
            await asyncio.sleep(OCTET_SECONDS)
        assert await host.reader.readexactly(len(RESET_ANSWER)) == RESET_ANSWER
        host.writer.write(RESET[:2])
        await host.close()
        await air.event("left", "device")
        host = await Plain.open(air, "device")
        await host.reset()
        await host.close()


async def test_a_hosts_violations_are_told(directory):
    async with running(*two(directory)) as air:
        host = await Plain.open(air, "device")
        await host.reset()
        # Disconnect of a link that is not there (Core 5.4, Vol 4, Part E, 7.1.6).
        host.writer.write(bytes.fromhex("01060403770013"))
        assert (await air.event("violation", "device"))["text"] == "disconnect: no link 119"
        assert (await air.order("list"))["places"][0]["violations"] == 1
        await host.close()


# Orders


async def test_the_control_socket_takes_orders(directory):
    control = directory / "c"
    async with running(*two(directory), options=("--control", f"unix:{control}")) as air:
        assert stat.S_IMODE(control.stat().st_mode) == 0o600
        rssi, wall, wrong, nobody, listed, helped = await ask(
            control, "rssi phone device -63", "wall device phone 5", "rssi phone", "loss a b 1", "list", "help"
        )
        assert rssi["lines"] == ["phone and device: -63 dBm"]
        assert wall["lines"] == ["device and phone: -68 dBm behind a wall of 5 dB"]
        assert (wrong["ok"], wrong["lines"]) == (False, ["write rssi ONE OTHER DBM, as rssi phone reader -50"])
        assert nobody["lines"] == ['there is no place "a"; there are device, phone']
        assert listed["paths"] == [{"one": "device", "other": "phone", "dbm": -68, "wall-db": 5, "loss": 0.0}]
        assert any(line.startswith("walk ") for line in helped["lines"])
        assert [event["text"] for event in air.events("ordered")] == rssi["lines"] + wall["lines"]
        # A line without an end, and clients beyond those that are taken.
        others = [await asyncio.open_unix_connection(str(control)) for _ in range(20)]
        for _, writer in others:
            writer.write(b"x" * 100_000)
        (answer,) = await ask_when_free(control, others)
        assert answer["ok"]


async def ask_when_free(control, others) -> list[dict[str, object]]:
    """A list, once the others have left."""
    for _, writer in others:
        writer.close()

    async def answer() -> list[dict[str, object]] | None:
        # Beyond the clients that are taken, the end of the stream comes before the line is sent: ENOTCONN.
        with contextlib.suppress(json.JSONDecodeError, OSError):
            return await ask(control, "list")
        return None

    return await until("room at the control socket", answer)


async def test_quit_by_the_control_socket_is_answered_and_leaves_nothing(directory):
    control = directory / "c"
    places = (f"a=unix:{directory}/a", f"t=pty:{directory}/t", "b=tcp:127.0.0.1:0")
    air = await AirProcess.start(*places, options=("--control", f"unix:{control}"))
    assert (directory / "t").is_symlink()
    (answer,) = await ask(control, "quit")
    assert answer["lines"] == ["the end"]
    assert await ended(air.child) == 0
    assert not list(directory.iterdir())


async def test_lines_for_people_are_aligned(directory):
    command = [str(binary()), "air", "--listen", f"reader=unix:{directory}/r", "--listen", f"p=unix:{directory}/p"]
    child = await Child.start("air", command, stdin=asyncio.subprocess.PIPE)
    await child.line("help lists", LINE_SECONDS)
    reader, writer = await asyncio.open_unix_connection(f"{directory}/p")
    writer.write(RESET)
    await reader.readexactly(len(RESET_ANSWER))
    await child.type("walk p reader -85 -45 3s")
    await child.type("rssi p door -85")
    await child.line("error", LINE_SECONDS)
    await child.type("quit")
    assert await ended(child) == 0
    texts = [line.text for line in child.lines]
    assert all(text[5] == "." and text[9:11] == "  " and text[17:19] == "  " for text in texts), texts
    assert [(text[11:17], text[19:]) for text in texts] == [
        ("reader", f"open for --hci unix:{directory}/r; controller 00:00:5E:00:53:01"),
        ("p     ", f"open for --hci unix:{directory}/p; controller 00:00:5E:00:53:02"),
        ("air   ", "help lists what can be typed; Ctrl-C ends the air"),
        ("p     ", "connected"),
        ("air   ", "ok: p and reader: -85 dBm, to -45 dBm within 3000 ms"),
        ("air   ", 'error: there is no place "door"; there are reader, p'),
        ("air   ", "ok: the end"),
    ]
    writer.close()


async def test_without_places_it_says_what_to_run_next():
    """The usual ports may be taken by another air on this machine: then that is what it says."""
    child = await Child.start("air", [str(binary()), "air"])
    line = await child.line("then: |cannot listen", LINE_SECONDS)
    if "then" in line.text:
        assert child.matching(r"next: readerd run --hci tcp-client:127\.0\.0\.1:7300")
        assert "readerlab phone open --hci tcp-client:127.0.0.1:7301" in line.text
        assert await child.stop() == 0
    else:
        assert "tcp:127.0.0.1:730" in line.text
        assert await ended(child) == 1


# Wrong use


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--listen", "a=serial:/dev/x"], USAGE, "no kind of place; write tcp:HOST:PORT, unix:PATH or pty:PATH"),
        (["--listen", "a=tcp:localhost:0", "--legacy", "b"], USAGE, "there is no such place; there are a"),
        (["--listen", "a=tcp:localhost:0", "--control", "/tmp/c"], USAGE, "write unix:PATH"),
        (["--listen", "a=tcp:door.example:0"], 2, "no address; write one as 127.0.0.1"),
        (["--listen", "a=tcp:192.0.2.1:0"], 1, "name an address of this machine, as 127.0.0.1"),
        (["--listen", "a=unix:/proc/no/such"], 1, "cannot listen: No such file or directory"),
        (["--listen", "a=pty:/proc/no/such"], 1, "name a path in a directory that may be written"),
        (["--listen", "a=unix:/etc/hostname"], 1, "exists and is no socket"),
        (["--listen", "a=pty:/etc/hostname"], 1, "is there and no symbolic link"),
    ],
)
async def test_a_place_that_cannot_be_is_told_in_one_line(words, code, said):
    child = await Child.start("air", [str(binary()), "air", *words])
    await child.line(said, LINE_SECONDS)
    assert await ended(child) == code
    assert len(child.matching(said)) == 1


async def test_a_socket_of_a_killed_air_is_replaced_and_a_living_ones_is_not(directory):
    path = directory / "r"
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(path))
    stale.close()
    async with running(f"reader=unix:{path}", "phone=tcp:127.0.0.1:0") as air:
        host = await Plain.open(air, "reader")
        await host.reset()
        port = (await air.listen_tcp("phone")).rpartition(":")[2]
        for place in (f"unix:{path}", f"tcp:127.0.0.1:{port}"):
            other = await Child.start("air", [str(binary()), "air", "--listen", f"a={place}"])
            await other.line("perhaps another readerlab air", LINE_SECONDS)
            assert await ended(other) == 1
        await host.reset()
        await host.close()


async def test_phones_are_hosts_like_others(directory):
    """A phone's RSSI is as strong as the air's level, at once and while it walks."""
    async with running(*two(directory)) as air, bumble_device(air.hci("device")):
        phone = await Phone.open("phone", air.hci("phone"))
        try:
            await air.obey("rssi", "phone", "device", -63)
            heard = await phone.watch(LINE_SECONDS, lambda seen: len(seen) >= 3)
            assert {sighting.rssi for sighting in heard} == {-63}
            watching = asyncio.create_task(phone.watch(LINE_SECONDS, lambda seen: seen[-1].rssi == -40))
            await air.obey("walk", "phone", "device", -90, -40, "2s")
            heard = [sighting.rssi for sighting in await watching]
            walked = heard[heard.index(min(heard)) :]
            assert walked == sorted(walked) and walked[0] < -80 and walked[-1] == -40
        finally:
            await phone.close()
