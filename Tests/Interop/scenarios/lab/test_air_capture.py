# SPDX-License-Identifier: Apache-2.0
"""`--capture` of `readerlab scenario` and `readerlab air`, read by tshark."""

import json
import subprocess
from pathlib import Path

import pytest

from rig.air_process import AirBench, AirProcess
from rig.association import IO, Side
from rig.emulation import Emulation, binary
from rig.pairing_bench import ENCRYPTED, TABLE, options
from rig.pairing_phone import PairingPhone
from rig.pcapng import air_packets
from rig.tshark import check, operations, packets, tool

pytestmark = pytest.mark.seconds(120)

RUN_SECONDS = 60
MTU_REQUEST, READ_RESPONSE, NOTIFICATION, WRITE_COMMAND = 0x02, 0x0B, 0x1B, 0x52
"""Opcodes of ATT (Core 5.4, Vol 3, Part F, 3.4): a phone writes commands, the reader notifies."""
TAKEN_SERVICE = bytes.fromhex("030300ff")
"""The advertising of the device that pairs."""
ENCRYPTION_RESPONSE = "0x04"
KEY_COUNT = 16
DECRYPTED = "btle_rf.flags.decrypted == 1"


def scenario(*arguments: object) -> subprocess.CompletedProcess:
    command = [str(binary()), "scenario", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS, check=False)


def captured(directory: Path, name: str, *arguments: object) -> Path:
    """The capture of a run that is as expected."""
    capture = directory / name
    done = scenario(*arguments, "--capture", capture)
    assert done.returncode == 0, done.stderr
    return capture


def test_a_scenario_is_dissected(directory):
    """Rules 1 and 16: the same octets for the same seed, no malformed packet, the seed in the comment."""
    one, two = (captured(directory, name, "two-at-once", "--seed", 7) for name in ("one.pcapng", "two.pcapng"))
    assert one.read_bytes() == two.read_bytes()
    check(one)
    interfaces = {name for (name,) in packets(one, "frame.interface_name")}
    stations = ("reader", "phone anna", "phone ben")
    assert interfaces == {"events", *(f"{kind} {name}" for kind in ("air", "hci") for name in stations)}
    assert "readerlab scenario two-at-once --seed 7\n" in tool("capinfos", "-k", str(one))
    for name in interfaces - {"events"}:
        assert {MTU_REQUEST, WRITE_COMMAND, NOTIFICATION} <= operations(one, name), name
    texts = [text for (text,) in packets(one, "syslog.msg", where="syslog")]
    assert texts.count("door: lock on") == 1, texts


def test_what_a_radio_hears_has_a_level_and_what_it_sends_has_none(directory):
    capture = captured(directory, "one.pcapng", "two-at-once")
    rows = packets(capture, "frame.packet_flags_direction", "btle_rf.signal_dbm", where="btle")
    assert {direction for direction, _ in rows} == {"0x00000001", "0x00000002"}
    for direction, level in rows:
        assert (level != "") == (direction == "0x00000001"), (direction, level)


def test_packets_that_are_sent_again_have_the_same_number(directory):
    """A third of all packets is lost."""
    phone = {"name": "anna", "path": [{"at-ms": 0, "dbm": -45}], "expect": "opened"}
    lossy = {"seconds": 20, "phones": [phone], "events": [{"after-ms": 0, "do": "loss 30"}]}
    (directory / "lossy.json").write_text(json.dumps(lossy))
    capture = captured(directory, "lossy.pcapng", directory / "lossy.json")
    check(capture)
    assert WRITE_COMMAND in operations(capture, "air reader")
    again = packets(capture, "frame.number", where="btle.retransmit")
    assert again


@pytest.mark.thorough("CaptureTests have the packets; test_a_scenario_is_dissected has them read by tshark")
async def test_the_air_in_real_time_is_dissected(directory):
    capture = directory / "air.pcapng"
    async with AirBench(air=("--capture", str(capture))) as bench:
        link = await bench.ready()
        await link.run("tokn")
        await bench.reader.unlocked()
    check(capture)
    for name in ("air reader", "hci reader", "air phone", "hci phone"):
        assert {WRITE_COMMAND, NOTIFICATION} <= operations(capture, name), name
    assert "readerlab air --seed 1\n" in tool("capinfos", "-k", str(capture))


async def test_an_encrypted_link_is_read_and_its_key_is_not_on_the_air(directory):
    capture, table = directory / "air.pcapng", directory / "table.json"
    table.write_text(json.dumps(TABLE))
    air = await AirProcess.start(
        "device=tcp:127.0.0.1:0", f"phone=unix:{directory}/p", options=("--capture", str(capture))
    )
    try:
        side = Side(IO.NONE)
        emulation = await Emulation.start(await air.listen_tcp("device"), table, *options(side))
        await emulation.event("ready")
        phone = await PairingPhone.open(air.hci("phone"), side)
        link = await phone.connect(await phone.find(TAKEN_SERVICE))
        await link.find()
        await link.pair()
        assert await link.read(ENCRYPTED) == b"\x02"
        await link.disconnect()
        await phone.close()
        assert await emulation.stop() == 0
    finally:
        assert await air.stop() == 0, air.last_words()
    check(capture)
    assert packets(capture, "frame.number", where=f"btle.control_opcode == {ENCRYPTION_RESPONSE}")
    reads = packets(capture, "btatt.value", where=f"{DECRYPTED} && btatt.opcode == {READ_RESPONSE}")
    assert ("02",) in reads
    ((key,),) = set(packets(capture, "bthci_cmd.le_long_term_key", where="bthci_cmd.le_long_term_key"))
    octets = bytes.fromhex(key.replace(":", ""))
    assert len(octets) == KEY_COUNT
    assert not [packet for packet in air_packets(capture) if octets in packet.pdu or octets[::-1] in packet.pdu]


@pytest.mark.parametrize("command", ["scenario pocket --seed 1", "air --listen a=tcp:127.0.0.1:0"])
def test_a_capture_that_cannot_be_written_is_refused_in_one_line(directory, command):
    path = directory / "none" / "a.pcapng"
    done = subprocess.run(
        [str(binary()), *command.split(), "--capture", str(path)],
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and str(path) in done.stderr and "use an existing directory" in done.stderr
