# SPDX-License-Identifier: Apache-2.0
"""Cards in the field of a chip that polls, as far as ISO/IEC 14443-3 and its activation go."""

from __future__ import annotations

import os
from collections.abc import Callable

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from contactless.aliro_field import AliroPhones
from contactless.desfire import CARDS as DESFIRE_CARDS
from contactless.desfire import DESFireCard
from contactless.phone_card import LEAVING, PHONES, PhoneCard
from contactless.pkoc_certificate import CARDS as CERTIFIED_CARDS

CRC_A_SEED = 0x6363
SELECT_OK = bytes.fromhex("6f009000")
NOT_FOUND = bytes.fromhex("6a82")
OK = bytes.fromhex("9000")

Answer = Callable[[bytes], bytes | None]
"""The response to a command APDU; None for a card that does not answer."""


def crc_a(data: bytes) -> bytes:
    """CRC_A, low octet first (ISO/IEC 14443-3, annex B)."""
    crc = CRC_A_SEED
    for octet in data:
        value = (octet ^ crc) & 0xFF
        value = (value ^ value << 4) & 0xFF
        crc = (crc >> 8 ^ value << 8 ^ value << 3 ^ value >> 4) & 0xFFFF
    return crc.to_bytes(2, "little")


class ModelCard:
    """A card of one technology; its state is only whether it is halted."""

    def __init__(self, technology: str, described: bytes, answer: Answer, seconds: float = 0.0) -> None:
        self.technology = technology
        self._described = described
        self.answer = answer
        self.seconds = seconds
        """The time that an answer needs."""
        self.prolongs = False
        """It requests that time (S(WTX), ISO/IEC 14443-4, 7.3), which its chip grants; else the chip has its own."""
        self.leaves_during: int | None = None
        """It leaves the field inside the exchange of this number, from 1."""
        self.leaves_after: int | None = None
        """It leaves the field once this exchange has ended."""
        self.is_halted = False
        self.commands: list[bytes] = []

    @property
    def described(self) -> bytes:
        """What InListPassiveTarget reports, the target's number included; a phone has another identifier each time."""
        return self._described

    def exchange(self, command: bytes) -> bytes | None:
        """The response to a command APDU."""
        self.commands.append(command)
        return self.answer(command)


def type_a(sak: int, identifier: bytes, ats: bytes = b"") -> bytes:
    """The description of a card of type A."""
    with_length = bytes((len(ats) + 1,)) + ats if sak & 0x20 else b""
    return b"\x01\x00\x04" + bytes((sak, len(identifier))) + identifier + with_length


class PKOCCard:
    """A PKOC card (NFC 1.1) with its key."""

    APPLICATION = bytes.fromhex("00a4040008a00000089800000100")
    VERSIONS = bytes.fromhex("5c0401010100")

    def __init__(self, scalar: int, *, signs_wrongly: bool = False) -> None:
        self._key = ec.derive_private_key(scalar, ec.SECP256R1())
        self._signs_wrongly = signs_wrongly
        numbers = self._key.public_key().public_numbers()
        self.point = b"\x04" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")

    def __call__(self, command: bytes) -> bytes:
        """The response to a command APDU."""
        if command == self.APPLICATION:
            return self.VERSIONS + OK
        if command[:4] != bytes.fromhex("80800001"):
            return NOT_FOUND
        # 5C 02 and the version, 4C 10 and the identifier of the transaction, which is what is signed.
        signed = command[11:27]
        if self._signs_wrongly:
            signed = bytes(16)
        r, s = decode_dss_signature(self._key.sign(signed, ec.ECDSA(hashes.SHA256())))
        return b"\x5a\x41" + self.point + b"\x9e\x40" + r.to_bytes(32, "big") + s.to_bytes(32, "big") + OK


def leaving(*, during: int | None = None, after: int | None = None) -> ModelCard:
    """The listed card, which leaves in the middle of its transaction."""
    card = ModelCard("A", type_a(0x20, bytes.fromhex("08313233"), ATS), LISTED)
    card.leaves_during, card.leaves_after = during, after
    return card


def waiting(seconds: float) -> ModelCard:
    """The listed card, which requests time for each answer."""
    card = ModelCard("A", type_a(0x20, bytes.fromhex("08919293"), ATS), LISTED, seconds)
    card.prolongs = True
    return card


def recording(command: bytes) -> bytes:
    """The listed card's responses to another transaction, whatever is asked."""
    return LISTED(command[:11] + bytes(range(16)) + command[27:] if command[1] == 0x80 else command)


def other_command(_: bytes) -> bytes:
    """A valid response to a command that the reader has not transmitted."""
    return LISTED(bytes.fromhex("8080000138 5c020101 4c10") + bytes(16))


LISTED, UNLISTED = PKOCCard(1), PKOCCard(2)
"""Cards that tests list, or do not."""

