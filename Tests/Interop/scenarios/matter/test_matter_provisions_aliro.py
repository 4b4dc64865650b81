# SPDX-License-Identifier: Apache-2.0
"""The CHIP controller provisions readerd's Aliro, and phones of an independent implementation come to its door."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from contactless.aliro_door import OPENED, Door
from contactless.aliro_field import DOCUMENTED, ISSUER, LISTED, UNLISTED
from contactless.aliro_keys import Key
from contactless.aliro_reader import GROUP
from contactless.field import READY, Field
from matter.controller import Controller, Refused
from matter.lock import SECONDS, Lock
from rig.memory import forms, found
from rig.waiting import until

ISSUER_KEY, EVICTABLE, ENDPOINT = 6, 7, 8
ADD = 0
USER = 3
SHARED_DISCRIMINATOR = 3841
NONE = "Null"
"""A null as the controller's library prints it."""
SCALAR = bytes.fromhex("1f3a5b7c9d0e2f4a6b8c0d1e3f5a7b9c1d2e4f6a8b0c2d4e6f7a9b1c3d5e7f80")
READER = Key(SCALAR)
UNKNOWN = "unknown-credential"

pytestmark = pytest.mark.seconds(300)


@contextlib.asynccontextmanager
async def provisioned(directory: Path):
    """A reader whose Aliro an app has configured, with a user, in a field of phones that know it."""
    async with Field() as field:
        tables = {
            "matter": {"aliro": True, "may-share": True},
            "nfc": {"connection": field.connection, "role": "poll"},
            "credentials": {"card-kinds": ["aliro"]},
            "door": {"pulse-s": 1, "re-arm-ms": 0},
        }
        async with Lock(directory, **tables) as lock:
            await lock.reader.reader.child.line(READY, SECONDS)
            door = Door(field, lock.reader)
            controller = await lock.commissioned()
            await configure(controller)
            await controller.order(
                "door_lock", command="SetUser", operationType=ADD, userIndex=USER, userName="Ada", userUniqueID=7,
                userStatus=1, userType=0, credentialRule=0,
            )  # fmt: skip
            await door.enrol(READER.point.hex())
            yield lock, controller, door
            await door.is_sound()


async def configure(controller: Controller) -> None:
    """SetAliroReaderConfig."""
    await controller.order(
        "door_lock", command="SetAliroReaderConfig", signingKey=SCALAR.hex(),
        verificationKey=READER.point.hex(), groupIdentifier=GROUP,
    )  # fmt: skip


async def add(
    controller: Controller, kind: int, index: int, point: str, user: int | None = USER, second: bool = False
) -> None:
    """SetCredential of the user's, or of a new user's."""
    values = {"operationType": ADD, "userIndex": user, "userStatus": None, "userType": None, "second": second}
    added = await controller.order(
        "door_lock", command="SetCredential", credential=[kind, index], credentialData=point, **values
    )
    assert added["status"] == "kSuccess"


async def clear(controller: Controller, kind: int, index: int) -> None:
    """ClearCredential."""
    await controller.order("door_lock", command="ClearCredential", credential=[kind, index])


async def restart(lock: Lock, door: Door) -> None:
    """The reader starts again; the phones come when it polls."""
    await lock.reader.restart()
    await lock.reader.reader.child.line(READY, SECONDS)
    await lock.status(fabrics=1)
    await door.rounds(2)


async def openings(controller: Controller) -> list[tuple]:
    """Source, user and credential of the phones' openings."""
    events = await controller.order("lock_events")
    return [
        (data["operationSource"], data["userIndex"], [tuple(entry.values()) for entry in data["credentials"]])
        for name, data in events
        if name == "LockOperation" and data["operationSource"] == "kAliro"
    ]


async def test_a_phones_key_opens_by_both_phases_until_it_is_cleared(directory: Path) -> None:
    async with provisioned(directory) as (lock, controller, door):
        attributes = await controller.order("cluster", endpoint=1, cluster="DoorLock")
        assert attributes["AliroReaderVerificationKey"] == READER.point.hex()
        await door.refuses("listed", UNKNOWN)
        await add(controller, ENDPOINT, 1, LISTED.key.point.hex())
        assert await door.opens("listed") == {"phase": "standard", "status": OPENED}
        assert await door.opens("listed") == {"phase": "fast", "status": OPENED}
        await restart(lock, door)
        assert await door.opens("listed") == {"phase": "fast", "status": OPENED}
        found = await openings(controller)
        assert [(source, user) for source, user, _ in found] == [("kAliro", USER)] * 3
        await clear(controller, ENDPOINT, 1)
        await door.refuses("listed", UNKNOWN)
        await restart(lock, door)
        await door.refuses("listed", UNKNOWN)
        frames = await door.field.ask("polling_frames")
        assert "6a02cb0206204220" + GROUP[:16] in frames
        records = [event for event in await lock.events() if event["kind"].startswith(("matter-key", "matter-aliro"))]
        assert [(event["kind"], event["channel"]) for event in records] == [
            ("matter-aliro-set", "matter"),
            ("matter-key-added", "matter"),
            ("matter-key-removed", "matter"),
        ]
        assert all(event["actor"] == "fabric 1 node 000000000001B669" for event in records)
        granted = [event for event in await lock.events() if event["kind"] == "granted"]
        assert [event["actor"] for event in granted] == [f"matter user {USER} endpoint 1"] * 3


