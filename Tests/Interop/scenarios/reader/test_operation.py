# SPDX-License-Identifier: Apache-2.0
"""An operator next to real sessions: the control socket by readerd's own commands, metrics, events, and the end."""

import asyncio
import json
import os
import signal

import pytest

from access.advertising import ACCESS
from access.oss import (
    DEFAULT,
    NO_ACCESS,
    UNLOCKED,
    AccessEventsResult,
    AccessResult,
    Door,
    Info,
    SecureIdentifier,
    StandardOffline,
)
from access.oss import Data as DataFile
from access.status import Status
from access.tokens import Command, command_token
from rig import reader
from rig.bench import Bench
from rig.operation import Operator, notice_socket
from rig.phone import Refused
from rig.rows import LONG_TIMEOUTS, UNGATED, Log, ping
from rig.waiting import until

SECONDS = 10.0
"""For what takes milliseconds on an idle machine."""

OPENING = {"re-arm-ms": 0, "pulse-s": 300}
"""Every request counts, and the door stays unlocked until an operator secures it."""

MEASURED = {**LONG_TIMEOUTS, "proximity": {"samples": 1, "window-ms": 1000}}
"""The default gate, but with a single reading: a busy machine may not manage three in time."""

POWERED_OFF = 0x15
"""Remote device terminated connection due to power off: the reason that readerd's end gives."""

ELSEWHERE = StandardOffline(data=DataFile(doors=(Door(2),)).octets())


async def _status(link, token: bytes) -> int:
    """The status with which the reader refuses the token."""
    with pytest.raises(Refused) as refusal:
        await link.show(token)
    return refusal.value.status


async def test_status_and_metrics_move_as_a_session_does():
    async with Bench(**MEASURED, door=OPENING) as bench:
        operator = Operator(bench)
        before = await operator.metrics()
        assert (await operator.status())["links"] == {"served": 0, "max": 3}
        link = await bench.ready()
        await ping(link)
        status = await operator.status()
        assert status["device"] == "wa0y1YwS" and status["demo-identity"] is True
        assert status["links"]["served"] == 1
        assert status["controller"]["ready"] is True
        assert status["door"]["state"] == "secured" and status["door"]["openings"] == 0
        assert await link.run("tokn") == b""
        assert AccessEventsResult.decode(await link.show(ELSEWHERE.token())).access == AccessResult(False, DEFAULT)
        assert await _status(link, command_token(Command("tokn"), group="PING")) == Status.SIGNATURE
        assert await _status(link, command_token(Command("FLY"))) == Status.NOT_SUPPORTED

        now = await operator.metrics()
        rows = [
            (1, "links_total", {"mode": "access"}),
            (1, "gate_results_total", {"mode": "access", "result": "near"}),
            (0, "gate_results_total", {"mode": "access", "result": "too-far"}),
            # PING, tokn, and the credential, whose denial is a result.
            (3, "sessions_total", {"status": "0"}),
            (1, "sessions_total", {"status": "-12"}),
            (1, "sessions_total", {"status": "-5"}),
            (1, "decisions_total", {"decision": "granted"}),
            (0, "decisions_total", {"decision": "withdrawn"}),
            (1, "door_openings_total", {}),
            (1, "open_latency_seconds_count", {}),
            (0, "unanswerable_total", {}),
            (0, "controller_resets_total", {}),
        ]
        moved = [(now.value(name, **labels) - before.value(name, **labels), name, labels) for _, name, labels in rows]
        assert moved == rows
        # The credential that names another door, and the wrong signature.
        assert now.value("decisions_total", decision="denied") == 2
        assert now.value("door_state", state="unlocked") == 1 and now.value("door_state", state="secured") == 0
        assert now.value("links_served") == 1 and now.value("clock_set") == 1
        status = await operator.status()
        assert status["door"]["state"] == "unlocked" and status["door"]["openings"] == 1
        assert now.value("event_log_last") <= status["events"]["last"]

        await link.disconnect()

        async def is_unserved() -> bool:
            return not (await operator.status())["links"]["served"]

        await until("the end of the link", is_unserved)


