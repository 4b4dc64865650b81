# SPDX-License-Identifier: Apache-2.0
"""The required result of a pairing, from the specification's tables alone (Core 5.4, Vol 3, Part H, 2.3.5.1).

Nothing here knows of any implementation: the tests hold both peers to it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class IO(enum.IntEnum):
    """IO capabilities with their values in Pairing Request (3.5.1, table 3.4)."""

    DISPLAY_ONLY = 0
    DISPLAY_YES_NO = 1
    KEYBOARD_ONLY = 2
    NONE = 3
    KEYBOARD_DISPLAY = 4

    @property
    def option(self) -> str:
        """As options of readerlab name it."""
        return self.name.lower().replace("_", "-")


class Model(enum.Enum):
    """The method by which both sides authenticate each other."""

    JUST_WORKS = "just works"
    COMPARISON = "numeric comparison"
    SHOWN_BY_PERIPHERAL = "passkey, shown by the peripheral"
    SHOWN_BY_CENTRAL = "passkey, shown by the central"
    ENTERED_ON_BOTH = "passkey, entered on both"

    @property
    def authenticated(self) -> bool:
        """Whether it protects against a man in the middle."""
        return self is not Model.JUST_WORKS


# Table 2.8. Columns: the initiator; rows: the responder. With a slash: legacy pairing, then Secure Connections.
# J: just works. N: numeric comparison. R: the responder shows, the initiator enters. I: the other way round.
# B: both enter.
_TABLE = """
                 DISPLAY_ONLY DISPLAY_YES_NO KEYBOARD_ONLY NONE KEYBOARD_DISPLAY
DISPLAY_ONLY     J            J              R             J    R
DISPLAY_YES_NO   J            J/N            R             J    R/N
KEYBOARD_ONLY    I            I              B             J    I
NONE             J            J              J             J    J
KEYBOARD_DISPLAY I            I/N            R             J    I/N
"""

_MODELS = {
    "J": Model.JUST_WORKS,
    "N": Model.COMPARISON,
    "R": Model.SHOWN_BY_PERIPHERAL,
    "I": Model.SHOWN_BY_CENTRAL,
    "B": Model.ENTERED_ON_BOTH,
}


def _cells() -> dict[tuple[IO, IO], tuple[Model, Model]]:
    head, *rows = [line.split() for line in _TABLE.strip().splitlines()]
    return {
        (IO[column], IO[row[0]]): (_MODELS[cell[0]], _MODELS[cell[-1]])
        for row in rows
        for column, cell in zip(head, row[1:], strict=True)
    }


CELLS = _cells()
"""(initiator, responder): (legacy, Secure Connections)."""


@dataclass(frozen=True)
class Side:
    """One side's half of the feature exchange."""

    io: IO = IO.NONE
    secure: bool = True
    mitm: bool = False
    bonding: bool = True
    key_size: int = 16

    def __str__(self) -> str:
        words = [self.io.option, "SC" if self.secure else "legacy"]
        words += ["MITM"] if self.mitm else []
        words += [] if self.bonding else ["no bonding"]
        return " ".join(words)


@dataclass(frozen=True)
class Expected:
    """The result of both sides' features."""

    model: Model
    secure: bool
    bonded: bool
    key_size: int


def expected(initiator: Side, responder: Side) -> Expected:
    """The outcome, where neither side refuses the other."""
    secure = initiator.secure and responder.secure
    model = Model.JUST_WORKS
    # Table 2.7: without a wish for protection, IO capabilities are not looked at.
    if initiator.mitm or responder.mitm:
        model = CELLS[initiator.io, responder.io][secure]
    return Expected(model, secure, initiator.bonding and responder.bonding, min(initiator.key_size, responder.key_size))