async def test_an_issuers_document_adds_an_evictable_key(directory: Path) -> None:
    async with provisioned(directory) as (lock, controller, door):
        await door.refuses("document", UNKNOWN)
        await add(controller, ISSUER_KEY, 1, ISSUER.key.point.hex())
        assert await door.opens("document") == {"phase": "step-up", "status": OPENED}

        async def is_in_the_table() -> bool:
            status = await controller.order("door_lock", command="GetCredentialStatus", credential=[EVICTABLE, 1])
            return (status["userIndex"], status["credentialData"]) == (USER, DOCUMENTED.key.point.hex())

        await until("the phone's key in the table", is_in_the_table, SECONDS)
        changes = [data for name, data in await controller.order("lock_events") if name == "LockUserChange"]
        assert changes[-1]["operationSource"] == "kAliro"
        assert changes[-1]["lockDataType"] == "kAliroEvictableEndpointKey"
        assert (changes[-1]["userIndex"], changes[-1]["dataIndex"], changes[-1]["fabricIndex"]) == (USER, 1, NONE)
        assert await door.opens("document") == {"phase": "fast", "status": OPENED}
        await restart(lock, door)
        assert await door.opens("document") == {"phase": "fast", "status": OPENED}
        assert {(source, user) for source, user, _ in await openings(controller)} == {("kAliro", USER)}
        # Without the phone's key its document is needed again; without the issuer's nothing helps.
        await clear(controller, EVICTABLE, 1)
        assert await door.opens("document") == {"phase": "step-up", "status": OPENED}
        await until("the phone's key in the table again", is_in_the_table, SECONDS)
        await clear(controller, ISSUER_KEY, 1)
        await door.refuses("document", UNKNOWN)
        await restart(lock, door)
        await door.refuses("document", UNKNOWN)


async def test_the_private_key_is_wiped(directory: Path) -> None:
    async with provisioned(directory) as (lock, _controller, door):
        left = {
            name: found(child.pid, forms("the private key", SCALAR))
            for name, child in (("readerd", lock.reader.reader.child), ("readerd-matter", lock.process))
        }
        assert left == {"readerd": set(), "readerd-matter": set()}
        # That the search finds what is there: the point.
        assert found(lock.reader.reader.child.pid, {"the point": READER.point}) != set()
        await door.rounds(1)


async def test_after_a_clearing_everything_is_refused(directory: Path) -> None:
    async with provisioned(directory) as (lock, controller, door):
        await add(controller, ENDPOINT, 1, LISTED.key.point.hex())
        await add(controller, ISSUER_KEY, 1, ISSUER.key.point.hex())
        assert (await door.opens("listed"))["status"] == OPENED
        assert (await door.opens("document"))["status"] == OPENED
        await controller.order("door_lock", command="ClearAliroReaderConfig")
        for name in "listed", "document":
            await refused_silently(door, name)
        await restart(lock, door)
        for name in "listed", "document":
            await refused_silently(door, name)
        # The same key again: the fast keys from before have ended.
        await configure(controller)
        assert await door.opens("listed") == {"phase": "standard", "status": OPENED}
        await restart(lock, door)
        await controller.order("remove")
        await lock.status(fabrics=0)
        await refused_silently(door, "listed")


async def test_a_removed_fabric_takes_its_phones_from_the_door(directory: Path) -> None:
    async with provisioned(directory) as (lock, controller, door):
        await add(controller, ENDPOINT, 1, UNLISTED.key.point.hex())
        await controller.order("share", discriminator=SHARED_DISCRIMINATOR)
        await lock.status(fabrics=2)
        await add(controller, ENDPOINT, 2, LISTED.key.point.hex(), user=None, second=True)
        assert (await door.opens("listed"))["status"] == OPENED
        await controller.order("remove", second=True)
        await lock.status(fabrics=1)
        await door.refuses("listed", UNKNOWN)
        await restart(lock, door)
        await door.refuses("listed", UNKNOWN)
        assert await door.opens("unlisted") == {"phase": "standard", "status": OPENED}
        removed = [event for event in await lock.events() if event["kind"] == "matter-key-removed"]
        assert [event.get("actor", "") for event in removed] == [""]


async def test_a_reset_ends_the_keys_at_the_reader_or_fails(directory: Path) -> None:
    async with provisioned(directory) as (lock, controller, door):
        await add(controller, ENDPOINT, 1, LISTED.key.point.hex())
        assert (await door.opens("listed"))["status"] == OPENED
        await lock.stop()
        await lock.status(connected=False)
        unreachable = await lock.reset(directory / "no.sock")
        assert unreachable.code == 1
        assert "may still open by their Aliro keys: cannot connect" in unreachable.errors
        # As it said.
        assert (await door.opens("listed"))["status"] == OPENED
        done = await lock.reset(lock.socket)
        assert (done.code, done.output) == (0, "The fabrics are removed, and the reader has ended its Aliro keys.\n")
        await refused_silently(door, "listed")
        assert (await lock.operator.status())["aliro"]["credentials"] == 0


async def refused_silently(door: Door, name: str) -> None:
    """A reader without a key starts no transaction: the phone opens nothing."""
    before = await door.openings()
    await door.field.ask("put", f"aliro-{name}")
    await door.rounds(4)
    await door.leave(name)
    assert await door.openings() == before


async def test_a_reader_without_the_setting_has_no_such_feature(directory: Path) -> None:
    async with Lock(directory, credentials={"card-kinds": ["aliro"]}, aliro={"group": GROUP, "door": GROUP}) as lock:
        controller = await lock.commissioned()
        with pytest.raises(Refused, match="UnsupportedCommand"):
            await configure(controller)
        assert (await lock.operator.status())["aliro"]["state"] == "ready"
