# SPDX-License-Identifier: Apache-2.0
"""A device that pairs, played by readerlab, and phones that pair with it, on either kind of controllers."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

from bumble.core import ProtocolError

from rig.association import Model, Side
from rig.emulation import Emulation
from rig.pairing_phone import PairingLink, PairingPhone, User
from rig.radio_process import RadioProcess

PASSKEY = 271828
"""The passkey that the device enters when asked."""

PLAIN, ENCRYPTED, AUTHENTICATED, SECURE = "FF01", "FF02", "FF03", "FF04"
"""Characteristics by their requirements on a link."""
TOLD = "FF05"
"""A characteristic that is notified over an encrypted link."""

TABLE = {
    "name": "locked",
    "services": [
        {
            "uuid": "FF00",
            "characteristics": [
                {"uuid": PLAIN, "properties": ["read"], "value": "01"},
                {"uuid": ENCRYPTED, "properties": ["read"], "value": "02", "security": "encrypted"},
                {"uuid": AUTHENTICATED, "properties": ["read"], "value": "03", "security": "authenticated"},
                {"uuid": SECURE, "properties": ["read"], "value": "04", "security": "secure-connections"},
                {"uuid": TOLD, "properties": ["notify"], "value": "05", "security": "encrypted"},
            ],
        }
    ],
}

INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION = 0x05, 0x0F
"""ATT errors (Core 5.4, Vol 3, Part F, 3.4.1.1)."""


class Refused(Exception):
    """The pairing failed, for this reason (Core 5.4, Vol 3, Part H, 3.5.5)."""

    def __init__(self, reason: int) -> None:
        super().__init__(f"Pairing Failed, reason {reason:#04x}")
        self.reason = reason


class PairingBench:
    """The controllers and the device; phones come and go."""

    def __init__(self, radio: RadioProcess, emulation: Emulation, place: str, address: str) -> None:
        self.radio = radio
        self.emulation = emulation
        self.address = address
        self._place = place
        self._handles: dict[str, int] = {}
        self._phones: list[PairingPhone] = []

    async def phone(self, side: Side, private: bool = False, user: User | None = None) -> PairingPhone:
        """A new phone whose user can see the device."""
        phone = await PairingPhone.open(f"unix:{self._place}", side, user, private)
        self._phones.append(phone)
        self._look(phone.user, 0)
        return phone

    def _look(self, user: User, mark: int) -> None:
        """From line `mark` on the user sees the device's display."""

        async def read_passkey() -> int:
            return int((await self.emulation.event("passkey", mark))["digits"])

        async def says_same(number: int) -> bool:
            return int((await self.emulation.event("compare", mark))["digits"]) == number

        user.read_passkey, user.says_same = read_passkey, says_same

    async def close(self, phone: PairingPhone) -> None:
        """The phone leaves the air."""
        self._phones.remove(phone)
        await phone.close()

    async def close_phones(self) -> None:
        """All of them."""
        for phone in list(self._phones):
            await self.close(phone)

    async def connect(self, phone: PairingPhone, address: str | None = None) -> PairingLink:
        """A link to the device, which may have another address on the air; what can be read is known from the first."""
        link = await phone.connect(address or self.address)
        if not self._handles:
            await link.find()
            for uuid in PLAIN, ENCRYPTED, AUTHENTICATED, SECURE:
                self._handles[uuid] = link.characteristic(uuid).handle
        return link

    async def pair(
        self, phone: PairingPhone, link: PairingLink, model: Model | None = None, blind: bool = False
    ) -> dict[str, object]:
        """Pairs; returns the device's description of the link. Raises Refused.

        With `model` the user does what that model asks of them; without, they read the device's display, if they are
        not `blind`.
        """
        mark = self.emulation.mark
        if not blind:
            self._look(phone.user, mark)
        if model in (Model.ENTERED_ON_BOTH, Model.SHOWN_BY_CENTRAL):
            phone.user.read_passkey, phone.user.passkey = None, PASSKEY
        try:
            await link.pair()
        except ProtocolError as error:
            raise Refused(int(error.error_code)) from error
        await self.emulation.event("paired", mark)
        return self.emulation.last("security", mark)

    async def reads(self, link: PairingLink, *uuids: str) -> list[bytes | int]:
        """Values, or the codes of errors."""
        return [await link.read_handle(self._handles[uuid]) for uuid in uuids]

    async def end(self, link: PairingLink) -> None:
        """Ends the link, and waits until the device has noticed."""
        mark = self.emulation.mark
        await link.disconnect()
        await self.emulation.event("disconnected", mark)


def options(side: Side, policy: str = "sc-preferred") -> list[str]:
    """The options with which readerlab has the features of `side`."""
    return [
        *("--io", side.io.option, "--security-policy", policy),
        *(["--mitm"] if side.mitm else []),
        *([] if side.bonding else ["--no-bonding"]),
    ]


@contextlib.asynccontextmanager
async def pairing_bench(
    directory: Path, kind: str, side: Side, *more: str, policy: str = "sc-preferred", answers: tuple[str, ...] = ()
) -> AsyncIterator[PairingBench]:
    """The device, with these options; who uses it answers yes, and enters PASSKEY, if nothing else is given."""
    answering = [word for answer in answers or ("yes", f"{PASSKEY:06}") for word in ("--answer", answer)]
    everything = [*options(side, policy), *answering, *more]
    async with controllers(directory, kind) as radio, played(radio, directory, *everything) as bench:
        yield bench


@contextlib.asynccontextmanager
async def controllers(directory: Path, kind: str) -> AsyncIterator[RadioProcess]:
    """Controllers of that kind, without hosts."""
    radio = await RadioProcess.start(directory, kind)
    try:
        yield radio
    finally:
        await radio.stop()


@contextlib.asynccontextmanager
async def played(radio: RadioProcess, directory: Path, *more: str) -> AsyncIterator[PairingBench]:
    """The device on controllers that exist already."""
    table = directory / "table.json"
    table.write_text(json.dumps(TABLE))
    # Places are named again each time: a device may come back.
    count = len(list(directory.iterdir()))
    emulation = await Emulation.start(await radio.listen_tcp(f"device{count}"), table, *more)
    try:
        address = str((await emulation.event("device"))["address"])
        await emulation.event("ready")
        bench = PairingBench(radio, emulation, await radio.listen_unix(f"phone{count}"), address)
        try:
            yield bench
        finally:
            await bench.close_phones()
    finally:
        code = await emulation.stop()
    assert code == 0, emulation.child.tail()
