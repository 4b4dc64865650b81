# SPDX-License-Identifier: Apache-2.0
"""The reception of a sender by a receiver: level, noise, walks, loss, by name and direction. No I/O, no own clock."""

from __future__ import annotations

import random
from dataclasses import dataclass

EVERYONE = "*"
DEFAULT_DBM = -50
LOUDEST_DBM, FAINTEST_DBM = 20, -126
"""The range an RSSI may have on HCI; 127 means "no value" (Core 5.4, Vol 4, Part E, 7.5.4)."""


@dataclass(frozen=True)
class Level:
    """dBm from `start` to `end` over `seconds` from `since` on, with Gaussian noise of `noise` dB."""

    start: float
    end: float
    since: float = 0.0
    seconds: float = 0.0
    noise: float = 0.0

    def mean(self, now: float) -> float:
        """The level at `now`, without its noise."""
        if self.seconds <= 0:
            return self.end
        share = min(max((now - self.since) / self.seconds, 0.0), 1.0)
        return self.start + (self.end - self.start) * share


class Air:
    """The table of directions. The most exact entry wins: both names, the sender's, the receiver's, everyone's."""

    def __init__(self, seed: int = 1) -> None:
        self._levels: dict[tuple[str, str], Level] = {}
        self._losses: dict[tuple[str, str], float] = {}
        self._random = random.Random(seed)

    def set_level(self, sender: str, receiver: str, dbm: float, noise: float = 0.0) -> None:
        """Sets the level at which `receiver` receives `sender`; `*` matches every name."""
        self._levels[sender, receiver] = Level(dbm, dbm, noise=noise)

    def walk(
        self, sender: str, receiver: str, start: float, end: float, seconds: float, now: float, noise: float = 0.0
    ) -> None:
        """A linear walk from `start` to `end` dBm, where it stays."""
        self._levels[sender, receiver] = Level(start, end, now, seconds, noise)

    def set_loss(self, sender: str, receiver: str, share: float) -> None:
        """Drops that share (0 to 1) of the packets of one direction."""
        if not 0 <= share <= 1:
            raise ValueError(f"loss is a share from 0 to 1, not {share}")
        self._losses[sender, receiver] = share

    def hears(self, sender: str, receiver: str) -> bool:
        """Whether this packet is received."""
        share = self._find(self._losses, sender, receiver, 0.0)
        return share == 0 or self._random.random() >= share

    def rssi(self, sender: str, receiver: str, now: float) -> int:
        """The level of one packet in whole dBm, within the range of HCI."""
        level = self._find(self._levels, sender, receiver, Level(DEFAULT_DBM, DEFAULT_DBM))
        dbm = level.mean(now)
        if level.noise:
            dbm += self._random.gauss(0, level.noise)
        return max(FAINTEST_DBM, min(LOUDEST_DBM, round(dbm)))

    @staticmethod
    def _find(table, sender, receiver, default):
        for key in (sender, receiver), (sender, EVERYONE), (EVERYONE, receiver), (EVERYONE, EVERYONE):
            if key in table:
                return table[key]
        return default
