# SPDX-License-Identifier: Apache-2.0
"""The CHIP controller provisions an Aliro reader by Door Lock: users, keys, and the reader's configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from matter.bench import Bench
from matter.controller import Controller, Refused
from matter.lock import Lock

LABEL = {"passcode": 20202021, "discriminator": 3840}
SHARED_DISCRIMINATOR = 3841
NONE = "Null"
"""A null as the controller's library prints it."""
USER, ALIRO = 0x100, 0x2000
ISSUER, EVICTABLE, ENDPOINT = 6, 7, 8
ADD, MODIFY = 0, 2
GROUP = "00112233445566778899aabbccddeeff"
SUCCESS, DUPLICATE, OCCUPIED, INVALID = "kSuccess", "kDuplicate", "kOccupied", "kInvalidField"

pytestmark = pytest.mark.seconds(300)


def key() -> tuple[str, str]:
    """A private key and its point, in digits."""
    private = ec.generate_private_key(ec.SECP256R1())
    point = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return private.private_numbers().private_value.to_bytes(32, "big").hex(), point.hex()


async def set_key(controller: Controller, kind: int, index: int, point: str, **fields: object) -> dict:
    """SetCredential of a new user's, unless `fields` say another."""
    values = {"operationType": ADD, "userIndex": None, "userStatus": None, "userType": None} | fields
    return await controller.order(
        "door_lock", command="SetCredential", credential=[kind, index], credentialData=point, **values
    )


async def key_at(controller: Controller, kind: int, index: int) -> dict:
    """GetCredentialStatus."""
    return await controller.order("door_lock", command="GetCredentialStatus", credential=[kind, index])


async def lock_of(controller: Controller) -> dict:
    """The attributes of the lock."""
    return await controller.order("cluster", endpoint=1, cluster="DoorLock")


async def commissioned(bench: Bench) -> Controller:
    """An app that has commissioned an emulated lock with Aliro."""
    await bench.device("--aliro")
    controller = await bench.controller()
    await controller.order("commission", **LABEL)
    return controller


async def test_the_configuration_of_the_reader(directory: Path) -> None:
    async with Bench(directory) as bench:
        controller = await commissioned(bench)
        read = await controller.order("wildcard")
        assert read["faults"] == []
        lock = await lock_of(controller)
        assert lock["FeatureMap"] == USER | ALIRO
        assert (lock["NumberOfTotalUsersSupported"], lock["NumberOfCredentialsSupportedPerUser"]) == (20, 10)
        assert lock["AliroReaderVerificationKey"] == lock["AliroReaderGroupIdentifier"] == NONE
        assert len(lock["AliroReaderGroupSubIdentifier"]) == 32
        assert lock["AliroExpeditedTransactionSupportedProtocolVersions"] == ["0100"]
        assert lock["NumberOfAliroCredentialIssuerKeysSupported"] == 8
        assert lock["NumberOfAliroEndpointKeysSupported"] == 32
        private, point = key()
        values = {"signingKey": private, "verificationKey": point, "groupIdentifier": GROUP}
        faulty = ({"verificationKey": key()[1]}, {"verificationKey": point[:-2]}, {"groupIdentifier": GROUP[:-2]})
        for fault in faulty:
            with pytest.raises(Refused, match="ConstraintError"):
                await controller.order("door_lock", command="SetAliroReaderConfig", **(values | fault))
        await controller.order("door_lock", command="SetAliroReaderConfig", **values)
        lock = await lock_of(controller)
        assert (lock["AliroReaderVerificationKey"], lock["AliroReaderGroupIdentifier"]) == (point, GROUP)
        with pytest.raises(Refused, match="InvalidInState"):
            await controller.order("door_lock", command="SetAliroReaderConfig", **values)
        await controller.order("door_lock", command="ClearAliroReaderConfig")
        lock = await lock_of(controller)
        assert lock["AliroReaderVerificationKey"] == lock["AliroReaderGroupIdentifier"] == NONE


