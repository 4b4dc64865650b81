# SPDX-License-Identifier: Apache-2.0
"""A Smarter AI camera that readerlab plays, onboarded by an app that was written from the published facts."""

import asyncio
import json
import os
import stat

import pytest

from onboarding import signals
from onboarding.app import CHARACTERISTIC, SERVICE, WORLD, WRITE, camera
from onboarding.signals import DOWN, UP, keyed, lines
from rig.matrix import some_of
from rig.radio_process import BUMBLE, ROOTCANAL

GOOD = lines("Home", "correct horse", "ann", "t0k3n")

IN_ORDER = [
    (signals.PARSING_SUCCEEDED, signals.BUSY, DOWN),
    (signals.WIFI_IN_PROGRESS, signals.BUSY, DOWN),
    (signals.CHECK_IN_PROGRESS, signals.BUSY, DOWN),
    (signals.CHECK_DONE, signals.BUSY, UP),
    (signals.WIFI_SUCCEEDED, signals.BUSY, UP),
    (signals.PAIRING_IN_PROGRESS, signals.BUSY, UP),
    (signals.PAIRING_SUCCEEDED, signals.BUSY, UP),
    (signals.ONBOARDED, signals.ONBOARDED, UP),
    (signals.SERVER_CLOSING, signals.ONBOARDED, UP),
]
"""Notification, onboarding and connectivity state of each value."""


FORMS = "CameraCredentialsTests have each form split at every octet"

OWN_SERVICE = bytes.fromhex(SERVICE.replace("-", ""))[::-1]
"""The octets in advertising data."""


@pytest.mark.parametrize(
    "kind",
    some_of([ROOTCANAL, BUMBLE], "the case of RootCanal; CameraSequenceTests have the values"),
    ids=["rootcanal", "bumble"],
)
async def test_an_app_onboards_a_camera(directory, kind):
    async with camera(directory, kind=kind) as bench:
        phone = await bench.phone()
        # In pairing mode it is found: by its service, and by its name, which is in the scan response (Bumble's
        # controllers have none).
        found_by = b"Smarter AI" if kind == ROOTCANAL else OWN_SERVICE
        assert await phone.find(found_by) == bench.addresses[0]
        app = await bench.app()
        await app.subscribe()
        first = (await app.until(signals.WAITING))[0]
        assert first.states == (signals.WAITING, signals.WAITING, DOWN)
        assert await app.link.read(CHARACTERISTIC) == bytes.fromhex("6f0000006f000000e1050000")
        assert await app.write(GOOD) is None
        values = await app.end()
        assert [value.states for value in values[1:]] == IN_ORDER
        assert app.raw[-1].startswith(bytes.fromhex("1b05000071000000dd050000"))
        # Each text is another one.
        assert len({value.text for value in values}) == len(values)
        assert "credentials read" in app.diagnostics
        # The server closes: the link ends, and the camera is no longer advertised.
        assert await app.closed() == 0x13
        with pytest.raises(TimeoutError):
            await phone.find(found_by)
        assert await bench.rules() == []


