# SPDX-License-Identifier: Apache-2.0
"""Phones on Bumble pair with a device, in every combination of the specification's table, on both kinds of controllers.

The expected result of each is computed from the table (`rig.association`), not from a peer's behaviour.
"""

import pytest

from rig.association import IO, Model, Side, expected
from rig.matrix import some_of
from rig.pairing_bench import (
    AUTHENTICATED,
    ENCRYPTED,
    INSUFFICIENT_AUTHENTICATION,
    INSUFFICIENT_ENCRYPTION,
    PASSKEY,
    PLAIN,
    SECURE,
    TOLD,
    Refused,
    controllers,
    options,
    pairing_bench,
    played,
)
from rig.phone import LinkLost
from rig.radio_process import BUMBLE, ROOTCANAL

BOTH = pytest.mark.parametrize("kind", [ROOTCANAL, BUMBLE], ids=["rootcanal", "bumble"])
KINDS = pytest.mark.parametrize(
    "kind",
    some_of([ROOTCANAL, BUMBLE], "BondTests, PairingAttackTests and HostPairingTests; test_association_model has both"),
    ids=["rootcanal", "bumble"],
)
MODELS = "AssociationModelTests have the whole matrix"

CONFIRM_VALUE_FAILED, PAIRING_NOT_SUPPORTED, KEY_SIZE = 0x04, 0x05, 0x06
AUTHENTICATION_REQUIREMENTS, INVALID_PARAMETERS, COMPARISON_FAILED = 0x03, 0x0A, 0x0C
"""Reasons of Pairing Failed (Core 5.4, Vol 3, Part H, 3.5.5)."""

MIC_FAILURE = 0x3D
"""HCI error (Core 5.4, Vol 1, Part F, 1.3)."""

SERVICE = bytes.fromhex("030300ff")
"""The device's advertising: a complete list of 16-bit services."""

RESOLVABLE = 0x40
"""The two highest bits of a resolvable private address (Core 5.4, Vol 6, Part B, 1.3.2.2)."""

DONE_BY_THE_USER = {
    Model.JUST_WORKS: [],
    Model.COMPARISON: ["compare"],
    Model.SHOWN_BY_PERIPHERAL: ["enter"],
    Model.SHOWN_BY_CENTRAL: ["show"],
    Model.ENTERED_ON_BOTH: ["enter"],
}

DONE_BY_THE_DEVICE = {
    Model.JUST_WORKS: [],
    Model.COMPARISON: ["compare"],
    Model.SHOWN_BY_PERIPHERAL: ["passkey"],
    Model.SHOWN_BY_CENTRAL: ["passkey-wanted"],
    Model.ENTERED_ON_BOTH: ["passkey-wanted"],
}


def centrals(mitm: bool) -> list[Side]:
    """The phones that a peripheral with or without a wish for protection is tried with.

    Where one side wants it, every IO capability counts; where neither or both do, two phones show that as much.
    """
    every = [Side(io, secure, mitm=not mitm) for io in IO for secure in (True, False)]
    few = [Side(IO.KEYBOARD_DISPLAY, secure, mitm=mitm) for secure in (True, False)]
    return every + few


@BOTH
@pytest.mark.parametrize("mitm", some_of([True, False], MODELS), ids=["mitm", "plain"])
@pytest.mark.parametrize("io", some_of(sorted(IO, reverse=True), MODELS), ids=lambda io: io.option)
@pytest.mark.seconds(60)
async def test_association_model(directory, subtests, kind, io, mitm):
    peripheral = Side(io, mitm=mitm)
    async with pairing_bench(directory, kind, peripheral) as bench:
        for central in centrals(mitm):
            with subtests.test(f"phone {central}"):
                await check_model(bench, central, peripheral)
            await bench.close_phones()