async def test_each_kind_of_key_and_its_user(directory: Path) -> None:
    async with Bench(directory) as bench:
        controller = await commissioned(bench)
        points = {kind: key()[1] for kind in (ISSUER, EVICTABLE, ENDPOINT)}
        added = await set_key(controller, ISSUER, 1, points[ISSUER])
        assert (added["status"], added["userIndex"], added["nextCredentialIndex"]) == (SUCCESS, 1, 2)
        for kind in (EVICTABLE, ENDPOINT):
            added = await set_key(controller, kind, 3, points[kind], userIndex=1)
            assert (added["status"], added["userIndex"], added["nextCredentialIndex"]) == (SUCCESS, NONE, 4)
        for kind, index in ((ISSUER, 1), (EVICTABLE, 3), (ENDPOINT, 3)):
            status = await key_at(controller, kind, index)
            assert (status["credentialExists"], status["userIndex"]) == (True, 1)
            assert (status["creatorFabricIndex"], status["credentialData"]) == (1, points[kind])
        user = await controller.order("door_lock", command="GetUser", userIndex=1)
        assert [entry["credentialIndex"] for entry in user["credentials"]] == [1, 3, 3]
        assert user["userStatus"] == "kOccupiedEnabled"
        faulty = {
            (ENDPOINT, 3, key()[1]): OCCUPIED,
            (ENDPOINT, 4, points[EVICTABLE]): DUPLICATE,
            (ENDPOINT, 4, key()[1][:-2]): INVALID,
            (ENDPOINT, 4, "04" + "11" * 64): INVALID,
            (ENDPOINT, 33, key()[1]): INVALID,
            (1, 1, "31323334"): INVALID,
        }
        for (kind, index, point), status in faulty.items():
            assert (await set_key(controller, kind, index, point))["status"] == status, (kind, index)
        other = key()[1]
        replaced = await set_key(controller, ENDPOINT, 3, other, operationType=MODIFY, userIndex=1)
        assert replaced["status"] == SUCCESS
        assert (await key_at(controller, ENDPOINT, 3))["credentialData"] == other
        await controller.order("door_lock", command="ClearCredential", credential=[EVICTABLE, 3])
        assert (await key_at(controller, EVICTABLE, 3))["credentialExists"] is False
        await controller.order("door_lock", command="ClearUser", userIndex=1)
        for kind, index in ((ISSUER, 1), (ENDPOINT, 3)):
            assert (await key_at(controller, kind, index))["credentialExists"] is False
        changes = [data for name, data in await controller.order("lock_events") if name == "LockUserChange"]
        assert [change["dataOperationType"] for change in changes] == ["kAdd"] * 4 + ["kModify", "kClear", "kClear"]


async def test_a_removed_fabric_takes_its_phones(directory: Path) -> None:
    async with Bench(directory) as bench:
        controller = await commissioned(bench)
        assert (await set_key(controller, ENDPOINT, 1, key()[1]))["status"] == SUCCESS
        await controller.order("share", discriminator=SHARED_DISCRIMINATOR)
        private, point = key()
        await controller.order(
            "door_lock", command="SetAliroReaderConfig", second=True, signingKey=private, verificationKey=point,
            groupIdentifier=GROUP,
        )  # fmt: skip
        assert (await set_key(controller, ENDPOINT, 2, key()[1], second=True))["status"] == SUCCESS
        assert (await key_at(controller, ENDPOINT, 2))["creatorFabricIndex"] == 2
        await controller.order("remove", second=True)
        assert (await key_at(controller, ENDPOINT, 2))["credentialExists"] is False
        assert (await key_at(controller, ENDPOINT, 1))["credentialExists"] is True
        assert (await lock_of(controller))["AliroReaderVerificationKey"] == NONE


async def test_a_reader_without_aliro_has_no_feature_of_it(directory: Path) -> None:
    async with Lock(directory) as lock:
        controller = await lock.commissioned()
        read = await lock_of(controller)
        assert read["FeatureMap"] & (USER | ALIRO) == 0
        assert "AliroReaderVerificationKey" not in read
        private, point = key()
        with pytest.raises(Refused, match="UnsupportedCommand"):
            await controller.order(
                "door_lock", command="SetAliroReaderConfig", signingKey=private, verificationKey=point,
                groupIdentifier=GROUP,
            )  # fmt: skip
