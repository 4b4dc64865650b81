# SPDX-License-Identifier: Apache-2.0
"""`readerlab phone` against `readerd`: what it does, what it says of a refusal, and how it ends.

On the air of the lab, as in README, or on the radio of these tests where that has to fail or to hold two readers.
"""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from access.tokens import Timestamp
from access.wire import delimited, message
from rig import backend, clock
from rig.air_process import OTHER, AirBench
from rig.bench import BELOW_DBM, FAR_DBM, NEAR_DBM, Bench
from rig.matrix import some_of
from rig.phone_program import PhoneProgram
from rig.reader import UNLOCKED, Reader, Settings
from rig.rows import UNGATED

STEPS = ["found", "connected", "mtu", "services", "handshake", "token", "answer"]
DEMO = "DEMOPHONE1"
NOON = datetime(2030, 6, 5, 12, tzinfo=UTC)
RE_ARM_SECONDS = 2.0
"""For so long an equal request gets the answer that it got (`door.re-arm-ms`)."""


async def test_it_opens_the_demo_reader_and_tells_each_step():
    async with AirBench() as bench:
        phone = await PhoneProgram.at(bench)
        done = await phone.run("open", "--json")
        assert (done.code, done.errors) == (0, "")
        assert [event["event"] for event in done.events] == ["identity", *STEPS, "done"]
        assert done.event("identity")["demo"] is True
        assert done.event("found")["reader"] == "wa0y1YwS" and done.event("found")["demo-keys"] is True
        times = [event["at-ms"] for event in done.events[1:]]
        assert times == sorted(times)
        assert len(bench.reader.child.matching(UNLOCKED)) == 1


async def test_for_people_it_is_a_line_each_and_the_demo_identity_is_said():
    async with AirBench() as bench:
        phone = await PhoneProgram.at(bench)
        done = await phone.run("open", "--mode", "access")
        assert done.code == 0
        assert "published demo identity" in done.errors
        assert [line.split()[2] for line in done.output.splitlines()] == [*STEPS, "disconnected"]
        assert done.output.splitlines()[-2].endswith("opened")


@pytest.mark.parametrize(("dbm", "words"), [(FAR_DBM, "(0x13)"), (BELOW_DBM, "its window ended")])
async def test_a_far_phone_is_told_to_go_nearer(dbm, words):
    async with AirBench() as bench:
        phone = await PhoneProgram.at(bench, dbm=dbm)
        done = await phone.run("open", "--json")
        assert done.code == 1
        assert done.event("failed")["reason"] == 0x13
        assert words in done.refusal and "go nearer" in done.refusal
        assert not bench.reader.child.matching(UNLOCKED)


@pytest.mark.thorough("PhoneVisitTests show no token to a reader with another key")
@pytest.mark.seconds(90)
async def test_a_bundle_of_another_reader_is_noticed_before_the_token_is_shown():
    bundles = []

    def prepare(state: Path) -> None:
        bundles.append(backend.provision(state.with_name("elsewhere"), "other", "command"))

    async with AirBench(prepare=prepare) as bench:
        phone = await PhoneProgram.at(bench)
        file = bench.state.parent / "phone.json"
        done = await phone.run("open", "--json", "--bundle", file, "--timeout", 3)
        assert done.code == 1 and "none of the readers that are heard" in done.refusal
        done = await phone.run("open", "--json", "--bundle", file, "--reader", "wa0y1YwS")
        assert done.code == 1 and "wrong reader" in done.refusal
        assert "token" not in [event["event"] for event in done.events]
        assert not bench.reader.child.matching(UNLOCKED)


@pytest.mark.seconds(90)
@pytest.mark.parametrize("kind", ["command", "oss-so"])
async def test_it_opens_with_what_the_backend_gave_it(kind):
    async with AirBench(prepare=lambda state: backend.provision(state, "front", kind)) as bench:
        phone = await PhoneProgram.at(bench)
        done = await phone.run("open", "--json", "--bundle", bench.state.parent / "phone.json", "--reader", "front")
        assert done.code == 0, done
        assert done.event("identity")["demo"] is False
        if kind == "oss-so":
            assert done.result("oss-so")["granted"] is True
        await bench.reader.unlocked()


async def test_a_credential_that_was_revoked_is_refused_with_the_reason():
    entry = message((1, message((1, DEMO))), (2, Timestamp(2089).body()))
    async with AirBench(**UNGATED) as bench:
        phone = await PhoneProgram.at(bench)
        pushed = await phone.run("command", "BL_PUSH", delimited(message((1, entry))).hex(), "--json")
        assert pushed.code == 0, pushed
        done = await phone.run("open", "--json")
        assert done.code == 1
        assert done.event("failed")["status"] == -13
        assert "revoked" in done.refusal
        assert not bench.reader.child.matching(UNLOCKED)


