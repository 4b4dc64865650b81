# SPDX-License-Identifier: Apache-2.0
"""The platform's updater, asked by a phone; and the older generation's answers in CBOR."""

import json
import os
import subprocess
from pathlib import Path

import cbor2
import pytest

from access.results import VersionInfo
from access.status import Status
from rig.bench import Bench
from rig.phone import Refused
from rig.reader import UNLOCKED, binary
from rig.waiting import until

SCRIPT = """#!/bin/sh
echo "for $READERD_DEVICE by $READERD_ASKED_BY, told: $1"
cat "$2" >/dev/null
exit 3
"""


def _events(state: Path) -> list[dict]:
    printed = subprocess.run(
        [binary(), "events", "--state", state, "--json", "--last", "100"], check=True, capture_output=True, text=True
    )
    return [json.loads(line) for line in printed.stdout.splitlines()]


async def test_a_phone_asks_for_an_update(tmp_path):
    script, gate = tmp_path / "update", tmp_path / "gate"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    os.mkfifo(gate)
    states: list[Path] = []
    async with Bench(prepare=states.append, updater={"command": [str(script), "a b; $c", str(gate)]}) as bench:
        link = await bench.ready()
        assert await link.run("BOOTLD") == b"", "answered before it begins"
        await bench.reader.child.line("updater: for wa0y1YwS by CRED000001, told: a b; \\$c", 5)
        with pytest.raises(Refused) as refusal:
            await link.run("boot")
        assert refusal.value.status == Status.UNAVAILABLE
        gate.write_text("go on")
        await bench.reader.child.line("updater: ended with status 3", 5)
        assert not bench.reader.child.matching(UNLOCKED), "the lock does not move"
        # The log is written by a separate thread.
        await until("the record of the end", lambda: _events(states[0])[-1]["kind"] == "updater-ended")
        events = _events(states[0])
        asked = next(event for event in events if event.get("command") == "BOOTLD")
        assert (asked["kind"], asked["info"], asked["credential"]) == ("command", 0, "CRED000001")
        ended = next(event for event in events if event["kind"] == "updater-ended")
        assert ended["info"] == 3 and ended["sequence"] > asked["sequence"]
        assert [event["info"] for event in events if event.get("command") == "boot"] == [-21]


async def test_without_an_updater_there_is_none_to_ask():
    async with Bench() as bench:
        link = await bench.ready()
        for command in ("BOOTLD", "boot", "blvs", "hrev", "glol", "ckfw"):
            with pytest.raises(Refused) as refusal:
                await link.run(command)
            assert refusal.value.status == Status.NOT_SUPPORTED


async def test_the_older_answers_are_deterministic_cbor():
    async with Bench(links={"max": 2}, proximity={"threshold-dbm": -63}) as bench:
        link = await bench.ready()
        octets = await link.run("gcfg")
        told = cbor2.loads(octets)
        assert cbor2.dumps(told, canonical=True) == octets
        assert told["id"] == "wa0y1YwS" and "key" not in str(told).lower()
        assert told["links"] == {"max": 2, "max-connection-ms": 3000}
        assert [mode["mode"] for mode in told["advertising"]["modes"]] == ["on-touch", "access"]
        assert {mode["proximity"]["threshold-dbm"] for mode in told["advertising"]["modes"]} == {-63}
        octets = await link.run("gver")
        versions = cbor2.loads(octets)
        assert cbor2.dumps(versions, canonical=True) == octets
        ping = VersionInfo.decode(await link.run("PING"))
        assert (versions["build-time"], versions["version"]) == (ping.build_time, ping.version)