@pytest.mark.parametrize(
    ("credentials", "options", "expected"),
    some_of(
        [
            (lines("Home", "wrong horse", "ann", "t0k3n"), [], [201, 301, signals.WIFI_FAILED]),
            (b"Home\n\n\n\n", [], [signals.PARSING_FAILED]),
            (lines("Nowhere", "correct horse", "ann", "t0k3n"), [], [201, 301, signals.WIFI_FAILED]),
            (
                lines("Home", "correct horse", "ann", "other"),
                [],
                [201, 301, 121, 123, 302, 501, signals.PAIRING_FAILED],
            ),
            (lines("Home", "correct horse", "bob", "anns"), [], [201, 301, 121, 123, 302, 501, signals.PAIRING_FAILED]),
            (lines("Home", "correct horse", "ann", "old"), [], [201, 301, 121, 123, 302, 501, signals.PAIRING_FAILED]),
            (GOOD, ["--pairing", "fail"], [201, 301, 121, 123, 302, 501, signals.PAIRING_FAILED]),
        ],
        "CameraSequenceTests have each failure",
    ),
    ids=["303-passphrase", "203", "303-network", "503-unknown", "503-user", "503-expired", "503-refused"],
)
async def test_each_failure_ends_an_onboarding_and_another_may_follow(directory, credentials, options, expected):
    async with camera(directory, *options) as bench:
        app = await bench.app()
        await app.subscribe()
        await app.write(credentials)
        values = await app.until(*signals.FAILURES)
        assert [value.notification for value in values[1:]] == expected
        assert values[-1].states == (expected[-1], signals.WAITING, DOWN)
        if options:
            return
        # The camera waits for others, on the same link.
        assert await app.write(lines("Open", "", "ann", "second")) is None
        await app.until(signals.SERVER_CLOSING)
        assert app.notifications[1 + len(expected) :] == signals.SUCCESS
        await app.closed()
        assert await bench.rules() == (["unreadable-credentials"] if expected == [203] else [])


async def test_a_network_with_nothing_behind_it_fails_after_the_check(directory):
    async with camera(directory, world=WORLD | {"steps": {"connectivity": {"fail": "timeout"}}}) as bench:
        app = await bench.app()
        await app.subscribe()
        await app.write(GOOD)
        await app.end()
        assert app.notifications[1:] == [201, 301, 121, 123, signals.WIFI_FAILED]


async def test_one_that_is_onboarded_and_offline_takes_credentials(directory):
    async with camera(directory, "--state", "onboarded-offline") as bench:
        app = await bench.app()
        await app.subscribe()
        assert (await app.until(signals.ONBOARDED))[0].states == (signals.ONBOARDED, signals.ONBOARDED, DOWN)
        await app.write(GOOD)
        values = await app.end()
        assert [value.states for value in values[1:]] == IN_ORDER
        await app.closed()


async def test_one_that_is_onboarded_and_online_is_found(directory):
    async with camera(directory, "--state", "onboarded-online") as bench:
        app = await bench.app()
        await app.subscribe()
        assert (await app.until(signals.ONBOARDED))[0].states == (signals.ONBOARDED, signals.ONBOARDED, UP)
        assert await app.write(GOOD) == 0xFC
        assert await bench.rules() == ["wrote-at-wrong-time"]


@pytest.mark.thorough("CameraSequenceTests have a camera that is not ready")
async def test_one_that_is_not_ready_says_when_it_is(directory):
    async with camera(directory, "--state", "not-ready", "--ready-ms", "6000") as bench:
        app = await bench.app()
        await app.subscribe()
        assert (await app.until(signals.NOT_READY))[0].states == (signals.NOT_READY, signals.NOT_READY, DOWN)
        assert (await app.until(signals.WAITING))[-1].states == (signals.WAITING, signals.WAITING, DOWN)
        await app.write(GOOD)
        await app.end()
        assert app.notifications[2:] == signals.SUCCESS


@pytest.mark.thorough("CameraSequenceTests try the credentials of a start again")
async def test_kept_credentials_that_fail_are_asked_for_again(directory):
    state = str(directory / "state")
    async with camera(directory, "--state-dir", state) as bench:
        app = await bench.app()
        await app.subscribe()
        await app.write(GOOD)
        await app.end()
        await app.closed()
        await bench.finish()
    gone = WORLD | {"networks": WORLD["networks"][1:], "steps": {"scan": {"delay-ms": 4000}}}
    options = ("--state-dir", state, "--wait-after-failed-start")
    async with camera(directory, *options, world=gone) as bench:
        app = await bench.app()
        await app.subscribe()
        await app.until(signals.WAITING)
        assert app.notifications[-1] == signals.WAITING
        assert await app.write(lines("Open", "", "ann", "second")) is None
        await app.until(signals.SERVER_CLOSING)