async def check_model(bench, central, peripheral):
    """One pairing: who did what, how the link is protected, and what can be read."""
    want = expected(central, peripheral)
    phone = await bench.phone(central)
    link = await bench.connect(phone)
    mark = bench.emulation.mark
    assert await bench.reads(link, PLAIN, ENCRYPTED) == [b"\x01", INSUFFICIENT_AUTHENTICATION]
    level = await bench.pair(phone, link, want.model)
    assert [word for word in phone.user.seen if word != "confirm"] == DONE_BY_THE_USER[want.model]
    questions = {"compare", "passkey", "passkey-wanted"}
    assert [name for name in bench.emulation.events[mark:] if name in questions] == DONE_BY_THE_DEVICE[want.model]
    # Every line has the other three.
    assert {key: value for key, value in level.items() if key not in ("at-ms", "entry", "sentence")} == {
        "event": "security",
        "link": level["link"],
        "encrypted": True,
        "authenticated": want.model.authenticated,
        "secure-connections": want.secure,
        "key-size": want.key_size,
        "bonded": want.bonded,
        "peer": phone.identity,
    }
    # Just works never satisfies what asks for an authenticated key.
    assert await bench.reads(link, ENCRYPTED, AUTHENTICATED, SECURE) == [
        b"\x02",
        b"\x03" if want.model.authenticated else INSUFFICIENT_AUTHENTICATION,
        b"\x04" if want.model.authenticated and want.secure else INSUFFICIENT_AUTHENTICATION,
    ]
    await bench.end(link)


@KINDS
@pytest.mark.parametrize("kept", [True, False], ids=["bonding", "no-bonding"])
async def test_bond_is_kept_where_both_want_it(directory, subtests, kind, kept):
    peripheral = Side(bonding=kept)
    async with pairing_bench(directory, kind, peripheral) as bench:
        for central in [Side(secure=secure, bonding=bonding) for secure in (True, False) for bonding in (True, False)]:
            with subtests.test(f"phone {central}"):
                want = expected(central, peripheral)
                phone = await bench.phone(central)
                link = await bench.connect(phone)
                assert (await bench.pair(phone, link))["bonded"] is want.bonded
                await bench.end(link)
                link = await bench.connect(phone)
                refusal = INSUFFICIENT_ENCRYPTION if want.bonded else INSUFFICIENT_AUTHENTICATION
                assert await bench.reads(link, ENCRYPTED) == [refusal]
                if want.bonded:
                    await link.encrypt()
                    assert await bench.reads(link, ENCRYPTED, AUTHENTICATED) == [b"\x02", INSUFFICIENT_AUTHENTICATION]
                await bench.end(link)
            await bench.close_phones()


@KINDS
async def test_private_phone_is_known_again_by_its_key(directory, kind):
    side = Side(IO.DISPLAY_YES_NO, mitm=True)
    async with pairing_bench(directory, kind, side) as bench:
        phone = await bench.phone(side, private=True)
        link = await bench.connect(phone)
        assert phone.address != phone.identity
        assert (await bench.pair(phone, link))["peer"] == phone.identity
        await bench.end(link)

        await phone.change_address()
        mark = bench.emulation.mark
        link = await bench.connect(phone)
        assert (await bench.emulation.event("connected", mark))["peer"] == phone.address
        # Known by the address is not proved by the key.
        assert await bench.reads(link, SECURE) == [INSUFFICIENT_ENCRYPTION]
        await link.encrypt()
        level = await bench.emulation.event("security", mark)
        assert (level["peer"], level["authenticated"], level["bonded"]) == (phone.identity, True, True)
        assert await bench.reads(link, SECURE) == [b"\x04"]

        stranger = await bench.phone(side, private=True)
        other = await bench.connect(stranger)
        assert await bench.reads(other, ENCRYPTED) == [INSUFFICIENT_AUTHENTICATION]