async def test_histograms_are_what_prometheus_takes():
    async with Bench(**MEASURED, door=OPENING) as bench:
        operator = Operator(bench)
        link = await bench.ready()
        assert await link.run("tokn") == b""
        metrics = await operator.metrics()
        for name, least in ("open_latency_seconds", 1), ("rssi_dbm", 1):
            assert metrics.kinds[f"readerd_{name}"] == "histogram"
            counts = [count for _, count in metrics.buckets(name)]
            assert counts == sorted(counts)
            assert metrics.buckets(name)[-1] == (float("inf"), metrics.value(f"{name}_count"))
            assert counts[-1] >= least
        assert 0 < metrics.value("open_latency_seconds_sum") < SECONDS
        # The phone is heard at -45 dBm: nothing of it is in a range below.
        louder = [count for bound, count in metrics.buckets("rssi_dbm") if bound < -50]
        assert not any(louder) and metrics.value("rssi_dbm_sum") < 0
        assert {kind for kind in metrics.kinds.values()} == {"counter", "gauge", "histogram"}


async def test_events_are_followed_and_verified_beside_the_reader():
    async with Bench(**MEASURED, door=OPENING) as bench:
        operator = Operator(bench)
        link = await bench.ready()
        follower = await operator.follow()
        try:
            await follower.line('"kind":"start"', SECONDS)
            assert await link.run("tokn") == b""
            await link.show(ELSEWHERE.token())
            assert await _status(link, command_token(Command("tokn", credential="CRED000009"), group="PING")) == -12
            done = await operator.run("unlock", "extended")
            assert done.code == 0, done
            await follower.line('"kind":"unlocked"', SECONDS)
            told = [json.loads(line.text) for line in follower.lines]
        finally:
            await follower.stop()
        numbers = [event["sequence"] for event in told]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        kinds = [(event["kind"], event["info"], event["channel"]) for event in told]
        assert [kind for kind in kinds if kind[0] in ("granted", "denied", "unproven", "unlocked")] == [
            ("granted", 2, "ble"),
            ("denied", 128, "ble"),
            ("unproven", -12, "ble"),
            ("unlocked", 0, "control"),
        ]
        by_kind = {event["kind"]: event for event in told}
        assert by_kind["granted"]["credential"] == "CRED000001" and by_kind["granted"]["command"] == "tokn"
        assert by_kind["granted"]["mode"] == "access" and -50 <= by_kind["granted"]["rssi-dbm"] <= -40
        assert not by_kind["unproven"].get("credential"), "the claims of a forged token name no one"
        assert by_kind["unlocked"]["actor"] == f"uid {os.getuid()}"
        verified = await operator.events("--verify")
        assert verified.code == 0, verified
        for kind, info in ("denied", 128), ("unproven", -12):
            shown = await operator.events("--json", "--kind", kind)
            assert [json.loads(line)["info"] for line in shown.output.splitlines()] == [info]


async def test_an_operator_unlocks_once_per_id():
    async with Bench(**UNGATED, door=OPENING) as bench:
        operator = Operator(bench)
        for _ in range(2):
            done = await operator.run("unlock", "pulse", "--id", "one")
            assert done.code == 0, done
        await bench.reader.unlocked(SECONDS)
        status = await operator.status()
        assert status["door"]["state"] == "unlocked" and status["door"]["openings"] == 1
        done = await operator.run("unlock", "extended", "--id", "one")
        assert done.code == 1 and "readerd" in done.errors, "the id was used for another request"
        done = await operator.run("unlock", "office-off")
        assert done.code == 0, done
        assert (await operator.status())["door"]["state"] == "secured"


ADMITTING = {"sid-allow": ["SID0000001"], "intervention-media": True}