ATS = bytes.fromhex("78807002")
DESFIRE_ATS = bytes.fromhex("7577810280")
TYPE_B = bytes.fromhex("01 5011223344000000000081810100")

ALIRO, PHONE = "aliro-", "phone-"


def desfire_card(card: DESFireCard) -> ModelCard:
    """A DESFire card in the field, with the identifier of its contents or a random one."""
    identifier = bytes.fromhex("08") + os.urandom(3) if card.contents.uid_key else card.contents.uid
    return ModelCard("A", type_a(0x20, identifier, DESFIRE_ATS), card)


KINDS: dict[str, Callable[[], ModelCard]] = {
    # An application of nobody known.
    "stranger": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("08010203"), ATS), lambda _: NOT_FOUND),
    "other": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("042e1d22334455"), ATS), lambda _: NOT_FOUND),
    # It is activated, and then silent, as one that leaves.
    "leaving": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("08aabbcc"), ATS), lambda _: None),
    "late": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("08445566"), ATS), lambda _: NOT_FOUND, 0.6),
    "classic": lambda: ModelCard("A", type_a(0x08, bytes.fromhex("12345678")), lambda _: None),
    "type-b": lambda: ModelCard("B", TYPE_B, lambda _: NOT_FOUND),
    "pkoc": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("08010203"), ATS), LISTED),
    "pkoc-b": lambda: ModelCard("B", TYPE_B, LISTED),
    "pkoc-unlisted": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("08111213"), ATS), UNLISTED),
    "pkoc-forged": lambda: ModelCard(
        "A", type_a(0x20, bytes.fromhex("08212223"), ATS), PKOCCard(1, signs_wrongly=True)
    ),
    "pkoc-leaves-between": lambda: leaving(after=1),
    "pkoc-leaves-within": lambda: leaving(during=2),
    # Each answer is later than the chip waits (1.64 s), or both together than a transaction may last (3 s).
    "pkoc-late": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("08414243"), ATS), LISTED, 1.8),
    "pkoc-slow": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("08515253"), ATS), LISTED, 1.55),
    # Longer than the reader waits, and a second that it grants.
    "pkoc-waiting": lambda: waiting(10.0),
    "pkoc-waiting-briefly": lambda: waiting(1.2),
    "pkoc-recording": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("08616263"), ATS), recording),
    "pkoc-other-command": lambda: ModelCard("A", type_a(0x20, bytes.fromhex("08717273"), ATS), other_command),
} | {kind: lambda made=made: desfire_card(made()) for kind, made in DESFIRE_CARDS.items()}
KINDS |= {
    f"pkoc-{kind}": lambda made=made: ModelCard("A", type_a(0x20, bytes.fromhex("08818283"), ATS), made())
    for kind, made in CERTIFIED_CARDS.items()
}


def phone_card(name: str) -> ModelCard:
    """A phone that plays the card of the access session; it has another identifier each time."""
    card = ModelCard("A", type_a(0x20, b"\x08" + os.urandom(3), ATS), PHONES.get(name, PhoneCard)())
    card.leaves_after, card.leaves_during = LEAVING.get(name, (None, None))
    if name not in PHONES and name not in LEAVING:
        raise ValueError(name)
    return card


class CardsInField:
    """The cards of one field."""

    def __init__(self) -> None:
        self._cards: dict[str, ModelCard] = {}
        self._gone: dict[str, ModelCard] = {}
        self.phones = AliroPhones()

    def put(self, kind: str) -> None:
        """A card enters the field: one of `KINDS`, or `aliro-` or `phone-` and the name of a phone."""
        if kind.startswith(ALIRO):
            phone = self.phones.phone(kind.removeprefix(ALIRO))
            self._cards[kind] = ModelCard("A", type_a(0x20, bytes.fromhex("08a1a2a3"), ATS), phone)
        elif kind.startswith(PHONE):
            self._cards[kind] = phone_card(kind.removeprefix(PHONE))
        else:
            self._cards[kind] = KINDS[kind]()

    def take(self, kind: str) -> ModelCard:
        """It leaves, unless it has left by itself."""
        return self._gone.pop(kind) if kind in self._gone else self._cards.pop(kind)

    def leave(self, card: ModelCard) -> None:
        """It leaves by itself."""
        for kind, present in list(self._cards.items()):
            if present is card:
                self._gone[kind] = self._cards.pop(kind)

    def reset(self) -> None:
        """The field went off."""
        for card in self._cards.values():
            card.is_halted = False

    def find(self, technology: str) -> ModelCard | None:
        """The card that answers a request: halted ones do not."""
        return next(
            (card for card in self._cards.values() if card.technology == technology and not card.is_halted), None
        )

    def holds(self, card: ModelCard) -> bool:
        """True while it is in the field."""
        return card in self._cards.values()
