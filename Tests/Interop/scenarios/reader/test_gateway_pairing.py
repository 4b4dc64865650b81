# SPDX-License-Identifier: Apache-2.0
"""A reader that is a Wi-Fi gateway, and phones that pair with it: a passphrase is taken over a link that no third party
can have listened to, and over no other one. The radio, the phones' stack (Bumble) and the ways of the stock apps are
real; the supplicant is a stand-in at its control socket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bumble.att import ATT_Error
from bumble.core import ProtocolError

from provisioning.apps import CONTROL_POINT, INSUFFICIENT_AUTHENTICATION, AndroidApp, App, IOSApp
from provisioning.bench import BSSID, HOME
from provisioning.wire import wifi_info
from rig.association import IO, Side
from rig.bench import Bench
from rig.matrix import some_of
from rig.operation import Operator
from rig.pairing_phone import PairingPhone
from rig.supplicant import Supplicant
from rig.waiting import until

PASSPHRASE = b"open sesame"
SERVICE = bytes.fromhex("58b29cc8812877b8e7490c1300783814")
"""The gateway's service in its advertising."""
REQUIREMENTS, KEY_SIZE, PARAMETERS = 0x03, 0x06, 0x0A
"""Reasons of Pairing Failed (Core 5.4, Vol 3, Part H, 3.5.5): Authentication Requirements, Encryption Key Size, Invalid
Parameters."""
SECONDS = 20.0
"""For the join: some tenths of a second where nothing else runs."""

pytestmark = pytest.mark.seconds(120)


class Gateway:
    """The reader with its window open, its supplicant, and its phones."""

    def __init__(self, bench: Bench, supplicant: Supplicant) -> None:
        self.bench, self.supplicant = bench, supplicant
        self._phones: list[PairingPhone] = []

    async def phone(self, side: Side) -> PairingPhone:
        """A phone that pairs with these features."""
        place = await self.bench.radio.listen_unix(f"phone{len(self._phones)}")
        self._phones.append(await PairingPhone.open(f"unix:{place}", side))
        return self._phones[-1]

    async def serves(self, kind: type[App], side: Side) -> None:
        """A phone with this app names the network."""
        phone = await self.phone(side)
        app = await kind.connect(phone, await phone.find(SERVICE))
        assert app.link.is_encrypted
        await app.ask(app.set_config(wifi_info(HOME.encode(), BSSID, 6, auth=4), PASSPHRASE))
        await until("the network", lambda: self.supplicant.saved == [HOME], SECONDS)

    async def close(self) -> None:
        """All phones off."""
        for phone in self._phones:
            await phone.close()


@contextlib.asynccontextmanager
async def gateway(directory: Path) -> AsyncIterator[Gateway]:
    with Supplicant(directory / "wlan0", HOME, PASSPHRASE.decode()) as supplicant:
        async with Bench(provisioning={"wifi": f"wpa-supplicant:{supplicant.path}"}) as bench:
            opened = await Operator(bench).run("provisioning", "open", "300")
            assert opened.code == 0, opened.errors
            made = Gateway(bench, supplicant)
            try:
                yield made
            finally:
                await made.close()


@pytest.mark.parametrize("kind", [IOSApp, AndroidApp])
@pytest.mark.parametrize("side", [Side(), Side(IO.DISPLAY_YES_NO, mitm=True), Side(bonding=False)], ids=str)
async def test_a_pairing_by_secure_connections_is_taken(directory: Path, kind: type[App], side: Side) -> None:
    async with gateway(directory) as made:
        await made.serves(kind, side)


REFUSED = {
    "legacy": (Side(secure=False), False, REQUIREMENTS),
    "legacy with a passkey": (Side(IO.KEYBOARD_DISPLAY, secure=False, mitm=True), False, REQUIREMENTS),
    "a short key": (Side(key_size=15), False, KEY_SIZE),
    "the shortest key": (Side(key_size=7), False, KEY_SIZE),
    "the debug key": (Side(), True, PARAMETERS),
}


@pytest.mark.parametrize("name", some_of(REFUSED, "PairingAttackTests have each of them"))
async def test_a_pairing_that_others_can_listen_to_is_refused(directory: Path, name: str) -> None:
    """The passphrase is not taken, and the attempt ends the link; the next phone, which pairs well, is served."""
    side, has_debug_key, reason = REFUSED[name]
    async with gateway(directory) as made:
        phone = await made.phone(side)
        if has_debug_key:
            phone.uses_debug_key()
        link = await phone.connect(await phone.find(SERVICE))
        await link.find()
        request = IOSApp(phone, link).set_config(wifi_info(HOME.encode(), BSSID, 6, auth=4), PASSPHRASE)
        with pytest.raises(ATT_Error) as refusal:
            await link.peer.gatt_client.write_value(link.characteristic(CONTROL_POINT).handle, request, True)
        assert refusal.value.error_code == INSUFFICIENT_AUTHENTICATION
        with pytest.raises(ProtocolError) as failed:
            await link.pair()
        assert failed.value.error_code == reason
        assert not link.is_encrypted
        await asyncio.wait_for(link.lost, SECONDS)
        assert made.supplicant.saved == [] and "ADD_NETWORK" not in made.supplicant.commands
        await made.serves(IOSApp, Side())