async def test_in_a_lockdown_every_token_is_refused():
    """A command is refused with -21; a credential: denied, type 6, event 11/128. Intervention media too."""
    refused = AccessResult(False, NO_ACCESS)
    async with Bench(**UNGATED, door=OPENING, credentials=ADMITTING) as bench:
        operator = Operator(bench)
        link = await bench.ready()
        log = await Log.open(link)
        done = await operator.run("lockdown", "on")
        assert done.code == 0, done
        assert (await operator.status())["door"]["state"] == "lockdown"
        for command in "tokn", "enof", "toof":
            assert await _status(link, command_token(Command(command))) == Status.UNAVAILABLE
        for files in StandardOffline(), StandardOffline(info=Info(kind=1).octets()):
            assert AccessEventsResult.decode(await link.show(files.token())).access == refused
        assert AccessResult.decode(await link.show(SecureIdentifier("SID0000001").token())) == refused
        texts = [event.text for event in await log.news()]
        # The first is the operator's own command.
        assert texts == ["14/0"] + ["14/-21"] * 3 + ["11/128"] * 3
        done = await operator.run("unlock")
        assert done.code == 1 and "lockdown" in done.errors
        answer = await operator.run("unlock", "--json")
        assert answer.code == 1 and json.loads(answer.output)["refused"] == "lockdown"
        assert not bench.reader.child.matching(reader.UNLOCKED)
        # Other commands than openings are served as before, and the same link opens when it is over.
        await ping(link)
        done = await operator.run("lockdown", "off")
        assert done.code == 0, done
        result = AccessEventsResult.decode(await link.show(StandardOffline().token())).access
        assert result == AccessResult(True, DEFAULT, UNLOCKED)
        await bench.reader.unlocked(SECONDS)


async def test_events_are_told_to_who_subscribes():
    async with Bench(**UNGATED, door=OPENING) as bench:
        link = await bench.ready()
        lines, writer = await asyncio.open_unix_connection(str(bench.control))
        try:
            writer.write(b'{"subscribe":"events","id":"a"}\n')
            async with asyncio.timeout(SECONDS):
                assert json.loads(await lines.readline()) == {"ok": True, "id": "a"}
                assert await link.run("tokn") == b""
                # The records of the start may be reported first, on a busy machine.
                while (event := json.loads(await lines.readline())["event"])["kind"] in ("start", "clock-quality"):
                    pass
                assert event["kind"] == "granted" and event["command"] == "tokn"
        finally:
            writer.close()


async def test_the_end_closes_links_settles_the_door_and_flushes():
    async with Bench(**UNGATED, door=OPENING) as bench:
        operator = Operator(bench)
        phone, link = await bench.connected()
        await link.prepare()
        assert await link.run("tokn") == b""
        await bench.reader.unlocked(SECONDS)
        known = len(bench.reader.child.lines)
        assert await bench.reader.stop() == 0
        assert await link.wait_for_end(SECONDS) == POWERED_OFF
        # fail-mode is "secure": without current the lock is locked.
        assert any("line: lock off" in line.text for line in bench.reader.child.lines[known:])
        assert not bench.control.exists()
        shown = await operator.events("--json", "--last", "2")
        kinds = [json.loads(line)["kind"] for line in shown.output.splitlines()]
        assert kinds == ["granted", "stop"]
        verified = await operator.events("--verify")
        assert verified.code == 0, verified
        # The next start finds that the run before ended in order.
        await bench.restart()
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.prepare()
        await ping(link)
        shown = await operator.events("--json", "--kind", "start")
        assert [json.loads(line)["info"] for line in shown.output.splitlines()] == [0, 0]


async def test_the_service_manager_is_told(directory):
    """READY, STATUS, RELOADING, WATCHDOG and STOPPING, as sd_notify(3) has them."""
    with notice_socket(directory) as manager:
        environment = {"NOTIFY_SOCKET": str(directory / "notify"), "WATCHDOG_USEC": "600000"}
        async with Bench(**UNGATED, environment=environment) as bench:
            ready = await manager.until("READY", "1")
            assert manager.notices[ready]["STATUS"], "with a line for people"
            await manager.until("STATUS", "serving on ")
            link = await bench.ready()
            await ping(link)
            os.kill(bench.reader.child.pid, signal.SIGHUP)
            reloading = await manager.until("RELOADING", "1", ready)
            assert int(manager.notices[reloading]["MONOTONIC_USEC"]) > 0
            again = await manager.until("READY", "1", reloading)
            # The watchdog is fed as long as the reader works, phones or not.
            beat = again
            for _ in range(3):
                beat = await manager.until("WATCHDOG", "1", beat)
            await ping(link)
            assert await bench.reader.stop() == 0
            assert await link.wait_for_end(SECONDS) == POWERED_OFF
            stopping = await manager.until("STOPPING", "1", beat)
            assert manager.notices[stopping]["STATUS"]
            assert [notice for notice in manager.notices[:stopping] if "STOPPING" in notice] == []