@pytest.mark.seconds(90)
@pytest.mark.parametrize(
    "kind", some_of(["command", "oss-so"], "test_revocation.py has the courier; CredentialsTests both kinds")
)
async def test_a_courier_brings_what_the_desk_has_revoked(kind):
    """Without octets from a person, as docs/operate/a-phone-is-lost.md has it; the operator takes it back."""
    async with AirBench(prepare=lambda state: backend.provision(state, "front", kind), **UNGATED) as bench:
        phone = await PhoneProgram.at(bench)
        files = bench.state.parent
        alice = ["--json", "--bundle", files / "phone.json"]
        assert (await phone.run("open", *alice)).code == 0
        desk = ["--site", files / "site.json", "--courier", "GUARD00001", "--bundle", files / "courier.json"]
        backend.run("readerlab", "credentials", "revoke", backend.CREDENTIAL, *desk)
        pushed = await phone.run("command", "BL_PUSH", "--json", "--bundle", files / "courier.json")
        assert pushed.code == 0, pushed
        refused = await phone.run("open", *alice)
        assert refused.code == 1 and "the credential was revoked" in refused.refusal
        shown = files / "policy.json"
        backend.run("readerd", "policy", "show", "--json", "--state", bench.state, keep=shown)
        assert [entry["credential"] for entry in json.loads(shown.read_text())["revoked"]] == [backend.CREDENTIAL]
        backend.run("readerlab", "credentials", "policy", shown, "--site", files / "site.json")
        backend.run("readerd", "unrevoke", backend.CREDENTIAL, "--control", bench.control)
        await asyncio.sleep(RE_ARM_SECONDS)
        assert (await phone.run("open", *alice)).code == 0


@pytest.mark.seconds(90)
async def test_an_ended_token_is_refused_with_its_date():
    def prepare(state: Path) -> None:
        backend.provision(state, "front", "command")
        files = state.parent
        wanted = ["--site", files / "site.json", "--reader", "front", "--credential", "BOB0000815"]
        dates = ["--from", "2020-01-01", "--to", "2020-06-30", "--out", files / "bob.token"]
        backend.run("readerlab", "credentials", "token", "command", *wanted, *dates)
        bundle = ["--site", files / "site.json", "--token", files / "bob.token", "--out", files / "bob.json"]
        backend.run("readerlab", "credentials", "phone-bundle", *bundle)

    async with AirBench(prepare=prepare, **UNGATED) as bench:
        phone = await PhoneProgram.at(bench)
        refused = await phone.run("open", "--json", "--bundle", bench.state.parent / "bob.json")
        assert refused.code == 1 and "the token has ended, on 2020-06-30T23:59" in refused.refusal


@pytest.mark.thorough("EventReadingTests read the events; test_phone_touch.py reads them by touch")
@pytest.mark.seconds(90)
async def test_the_events_of_openings_are_read_back():
    async with AirBench(**UNGATED) as bench:
        phone = await PhoneProgram.at(bench)
        opened = await phone.run("open", "--json", "--repeat", 2)
        assert opened.code == 0, opened
        times = opened.event("times")
        assert times["done"] == 2
        assert [row["step"] for row in times["steps"]] == [*STEPS, "visit"]
        assert all(row["n"] == 2 and "p90-ms" not in row for row in times["steps"])
        done = await phone.run("events", "--json", "--last", 50)
        assert done.code == 0, done
        events = done.event("events")["events"]
        assert [event["number"] for event in events] == list(range(1, len(events) + 1))
        # A phone reads a command as event 14 with its status (docs/operate/events.md).
        opened = [event for event in events if event.get("command") == "tokn"]
        assert [(event["id"], event["information"], event["credential"]) for event in opened] == [(14, 0, DEMO)] * 2
        newest = await phone.run("events", "--json", "--last", 2)
        assert newest.event("events")["events"][0]["number"] > opened[0]["number"]
        table = await phone.run("events", "--quiet")
        assert table.output.splitlines()[0].split() == ["number", "time", "event", "credential", "command"]
        assert len([line for line in table.output.splitlines() if "tokn" in line and DEMO in line]) == 2


@pytest.mark.seconds(90)
async def test_the_clock_is_shown_and_set():
    async with AirBench(environment=clock.showing(NOON), **UNGATED) as bench:
        phone = await PhoneProgram.at(bench)
        shown = await phone.run("time", "--quiet")
        assert shown.code == 0 and shown.output.split()[:2] == ["clock", f"{NOON:%Y-%m-%d}"]
        later = NOON + timedelta(days=1)
        done = await phone.run("time", "--set", f"{later:%Y-%m-%dT%H:%M:%SZ}", "--json")
        assert done.code == 0, done
        assert done.result("STATUS")["clock"].startswith(f"{later:%Y-%m-%dT12:0}")
        back = await phone.run("time", "--set", f"{NOON - timedelta(days=9):%Y-%m-%dT%H:%M:%SZ}", "--json")
        assert back.code == 1 and back.event("failed")["status"] == -3
        assert "phones may not set this time" in back.refusal