@KINDS
async def test_phone_that_forgot_pairs_again_only_in_the_window(directory, kind):
    side = Side(IO.DISPLAY_YES_NO, mitm=True)
    bonds = directory / "bonds"
    settled = [*options(side), "--answer", "yes", "--bonds", str(bonds)]
    async with controllers(directory, kind) as radio:
        async with played(radio, directory, *settled) as bench:
            phone = await bench.phone(side)
            link = await bench.connect(phone)
            await bench.pair(phone, link)
            await bench.end(link)
            await phone.forget()
            identity = phone.identity
            link = await bench.connect(phone)
            with pytest.raises(Refused) as refusal:
                await bench.pair(phone, link)
            assert refusal.value.reason == PAIRING_NOT_SUPPORTED
        async with played(radio, directory, *settled, "--pairing-window", "60") as bench:
            phone = await bench.phone(side)
            await phone.use_address(identity)
            link = await bench.connect(phone)
            # The bond is kept until the new one exists, and a weaker one never takes its place.
            phone.pairs_as(Side())
            with pytest.raises(Refused) as refusal:
                await bench.pair(phone, link)
            assert refusal.value.reason == AUTHENTICATION_REQUIREMENTS
            phone.pairs_as(side)
            assert (await bench.pair(phone, link))["authenticated"]
            assert await bench.reads(link, SECURE) == [b"\x04"]


@KINDS
async def test_bonds_outlast_the_process(directory, kind):
    side = Side(IO.DISPLAY_YES_NO, mitm=True)
    bonds = directory / "bonds"
    settled = [*options(side), "--answer", "yes", "--bonds", str(bonds)]
    async with controllers(directory, kind) as radio:
        async with played(radio, directory, *settled) as bench:
            phone = await bench.phone(side)
            link = await bench.connect(phone)
            await bench.pair(phone, link)
            await bench.end(link)
            keys, identity, address = phone.keys, phone.identity, bench.address
        assert bonds.stat().st_mode & 0o777 == 0o600
        async with played(radio, directory, *settled) as bench:
            phone = await bench.phone(side)
            await phone.take_keys(keys)
            await phone.use_address(identity)
            assert bench.address == address
            link = await bench.connect(phone)
            assert await bench.reads(link, SECURE) == [INSUFFICIENT_ENCRYPTION]
            await link.encrypt()
            assert await bench.reads(link, SECURE) == [b"\x04"]


@KINDS
async def test_out_of_band_data_authenticates(directory, kind):
    side = Side()
    settled = [*options(side, "sc-only"), "--publish-oob"]
    async with controllers(directory, kind) as radio, played(radio, directory, *settled) as bench:
        given = await bench.emulation.event("out-of-band")
        phone = await bench.phone(side)
        phone.was_given(given["confirm"], given["random"])
        link = await bench.connect(phone)
        assert (await bench.pair(phone, link, blind=True))["authenticated"]
        assert await bench.reads(link, SECURE) == [b"\x04"]
        await bench.end(link)
        # Without the data the two cannot identify each other: Just Works, which opens less.
        other = await bench.phone(side)
        link = await bench.connect(other)
        assert not (await bench.pair(other, link, blind=True))["authenticated"]
        assert await bench.reads(link, SECURE) == [INSUFFICIENT_AUTHENTICATION]
        await bench.end(link)
        # Data of another device does not fit.
        wrong = await bench.phone(side)
        wrong.was_given(given["random"], given["confirm"])
        link = await bench.connect(wrong)
        with pytest.raises(Refused):
            await bench.pair(wrong, link, blind=True)


@KINDS
async def test_subscription_outlasts_the_process(directory, kind):
    side = Side(IO.DISPLAY_YES_NO, mitm=True)
    settled = [*options(side), "--answer", "yes", "--bonds", str(directory / "bonds")]
    async with controllers(directory, kind) as radio:
        async with played(radio, directory, *settled) as bench:
            phone = await bench.phone(side)
            link = await bench.connect(phone)
            await bench.pair(phone, link)
            await link.characteristic(TOLD).subscribe()
            assert (await bench.emulation.event("subscribed"))["notifications"]
            await bench.end(link)
            keys, identity = phone.keys, phone.identity
        async with played(radio, directory, *settled) as bench:
            phone = await bench.phone(side)
            await phone.take_keys(keys)
            await phone.use_address(identity)
            link = await bench.connect(phone)
            await bench.reads(link, ENCRYPTED)
            assert "subscribed" not in bench.emulation.events
            await link.encrypt()
            assert (await bench.emulation.event("subscribed"))["notifications"]