async def test_a_camera_with_a_sim_needs_no_network(directory):
    async with camera(directory, "--sim", world=WORLD | {"networks": []}) as bench:
        app = await bench.app()
        await app.subscribe()
        await app.write(lines("", "", "ann", "t0k3n"))
        await app.end()
        assert app.notifications[1:] == signals.SUCCESS
        assert "mobile network" in app.diagnostics
        await app.closed()
        assert await bench.rules() == []


@pytest.mark.parametrize(
    "octets",
    some_of(
        [
            GOOD,
            keyed("Home", "correct horse", "ann", "t0k3n"),
            keyed("Home", "correct horse", "ann", "t0k3n", ":"),
            keyed("Home", "correct horse", "ann", "t0k3n") + b"\n",
        ],
        FORMS,
    ),
    ids=["lines", "equals", "colons", "equals-newline"],
)
@pytest.mark.parametrize("count", some_of([7, 1, 100], FORMS))
async def test_credentials_come_in_one_or_many_writes_and_forms(directory, octets, count):
    async with camera(directory, "--write", WRITE) as bench:
        app = await bench.app()
        await app.subscribe()
        await app.write_in_parts(octets, count, WRITE)
        await app.end()
        assert app.notifications[1:] == signals.SUCCESS
        await app.closed()
        assert await bench.rules() == []


async def test_at_the_smallest_mtu_the_text_is_cut_or_split(directory):
    async with camera(directory) as bench:
        app = await bench.app(mtu=None)
        await app.subscribe()
        await app.write_in_parts(GOOD, 20)
        await app.end()
        assert app.notifications[1:] == signals.SUCCESS
        assert all(len(octets) == 20 for octets in app.raw)
        await app.closed()
        assert await bench.rules() == ["small-mtu"]
    async with camera(directory, "--overflow", "split", "--address", "C0:11:22:33:44:55") as bench:
        app = await bench.app(mtu=None)
        await app.subscribe()
        await app.write_in_parts(GOOD, 20)
        await app.end()
        assert "2 credentials read\n3 setting up wi-fi\n" in app.diagnostics
        assert bench.addresses == ["C0:11:22:33:44:55"]


async def test_another_layout(directory):
    layout = "connectivity:int16be,notification:int16le,onboarding"
    async with camera(directory, "--layout", layout) as bench:
        app = await bench.app()
        assert await app.link.read(CHARACTERISTIC) == bytes.fromhex("05e16f006f000000")


# Errors of an app


async def test_an_app_that_behaves_badly_is_told(directory):
    async with camera(directory) as bench:
        app = await bench.app()
        # Not subscribed, without a response, no line feed at the end.
        await app.write(b"Home\ncorrect horse\nann\nt0k3n", with_response=False)
        await bench.emulation.child.line("no-trailing-newline", 5)
        await app.subscribe()
        await app.write(GOOD)
        # In the middle of it.
        assert await app.write(GOOD) == 0xFE
        await app.until(signals.SERVER_CLOSING)
        assert await app.write(GOOD) == 0xFC
        await app.closed()
        assert sorted(await bench.rules()) == [
            *("no-trailing-newline", "not-subscribed", "subscribed-late"),
            *("write-without-response", "wrote-at-wrong-time", "wrote-while-busy"),
        ]


async def test_lines_that_end_with_cr_lf_are_found(directory):
    async with camera(directory) as bench:
        app = await bench.app()
        await app.subscribe()
        await app.write(GOOD.replace(b"\n", b"\r\n"))
        await app.end()
        found = next(entry for entry in bench.entries("finding") if entry["rule"] == "carriage-returns")
        assert "end them with LF alone" in found["sentence"]


async def test_a_failure_just_before_the_end_of_the_run_is_not_ignored(directory):
    async with camera(directory) as bench:
        app = await bench.app()
        await app.subscribe()
        await app.write(b"Home\n\n\n\n")
        await app.end()
        await bench.emulation.child.stop()
        summary = bench.entries("summary")[0]["findings"]
        assert [finding["rule"] for finding in summary] == ["unreadable-credentials"]


