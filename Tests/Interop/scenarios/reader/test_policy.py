# SPDX-License-Identifier: Apache-2.0
"""The policy on credentials survives damage, or else access is denied (docs/operate/policy.md)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from access.advertising import ACCESS
from access.results import VersionInfo
from access.status import Status
from access.tokens import Command, Timestamp
from access.wire import delimited, message
from rig.asking import ask, fault, faults
from rig.bench import Bench
from rig.matrix import some_of
from rig.phone import Link, Phone, Refused
from rig.reader import binary

REVOKED, OTHER = "CRED000002", "CRED000003"
ENTRY = message((1, message((1, REVOKED))), (2, Timestamp(2089).body()))
POLICY = ("policy.a", "policy.b", "policy.count")


async def revoke(bench: Bench) -> Phone:
    """A phone that has called a credential back, which was good until then."""
    phone, link = await bench.connected()
    await link.prepare(ACCESS.service)
    assert VersionInfo.decode(await link.run(Command("PING", credential=REVOKED))).build_time > 0
    assert await link.run(Command("BL_PUSH", data=delimited(message((1, ENTRY))))) == b""
    return phone


async def restart(bench: Bench, change: Callable[[Path], None]) -> None:
    """Ends the reader, does something to its state, and starts it again."""
    assert await bench.reader.stop() == 0
    change(bench.state)
    bench.reader = await bench.start()


async def link_of(phone: Phone) -> Link:
    link = await phone.connect((await phone.find(ACCESS)).address)
    return await link.prepare(ACCESS.service)


async def status_of(link: Link, credential: str) -> Status | None:
    """The reader's status for a command of this credential; nothing if it is carried out."""
    try:
        await link.run(Command("tokn", credential=credential))
    except Refused as refused:
        return refused.status
    return None


def removed(state: Path) -> None:
    for path in state.glob("events.*"):
        path.unlink()


def damaged(state: Path) -> None:
    for path in state.glob("events.db*"):
        path.write_bytes(os.urandom(16_384))


def truncated(state: Path) -> None:
    os.truncate(state / "events.db", 100)


@pytest.mark.parametrize("change", some_of([removed, damaged, truncated], "PolicyFaultTests lose the log in each way"))
async def test_a_lost_log_forgets_no_revocation(change: Callable[[Path], None]):
    """The revoked credential is refused still, and another is served."""
    async with Bench() as bench:
        phone = await revoke(bench)
        await restart(bench, change)
        assert await status_of(await link_of(phone), REVOKED) == Status.VALIDITY
        assert await status_of(await link_of(await bench.phone("other")), OTHER) is None
        assert not {"policy-unknown", "policy-lost", "policy-rolled-back"} & set(await faults(bench.control))


def half_lost(state: Path) -> None:
    (state / "policy.a").write_bytes(os.urandom(100))


async def test_one_copy_of_the_policy_is_enough():
    async with Bench() as bench:
        phone = await revoke(bench)
        await restart(bench, half_lost)
        assert await status_of(await link_of(phone), REVOKED) == Status.VALIDITY
        assert (bench.state / "policy.a").read_bytes() == (bench.state / "policy.b").read_bytes()


def overwritten(state: Path) -> None:
    for name in POLICY[:2]:
        (state / name).write_bytes(os.urandom(100))


def without_count(state: Path) -> None:
    (state / "policy.count").unlink()


def without_all(state: Path) -> None:
    for name in POLICY:
        (state / name).unlink()


def without_all_and_the_log(state: Path) -> None:
    without_all(state)
    removed(state)


@pytest.mark.parametrize(
    "change",
    some_of(
        [overwritten, without_count, without_all, without_all_and_the_log],
        "PolicyFaultTests and PolicyStoreTests lose the policy in each way",
    ),
)
async def test_a_lost_policy_refuses_everybody_and_says_so(change: Callable[[Path], None]):
    """Access by phone is denied, the operator opens, and an empty policy grants access again."""
    async with Bench() as bench:
        phone = await revoke(bench)
        await restart(bench, change)
        link = await link_of(phone)
        for credential in REVOKED, OTHER:
            assert await status_of(link, credential) == Status.UNAVAILABLE
        assert "readerd policy begin --yes" in await fault(bench.control, "policy-lost")
        assert (await ask(bench.control, {"unlock": "pulse"}))["ok"]
        assert await bench.reader.stop() == 0
        for arguments, code in (["show"], 1), (["begin", "--yes"], 0), (["show"], 0):
            command = [str(binary()), "policy", *arguments, "--state", str(bench.state)]
            assert subprocess.run(command, capture_output=True, check=False).returncode == code
        bench.reader = await bench.start()
        assert await status_of(await link_of(await bench.phone("other")), OTHER) is None


async def test_an_older_policy_refuses_everybody():
    """All of its files as they were before the revocation: the log tells."""
    async with Bench() as bench:
        phone, link = await bench.connected()
        await link.prepare(ACCESS.service)
        assert await status_of(link, REVOKED) is None
        former = {name: (bench.state / name).read_bytes() for name in POLICY}
        assert await link.run(Command("BL_PUSH", data=delimited(message((1, ENTRY))))) == b""

        def put_back(state: Path) -> None:
            for name, octets in former.items():
                (state / name).write_bytes(octets)

        await restart(bench, put_back)
        for credential in REVOKED, OTHER:
            assert await status_of(await link_of(phone), credential) == Status.UNAVAILABLE
        await fault(bench.control, "policy-rolled-back")


async def test_an_older_policy_and_log_refuse_everybody():
    """Both as they were before the revocation: the head of the log shows it."""
    former: dict[Path, bytes] = {}

    def keep(state: Path) -> None:
        for path in (*(state / name for name in POLICY), *state.glob("events.db*")):
            former[path] = path.read_bytes()

    def put_back(state: Path) -> None:
        for path in state.glob("events.db*"):
            path.unlink()
        for path, octets in former.items():
            path.write_bytes(octets)

    async with Bench() as bench:
        await bench.connected()
        await restart(bench, keep)
        phone = await bench.phone("again")
        link = await link_of(phone)
        assert await status_of(link, REVOKED) is None
        assert await link.run(Command("BL_PUSH", data=delimited(message((1, ENTRY))))) == b""
        await restart(bench, put_back)
        for credential in REVOKED, OTHER:
            assert await status_of(await link_of(phone), credential) == Status.UNAVAILABLE
        await fault(bench.control, "policy-rolled-back")
        await fault(bench.control, "log-lost")
        command = [str(binary()), "events", "--verify", "--state", str(bench.state)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 1