@KINDS
async def test_subscription_lasts_as_long_as_the_key(directory, kind):
    """Without --bonds too: keys end with the process, and so does what bonded phones have configured."""
    async with pairing_bench(directory, kind, Side()) as bench:
        phone = await bench.phone(Side())
        link = await bench.connect(phone)
        await bench.pair(phone, link)
        await link.characteristic(TOLD).subscribe()
        assert (await bench.emulation.event("subscribed"))["notifications"]
        await bench.end(link)
        mark = bench.emulation.mark
        link = await bench.connect(phone)
        await link.encrypt()
        assert (await bench.emulation.event("subscribed", mark))["notifications"]


@KINDS
async def test_file_that_cannot_be_written_makes_no_bond_on_either_side(directory, kind):
    bonds = directory / "bonds"
    async with pairing_bench(directory, kind, Side(), "--bonds", str(bonds)) as bench:
        # A directory at the place of the temporary file: root, too, cannot replace the bonds.
        (directory / "bonds.new").mkdir()
        phone = await bench.phone(Side())
        link = await bench.connect(phone)
        assert (await bench.pair(phone, link))["bonded"] is False
        assert bench.emulation.last("paired")["text"].endswith("the file of --bonds cannot be written")
        assert await bench.reads(link, ENCRYPTED) == [b"\x02"]
        await bench.end(link)
        # Bumble keeps the key of a pairing without bonding: to the device it is a stranger.
        await phone.forget()
        (directory / "bonds.new").rmdir()
        link = await bench.connect(phone)
        assert await bench.reads(link, ENCRYPTED) == [INSUFFICIENT_AUTHENTICATION]
        assert (await bench.pair(phone, link))["bonded"] is True


@KINDS
async def test_private_device_is_known_again_by_its_key(directory, kind):
    side = Side(IO.DISPLAY_YES_NO, mitm=True)
    settled = [*options(side), "--answer", "yes", "--bonds", str(directory / "bonds"), "--privacy"]
    async with controllers(directory, kind) as radio:
        async with played(radio, directory, *settled) as bench:
            phone = await bench.phone(side)
            first = await phone.find(SERVICE)
            assert first != bench.address
            assert int(first[:2], 16) & 0xC0 == RESOLVABLE
            link = await bench.connect(phone, first)
            assert (await bench.emulation.event("connected"))["address"] == first
            await bench.pair(phone, link)
            await bench.end(link)
            keys, identity = phone.keys, phone.identity
            # The phone keeps the device's keys under the device's identity.
            assert [name.removesuffix("/P") for name, _ in await keys.get_all()] == [bench.address]
        async with played(radio, directory, *settled) as bench:
            phone = await bench.phone(side)
            await phone.take_keys(keys)
            await phone.use_address(identity)
            again = await phone.find(SERVICE)
            assert again not in (first, bench.address)
            link = await bench.connect(phone, again)
            await link.encrypt()
            assert await bench.reads(link, SECURE) == [b"\x04"]


async def test_wrong_key_ends_the_link_and_not_the_bond(directory):
    """On Bumble's controllers only: RootCanal's do not compare keys."""
    async with pairing_bench(directory, BUMBLE, Side()) as bench:
        phone = await bench.phone(Side())
        link = await bench.connect(phone)
        await bench.pair(phone, link)
        await bench.end(link)
        restore = await phone.spoil_keys()
        link = await bench.connect(phone)
        with pytest.raises(LinkLost) as end:
            await link.encrypt()
        assert end.value.reason == MIC_FAILURE
        restore()
        link = await bench.connect(phone)
        await link.encrypt()
        assert await bench.reads(link, ENCRYPTED) == [b"\x02"]