async def test_no_secret_is_told(directory):
    async with camera(directory, "--state-dir", str(directory / "state")) as bench:
        app = await bench.app()
        await app.subscribe()
        await app.write(GOOD)
        await app.end()
        await app.closed()
        await bench.finish()
        text = "\n".join(line.text for line in bench.emulation.child.lines)
        text += (directory / "transcript.json").read_text()
        for secret in ("correct horse", "t0k3n", GOOD.hex()):
            assert secret not in text
        kept = directory / "state" / "camera-1.credentials"
        assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
        assert b"t0k3n" not in kept.read_bytes()
    # It starts again as what it has become.
    async with camera(directory, "--state-dir", str(directory / "state")) as bench:
        assert '"state":"109 not-ready' in bench.emulation.child.matching('"event":"emulation"')[0].text
        await bench.emulation.child.line("113 onboarded, 113 onboarded, 1501", 5)


async def test_what_the_tester_did_is_not_told_of_the_app(directory):
    async with camera(directory) as bench:
        app = await bench.app()
        await app.subscribe()
        # The app believes 303, and tries again while the camera continues.
        await bench.type("fault code wifi-in-progress 303")
        await bench.type("fault drop check-in-progress")
        await bench.type("fault drop check-done")
        assert await app.write(GOOD) is None
        await app.until(signals.WIFI_FAILED)
        await app.write(GOOD)
        await app.until(signals.SERVER_CLOSING)
        await app.closed()
        assert await bench.rules() == []


# Faults


async def test_faults_on_command(directory):
    async with camera(directory) as bench:
        app = await bench.app()
        await app.subscribe()
        for line in [
            *("fault drop parsing-succeeded", "fault duplicate wifi-in-progress", "fault code check-in-progress 999"),
            *("fault truncate check-done 3", "fault extend wifi-succeeded 21", "fault replace pairing-in-progress 00"),
            "fault delay pairing-succeeded 700",
        ]:
            assert (await bench.type(line))["ok"]
        assert not (await bench.type("fault drop nothing"))["ok"]
        assert not (await bench.type("{"))["ok"]
        assert (await bench.type('{"fault": {"at": "credentials", "do": {"error": 14}}}'))["ok"]
        assert await app.write(GOOD) == 14
        assert await app.write(GOOD) is None
        await app.end()
        # The values of three octets and one are none.
        assert app.notifications[1:] == [301, 301, 999, 302, 502, 113, 1307]
        assert [len(octets) for octets in app.raw if len(octets) < 12] == [3, 1]
        assert app.raw[5].endswith(b"set up\n!")
        assert len((await bench.type("faults"))["lines"]) == 1
        await app.closed()
        assert [entry["step"] for entry in bench.entries("fault")] == [
            *("credentials", "parsing-succeeded", "wifi-in-progress", "check-in-progress", "check-done"),
            *("wifi-succeeded", "pairing-in-progress", "pairing-succeeded"),
        ]


async def test_links_end_and_access_points_go_on_command(directory):
    async with camera(directory) as bench:
        app = await bench.app()
        await app.subscribe()
        assert (await bench.type("wifi down"))["ok"]
        await app.write(GOOD)
        await app.end()
        assert app.notifications[-1] == signals.WIFI_FAILED
        await bench.type("wifi up")
        await bench.type("mtu 30")
        await app.write(GOOD)
        await app.until(signals.ONBOARDED)
        assert max(len(octets) for octets in app.raw[-4:]) == 27
        await bench.type("disconnect")
        assert await app.closed() == 0x13


async def test_a_connection_is_refused_and_ends_have_reasons(directory):
    async with camera(directory) as bench:
        assert (await bench.type("fault refuse connect"))["ok"]
        link = await (await bench.phone()).connect(bench.addresses[0])
        assert await asyncio.wait_for(link.lost, 5) == 0x14
        for reason, code in (("power-off", 0x15), ("authentication", 0x05), ("low-resources", 0x14)):
            app = await bench.app()
            mark = bench.emulation.mark
            assert (await bench.type(f"disconnect {reason}"))["ok"]
            assert await app.closed() == code
            assert (await bench.emulation.event("disconnected", mark))["by"] == "device"
        assert not (await bench.type("disconnect 1 timeout"))["ok"]