@pytest.mark.thorough("VisitValueTests have the answers")
@pytest.mark.seconds(90)
async def test_answers_are_decoded():
    async with AirBench(**UNGATED) as bench:
        phone = await PhoneProgram.at(bench)
        version = (await phone.run("command", "PING", "--json")).result("PING")
        assert version["build-time"] > 0
        status = await phone.run("update", "--json")
        assert status.result("UPDATE")["reader"] == "wa0y1YwS" and status.result("UPDATE")["door"] == "locked"
        settings = (await phone.run("command", "gcfg", "--json")).result("gcfg")
        assert settings["id"] == "wa0y1YwS" and settings["links"]["max"] == 3
        refused = await phone.run("command", "hrev", "--json")
        assert refused.code == 1 and refused.event("failed")["status"] == -5


@pytest.mark.seconds(90)
async def test_a_scan_shows_two_readers_with_their_modes():
    async with Bench(advertising={"modes": ["on-touch", "access"]}) as bench:
        directory = bench.state.parent / "second"
        directory.mkdir()
        backend.provision(directory / "state", "second", "command")
        hci = await bench.radio.listen_tcp("second")
        second = await Reader.start(hci, directory, Settings({"advertising": {"modes": ["access"]}}))
        try:
            phone = await PhoneProgram.at(bench)
            await bench.radio.level("phone", "second", FAR_DBM)
            done = await phone.run("scan", "--seconds", 3, "--json")
            assert done.code == 0, done
            seen = {(event["mode"], event["demo-keys"], event["rssi"]) for event in done.events if "demo-keys" in event}
            assert seen == {("on-touch", True, NEAR_DBM), ("access", True, NEAR_DBM), ("access", False, FAR_DBM)}
            lines = (await phone.run("scan", "--seconds", 1.5)).output.splitlines()
            assert len({line.split()[4] for line in lines}) == 3, "an address for each packet"
        finally:
            assert await second.stop() == 0


async def test_a_scan_of_an_empty_air_fails():
    async with Bench() as bench:
        phone = await PhoneProgram.at(bench)
        await bench.reader.child.line("advertising on", 20)
        assert await bench.reader.stop() == 0
        done = await phone.run("scan", "--seconds", 1)
        assert (done.code, done.output) == (1, "") and "no reader is heard" in done.refusal


@pytest.mark.seconds(90)
async def test_a_controller_that_is_missing_or_goes_is_said_in_a_line(directory):
    missing = await PhoneProgram(f"unix:{directory}/none").run("open")
    assert missing.code == 1 and missing.refusal.endswith("start the controller, or check the address")
    async with Bench() as bench:
        phone = await PhoneProgram.at(bench)
        await phone.start("open", "--repeat", 1000, "--json")
        await phone.line('"event":"done"')
        await bench.radio.drop("phone")
        done = await phone.ended()
        assert done.code == 1
        assert done.refusal.endswith("the peer closed the connection; restart it")
        assert json.loads(done.output.splitlines()[-1])["event"] == "times"


@pytest.mark.seconds(90)
async def test_ctrl_c_disconnects_in_order_and_keeps_what_was_measured():
    async with AirBench(links={"max": 1, "max-connection-ms": 30000}, proximity={"gate": []}) as bench:
        phone = await PhoneProgram.at(bench)
        await phone.start("command", "STATUS", "--repeat", 1000, "--json")
        await phone.line('"event":"done"')
        # In the next visit, with a link.
        await phone.line('"event":"services"')
        phone.interrupt()
        done = await phone.ended()
        assert done.code == 1 and "interrupted" in done.refusal
        assert [event["event"] for event in done.events][-2:] == ["failed", "times"]
        # The reader has one slot, and it is free: no supervision time-out had to pass.
        assert (await (await PhoneProgram.at(bench, OTHER)).run("open", "--timeout", 5)).code == 0


@pytest.mark.parametrize(
    "words",
    [["open", "--mode", "loud"], ["shut"], ["time", "--set", "noon"], ["open", "--bundle", "/none.json"]],
    ids=" ".join,
)
async def test_wrong_use_ends_with_2(directory, words):
    done = await PhoneProgram(f"unix:{directory}/none").run(*words)
    assert (done.code, done.output) == (2, "") and done.errors