@KINDS
@pytest.mark.parametrize(
    ("central", "reason"),
    some_of(
        [
            (Side(key_size=7), KEY_SIZE),
            (Side(secure=False, key_size=7), KEY_SIZE),
            (Side(key_size=15), KEY_SIZE),
        ],
        "PairingAttackTests have the sizes",
    ),
    ids=str,
)
async def test_short_key_is_refused(directory, kind, central, reason):
    await check_refusal(directory, kind, central, reason, policy="sc-preferred")


@KINDS
async def test_only_secure_connections_refuse_legacy_pairing(directory, kind):
    central = Side(IO.KEYBOARD_DISPLAY, secure=False, mitm=True)
    await check_refusal(directory, kind, central, AUTHENTICATION_REQUIREMENTS, policy="sc-only")


@KINDS
async def test_debug_key_is_refused(directory, kind):
    await check_refusal(directory, kind, Side(), INVALID_PARAMETERS, policy="sc-only", debug=True)


async def check_refusal(directory, kind, central, reason, policy, debug=False):
    """The pairing fails for that reason, the link stays as open as it was, and another phone pairs."""
    peripheral = Side(IO.DISPLAY_YES_NO)
    async with pairing_bench(directory, kind, peripheral, policy=policy) as bench:
        phone = await bench.phone(central)
        if debug:
            phone.uses_debug_key()
        link = await bench.connect(phone)
        mark = bench.emulation.mark
        with pytest.raises(Refused) as refusal:
            await bench.pair(phone, link)
        assert refusal.value.reason == reason
        await bench.emulation.event("pairing-failed", mark)
        assert not link.is_encrypted
        assert await bench.reads(link, PLAIN, ENCRYPTED) == [b"\x01", INSUFFICIENT_AUTHENTICATION]
        other = await bench.phone(Side())
        assert (await bench.pair(other, await bench.connect(other)))["encrypted"]


@KINDS
@pytest.mark.parametrize("side", ["phone", "device"])
async def test_numbers_that_differ_end_the_pairing(directory, kind, side):
    both = Side(IO.DISPLAY_YES_NO, mitm=True)
    async with pairing_bench(directory, kind, both, answers=("no" if side == "device" else "yes",)) as bench:
        phone = await bench.phone(both)
        link = await bench.connect(phone)
        if side == "phone":
            # Bumble's user can refuse with this reason only.
            phone.user.says_same = None
            with pytest.raises(Refused) as refusal:
                await bench.pair(phone, link, blind=True)
            assert refusal.value.reason in (CONFIRM_VALUE_FAILED, COMPARISON_FAILED)
        else:
            with pytest.raises(Refused) as refusal:
                await bench.pair(phone, link)
            assert refusal.value.reason == COMPARISON_FAILED
        assert await bench.reads(link, ENCRYPTED) == [INSUFFICIENT_AUTHENTICATION]


@KINDS
@pytest.mark.parametrize("secure", [True, False], ids=["sc", "legacy"])
async def test_wrong_passkey_ends_the_pairing(directory, kind, secure):
    phones, device = Side(IO.DISPLAY_ONLY, secure, mitm=True), Side(IO.KEYBOARD_ONLY)
    async with pairing_bench(directory, kind, device) as bench:
        phone = await bench.phone(phones)
        phone.user.passkey = PASSKEY + 1
        link = await bench.connect(phone)
        with pytest.raises(Refused) as refusal:
            await bench.pair(phone, link)
        assert refusal.value.reason == CONFIRM_VALUE_FAILED
        assert await bench.reads(link, ENCRYPTED) == [INSUFFICIENT_AUTHENTICATION]