async def test_the_world_changes_while_it_runs(directory):
    async with camera(directory) as bench:
        app = await bench.app()
        await app.subscribe()
        for number, (change, back) in enumerate(
            [
                ("network Home down", "network Home up"),
                ('network Home passphrase "wrong horse"', 'network Home passphrase "correct horse"'),
                ("dhcp down", "dhcp up"),
            ]
        ):
            assert (await bench.type(change))["ok"]
            await app.write(GOOD)
            await app.until(signals.WIFI_FAILED, count=number + 1)
            assert (await bench.type(back))["ok"]
        await app.write(GOOD)
        await app.until(signals.SERVER_CLOSING)
        await app.closed()
        text = json.dumps(await bench.finish())
        assert "horse" not in text


async def test_a_scenario_file(directory):
    scenario = directory / "scenario.json"
    scenario.write_text(
        json.dumps(
            {
                "faults": [
                    {"at": "parsing-succeeded", "do": "drop"},
                    {"at": "credentials", "do": {"delay": 500}},
                    {"at": "server-closing", "do": "disconnect-before"},
                ],
                "events": [{"after-ms": 1, "fault": {"at": "wifi-in-progress", "do": {"code": 1}}}],
                "mtu": 64,
            }
        )
    )
    async with camera(directory, "--scenario", str(scenario)) as bench:
        app = await bench.app()
        assert app.link.peer.gatt_client.mtu == 64
        await app.subscribe()
        await app.write(GOOD)
        assert await app.closed() == 0x13
        assert app.notifications[1:] == [1, 121, 123, 302, 501, 502, 113]
        transcript = await bench.finish()
        assert transcript["version"] == 1
        assert [entry["entry"] for entry in transcript["entries"]] == list(range(1, len(transcript["entries"]) + 1))
        assert [entry["at-ms"] for entry in transcript["entries"]] == sorted(
            entry["at-ms"] for entry in transcript["entries"]
        )


async def test_a_scenario_that_is_wrong_says_where(directory):
    scenario = directory / "scenario.json"
    scenario.write_text('{"faults": [\n {"at": "parsing", "do": "drop"}]}')
    with pytest.raises(Exception, match=f"{scenario}:2: faults.0.: there is no step"):
        async with camera(directory, "--scenario", str(scenario)):
            pass


# Several


@pytest.mark.parametrize(
    "kind",
    some_of([ROOTCANAL, BUMBLE], "the case of RootCanal; CameraSequenceTests have the values"),
    ids=["rootcanal", "bumble"],
)
async def test_several_cameras_on_one_radio(directory, kind):
    async with camera(directory, "--count", "3", "--links", "4", kind=kind) as bench:
        assert len(set(bench.addresses)) == 3
        names = [entry["name"] for entry in bench.entries("emulation")]
        assert names == ["Smarter AI camera 1", "Smarter AI camera 2", "Smarter AI camera 3"]
        apps = [await bench.app(device=device) for device in range(3)]
        for app in apps:
            await app.subscribe()
        await bench.type('{"fault": {"at": "parsing-succeeded", "do": "drop", "device": 2}}')
        await apps[0].write(lines("Home", "correct horse", "ann", "t0k3n"))
        await apps[1].write(lines("Home", "wrong horse", "ann", "t0k3n"))
        for app in apps[:2]:
            await app.end()
        assert apps[0].notifications[1:] == signals.SUCCESS
        assert apps[1].notifications[1:] == [301, 303]
        assert apps[2].notifications == [signals.WAITING]
        # An onboarded camera is gone; the others are still found.
        await apps[0].closed()
        link = await (await bench.phone()).connect(bench.addresses[2])
        await link.disconnect()
        with pytest.raises(TimeoutError):
            await (await bench.phone()).connect(bench.addresses[0])
