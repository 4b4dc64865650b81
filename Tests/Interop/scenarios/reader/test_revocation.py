# SPDX-License-Identifier: Apache-2.0
"""A lost phone, as an operator handles it (docs/operate/a-phone-is-lost.md)."""

from __future__ import annotations

import json
import os
import signal
import subprocess

from access.advertising import ACCESS
from access.status import Status
from access.tokens import Command, Timestamp
from access.wire import delimited, message
from rig.bench import Bench
from rig.page_blocks import commands
from rig.phone import Link, Refused
from rig.reader import binary

LOST, OTHER = "CRED000002", "CRED000003"
ENTRY = message((1, message((1, LOST))), (2, Timestamp(2089).body()))


def readerd(bench: Bench, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command with the reader's socket, or for `policy` its state directory."""
    place = ["--state", bench.state] if arguments[0] == "policy" else ["--control", bench.control]
    command = [str(binary()), *arguments, *map(str, place)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def revoked(bench: Bench) -> dict[str, str | None]:
    """The revoked credentials with the end of each, as the disk has them."""
    shown = json.loads(readerd(bench, "policy", "show", "--json").stdout)
    assert shown["sound"] and shown["blacklist"] == len(shown["revoked"])
    return {entry["credential"]: entry.get("until") for entry in shown["revoked"]}


async def status_of(link: Link, credential: str) -> Status | None:
    """The reader's status for an opening; nothing if it is carried out."""
    try:
        await link.run(Command("tokn", credential=credential))
    except Refused as refused:
        return refused.status
    return None


async def begin_again(bench: Bench) -> Link:
    """The reader starts on what a power cut has left; a phone comes."""
    os.kill(bench.reader.child.pid, signal.SIGKILL)
    assert await bench.reader.child.ended(20) == -signal.SIGKILL
    bench.reader = await bench.start()
    phone = await bench.phone("later")
    link = await phone.connect((await phone.find(ACCESS)).address)
    return await link.prepare(ACCESS.service)


async def test_a_lost_phone_is_refused_and_a_found_one_opens_again():
    async with Bench() as bench:
        link = await bench.ready()
        assert await status_of(link, LOST) is None
        done = readerd(bench, "revoke", LOST)
        assert (done.returncode, done.stdout) == (0, f"{LOST} is revoked for ever\n")
        assert await status_of(link, LOST) == Status.VALIDITY
        assert await status_of(link, OTHER) is None
        assert readerd(bench, "revoke", OTHER, "--until", "2089-06-30").returncode == 0
        assert revoked(bench) == {LOST: None, OTHER: "2089-06-30T23:59"}
        assert readerd(bench, "unrevoke", OTHER).returncode == 0
        assert await status_of(link, OTHER) is None

        # Without an orderly end, and with one.
        link = await begin_again(bench)
        assert revoked(bench) == {LOST: None}
        assert await status_of(link, LOST) == Status.VALIDITY
        assert await status_of(link, OTHER) is None
        assert readerd(bench, "unrevoke", LOST).returncode == 0
        assert await status_of(link, LOST) is None
        again = readerd(bench, "unrevoke", LOST)
        assert again.returncode == 1 and "is not revoked" in again.stderr
        await bench.restart()
        phone = await bench.phone("last")
        link = await (await phone.connect((await phone.find(ACCESS)).address)).prepare(ACCESS.service)
        assert revoked(bench) == {} and await status_of(link, LOST) is None

        events = readerd_events(bench)
        assert [(event["command"], event["credential"]) for event in events if event["kind"] == "command"] == [
            ("revoke", LOST),
            ("revoke", OTHER),
            ("unrevoke", OTHER),
            ("unrevoke", LOST),
        ]
        assert all(event["actor"].startswith("uid ") for event in events)


def readerd_events(bench: Bench) -> list[dict[str, object]]:
    """The events of operators, oldest first."""
    command = [str(binary()), "events", "--json", "--state", str(bench.state)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [event for event in map(json.loads, lines) if event.get("channel") == "control"]


async def test_a_courier_with_an_older_list_only_revokes():
    """What an operator has revoked stays, and what the list names is revoked again."""
    async with Bench() as bench:
        link = await bench.ready()
        assert readerd(bench, "revoke", OTHER).returncode == 0
        assert await link.run(Command("BL_PUSH", data=delimited(message((1, ENTRY))))) == b""
        assert set(revoked(bench)) == {LOST, OTHER}
        assert readerd(bench, "unrevoke", LOST).returncode == 0
        assert await status_of(link, LOST) is None
        assert await link.run(Command("BL_PUSH", data=delimited(message((1, ENTRY))))) == b""
        assert set(revoked(bench)) == {LOST, OTHER}
        assert await status_of(link, LOST) == Status.VALIDITY


async def test_the_commands_of_the_page_at_a_door():
    """Unchanged but for the places of socket and state directory; the output of each stands below it."""
    revoke, show, unrevoke = commands("a-phone-is-lost.md", "## At a door")
    said, listed = commands("a-phone-is-lost.md", "## At a door", "text")
    async with Bench() as bench:
        await bench.ready()
        answers = [readerd(bench, *line.split()[1:]).stdout for line in revoke.splitlines()]
        assert "".join(answers) == said
        shown = readerd(bench, *show.split()[1:]).stdout.splitlines()
        wanted = listed.splitlines()
        # The generation and the settings are this reader's.
        assert shown[0].endswith(", 2 revoked") and wanted[0].endswith(", 2 revoked")
        assert shown[1:4] == wanted[1:4]
        assert readerd(bench, *unrevoke.split()[1:]).returncode == 0
        assert set(revoked(bench)) == {"BOB0000815"}
